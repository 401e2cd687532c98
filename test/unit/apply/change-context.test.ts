import type { Resource } from "../../../src/api/reads";
import type { ApiRequest, Send } from "../../../src/api/send";
import { changeContext, inputsIn, recordedAfter, writesAfter } from "../../../src/apply/change-context";
import type { Address } from "../../../src/model/address";
import { defaultLifecycle } from "../../../src/model/desired";
import { Secret } from "../../../src/model/secret";
import type { RecordedResource } from "../../../src/model/state";
import {
  type DesiredValue,
  GeneratedSecret,
  type Plain,
  Template,
  Unknown,
  UnreadSecret,
} from "../../../src/model/value";
import type { Change } from "../../../src/plan/plan";
import {
  api,
  changeOf,
  liveOf,
  noSlot,
  type RunGiven,
  recordOf,
  runOf,
  shop,
  timeAt,
  typeOf,
} from "./fixtures";

const rules: Resource["rules"] = {
  name: { change: "update" },
  "configuration.port": { change: "update" },
  "configuration.branch": { change: "update" },
  "configurations.port": { change: "update" },
  preserve: { change: "local" },
  token: { change: "update", secret: true },
  projectId: { change: "replace" },
};
const service = typeOf({
  rules,
  groups: ["configuration"],
  parents: [{ type: "project", attribute: "projectId" }],
});

/** The record after a change that declares and has sent `values`. */
const recorded = (
  values: Readonly<Record<string, DesiredValue>>,
  more: Partial<Parameters<typeof recordedAfter>[0]> & {
    readonly lifecycle?: Partial<typeof defaultLifecycle>;
    readonly desired?: object;
    readonly instance?: Partial<Change["instance"]>;
  } = {},
): RecordedResource => {
  const { lifecycle, desired, instance, ...others } = more;
  const declared = { lifecycle: { ...defaultLifecycle, ...lifecycle }, ...desired } as never;
  return recordedAfter({
    reads: { contentAt: () => ({}) },
    change: changeOf("update", values, { instance: { desired: declared, ...instance } }),
    type: service,
    id: "s1",
    values: new Map(Object.entries(values)) as never,
    defaults: new Map(),
    writes: 1,
    fingerprintKey: new Uint8Array(32).fill(7),
    ...others,
  });
};

describe("what is recorded as applied", () => {
  const previous = recordOf("s1", {
    applied: { "configuration.port": 1, "configurations.port": 1, name: "old" },
  });

  it("is of an ignored field, or of all in an ignored group, what was recorded before", () => {
    const values = { "configuration.port": 2, "configurations.port": 2, name: "new" };
    const ignoring = (...ignoreChanges: readonly string[]) =>
      recorded(values, { previous, lifecycle: { ignoreChanges } }).applied;
    expect(ignoring()).toEqual(values);
    expect(ignoring("configuration")).toEqual({ ...values, "configuration.port": 1 });
    expect(ignoring("configuration.port", "name")).toEqual({
      ...values,
      "configuration.port": 1,
      name: "old",
    });
    expect(ignoring("port", "config", "configuration.p")).toEqual(values);
    // What is made again is recorded as it was sent.
    expect(recorded(values, { lifecycle: { ignoreChanges: ["name"] } }).applied).toEqual(values);
  });

  it("is nothing of what only rnv reads, of what was left to the service, and of what is not declared", () => {
    expect(recorded({ preserve: true, name: null }, { previous }).applied).toEqual({});
  });

  it("is of a secret its fingerprint, the planned one where there is one, and never its text", () => {
    const token = new Secret("a-token");
    const { applied } = recorded({ token });
    expect(applied).toEqual({ token: { fingerprint: token.fingerprint(new Uint8Array(32).fill(7), api) } });
    const fingerprints = { token: "planned" };
    expect(recorded({ token }, { instance: { fingerprints } }).applied).toEqual({
      token: { fingerprint: "planned" },
    });
    const made = new GeneratedSecret(8);
    expect(recorded({ token: made }, { instance: { fingerprints } }).applied).toEqual({
      token: { fingerprint: "planned" },
    });
    expect(recorded({ token: made }).applied).toEqual({});
  });

  it("is what was recorded before where the answer shows nothing", () => {
    const given = {
      name: new Template([{ address: shop, attribute: "name" }], false),
      "configuration.port": new UnreadSecret("x"),
    };
    const values = new Map<string, unknown>([
      ["name", new Unknown([])],
      ["configuration.port", given["configuration.port"]],
    ]);
    expect(recorded(given, { previous, values: values as never }).applied).toEqual({
      name: "old",
      "configuration.port": 1,
    });
    expect(recorded({ name: "x" }, { previous, values: new Map() }).applied).toEqual({ name: "old" });
    expect(recorded({ name: "x" }, { values: new Map() }).applied).toEqual({});
  });
});

