import type { Fault } from "../../../src/emulator/faults";
import type { Address } from "../../../src/model/address";
import { withoutFields } from "../../support/edited-answers";
import { type ActionRequest, createWorkbench, type Workbench } from "../../support/workbench";

const address = "service.shop.api" as Address;
const shop = "projects: { shop: { services: { api: { kind: web, deploy: { when: never } } } } }";
const isCreate = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === "POST" && path.endsWith("/services");

let bench: Workbench;
beforeEach(async () => {
  bench = createWorkbench();
  bench.write("rnv.yaml", "projects: { shop: {} }");
  await bench.apply();
  bench.write("rnv.yaml", shop);
});

const store = () => bench.emulator.store;
const creates = () =>
  bench.emulator.log.filter((request) => isCreate(request)).map(({ headers }) => headers["idempotency-key"]);
const recorded = async () => (await bench.state())?.resources[address];
/** Made in the dashboard, under the name that is declared. */
const addNamesake = () => store().addService({ name: "api", projectId: store().projects()[0]?.id });

describe("a create that was not answered, beside another thing of its name", () => {
  const lostAnswer = { kind: "status", status: 500, when: "after", receipt: false } as const;
  const withNamesake = (): Fault => {
    addNamesake();
    return lostAnswer;
  };
  const losing = () => bench.fail(/^POST .*\/services$/, withNamesake, 1);

  it("is for a person to decide: both ids are told, nothing is sent again, and none is taken", async () => {
    losing();
    const { exitCode, diagnostics } = await bench.apply();
    const ids = store()
      .services()
      .map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(exitCode).not.toBe(0);
    const [told] = diagnostics.filter(({ severity }) => severity === "error");
    expect(told).toMatchObject({ code: "apply.uncertain", address });
    for (const id of ids) expect(told?.detail).toContain(id);
    expect(told?.hint).toContain(`rnv import ${address} ID`);
    expect(creates()).toHaveLength(1);
    expect(await recorded()).toBeUndefined();
    expect((await bench.state())?.open).toHaveLength(1);
  });

  it("stays so for the next run, which sends nothing", async () => {
    losing();
    await bench.apply();
    bench.fail();
    bench.emulator.resetLog();
    const { exitCode, diagnostics } = await bench.apply();
    expect(exitCode).toBe(1);
    expect(diagnostics).toMatchObject([{ code: "state.open_intent", address }]);
    for (const { id } of store().services()) expect(diagnostics[0]?.detail).toContain(id);
    expect(diagnostics[0]?.hint).toContain(`rnv import ${address} ID`);
    expect(bench.writes()).toEqual([]);
    // The stranger's went away: what is left is the one that was made.
    const [other, made] = store().services();
    expect([made?.name, other?.name]).toEqual(["api", "api"]);
    store().deleteServiceNow(other?.id ?? "");
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect(creates()).toEqual([]);
    expect(await recorded()).toMatchObject({ id: made?.id });
  });
});

// "409 Resource conflict": not only of another resource, but of a request with the same key that still goes on.
it("a create whose key is refused while its first request goes on stays uncertain, and is found by a later run", async () => {
  let sent = 0;
  bench.fail(/^POST .*\/services$/, () => {
    sent += 1;
    return { kind: "status", status: sent === 1 ? 500 : 409, code: "request_in_progress" };
  });
  const { exitCode, diagnostics } = await bench.apply();
  expect(sent).toBe(2);
  expect({ exitCode, diagnostics }).toMatchObject({
    exitCode: 1,
    diagnostics: [{ code: "apply.uncertain" }],
  });
  expect(diagnostics[0]?.hint).not.toContain("another name");
  expect(await bench.apply()).toMatchObject({ exitCode: 1, diagnostics: [{ code: "apply.uncertain" }] });
  const made = addNamesake();
  bench.fail();
  bench.emulator.resetLog();
  expect(await bench.apply()).toMatchObject({ exitCode: 0 });
  expect(creates()).toEqual([]);
  expect(await recorded()).toMatchObject({ id: made.id });
});

