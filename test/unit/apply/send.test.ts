import { ApiError } from "../../../src/api/api-error";
import type { Endpoints } from "../../../src/api/endpoints";
import type { Resource } from "../../../src/api/reads";
import type { ApiRequest, Send } from "../../../src/api/send";
import { changeContext } from "../../../src/apply/change-context";
import { create, keepRecord, update } from "../../../src/apply/send";
import type { Address } from "../../../src/model/address";
import { defaultLifecycle } from "../../../src/model/desired";
import type { LiveResource } from "../../../src/model/live";
import type { CreateInput, UpdateInput } from "../../../src/model/resource-operations";
import { Secret } from "../../../src/model/secret";
import type { RecordedResource } from "../../../src/model/state";
import { type Plain, Unknown } from "../../../src/model/value";
import type { Change } from "../../../src/plan/plan";
import {
  api,
  changeOf,
  type FakeRun,
  intentOf,
  liveOf,
  noSlot,
  type RunGiven,
  range,
  recordOf,
  runOf,
  shop,
  start,
  timeAt,
  typeOf,
} from "./fixtures";

const post: ApiRequest = { operation: "createService", method: "POST", path: "/services", keyed: true };
const patch: ApiRequest = { ...post, operation: "updateService", method: "PATCH", path: "/services/s1" };
const token = new Secret("a-token");
const rules: Resource["rules"] = {
  name: { change: "update" },
  plan: { change: "update" },
  token: { change: "update", secret: true },
  projectId: { change: "replace" },
  icon: { change: "update", takesEffect: "at once" },
};

const sendOf = (writes: Endpoints): Send => (writes as unknown as { readonly send: Send }).send;
const lost = (status?: number): ApiError =>
  new ApiError({
    ...{ kind: "uncertain", message: "", operation: "", method: "POST", path: "/" },
    ...{ requestId: "", attempts: 1, ...(status !== undefined && { status }) },
  });
/** What is live under the id of each answer; a text is thrown. */
type Answer = LiveResource | ApiError;

/** A type whose writes are answered with these, in turn, and whose inputs are told. */
function answering(answers: readonly Answer[], more: Partial<Resource> = {}) {
  const inputs: (CreateInput | UpdateInput)[] = [];
  const left = [...answers];
  const write = async (writes: Endpoints, input: CreateInput, request: ApiRequest) => {
    inputs.push(input);
    const about = () => ({ id: "s1" });
    await sendOf(writes)({ ...request, body: Object.fromEntries(input.attributes), about });
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer instanceof ApiError || answer === undefined) throw answer;
    return { id: answer.id, live: answer };
  };
  const type = typeOf({
    ...{ rules, nameAttribute: "name", parents: [{ type: "project", attribute: "projectId" }] },
    create: (writes: Endpoints, input: CreateInput) => write(writes, input, post),
    update: (writes: Endpoints, input: UpdateInput) => write(writes, input, patch),
    ...more,
  });
  return { type, inputs };
}

const shown = (values: Readonly<Record<string, Plain>>, more: Partial<LiveResource> = {}): LiveResource =>
  liveOf("s1", { attributes: new Map(Object.entries(values)), ...more });

const runWith = (type: Resource, given: RunGiven = {}): FakeRun =>
  runOf({
    answer: () => ({ status: 200, body: {}, requestId: "", attempts: 1 }),
    ...given,
    types: [type, ...(given.types ?? [])],
  });

const perform = (run: FakeRun, change: Change, verb: typeof create) =>
  verb(changeContext(run, change, change.action === "replace" ? "create" : "whole", noSlot));

const recordIn = (run: FakeRun): RecordedResource | undefined => run.journal.recorded(api);

/** An update of what is recorded as `s1`, live as of the beginning. */
const updateOf = (
  values: Parameters<typeof changeOf>[1],
  recorded: RecordedResource = recordOf("s1", { applied: { name: "api", plan: "free" } }),
  live: LiveResource | undefined = shown({ name: "api", plan: "free" }, { updatedAt: timeAt(-60_000_000) }),
): Change => changeOf("update", values, { id: "s1", instance: { recorded, live } });