describe("the record after a change", () => {
  it("has of what was seen last its name, what it decides and its time", () => {
    const live = liveOf("s1", {
      name: "shown",
      computed: new Map([["url", "u"]]),
      updatedAt: timeAt(1),
      asOf: timeAt(2),
    });
    expect(recorded({}, { live })).toMatchObject({
      name: "shown",
      computed: { url: "u" },
      updatedAt: timeAt(1),
    });
    expect(recorded({}, { live: liveOf("s1", { asOf: timeAt(2) }) }).updatedAt).toBe(timeAt(2));
    const previous = recordOf("s1", {
      computed: { url: "before" },
      updatedAt: timeAt(0),
      writtenAt: timeAt(3),
    });
    expect(recorded({}, { previous })).toMatchObject({
      name: "api",
      computed: { url: "before" },
      updatedAt: timeAt(0),
      writtenAt: timeAt(3),
    });
    expect(recorded({}, { previous, writtenAt: timeAt(4) }).writtenAt).toBe(timeAt(4));
    const bare = recorded({});
    for (const name of ["updatedAt", "writtenAt", "parent", "ignoreChanges", "initial", "inputs", "pending"])
      expect(bare).not.toHaveProperty(name);
    expect(bare).toMatchObject({ computed: {}, preventDestroy: false, onRemove: "delete" });
  });

  it("has the lifecycle that is declared, else the one before", () => {
    const previous = recordOf("s1", {
      preventDestroy: true,
      ignoreChanges: ["name"],
      parent: shop,
      dependsOn: [shop],
    });
    expect(recorded({}, { previous })).toMatchObject({ preventDestroy: false, parent: shop, dependsOn: [] });
    expect(recorded({}, { previous })).not.toHaveProperty("ignoreChanges");
    expect(recorded({}, { lifecycle: { preventDestroy: true, ignoreChanges: ["plan"] } })).toMatchObject({
      ...{ preventDestroy: true, ignoreChanges: ["plan"] },
    });
    const removed = changeOf("no-op", undefined, { instance: { recorded: previous } });
    expect(recorded({}, { previous, change: removed })).toMatchObject({
      ...{ preventDestroy: true, ignoreChanges: ["name"], parent: shop, dependsOn: [shop] },
    });
  });

  it("waits, for its deletion, for what it refers to besides what it is in, sorted and once each", () => {
    const [a, b] = ["service.shop.a", "service.shop.b"] as Address[];
    const desired = { parent: shop, dependsOn: [b, shop, a, b] };
    expect(recorded({}, { desired })).toMatchObject({ parent: shop, dependsOn: [a, b] });
    expect(recorded({}, { desired: { dependsOn: [b] } }).dependsOn).toEqual([b]);
  });

  it("keeps what a resource started with, asked once: settings that were not sent and are no default of the catalog", () => {
    const defaults = new Map<string, Plain>([
      ["configuration.port", 8000],
      ["configuration.branch", "main"],
      ["name", "x"],
    ]);
    const attributes = new Map<string, Plain>([
      ["configuration.port", 3000],
      ["configuration.branch", "dev"],
      ["name", "api"],
    ]);
    const live = liveOf("s1", { attributes });
    const made = recorded({ "configuration.branch": "dev" }, { isNew: true, live, defaults });
    expect(made.initial).toEqual({ "configuration.port": 3000 });
    expect(recorded({ "configuration.branch": null }, { isNew: true, live, defaults }).initial).toEqual({
      ...{ "configuration.port": 3000, "configuration.branch": "dev" },
    });
    expect(recorded({}, { live, defaults })).not.toHaveProperty("initial");
    expect(recorded({}, { live, defaults, previous: recordOf("s1", { initial: { a: 1 } }) }).initial).toEqual(
      { a: 1 },
    );
    // It was made by a run that was killed, and is seen for the first time.
    const previous = recordOf("s1", { madeWith: ["configuration.port"] });
    const seen = recorded({}, { defaults, previous, instance: { live } });
    expect(seen.initial).toEqual({ "configuration.branch": "dev" });
    expect(seen).not.toHaveProperty("madeWith");
    expect(recorded({}, { defaults, previous, live }).madeWith).toEqual(["configuration.port"]);
    expect(recorded({}, { isNew: true, defaults })).not.toHaveProperty("initial");
  });
});

