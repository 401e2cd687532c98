import { Secret } from "../../../src/model/secret";
import { GeneratedSecret, Unknown, UnreadSecret } from "../../../src/model/value";
import { lookupIn, printsOf } from "../../../src/plan/resolve";
import { at } from "../../support/plan-world";
import { changesOf, decisionOf, decisionsOf, liveOf, recordOf } from "./fixtures";

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

  it("is of what the platform decides as it is seen, else as it was recorded", () => {
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

describe("the fingerprints of a live secret", () => {
  const live = new Secret("a-token");
  const api = { address: at("variable.api.A") };

  it("are made with the key of now, and as they may be recorded: under the old address, with the old key", () => {
    const previousKey = new Uint8Array(32).fill(2);
    const keys = { fingerprintKey: key, previousFingerprintKey: previousKey };
    const prints = (more: object, given: object) => printsOf(live, { ...api, ...more }, given);
    const now = live.fingerprint(key, api.address);
    expect(prints({}, { fingerprintKey: key })).toEqual({ now, asRecorded: [now] });
    const before = at("variable.web.A");
    expect(prints({ recorded: { fingerprintAddress: before } }, keys)).toEqual({
      ...{ now, asRecorded: [live.fingerprint(key, before), live.fingerprint(previousKey, before)] },
    });
    expect(prints({}, {})).toEqual({ now: undefined, asRecorded: [] });
  });
});