describe("a write that the answer shows as it was sent", () => {
  it("is recorded under its id, with what was declared and what the service decided", async () => {
    const answer = shown(
      { name: "api", plan: "pro" },
      { computed: new Map([["url", "u"]]), updatedAt: timeAt(1) },
    );
    const { type, inputs } = answering([answer]);
    const run = runWith(type, { resources: { [shop]: recordOf("p1", { type: "project" }) } });
    const change = changeOf(
      "create",
      { name: "api", plan: "pro" },
      { instance: { desired: { parent: shop } as never } },
    );
    expect(await perform(run, change, create)).toEqual({ kind: "done" });
    expect(inputs[0]).toMatchObject({ address: api, name: "api", isProven: true });
    expect(recordIn(run)).toMatchObject({
      ...{ type: "service", id: "s1", name: "api", parent: shop, applied: { name: "api", plan: "pro" } },
      ...{ computed: { url: "u" }, updatedAt: timeAt(1), writtenAt: timeAt(0), writes: 1 },
    });
    expect(run.journal.openAt(api)).toEqual([]);
  });

  it("sends of an update what changes, and puts a field that is no longer declared back to its default", async () => {
    const { type, inputs } = answering([shown({ name: "api", plan: "free" })]);
    const run = runWith(type, { resources: { [api]: recordOf("s1") } });
    const change = {
      ...updateOf({ name: "api" }),
      attributes: [{ path: "plan" }, { path: "icon" }] as unknown as Change["attributes"],
    };
    const withDefaults = {
      ...change,
      instance: { ...change.instance, defaults: new Map([["plan", "free"]]) },
    };
    expect(await perform(run, withDefaults, update)).toEqual({ kind: "done" });
    const [input] = inputs as UpdateInput[];
    expect([...(input?.changed ?? [])]).toEqual(["plan", "icon"]);
    expect(Object.fromEntries(input?.attributes ?? [])).toEqual({ name: "api", plan: "free", icon: null });
    expect(input).toMatchObject({ id: "s1", name: "api", live: change.instance.live });
    expect(recordIn(run)).toMatchObject({ writes: 4, applied: { name: "api" } });
  });

  it("closes earlier attempts of it: what they meant to set is set now", async () => {
    const { type } = answering([shown({ plan: "pro" })]);
    const open = [intentOf({ seq: 1, method: "PATCH", key: "another" })];
    const run = runWith(type, { resources: { [api]: recordOf("s1") }, open });
    expect(await perform(run, updateOf({ plan: "pro" }), update)).toEqual({ kind: "done" });
    expect(run.journal.openAt(api)).toEqual([]);
    const { open: left } = await run.journal.finish(null);
    expect(left).toEqual([]);
  });

  it("is recorded as it was sent where neither its answer nor a read shows it", async () => {
    const type = typeOf({
      ...{ rules, nameAttribute: "name", read: async () => ({ kind: "gone" }) as const },
      update: async (writes: Endpoints) => {
        await sendOf(writes)(patch);
        return { id: "s1" };
      },
    });
    const run = runWith(type, { resources: { [api]: recordOf("s1", { computed: { url: "u" } }) } });
    expect(await perform(run, updateOf({ plan: "pro" }), update)).toEqual({ kind: "done" });
    expect(recordIn(run)).toMatchObject({ applied: { plan: "pro" }, computed: { url: "u" } });
  });

  it("of a replacement is recorded as what was made anew", async () => {
    const { type } = answering([shown({ name: "api" })]);
    const run = runWith(type, {
      resources: { [api]: recordOf("s0", { initial: { a: 1 }, madeWith: ["plan"] }) },
    });
    const change = changeOf("replace", { name: "api" }, { id: "s0", instance: { recorded: recordOf("s0") } });
    expect(await perform(run, change, create)).toEqual({ kind: "done" });
    expect(recordIn(run)).toMatchObject({ id: "s1", applied: { name: "api" }, writes: 4 });
    expect(recordIn(run)).not.toHaveProperty("initial");
    expect(recordIn(run)).not.toHaveProperty("madeWith");
  });

  it("is no reason for a deployment where all of it takes effect at once", async () => {
    const { type } = answering([shown({ icon: "x" })]);
    const run = runWith(type, { resources: { [api]: recordOf("s1") } });
    expect(await perform(run, updateOf({ icon: "x" }), update)).toEqual({ kind: "done" });
    expect(recordIn(run)?.writes).toBe(3);
    expect(run.entries).toMatchObject([{ kind: "intent", intent: { takesEffect: "at once" } }, {}, {}, {}]);
  });
});