describe("how often a resource was written for a deployment", () => {
  it("grows with each change that a deployment must bring", () => {
    const instance = { recorded: recordOf("s1", { writes: 3 }) };
    expect(writesAfter(changeOf("update", { name: "x" }, { instance }), service)).toBe(4);
    expect(writesAfter(changeOf("no-op", {}, { instance }), service)).toBe(3);
    expect(writesAfter(changeOf("create", {}), service)).toBe(1);
  });

  it("is what a deployment took in, of its service and of what it follows there", () => {
    const run = runOf({
      resources: {
        [api]: recordOf("s1", { writes: 5 }),
        ["variable.shop.api.A" as Address]: recordOf("v1", { type: "variable", parent: api, writes: 2 }),
        ["deployment.shop.api" as Address]: recordOf("d1", { type: "deployment", parent: api, writes: 9 }),
        ["variable.shop.web.A" as Address]: recordOf("v2", { type: "variable", parent: shop, writes: 7 }),
      },
    });
    expect(inputsIn(run.journal, api, { follows: ["variable"] })).toEqual({ s1: 5, v1: 2 });
    expect(inputsIn(run.journal, shop, { follows: ["variable"] })).toEqual({ v2: 7 });
  });
});

describe("the record of an accepted write", () => {
  const accepted = (
    change: Change,
    id: string | undefined,
    given: RunGiven = {},
    type = service,
    madeAt?: string,
  ) =>
    changeContext(
      runOf({ ...given, types: [type] }),
      change,
      change.action === "replace" ? "create" : "whole",
      noSlot,
    ).recordOnAccept(id, madeAt);

  it("of a create has its id, where it lies, and the settings that it was made with", () => {
    const change = changeOf(
      "create",
      { projectId: "p1", name: "api", "configuration.port": 1, "configuration.branch": null },
      {
        onRemove: "archive",
        instance: {
          desired: { parent: shop, lifecycle: { ...defaultLifecycle, preventDestroy: true } } as never,
        },
      },
    );
    const resources = { [shop]: recordOf("p1", { type: "project" }) };
    expect(accepted(change, "s1", { resources }, service, timeAt(5))).toEqual({
      ...{
        type: "service",
        id: "s1",
        name: "api",
        parent: shop,
        dependsOn: [],
        applied: { projectId: "p1" },
      },
      ...{
        computed: {},
        updatedAt: timeAt(5),
        writtenAt: timeAt(0),
        preventDestroy: true,
        onRemove: "archive",
      },
      ...{ madeWith: ["configuration.port"], writes: 1 },
    });
    expect(accepted(change, undefined)).toBeNull();
    const plain = typeOf({ rules, groups: [] });
    expect(accepted(changeOf("create", {}), "s1", {}, plain)).not.toHaveProperty("madeWith");
  });

  it("of an update keeps the id and all that is recorded, whatever id its answer bears", () => {
    const before = recordOf("s1", {
      ...{ name: "old", applied: { name: "old" }, computed: { url: "u" }, dependsOn: [shop], parent: shop },
      ...{
        initial: { a: 1 },
        madeWith: ["x"],
        updatedAt: timeAt(-1),
        preventDestroy: true,
        ignoreChanges: ["name"],
      },
    });
    const change = {
      ...changeOf("update", { name: "new" }),
      id: "s1",
      instance: { ...changeOf("update", {}).instance, recorded: before },
    };
    const { desired: _, ...undeclared } = change.instance;
    const after = accepted({ ...change, instance: undeclared } as Change, "other", {
      resources: { [api]: before },
    });
    expect(after).toEqual({ ...before, writtenAt: timeAt(0), writes: 4 });
  });

  it("of a replacement has nothing of what it replaces", () => {
    const before = recordOf("s0", { applied: { name: "old" }, computed: { url: "u" }, initial: { a: 1 } });
    const after = accepted(changeOf("replace", {}), "s1", { resources: { [api]: before } });
    expect(after).toMatchObject({ id: "s1", applied: {}, computed: {} });
    expect(after).not.toHaveProperty("initial");
  });

  it("of what runs has what it deploys and how its end is seen", () => {
    const rollout = typeOf({
      ...{ type: "deployment", rules: {}, follows: [], reacts: {} as never },
      runs: {
        pendingOf: (id: string, parentId: string) => ({ kind: "deployment", id, serviceId: parentId }),
      } as never,
    });
    const change = changeOf(
      "update",
      {},
      {
        ...{ address: "deployment.shop.api" as Address, type: "deployment" },
        instance: { desired: { parent: api } as never },
      },
    );
    const resources = { [api]: recordOf("s1", { writes: 5 }) };
    expect(accepted(change, "d2", { resources }, rollout, timeAt(5))).toMatchObject({
      ...{ id: "d2", inputs: { s1: 5 }, updatedAt: timeAt(5) },
      pending: { kind: "deployment", id: "d2", serviceId: "s1" },
    });
  });
});

