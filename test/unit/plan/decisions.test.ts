import { Secret } from "../../../src/model/secret";
import { GeneratedSecret, Unknown, UnreadSecret } from "../../../src/model/value";
import type { Change } from "../../../src/plan/plan";
import {
  appearanceOf,
  createdAttributes,
  lookupIn,
  nameAfter,
  neighboursOf,
  printsOfRevealed,
  unboundSecrets,
  unreadSecrets,
} from "../../../src/plan/resolve";
import { at, range } from "../../support/plan-world";
import {
  changesOf,
  decisionOf,
  decisionsOf,
  type InstanceGiven,
  instanceOf,
  liveOf,
  recordOf,
  typeWith,
} from "./fixtures";

const shop = at("project.shop");
const key = new Uint8Array(32).fill(1);

describe("what a reference finds", () => {
  const found = (attribute: string, ...args: Parameters<typeof decisionOf>) => {
    const value = lookupIn(decisionsOf(decisionOf(...args)))({ address: at("service.api"), attribute });
    return value instanceof Unknown ? "unknown" : value;
  };
  const live = liveOf({ plan: "free" }, { id: "s1", computed: new Map([["url", "u"]]) });
  const recorded = recordOf({}, { id: "s0", computed: { url: "before", state: "ok" } });

  it("is of a field the declared value, else the live one, else null", () => {
    expect(found("plan", "no-op", { declared: { plan: "pro" }, live })).toBe("pro");
    expect(found("plan", "no-op", { declared: {}, live })).toBe("free");
    expect(found("configuration.port", "no-op", { declared: {}, live })).toBeNull();
    expect(
      found("configuration.port", "no-op", { declared: {}, live, defaults: { "configuration.port": 1 } }),
    ).toBe(1);
    expect(found("token", "no-op", { declared: {}, live })).toBe("unknown");
    for (const value of [new GeneratedSecret(8), new UnreadSecret("x")])
      expect(found("token", "no-op", { declared: { token: value }, live })).toBe("unknown");
  });

  it("is of a field the default where it is made again or reset", () => {
    const defaults = { plan: "default" };
    expect(found("plan", "create", { declared: {}, defaults })).toBe("default");
    expect(found("plan", "replace", { declared: {}, live, defaults })).toBe("default");
    expect(found("plan", "update", { declared: {}, live, defaults }, { attributes: changesOf("plan") })).toBe(
      "default",
    );
    expect(found("plan", "update", { declared: {}, live, defaults }, { attributes: changesOf("name") })).toBe(
      "free",
    );
    expect(found("plan", "create", { declared: {} })).toBe("unknown");
  });

  it("is of what the service decides as it is seen, else as it was recorded", () => {
    expect(found("id", "no-op", { declared: {}, live, recorded })).toBe("s1");
    expect(found("id", "no-op", { declared: {}, recorded })).toBe("s0");
    expect(found("url", "no-op", { declared: {}, live, recorded })).toBe("u");
    expect(found("state", "no-op", { declared: {}, live, recorded })).toBe("ok");
    expect(found("state", "no-op", { declared: {}, live })).toBeNull();
    for (const attribute of ["id", "url"]) {
      expect(found(attribute, "create", { declared: {} })).toBe("unknown");
      expect(found(attribute, "replace", { declared: {}, live })).toBe("unknown");
      expect(found(attribute, "no-op", { declared: {} })).toBe("unknown");
    }
  });

  it("is known through an update where it is stable and nothing that moves it changes", () => {
    const updated = (attribute: string, ...paths: readonly string[]) =>
      found(attribute, "update", { declared: {}, live, recorded }, { attributes: changesOf(...paths) });
    expect([
      updated("id", "name"),
      updated("url", "plan"),
      updated("url", "name"),
      updated("state", "plan"),
    ]).toEqual([...["s1", "u", "unknown", "unknown"]]);
    const lifecycle = changesOf("preventDestroy");
    expect(found("state", "update", { declared: {}, live, recorded }, { lifecycle })).toBe("ok");
    expect(found("state", "adopt", { declared: {}, live, recorded })).toBe("ok");
  });
});

describe("the attributes after a plan", () => {
  const live = liveOf({ plan: "free" });

  it("hold the name, else it is the live one", () => {
    expect(nameAfter(decisionOf("update", { declared: { name: "web" }, live }))).toBe("web");
    expect(nameAfter(decisionOf("no-op", { declared: {}, live }))).toBe("api");
    const nameless = typeWith({ nameAttribute: undefined });
    expect(nameAfter(decisionOf("no-op", { type: nameless, declared: { name: "web" }, live }))).toBe("api");
    expect(nameAfter(decisionOf("create", { declared: {} }))).toBeUndefined();
  });
});

describe("when lists show a resource only after the plan", () => {
  const type = typeWith({ archives: { attribute: "archived", unlisted: "archived ones" } });
  const appearance = (
    action: Parameters<typeof decisionOf>[0],
    given: InstanceGiven,
    ...paths: readonly string[]
  ) => appearanceOf(decisionOf(action, { type, ...given }, { attributes: changesOf(...paths) }));
  const live = liveOf({ name: "api", archived: false });
  const archived = liveOf({ name: "api", archived: true });

  it("is where it is made, restored or renamed", () => {
    expect(appearance("create", { declared: { name: "api" } })).toBe("made");
    expect(appearance("replace", { declared: { name: "api" }, live })).toBe("made");
    expect(appearance("update", { declared: { archived: false }, live: archived }, "archived")).toBe(
      "restored",
    );
    expect(appearance("update", { declared: { name: "web" }, live }, "name")).toBe("renamed");
  });
});