describe("an update", () => {
  it("sends what is implied of a field that nobody wrote, before its default", async () => {
    const { type, inputs } = answering([shown({ name: "api" })]);
    const change = updateOf({});
    const defaults = new Map([
      ["name", "by-default"],
      ["plan", "free"],
      ["icon", "none"],
    ]);
    const resolved = new Map<string, unknown>([
      ["name", "api"],
      ["icon", new Unknown([])],
    ]) as never;
    const attributes = ["name", "plan", "icon"].map((path) => ({ path })) as unknown as Change["attributes"];
    const run = runWith(type, { resources: { [api]: recordOf("s1") } });
    await perform(
      run,
      { ...change, attributes, instance: { ...change.instance, resolved, defaults } },
      update,
    );
    expect(Object.fromEntries(inputs[0]?.attributes ?? [])).toEqual({
      name: "api",
      plan: "free",
      icon: "none",
    });
  });

  it("of what runs is looked for like a create, and not sent again while it is found", async () => {
    const { type, inputs } = answering([lost()], {
      reacts: { reason: () => null } as never,
      candidates: async () => [liveOf("d2")],
    });
    const run = runWith(type, { resources: { [api]: recordOf("d1") } });
    await perform(run, { ...updateOf({}, recordOf("d1")), id: "d1" }, update);
    expect([inputs.length, recordIn(run)?.id]).toEqual([1, "d2"]);
  });
});

describe("a write that the answer does not show as it was sent", () => {
  it("is an error, and nothing of it counts as applied: it is planned again", async () => {
    const { type } = answering([shown({ name: "api", plan: "free" }, { updatedAt: timeAt(5) })]);
    const run = runWith(type, { resources: { [api]: recordOf("s1", { applied: { plan: "free" } }) } });
    expect(await perform(run, updateOf({ plan: "pro" }), update)).toMatchObject({
      ...{ kind: "failed", exitCode: 1 },
      diagnostic: { code: "apply.not_taken", address: api, attribute: "plan", range },
    });
    expect(recordIn(run)).toMatchObject({ id: "s1", applied: { plan: "free" }, writes: 4 });
  });

  it("of a create keeps its id, with nothing applied", async () => {
    const { type } = answering([shown({ name: "api", plan: "free" })]);
    const run = runWith(type);
    expect(await perform(run, changeOf("create", { name: "api", plan: "pro" }), create)).toMatchObject({
      diagnostic: { code: "apply.not_taken" },
    });
    expect(recordIn(run)).toMatchObject({ id: "s1", applied: {} });
  });

  it("compares nothing of a create that was left to the service", async () => {
    const { type } = answering([shown({ name: "api", plan: "pro" })]);
    const run = runWith(type);
    expect(await perform(run, changeOf("create", { name: "api", plan: null }), create)).toEqual({
      kind: "done",
    });
    expect(recordIn(run)?.applied).toEqual({ name: "api" });
  });

  it("is read by its id where the answer was about something else", async () => {
    const other = liveOf("other", { attributes: new Map([["plan", "pro"]]) });
    const { type } = answering([]);
    let asked: unknown;
    const reading = {
      ...type,
      update: async (writes: Endpoints) => {
        await sendOf(writes)(patch);
        return { id: "s1", live: other };
      },
      read: async (_: unknown, target: unknown) => {
        asked = target;
        return { kind: "found", live: shown({ plan: "free" }) } as const;
      },
    };
    const run = runWith(reading, { resources: { [api]: recordOf("s1") } });
    expect(await perform(run, updateOf({ plan: "pro" }), update)).toMatchObject({
      diagnostic: { code: "apply.not_taken" },
    });
    expect(asked).toMatchObject({ address: api, id: "s1", name: "api" });
    // What was read before the write says nothing of it.
    expect(run.dropped()).toBe(1);
  });

  it("throws what failed after the resource was made, which is recorded first", async () => {
    const failure = lost(502);
    const type = typeOf({
      ...{ rules, nameAttribute: "name" },
      create: async (writes: Endpoints) => {
        await sendOf(writes)({ ...post, about: () => ({ id: "s1" }) });
        return { id: "s1", live: shown({ name: "api" }), failure };
      },
    });
    const run = runWith(type);
    await expect(perform(run, changeOf("create", { name: "api" }), create)).rejects.toBe(failure);
    expect(recordIn(run)).toMatchObject({ id: "s1" });
  });
});