// "A field that did not take is an error naming it, never a silent success" (DESIGN section 4).
describe("a change that the answer does not show", () => {
  const withBranch = (branch: string) =>
    bench.write("rnv.yaml", shop.replace("kind: web", `kind: web, configuration: { branch: ${branch} }`));

  it("is recorded as it was before: the next plan compares again", async () => {
    withBranch("main");
    await bench.apply();
    const before = await recorded();
    expect(before?.applied["configuration.branch"]).toBe("main");
    bench.fail(/^PATCH /, withoutFields("branch"));
    withBranch("develop");
    const { exitCode, diagnostics } = await bench.apply();
    expect({ exitCode, diagnostics }).toMatchObject({
      exitCode: 1,
      diagnostics: [{ code: "apply.not_taken", attribute: "configuration.branch", address }],
    });
    expect(await recorded()).toMatchObject({ id: before?.id, applied: before?.applied });
    bench.fail();
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect((await recorded())?.applied["configuration.branch"]).toBe("develop");
    expect(await bench.acting()).toEqual([]);
  });
});

// "Receipts live 24 h": one hour is kept back for clocks that disagree.
describe("the key of a create that did not arrive", () => {
  it.each([
    ["is sent again", 23 * 60 - 5, true],
    ["is not sent again", 23 * 60 + 1, false],
    ["is not sent again by a clock that was set back so far", -(23 * 60 + 5), false],
  ])("%s after %i minutes: %s", async (_, minutes, isSame) => {
    bench.fail(/^POST .*\/services$/, { kind: "status", status: 500 });
    await bench.apply();
    bench.fail();
    const [key] = creates();
    expect(key).toEqual(expect.any(String));
    bench.emulator.resetLog();
    // Back: the intent looks as if it were of tomorrow.
    bench.clock.advance(Math.abs(minutes) * 60_000);
    if (minutes < 0) await dateIntents(2 * -minutes * 60_000);
    expect(await bench.apply()).toMatchObject({ exitCode: 0 });
    expect(creates()).toHaveLength(1);
    expect(creates()[0] === key).toBe(isSame);
    expect(store().services()).toHaveLength(1);
  });

  /** Dates what is open so much later. */
  async function dateIntents(milliseconds: number): Promise<void> {
    const session = await bench.context.backend.lock(
      { id: "x", host: "bench", pid: process.pid, command: "test", since: "2026-01-01T00:00:00.000Z" },
      0,
    );
    const { state } = session;
    if (state === undefined) throw new Error("no state");
    const open = state.open.map((intent) => ({
      ...intent,
      at: new Date(Date.parse(intent.at) + milliseconds).toISOString(),
    }));
    await session.commit({ ...state, open });
    await session.release();
  }
});

// "A deletion that did not arrive goes out again under its own key": a run that only stood still does not ask twice.
describe("the key of a deletion that did not arrive", () => {
  const deletions = () =>
    bench.emulator.log
      .filter(({ method }) => method === "DELETE")
      .map(({ headers }) => headers["idempotency-key"]);

  it.each([
    ["is sent again", 23 * 60 - 1, true],
    ["is not sent again", 23 * 60 + 1, false],
  ])("%s after %i minutes: %s", async (_, minutes, isSame) => {
    await bench.apply();
    bench.write("rnv.yaml", "projects: { shop: {} }");
    bench.fail(/^DELETE /, { kind: "status", status: 500 });
    const confirmed = { approve: async () => ({ confirmedDeletes: [address] }) };
    await bench.apply(confirmed);
    bench.fail();
    const [key] = deletions();
    expect(key).toEqual(expect.any(String));
    bench.emulator.resetLog();
    bench.clock.advance(minutes * 60_000);
    expect(await bench.apply(confirmed)).toMatchObject({ exitCode: 0 });
    expect(deletions()).toHaveLength(1);
    expect(deletions()[0] === key).toBe(isSame);
    expect(store().services()).toEqual([]);
  });
});

describe("a verb that was not answered", () => {
  const act = (request: ActionRequest) => bench.act({ confirm: async () => "api", ...request });
  const deployments = () => store().deployments(store().services()[0]?.id ?? "");
  beforeEach(async () => {
    const configuration = "configuration: { repository: https://git.example.com/shop/api }";
    bench.write("rnv.yaml", shop.replace("deploy: { when: never }", configuration));
    await bench.apply();
    await act({ action: "deploy" });
  });

  it("takes no deployment of another user for its roll back", async () => {
    const [first] = deployments();
    // The write is lost before it arrives, and meanwhile someone deploys in the dashboard.
    const deployed = (): Fault => {
      store().deploy(store().services()[0]?.id ?? "");
      return { kind: "status", status: 500 };
    };
    bench.fail(/^POST /, deployed, 1);
    expect(await act({ action: "rollback" })).toMatchObject({ result: "done", exitCode: 0 });
    const rollbacks = deployments().filter(({ sourceDeploymentId }) => sourceDeploymentId === first?.id);
    expect(rollbacks).toHaveLength(1);
    expect(deployments()).toHaveLength(4);
  });
});