describe("the writes of a change", () => {
  const post: ApiRequest = { operation: "createService", method: "POST", path: "/services", keyed: true };
  /** The run after a create was sent. */
  const runAfter = async (given: RunGiven, change: Change) => {
    const answer = () => ({ status: 201, body: {}, requestId: "", attempts: 1 });
    const run = runOf({ ...given, types: [service], answer });
    const { endpoints } = changeContext(run, change, "whole", noSlot);
    await (endpoints as unknown as { readonly send: Send }).send({ ...post, about: () => ({ id: "new" }) });
    return run;
  };

  it("name where they lie, and of a create the settings that it sends", async () => {
    const change = changeOf(
      "create",
      { "configuration.port": 1 },
      { instance: { desired: { parent: shop } as never } },
    );
    const run = await runAfter({ resources: { [shop]: recordOf("p1") } }, change);
    expect(run.entries[0]).toMatchObject({
      intent: { parentId: "p1", madeWith: ["configuration.port"], name: "api" },
    });
    expect(run.entries[0]).not.toHaveProperty("intent.takesEffect");
    const update = changeOf(
      "update",
      { name: "x" },
      { instance: { recorded: recordOf("s1", { parent: shop }) } },
    );
    const updated = await runAfter({ resources: { [shop]: recordOf("p1") } }, update);
    expect(updated.entries[0]).not.toHaveProperty("intent.madeWith");
    expect(updated.entries[0]).toMatchObject({ intent: { parentId: "p1" } });
  });

  it("need a type that is known", () => {
    expect(() => changeContext(runOf(), changeOf("create", {}), "create", noSlot)).toThrow("service");
  });

  it("of a deletion leave what is waited for, also where it was answered as done", async () => {
    const remove: ApiRequest = {
      ...post,
      operation: "deleteService",
      method: "DELETE",
      path: "/services/s1",
    };
    const deleted = async (type: Resource, body: unknown) => {
      const resources = {
        [shop]: recordOf("p1", { type: "project" }),
        [api]: recordOf("s1", { parent: shop, deletionFailed: "before" }),
      };
      const run = runOf({
        resources,
        types: [type],
        answer: () => ({ status: 200, body, requestId: "", attempts: 1 }),
      });
      const { endpoints } = changeContext(
        run,
        { ...changeOf("delete", undefined), id: "s1" },
        "whole",
        noSlot,
      );
      await (endpoints as unknown as { readonly send: Send }).send({
        ...remove,
        about: () => ({ id: "op" }),
      });
      return run.journal.recorded(api);
    };
    const deletes = {
      pendingOf: (id: string, operation: string, parent: string) => ({
        kind: "operation",
        id: `${id} ${operation} ${parent}`,
      }),
    };
    const waiting = { ...service, deletes } as unknown as Resource;
    expect(await deleted(waiting, { deleted: true })).toEqual(
      recordOf("s1", {
        ...{ parent: shop },
        pending: { kind: "operation", id: "s1 undefined p1", isAnswered: true, since: timeAt(0) } as never,
      }),
    );
    expect(await deleted(waiting, {})).toEqual(
      recordOf("s1", {
        parent: shop,
        pending: { kind: "operation", id: "s1 op p1", since: timeAt(0) },
      }),
    );
    expect(await deleted(service, {})).toMatchObject({ id: "s1", deletionFailed: "before" });
  });
});