describe("the write of a secret", () => {
  const before = timeAt(-60_000_000);
  const near = timeAt(-1000);
  const live = (updatedAt?: string) => shown({ name: "api" }, updatedAt === undefined ? {} : { updatedAt });
  const sent = (run: FakeRun) => run.requests.filter(({ method }) => method === "PATCH");

  it("took where it moved the time of its resource; its fingerprint alone is recorded", async () => {
    const { type } = answering([live(timeAt(1))]);
    const run = runWith(type, { resources: { [api]: recordOf("s1") } });
    expect(await perform(run, updateOf({ token }, recordOf("s1"), live(before)), update)).toEqual({
      kind: "done",
    });
    expect(recordIn(run)?.applied).toEqual({ token: { fingerprint: expect.any(String) } });
    expect(JSON.stringify(run.entries)).not.toContain("a-token");
    expect(sent(run)).toHaveLength(1);
  });

  it("did not where that time stands still", async () => {
    const { type } = answering([live(before)]);
    const run = runWith(type, {
      resources: { [api]: recordOf("s1", { applied: { token: { fingerprint: "f" } } }) },
    });
    expect(await perform(run, updateOf({ token }, recordOf("s1"), live(before)), update)).toMatchObject({
      diagnostic: { code: "apply.not_taken", attribute: "token" },
    });
    expect(recordIn(run)?.applied).toEqual({ token: { fingerprint: "f" } });
    expect(sent(run)).toHaveLength(1);
  });

  it("is sent once more under another key, a second later, where both may share their time", async () => {
    const { type } = answering([live(near), live(timeAt(2000))]);
    const run = runWith(type, { resources: { [api]: recordOf("s1") } });
    expect(await perform(run, updateOf({ token }, recordOf("s1"), live(near)), update)).toEqual({
      kind: "done",
    });
    const keys = sent(run).map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(2);
    expect(run.clock.now() - start).toBe(1100);
  });

  it("without a time in its answer is read once more for one", async () => {
    const { type } = answering([live()]);
    const reading = { ...type, read: async () => ({ kind: "found", live: live(timeAt(3)) }) as const };
    const run = runWith(reading, { resources: { [api]: recordOf("s1") } });
    expect(await perform(run, updateOf({ token }, recordOf("s1"), live(before)), update)).toEqual({
      kind: "done",
    });
    expect(recordIn(run)?.updatedAt).toBe(timeAt(3));
    const unmoved = { ...type, read: async () => ({ kind: "found", live: live(before) }) as const };
    const again = runWith(unmoved, { resources: { [api]: recordOf("s1") } });
    expect(await perform(again, updateOf({ token }, recordOf("s1"), live(before)), update)).toMatchObject({
      diagnostic: { code: "apply.not_taken" },
    });
  });
});

describe("an update without a certain answer", () => {
  it("is sent again under its own key, and closes both attempts", async () => {
    const { type } = answering([lost(502), shown({ plan: "pro" })]);
    const failing = runWith(type, { resources: { [api]: recordOf("s1") } });
    expect(await perform(failing, updateOf({ plan: "pro" }), update)).toEqual({ kind: "done" });
    const [first, second] = failing.requests;
    expect(first?.idempotencyKey).toBe(second?.idempotencyKey);
    expect(failing.journal.openAt(api)).toEqual([]);
  });

  it("is done where an answer about something else came, and the thing itself shows it", async () => {
    const mismatch = lost(200);
    const answered = (live: LiveResource) => {
      const { type } = answering([mismatch]);
      const reading = { ...type, read: async () => ({ kind: "found", live }) as const };
      return runWith(reading, { resources: { [api]: recordOf("s1") } });
    };
    const done = answered(shown({ plan: "pro" }));
    expect(await perform(done, updateOf({ plan: "pro" }), update)).toEqual({ kind: "done" });
    await expect(perform(answered(shown({ plan: "free" })), updateOf({ plan: "pro" }), update)).rejects.toBe(
      mismatch,
    );
    // A secret shows itself in its time alone.
    const before = timeAt(-60_000_000);
    const moved = answered(shown({}, { updatedAt: timeAt(1) }));
    const change = updateOf({ token }, recordOf("s1"), shown({}, { updatedAt: before }));
    expect(await perform(moved, change, update)).toEqual({ kind: "done" });
    await expect(perform(answered(shown({}, { updatedAt: before })), change, update)).rejects.toBe(mismatch);
    await expect(perform(answered(shown({})), change, update)).rejects.toBe(mismatch);
  });

  it("fails with its failure where no answer came at all, without a look", async () => {
    const { type } = answering([lost(502)]);
    const run = runWith(type, { resources: { [api]: recordOf("s1") } });
    await expect(perform(run, updateOf({ plan: "pro" }), update)).rejects.toMatchObject({
      kind: "uncertain",
    });
    expect(run.requests).toHaveLength(2);
  });
});