describe("the neighbours of a resource", () => {
  const variable = typeWith({ type: "variable" });
  const layout = decisionOf("no-op", {
    address: "layout.shop",
    type: typeWith({ type: "layout", follows: ["variable"] }),
    parent: shop,
  });
  const neighbour = (name: string, ...[action, given, more]: Parameters<typeof decisionOf>) =>
    decisionOf(action, { address: `variable.shop.${name}`, type: variable, parent: shop, ...given }, more);

  it("are those of the types that it follows, in the same parent, with their ids before and after", () => {
    const live = liveOf({ name: "A" }, { id: "v1", name: "A" });
    const neighbours = neighboursOf(
      layout,
      decisionsOf(
        neighbour("A", "no-op", { declared: {}, live }),
        neighbour("B", "replace", { declared: { name: "B" }, recorded: recordOf({}, { id: "v2" }) }),
        neighbour("C", "create", { declared: { name: "C" } }),
        neighbour("D", "delete", { live: liveOf({}, { id: "v4", name: "D" }) }),
        neighbour("E", "no-op", { declared: {}, parent: "project.other" }),
        layout,
      ),
    );
    const shown = { isHidden: false, isRemoved: false };
    expect(neighbours).toEqual([
      { address: "variable.shop.A", id: "v1", idBefore: "v1", name: "A", ...shown },
      { address: "variable.shop.B", idBefore: "v2", name: "B", ...shown },
      { address: "variable.shop.C", name: "C", ...shown },
      { address: "variable.shop.D", id: "v4", idBefore: "v4", name: "D", isHidden: false, isRemoved: true },
    ]);
  });
});

describe("the attributes of a creation", () => {
  it("are those declared, sorted, without what only rnv reads and what is left to the service", () => {
    const token = new Secret("a-token");
    const declared = { projectId: "p1", plan: "pro", kind: null, preserve: true, unheardOf: 1, token };
    const instance = instanceOf({ declared });
    const resolved = new Map(Object.entries({ ...declared, name: "api" })) as never;
    const created = createdAttributes({
      instance,
      resolved,
      secrets: new Map(),
      undecided: decisionOf("no-op"),
    });
    expect(created.map(({ path, after, placement }) => [path, after, placement])).toEqual([
      ["name", { kind: "value", value: "api" }, undefined],
      ["plan", { kind: "value", value: "pro" }, undefined],
      ["projectId", { kind: "value", value: "p1" }, true],
      ["token", { kind: "secret" }, undefined],
    ]);
    for (const change of created)
      expect(change).toMatchObject({
        before: { kind: "absent" },
        cause: "edit",
        forcesReplacement: false,
        range,
      });
  });
});

describe("the fingerprints of a live secret", () => {
  const live = new Secret("a-token");
  const api = { address: at("variable.api.A") };

  it("are made with the key of now, and as they may be recorded: under the old address, with the old key", () => {
    const previousKey = new Uint8Array(32).fill(2);
    const keys = { fingerprintKey: key, previousFingerprintKey: previousKey };
    const prints = (more: object, given: object) =>
      printsOfRevealed(live, new Secret("other"), { ...api, ...more }, given);
    const now = live.fingerprint(key, api.address);
    expect(prints({}, { fingerprintKey: key })).toEqual({ now, asRecorded: [now] });
    const before = at("variable.web.A");
    expect(prints({ previousAddress: before }, keys)).toEqual({
      ...{ now, asRecorded: [live.fingerprint(key, before), live.fingerprint(previousKey, before)] },
    });
    expect(prints({}, {})).toEqual({ now: undefined, asRecorded: [] });
  });

  it("are of a generated one its length alone", () => {
    const of = (length: number) =>
      printsOfRevealed(live, new GeneratedSecret(length), api, { fingerprintKey: key });
    expect(of(7)).toEqual({ now: "generate:7", asRecorded: ["generate:7"] });
    expect(of(8)).toEqual({ now: "another", asRecorded: ["another"] });
  });
});

describe("secrets that were not compared", () => {
  const given = (more: InstanceGiven = {}, address = "service.api"): InstanceGiven => ({
    ...{ address, declared: { token: new UnreadSecret("TOKEN is not set") } },
    ...{ recorded: recordOf({ token: { fingerprint: "f" } }) },
    ...more,
  });
  const told = (...[action, more, decision]: Parameters<typeof decisionOf>) =>
    unreadSecrets(decisionsOf(decisionOf(action, given(more), decision))).map(({ reason }) => reason);

  it("are told, with the reason, sorted by address", () => {
    const decisions = decisionsOf(
      decisionOf("no-op", given({}, "service.b")),
      decisionOf("no-op", given({}, "service.a")),
    );
    expect(unreadSecrets(decisions)).toEqual([
      { address: "service.a", attribute: "token", reason: "TOKEN is not set" },
      { address: "service.b", attribute: "token", reason: "TOKEN is not set" },
    ]);
    expect(told("update", { declared: { token: new Secret("x") } })).toEqual([
      expect.stringContaining("RNV_STATE_KEY"),
    ]);
  });

  it("bind no saved plan: those of a change without a fingerprint, sorted", () => {
    const resolved = new Map([
      ["z", new UnreadSecret("x")],
      ["a", new Secret("x")],
      ["b", new Secret("y")],
      ["c", "plain"],
    ] as never);
    const instance = { resolved, fingerprints: { b: "f" } };
    expect(unboundSecrets({ instance } as unknown as Change)).toEqual(["a", "z"]);
  });
});
