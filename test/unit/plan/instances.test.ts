import type { Address } from "../../../src/model/address";
import type { RecordedResource } from "../../../src/model/state";
import type { Plain } from "../../../src/model/value";
import {
  gatherInstances,
  initialSettings,
  isGone,
  isRetained,
  liveValue,
  recordedOwners,
  recordedValue,
  whyAgain,
  whyGone,
} from "../../../src/plan/instances";
import type { PlanInput } from "../../../src/plan/plan";
import { at, catalog, options } from "../../support/plan-world";
import { type InstanceGiven, instanceOf, liveOf, recordOf, typeWith } from "./fixtures";

const port = "configuration.port";
const branch = "configuration.portal";

describe("the live value of a field", () => {
  const value = (path: string, given: InstanceGiven) => liveValue(instanceOf(given), path);

  it("is what is reported, else the default, and of the parent its id", () => {
    const live = liveOf({ plan: "pro" });
    expect(value("plan", { live, defaults: { plan: "free" } })).toBe("pro");
    expect(value(port, { live, defaults: { [port]: 1 } })).toBe(1);
    expect(value(port, { live })).toBeUndefined();
    expect(value("projectId", { live, defaults: { projectId: "x" } })).toBe("p1");
    expect(value("projectId", { live: liveOf({ projectId: "p2" }) })).toBe("p2");
    expect(value("projectId", { live: liveOf({}, { parentId: null }) })).toBeUndefined();
    const parents = [
      { type: "a", attribute: "aId" },
      { type: "b", attribute: "bId" },
    ];
    expect(value("bId", { live, type: typeWith({ parents }) })).toBe("p1");
  });

  it("counts as recorded where nobody could read it, and as none where it is not there", () => {
    const recorded = recordOf({ plan: "pro" });
    expect(value("plan", { recorded, read: { kind: "unchecked", reason: "x" } })).toBe("pro");
    expect(value("plan", { recorded, read: { kind: "gone" } })).toBeUndefined();
  });
});

describe("the recorded value of a field", () => {
  const value = (path: string, recorded: RecordedResource | undefined, defaults = {}) =>
    recordedValue(instanceOf({ ...(recorded && { recorded }), defaults }), path);

  it("is what was applied, of the name what it is called, and nothing of a secret", () => {
    expect(value("plan", recordOf({ plan: "pro" }))).toBe("pro");
    expect(value("name", recordOf({}))).toBe("api");
    expect(value("name", recordOf({ name: "web" }))).toBe("web");
    expect(value("token", recordOf({ token: { fingerprint: "f" } }))).toBeUndefined();
    expect(value("plan", recordOf({}))).toBeUndefined();
    expect(value("plan", undefined)).toBeUndefined();
  });

  it("is the default of what is always managed, once anything was applied", () => {
    expect(value("archived", recordOf({ plan: "pro" }))).toBe(false);
    expect(value("archived", recordOf({}))).toBeUndefined();
    expect(value("plan", recordOf({ name: "api" }), { plan: "free" })).toBeUndefined();
    expect(value("unheardOf", recordOf({ name: "api" }))).toBeUndefined();
  });
});

describe("what a resource started with", () => {
  it("is each setting that was not sent and is not the catalog's default", () => {
    const defaults = new Map<string, Plain>([
      [port, 1],
      [branch, 1],
      ["plan", "free"],
      ["configuration.other", 1],
    ]);
    const live = new Map<string, Plain>([
      [port, 2],
      [branch, 1],
      ["plan", "pro"],
    ]);
    expect(initialSettings(typeWith(), live, defaults, new Set())).toEqual({ [port]: 2 });
    expect(initialSettings(typeWith(), live, defaults, new Set([port]))).toEqual({});
    const rules = { [port]: { change: "update", equal: () => true } } as never;
    expect(initialSettings(typeWith({ rules }), live, defaults, new Set())).toEqual({});
  });
});

describe("what became of a resource", () => {
  it("is told as gone only of what is recorded and read as gone", () => {
    const gone = { kind: "gone" } as const;
    expect(isGone(instanceOf({ recorded: recordOf({}), read: gone }))).toBe(true);
    expect(isGone(instanceOf({ read: gone }))).toBe(false);
    expect(isGone(instanceOf({ recorded: recordOf({}) }))).toBe(false);
    expect(whyGone(instanceOf({ read: gone }))).toContain("outside of rnv");
    const ending = { kind: "operation", id: "op" } as const;
    expect(whyGone(instanceOf({ read: { ...gone, ending } }))).toContain("being deleted");
    expect(whyGone(instanceOf({}))).toContain("outside of rnv");
  });

  it("is retained only where it is no longer declared", () => {
    const recorded = recordOf({}, { retained: true });
    expect(isRetained(instanceOf({ recorded }))).toBe(true);
    expect(isRetained(instanceOf({ recorded, declared: {} }))).toBe(false);
    expect(isRetained(instanceOf({ recorded: recordOf({}) }))).toBe(false);
  });

  it("tells why its deletion is asked for once more, where it is", () => {
    expect(whyAgain(instanceOf({ recorded: recordOf({}, { deletionFailed: "busy" }) })).reason).toContain(
      "busy",
    );
    expect(whyAgain(instanceOf({ recorded: recordOf({}) }))).toEqual({});
  });
});