describe("a create", () => {
  const declared = { name: "api" };
  const finding = (
    found: readonly LiveResource[],
    more: Partial<Resource> = {},
    answers: readonly Answer[] = [shown(declared)],
  ) => {
    const searches: unknown[] = [];
    const { type, inputs } = answering(answers, {
      candidates: async (_, search) => {
        searches.push(search);
        return found;
      },
      ...more,
    });
    return { type, inputs, searches };
  };

  it("of what somebody else made since the plan is refused, with its id", async () => {
    const { type, searches } = finding([liveOf("theirs")]);
    const run = runWith(type, { fences: { [api]: ["old"] } });
    await expect(perform(run, changeOf("create", declared), create)).rejects.toMatchObject({
      diagnostics: [
        {
          ...{ severity: "error", code: "live.unmanaged_exists", address: api, range },
          summary: expect.stringContaining("theirs"),
          hint: expect.stringContaining(`rnv import ${api} theirs`),
        },
      ],
    });
    expect(searches).toEqual([{ name: "api", parentId: undefined, preexistingIds: ["old"] }]);
    expect(run.requests).toEqual([]);
  });

  it("of what the plan found gone, and a list shows again, is refused", async () => {
    const { type, searches } = finding([liveOf("s0")], { read: async () => ({ kind: "gone" }) });
    const run = runWith(type, { fences: { [api]: ["s0", "old"] } });
    const recorded = recordOf("s0");
    const change = changeOf("create", declared, { missing: true, instance: { recorded } });
    await expect(perform(run, change, create)).rejects.toMatchObject({
      diagnostics: [
        {
          ...{ severity: "error", code: "live.gone_unproven", address: api, range },
          ...{
            summary: expect.stringContaining("s0"),
            hint: expect.stringContaining("run the command again"),
          },
        },
      ],
    });
    // What is recorded is no stranger to the search.
    expect(searches).toEqual([{ name: "api", parentId: undefined, preexistingIds: ["old"] }]);
  });

  it("is looked for neither where it is a part, nor where it runs", async () => {
    const part = finding([liveOf("theirs")], { removedWithParent: true });
    expect(await perform(runWith(part.type), changeOf("create", declared), create)).toEqual({ kind: "done" });
    const runs = finding([liveOf("theirs")], { reacts: {} as never });
    expect(await perform(runWith(runs.type), changeOf("create", declared), create)).toEqual({ kind: "done" });
    expect([...part.searches, ...runs.searches]).toEqual([]);
  });

  it("that was not answered takes the one thing that it made, and sends nothing again", async () => {
    let isMade = false;
    const searches: unknown[] = [];
    const { type } = answering([lost(502)], {
      candidates: async (_, search) => {
        searches.push(search);
        return isMade ? [shown(declared)] : [];
      },
      runs: { pendingOf: () => ({ kind: "deployment", id: "d" }), foresee: async () => [] } as never,
      poll: async () => ({ kind: "done" }),
    });
    const run = runWith(type, {
      answer: () => {
        isMade = true;
        throw lost(502);
      },
    });
    expect(await perform(run, changeOf("create", declared), create)).toEqual({ kind: "done" });
    expect(run.requests).toHaveLength(1);
    expect(searches[1]).toEqual({ name: "api", parentId: undefined, preexistingIds: [], since: timeAt(0) });
    expect(recordIn(run)).toMatchObject({ id: "s1" });
    expect(run.entries.filter(({ kind }) => kind === "outcome")).toEqual([
      { kind: "outcome", seq: 1, result: "done", status: 0, id: "s1" },
    ]);
    expect(run.journal.openAt(api)).toEqual([]);
  });

  it("that was not answered and made nothing is sent again under its own key", async () => {
    let requests = 0;
    const { type } = finding([]);
    const run = runWith(type, {
      answer: () => {
        requests += 1;
        if (requests === 1) throw lost(502);
        return { status: 200, body: {}, requestId: "", attempts: 1 };
      },
    });
    expect(await perform(run, changeOf("create", declared), create)).toEqual({ kind: "done" });
    const [first, second] = run.requests.map(({ idempotencyKey }) => idempotencyKey);
    expect(first).toBe(second);
    expect(run.requests).toHaveLength(2);
  });

  it("that was refused is looked for by nobody", async () => {
    const { type, searches } = finding([]);
    const refusal = new ApiError({ ...lost(400), kind: "refused", message: "no" } as ApiError);
    const run = runWith(type, {
      answer: () => {
        throw refusal;
      },
    });
    await expect(perform(run, changeOf("create", declared), create)).rejects.toBe(refusal);
    expect(searches).toHaveLength(1);
  });

  it("of an interrupted run that has come into view since the plan is taken, and only if it is one", async () => {
    const carried = intentOf({ seq: 1 });
    const given = { open: [carried], retriableIntents: [carried], fences: { [api]: ["old"] } };
    const one = finding([shown(declared)]);
    const run = runWith(one.type, given);
    expect(await perform(run, changeOf("create", declared), create)).toEqual({ kind: "done" });
    expect(run.requests).toEqual([]);
    expect(recordIn(run)).toMatchObject({ id: "s1" });
    expect(run.journal.openAt(api)).toEqual([]);
    expect(one.searches).toEqual([{ name: "api", parentId: undefined, preexistingIds: ["old"] }]);
    const two = finding([shown(declared), liveOf("s2")]);
    await expect(
      perform(runWith(two.type, given), changeOf("create", declared), create),
    ).rejects.toMatchObject({
      diagnostics: [{ code: "live.unmanaged_exists" }],
    });
    // Neither the deletion of an earlier run, nor the create of another address.
    for (const other of [
      { ...carried, method: "DELETE" },
      { ...carried, address: "service.shop.web" as Address },
    ]) {
      const stranger = runWith(finding([shown(declared)]).type, { ...given, retriableIntents: [other] });
      await expect(perform(stranger, changeOf("create", declared), create)).rejects.toMatchObject({
        diagnostics: [{ code: "live.unmanaged_exists" }],
      });
    }
  });

  it("of what seemed gone is not sent while it can be read, or while its deletion fails", async () => {
    const recorded = recordOf("s0");
    const creating = async (more: Partial<Resource>, instance: Partial<Change["instance"]> = {}) => {
      const { type } = answering([shown(declared)], more);
      const run = runWith(type, { resources: { [api]: recorded } });
      const change = changeOf("create", declared, { missing: true, instance: { recorded, ...instance } });
      const end = await perform(run, change, create).catch((cause: unknown) => cause);
      return { end, sent: run.requests.length };
    };
    expect(await creating({ read: async () => ({ kind: "found", live: liveOf("s0") }) })).toMatchObject({
      end: { diagnostics: [{ code: "live.gone_unproven", address: api }] },
      sent: 0,
    });
    const gone = { read: async () => ({ kind: "gone" }) as const };
    expect(await creating(gone)).toEqual({ end: { kind: "done" }, sent: 1 });
    const ending = { kind: "operation", id: "op", deletes: true } as const;
    const failing = { ...gone, poll: async () => ({ kind: "failed", summary: "it is busy" }) as const };
    expect(await creating(failing, { ending })).toMatchObject({ end: { kind: "failed" }, sent: 0 });
  });

  it("in place of another takes the time of its own secret, whatever the other one's was", async () => {
    const updatedAt = timeAt(-60_000_000);
    const { type } = answering([shown({ name: "api" }, { updatedAt })]);
    const recorded = recordOf("s0", { updatedAt });
    const run = runWith(type, { resources: { [api]: recorded } });
    const change = changeOf(
      "replace",
      { name: "api", token },
      { instance: { recorded, live: liveOf("s0", { updatedAt }) } },
    );
    expect(await perform(run, change, create)).toEqual({ kind: "done" });
  });

  it("records the settings that the service gave it by itself", async () => {
    const port = "configuration.port";
    const { type } = answering([shown({ name: "api", [port]: 81 })], { groups: ["configuration"] });
    const run = { ...runWith(type), defaults: () => new Map([[port, 80]]) };
    await perform(run, changeOf("create", declared), create);
    expect(recordIn(run)?.initial).toEqual({ [port]: 81 });
    const updated = { ...runWith(type, { resources: { [api]: recordOf("s1") } }), defaults: run.defaults };
    await perform(updated, updateOf(declared), update);
    expect(recordIn(updated)).not.toHaveProperty("initial");
  });

  it("is named as it is declared, else as it is called where that says nothing", async () => {
    const named = async (
      values: Parameters<typeof changeOf>[1],
      resolved: object,
      more: Partial<Resource> = {},
    ) => {
      const { type, inputs } = answering([shown({})], more);
      const change = changeOf("create", values, {
        instance: { resolved: new Map(Object.entries(resolved)) as never },
      });
      await perform(runWith(type), change, create);
      return inputs[0]?.name;
    };
    expect(await named({ name: "declared" }, { name: "resolved" })).toBe("declared");
    expect(await named({}, { name: "resolved" })).toBe("resolved");
    expect(await named({}, {})).toBe("api");
    expect(await named({ name: 7 }, {})).toBe("api");
    expect(await named({ name: "declared" }, {}, { nameAttribute: undefined })).toBe("api");
  });

  it("gets what the service decided of its parent, as far as it is known", async () => {
    const project = typeOf({ type: "project", computed: { id: {}, url: {}, slug: {} } as never });
    const projects = typeOf({ type: "proj", computed: { other: {} } as never });
    const { type, inputs } = answering([shown(declared)]);
    const known: Readonly<Record<string, Plain>> = { id: "p1", url: "u" };
    const lookup = (at: Address, path: string) => (at === shop ? known[path] : undefined);
    const run = runWith(type, { types: [projects, project], lookup });
    const change = changeOf("create", declared, { instance: { desired: { parent: shop } as never } });
    await perform(run, change, create);
    expect(Object.fromEntries(inputs[0]?.parent ?? [])).toEqual({ id: "p1", url: "u" });
    const rootless = answering([shown(declared)], { parents: [] });
    await perform(runWith(rootless.type, { types: [project], lookup }), change, create);
    expect(rootless.inputs[0]?.parent).toBeUndefined();
    const alone = answering([shown(declared)]);
    await perform(runWith(alone.type, { types: [project], lookup }), changeOf("create", declared), create);
    expect(alone.inputs[0]?.parent).toBeUndefined();
  });
});

