import { ApiError } from "../../../src/api/api-error";
import type { Resource } from "../../../src/api/reads";
import { runPlan } from "../../../src/apply/run-plan";
import { type DiagnosticCode, DiagnosticsError, error } from "../../../src/diagnostics/diagnostic";
import type { Address } from "../../../src/model/address";
import { defaultLifecycle } from "../../../src/model/desired";
import { Secret } from "../../../src/model/secret";
import { Template } from "../../../src/model/value";
import type { Change, Plan } from "../../../src/plan/plan";
import { type FixedChange, instancesOf } from "../../support/plan-fixture";
import {
  api,
  changeOf,
  type FakeRun,
  liveOf,
  type RunGiven,
  range,
  recordOf,
  runOf,
  shop,
  typeOf,
} from "./fixtures";

const web = "service.shop.web" as Address;
const refused = (status: number): ApiError =>
  new ApiError({
    ...{
      kind: status === 401 ? "unauthorized" : "refused",
      status,
      message: "no",
      operation: "createService",
    },
    ...{ method: "POST", path: "/", requestId: "q", attempts: 1 },
  });

/** A type whose verbs are told, and fail where `fails` says. */
function telling(
  log: string[],
  fails: Readonly<Record<string, unknown>> = {},
  more: Partial<Resource> = {},
): Resource {
  const perform =
    (verb: string) =>
    async (_: unknown, { address, id = "s1" }: { address: Address; id?: string }) => {
      const failure = fails[`${verb} ${address}`];
      log.push(`${verb} ${address}`);
      if (failure !== undefined) throw failure;
      return { id, live: liveOf(id) };
    };
  return typeOf({
    rules: { plan: { change: "update" } },
    ...{
      create: perform("create"),
      update: perform("update"),
      remove: perform("remove"),
      archive: perform("archive"),
    },
    ...more,
  });
}

const planOf = (...changes: readonly FixedChange[]): Plan =>
  ({ changes, instances: instancesOf(changes) }) as unknown as Plan;
const of = (
  action: Change["action"],
  address: Address,
  more: Parameters<typeof changeOf>[2] = {},
): Change => ({
  ...changeOf(action, action === "delete" || action === "forget" ? undefined : {}, {
    address,
    id: "s1",
    ...more,
  }),
});
async function ran(
  changes: readonly FixedChange[],
  fails: Readonly<Record<string, unknown>> = {},
  given: RunGiven = {},
  more: Partial<Resource> = {},
  stop?: AbortController,
) {
  const log: string[] = [];
  const run: FakeRun = runOf({ ...given, types: [telling(log, fails, more), ...(given.types ?? [])] });
  const result = await runPlan(stop ? { ...run, signal: stop.signal } : run, planOf(...changes), 10);
  return { ...result, log, run };
}
const typesOf = (run: FakeRun) =>
  run.events.map((event) => `${event.type} ${"address" in event ? event.address : ""}`);