describe("the instances of a plan", () => {
  const type = typeWith({
    variantAttribute: "kind",
    defaults: (_, variant) =>
      new Map<string, Plain>([
        [port, variant === "web" ? 80 : 1],
        [branch, 1],
      ]),
  });
  const gathered = (given: {
    recorded?: Record<string, RecordedResource>;
    declared?: Record<string, InstanceGiven>;
    reads?: Record<string, unknown>;
    mode?: "apply" | "destroy";
    previous?: Record<string, string>;
    types?: readonly (typeof type)[];
  }) => {
    const resources = new Map(
      Object.entries(given.declared ?? {}).map(([address, one]) => [
        at(address),
        instanceOf({ address, declared: {}, ...one }).desired,
      ]),
    );
    const input = {
      ...{
        desired: { resources },
        catalog,
        types: given.types ?? [type],
        reads: new Map(Object.entries(given.reads ?? {})),
      },
      options: { ...options, mode: given.mode ?? "apply" },
    } as unknown as PlanInput;
    return gatherInstances(input, {
      recorded: new Map(Object.entries(given.recorded ?? {})) as Map<Address, RecordedResource>,
      previous: new Map(Object.entries(given.previous ?? {})) as Map<Address, Address>,
      diagnostics: [],
    });
  };
  const a = "service.a";
  const b = "service.b";
  const only = (given: Parameters<typeof gathered>[0], address = a) =>
    gathered(given).instances.get(at(address));

  it("are all that is declared or recorded, sorted by address; to destroy, what is recorded", () => {
    const given = { declared: { [b]: {} }, recorded: { "service.c": recordOf({}), [a]: recordOf({}) } };
    const { instances, diagnostics } = gathered(given);
    expect([...instances].map(([address, { removed }]) => [address, removed])).toEqual([
      [a, true],
      [b, false],
      ["service.c", true],
    ]);
    expect(diagnostics).toEqual([]);
    const destroyed = gathered({ ...given, declared: { [a]: {}, [b]: {} }, mode: "destroy" }).instances;
    expect([...destroyed].map(([address, { removed }]) => [address, removed])).toEqual([
      [a, true],
      ["service.c", true],
    ]);
  });

  it("of a type that is not known are an error that asks for a newer version", () => {
    const { instances, diagnostics } = gathered({
      recorded: { "bucket.x": recordOf({}, { type: "bucket" }) },
    });
    expect(instances.size).toBe(0);
    expect(diagnostics).toMatchObject([
      { code: "state.newer", address: "bucket.x", summary: expect.stringContaining('"bucket"') },
    ]);
  });

  it("lie in the declared parent, else the recorded one; to destroy, in the recorded one", () => {
    const recorded = { [a]: recordOf({}, { parent: at("project.old") }) };
    const declared = { [a]: { desired: { parent: at("project.new") } } };
    expect(only({ recorded, declared })?.parent).toBe("project.new");
    expect(only({ recorded })?.parent).toBe("project.old");
    expect(only({ recorded, declared: { [a]: {} } })?.parent).toBe("project.old");
    expect(only({ recorded, declared, mode: "destroy" })?.parent).toBe("project.old");
  });

  it("have the defaults of their variant, and over them what the resource itself started with", () => {
    const found = (values: Record<string, Plain>) => ({ [a]: { kind: "found", live: liveOf(values) } });
    const defaultsOf = (given: Parameters<typeof gathered>[0]) =>
      Object.fromEntries(only(given)?.defaults ?? []);
    expect(defaultsOf({ declared: { [a]: { declared: { kind: "web" } } } })).toEqual({
      [port]: 80,
      [branch]: 1,
    });
    expect(
      defaultsOf({ declared: { [a]: { declared: { kind: "web" } } }, reads: found({ kind: "job" }) }),
    ).toEqual({ [port]: 1, [branch]: 1 });
    const recorded = { [a]: recordOf({}, { initial: { [port]: 5 } }) };
    expect(defaultsOf({ recorded, reads: found({ kind: "web" }) })).toEqual({ [port]: 5, [branch]: 1 });
    const unseen = { [a]: recordOf({}, { madeWith: [branch] }) };
    expect(defaultsOf({ recorded: unseen, reads: found({ kind: "web", [port]: 7, [branch]: 7 }) })).toEqual({
      [port]: 7,
      [branch]: 1,
    });
    expect(defaultsOf({ recorded: unseen })).toEqual({ [port]: 1, [branch]: 1 });
    const plain = typeWith({ defaults: (_, variant) => new Map<string, Plain>([[port, variant ?? "none"]]) });
    expect(defaultsOf({ types: [plain], declared: { [a]: { declared: { kind: "web" } } } })).toEqual({
      [port]: "none",
    });
  });

  it("are read where they stand, or where they were recorded before they moved", () => {
    const here = { kind: "found", live: liveOf({}, { id: "s1" }) };
    const other = { kind: "found", live: liveOf({}, { id: "s2" }) };
    const recorded = { [a]: recordOf({}, { id: "s1" }) };
    const read = (reads: Record<string, unknown>, more: object = { recorded }) =>
      only({ reads, previous: { [a]: b }, ...more })?.read;
    expect(read({ [a]: here, [b]: other })).toBe(here);
    expect(read({ [a]: other, [b]: here })).toBe(here);
    expect(read({ [a]: other })).toBe(other);
    expect(read({ [a]: { kind: "absent" } })).toEqual({ kind: "gone" });
    expect(read({})).toEqual({ kind: "unchecked", reason: expect.any(String) });
    expect(read({}, { declared: { [a]: {} } })).toEqual({ kind: "absent" });
    expect(read({ [a]: { kind: "absent" } }, { declared: { [a]: {} } })).toEqual({ kind: "absent" });
    expect(only({ recorded, reads: { [a]: here } })?.live).toBe(here.live);
    expect(only({ recorded, reads: { [a]: { kind: "gone" } } })?.live).toBeUndefined();
  });

  it("own their ids by type", () => {
    const { instances } = gathered({ recorded: { [a]: recordOf({}, { id: "s1" }) }, declared: { [b]: {} } });
    expect([...recordedOwners(instances)]).toEqual([["service s1", a]]);
  });
});