describe("what is live as it is declared", () => {
  const keep = async (change: Change, given: RunGiven = {}, more: Partial<Resource> = {}) => {
    const { type } = answering([], more);
    const recorded = change.instance.recorded;
    const run = runWith(type, { ...(recorded && { resources: { [api]: recorded } }), ...given });
    expect(await perform(run, change, keepRecord)).toEqual({ kind: "done" });
    return run;
  };
  const live = shown({ name: "api" }, { updatedAt: timeAt(1) });
  const asRecorded = recordOf("s1", { applied: { name: "api" }, updatedAt: timeAt(1) });

  it("is not recorded again where the state says the same, whenever it was seen", async () => {
    const seen = { ...live, computed: new Map([["url", "u"]]), updatedAt: timeAt(9) };
    const run = await keep(
      changeOf("no-op", { name: "api" }, { instance: { live: seen, recorded: asRecorded } }),
    );
    expect(run.entries).toEqual([]);
  });

  it("is recorded where the state would say something else, and where it is taken over", async () => {
    const drifted = { ...asRecorded, applied: { name: "old" } };
    const run = await keep(changeOf("no-op", { name: "api" }, { instance: { live, recorded: drifted } }));
    expect(recordIn(run)).toEqual({ ...asRecorded, applied: { name: "api" } });
    const adopted = await keep(changeOf("adopt", { name: "api" }, { instance: { live } }));
    expect(recordIn(adopted)).toMatchObject({ id: "s1", applied: { name: "api" }, writes: 0 });
    const foreign = await keep(changeOf("no-op", { name: "api" }, { instance: { live } }));
    expect(foreign.entries).toEqual([]);
  });

  it("is recorded as seen where its secrets were compared in the clear", async () => {
    const seen = { ...live, updatedAt: timeAt(9) };
    const change = changeOf(
      "no-op",
      { name: "api" },
      { instance: { live: seen, recorded: asRecorded, isRevealed: true } },
    );
    expect(recordIn(await keep(change))?.updatedAt).toBe(timeAt(9));
    const same = changeOf(
      "no-op",
      { name: "api" },
      { instance: { live, recorded: asRecorded, isRevealed: true } },
    );
    expect((await keep(same)).entries).toEqual([]);
  });

  it("under another id is what the resources beside it took in under the one before", async () => {
    const rollout = "deployment.shop.api" as Address;
    const recorded = { ...asRecorded, id: "s0", parent: shop };
    const deployed = recordOf("d1", { parent: shop, inputs: { s0: 3, v1: 1 } });
    const resources = { [api]: recorded, [rollout]: deployed };
    const desired = { parent: shop } as never;
    const run = await keep(changeOf("no-op", { name: "api" }, { instance: { live, recorded, desired } }), {
      resources,
    });
    expect(recordIn(run)?.id).toBe("s1");
    expect(run.journal.recorded(rollout)?.inputs).toEqual({ v1: 1, s1: 3 });
  });

  it("keeps what it deployed and what it waits for", async () => {
    const recorded = {
      ...asRecorded,
      inputs: { s1: 2 },
      pending: { kind: "deployment", id: "d", since: timeAt(0) },
    } as const;
    const drifted = { ...recorded, applied: {} };
    const run = await keep(changeOf("no-op", { name: "api" }, { instance: { live, recorded: drifted } }));
    expect(recordIn(run)).toMatchObject({ inputs: { s1: 2 }, pending: { id: "d" }, writes: 3 });
    const plain = { ...asRecorded, applied: {} };
    expect(
      recordIn(await keep(changeOf("no-op", { name: "api" }, { instance: { live, recorded: plain } }))),
    ).not.toHaveProperty("inputs");
    const desired = { parent: shop } as never;
    const reacting = changeOf("no-op", { name: "api" }, { instance: { live, recorded: plain, desired } });
    const resources = { [shop]: recordOf("p1", { writes: 6 }), [api]: plain };
    expect(recordIn(await keep(reacting, { resources }, { reacts: {} as never }))?.inputs).toEqual({ p1: 6 });
  });

  it("becomes the record of a refresh, but for secrets and what nobody manages", async () => {
    const recorded = recordOf("s1", {
      applied: { name: "old", plan: "free", token: { fingerprint: "f" }, icon: "x" },
      updatedAt: timeAt(0),
    });
    const seen = shown(
      { name: "api", token: "masked", archived: true, other: 1 },
      { name: "live", updatedAt: timeAt(1) },
    );
    const change = changeOf(
      "no-op",
      { name: "api" },
      {
        instance: {
          live: seen,
          recorded,
          defaults: new Map<string, Plain>([
            ["plan", "pro"],
            ["archived", false],
          ]),
        },
      },
    );
    const managed = { rules: { ...rules, archived: { change: "update", alwaysManaged: true } } as const };
    const run = await keep(change, { mode: "refresh-only" }, managed);
    expect(recordIn(run)).toEqual({
      ...recorded,
      applied: { name: "api", plan: "pro", token: { fingerprint: "f" }, icon: "x", archived: true },
      ...{ name: "live", updatedAt: timeAt(1) },
    });
    const usual = shown({ archived: false });
    const again = changeOf(
      "no-op",
      {},
      {
        instance: { live: usual, recorded: asRecorded, defaults: new Map([["archived", false]]) },
      },
    );
    const next = recordIn(await keep(again, { mode: "refresh-only" }, managed));
    expect(next).toEqual(asRecorded);
    const unread = changeOf("no-op", {}, { instance: { recorded: asRecorded } });
    expect((await keep(unread, { mode: "refresh-only" })).entries).toEqual([]);
  });
});