describe("a run", () => {
  it("continues with all else where a change fails, and skips what waits for that, by its name", async () => {
    const { log, counts, diagnostics, exitCode, run } = await ran(
      [of("create", api), { ...of("create", web), dependsOn: [api] }, of("create", shop)],
      { [`create ${api}`]: refused(400) },
    );
    expect(log).toEqual([`create ${api}`, `create ${shop}`]);
    expect(counts).toMatchObject({ added: 1, failed: 1, skipped: 1 });
    expect(exitCode).toBe(3);
    expect(diagnostics).toMatchObject([{ address: api, range, requestId: "q" }]);
    expect(typesOf(run)).toContain(`failed ${api}`);
    expect(run.events.find(({ type }) => type === "skipped")).toMatchObject({
      address: web,
      action: "create",
      because: [api],
    });
  });

  it("skips a replacement once, and does not blame it on itself", async () => {
    const resources = { [api]: recordOf("s1"), [web]: recordOf("s2") };
    const { counts, run } = await ran(
      [
        of("replace", api),
        { ...of("create", web), dependsOn: [api] },
        { ...of("no-op", shop), dependsOn: [api] },
      ],
      { [`remove ${api}`]: refused(409) },
      { resources },
    );
    expect(counts).toMatchObject({ failed: 1, skipped: 2, destroyed: 0, added: 0 });
    expect(run.events.filter(({ type }) => type === "skipped")).toMatchObject([
      { address: api, because: [] },
      { address: web, because: [api] },
    ]);
  });

  it("keeps the address that the fingerprint of an ignored value was made with", async () => {
    const recorded = recordOf("s1", { applied: { value: { fingerprint: "f" } } });
    const desired = { lifecycle: { ...defaultLifecycle, ignoreChanges: ["value"] } } as never;
    const instance = { desired, recorded: { ...recorded, fingerprintAddress: api } };
    const moved = { address: web, previousAddress: api, instance };
    const resources = { [api]: recorded };
    const { run } = await ran([changeOf("no-op", { value: new Secret("a") }, moved)], {}, { resources });
    expect(run.journal.recorded(web)).toMatchObject(instance.recorded);
  });

  it.each<[DiagnosticCode]>([["state.lock_lost"], ["state.write_failed"]])(
    "begins nothing after %s",
    async (code) => {
      const lost = new DiagnosticsError([error(code, "lost")]);
      const { log } = await ran([of("create", api), { ...of("no-op", shop), dependsOn: [] }], {
        [`create ${api}`]: lost,
      });
      expect(log).toEqual([`create ${api}`]);
      const run = runOf({ types: [telling(log, { [`create ${api}`]: lost })] });
      const { counts } = await runPlan(run, planOf(of("create", api), of("create", web)), 1);
      expect(counts).toMatchObject({ added: 0, failed: 1, skipped: 1 });
      expect(run.events.at(-1)).toMatchObject({ type: "skipped", address: web, because: [api] });
    },
  );

  it("ends with 1 where nothing worked, with 7 where something did not run, and with 8 for a checkout", async () => {
    const failing = { [`create ${api}`]: refused(400) };
    expect((await ran([of("create", api)], failing)).exitCode).toBe(1);
    const held = { ...of("no-op", web), held: "the service is archived" };
    const { exitCode, diagnostics } = await ran([held]);
    expect({ exitCode, diagnostics }).toMatchObject({
      exitCode: 7,
      diagnostics: [{ code: "apply.deploy_failed", address: web, range }],
    });
    expect((await ran([held, of("create", api)], failing)).exitCode).toBe(1);
    expect((await ran([held, of("create", api)])).exitCode).toBe(7);
    const pending = { kind: "deployment", id: "d" } as const;
    const unpaid = {
      create: async () => ({ id: "s1", live: liveOf("s1"), pending }),
      poll: async () => ({ kind: "checkout", summary: "pay" }) as const,
    };
    expect((await ran([of("create", api)], {}, {}, unpaid)).exitCode).toBe(8);
    expect((await ran([of("create", api), held], {}, {}, unpaid)).exitCode).toBe(7);
  });
});

describe("the failure of a change", () => {
  const failed = async (change: Change, failure?: unknown, more: Partial<Resource> = {}) =>
    (
      await ran(
        [change],
        failure === undefined ? {} : { [`${change.action} ${change.address}`]: failure },
        { resources: { [api]: recordOf("s1") } },
        more,
      )
    ).diagnostics[0];

  it("points at the one field that it changes, else at the block", async () => {
    const field = { file: "rnv.yaml", start: 5, end: 6 };
    const one = [{ path: "plan", range: field }] as unknown as Change["attributes"];
    expect(await failed({ ...of("update", api), attributes: one }, refused(400))).toMatchObject({
      range: field,
    });
    expect(await failed({ ...of("update", api), attributes: [...one, ...one] }, refused(400))).toMatchObject({
      range,
    });
  });

  it("is what was found where that is told already", async () => {
    const found = error("live.unmanaged_exists", "x", { hint: "y" });
    expect(await failed(of("create", api), new DiagnosticsError([found]))).toEqual(found);
    expect(await failed(of("create", api), new DiagnosticsError([]))).toMatchObject({ code: "internal.bug" });
  });

  it("names what the service has not told yet of another resource", async () => {
    const url = new Template([{ address: web, attribute: "url" }], false);
    expect(await failed(changeOf("create", { plan: url }))).toMatchObject({
      ...{ code: "apply.failed", address: api, range },
      ...{
        summary: expect.stringContaining(`${web}.url`),
        hint: expect.stringContaining("Run the same command again"),
      },
    });
  });
});