it("a resource is protected as it is declared, else as it was recorded, else not", async () => {
  const isProtected = async (declared: boolean, previous?: boolean) => {
    const { type } = answering([shown({ name: "api" })]);
    const recorded = previous === undefined ? undefined : recordOf("s1", { preventDestroy: previous });
    const run = runWith(type, { ...(recorded && { resources: { [api]: recorded } }) });
    const change = updateOf(declared ? { name: "api" } : undefined, recorded);
    await perform(run, change, update);
    return recordIn(run)?.preventDestroy;
  };
  expect(await Promise.all([isProtected(true, true), isProtected(false, true)])).toEqual([false, true]);
  expect(await Promise.all([isProtected(false, false), isProtected(false)])).toEqual([false, false]);
});

it("lifecycle settings of a declared resource are those of its record", async () => {
  const { type } = answering([shown({ name: "api" })]);
  const run = runWith(type, { resources: { [api]: recordOf("s1") } });
  const lifecycle = { ...defaultLifecycle, preventDestroy: true, ignoreChanges: ["plan"] };
  const change = updateOf({ name: "api" });
  const declared = { ...change.instance.desired, lifecycle } as Change["instance"]["desired"];
  await perform(run, { ...change, instance: { ...change.instance, desired: declared } }, update);
  expect(recordIn(run)).toMatchObject({ preventDestroy: true, ignoreChanges: ["plan"] });
});
