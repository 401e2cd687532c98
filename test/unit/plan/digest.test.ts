import { Secret } from "../../../src/model/secret";
import { Computed, type DesiredValue } from "../../../src/model/value";
import { compareWithRecord, digestPlan, isExpected, recordPlan } from "../../../src/plan/digest";
import type { Change, Plan } from "../../../src/plan/plan";
import { absent, change, field, plan, secret, unknown, value } from "../../support/plan-fixture";
import { at, key, range } from "../../support/plan-world";

const other = change("update", "service.other", { attributes: [field("name", value("a"), value("b"))] });

/** The digest of a plan with one change beside another. */
const openOf = (one: Change, mode: Plan["options"]["mode"] = "apply"): string => {
  const about = plan([other, one]);
  return digestPlan({ ...about, options: { ...about.options, mode } });
};

const declaredAs = (desired: DesiredValue): Change["instance"] => ({
  desired: {
    attributes: new Map([["value", { value: desired, range }]]),
  } as unknown as Change["instance"]["desired"],
  ...{ defaults: new Map(), resolved: new Map(), fingerprints: {} },
});
const later = (desired: DesiredValue): Change =>
  change("create", "variable.api.URL", {
    attributes: [field("value", absent, unknown)],
    instance: declaredAs(desired),
  });
const url = { address: at("service.api"), attribute: "url" };

describe("the digest of a plan", () => {
  it("takes functions that fail, or make a secret, for unknown", () => {
    const failing = new Computed([url], false, () => {
      throw new Error("no such text");
    });
    const secretive = (text: string) => new Computed([url], true, () => new Secret(text));
    expect(openOf(later(failing))).toBe(openOf(later(secretive("a"))));
    expect(openOf(later(secretive("a")))).toBe(openOf(later(secretive("b"))));
  });
});

describe("secrets in a digest", () => {
  const sent = (text: string, more: Partial<Change["instance"]> = {}): Change =>
    change("create", "variable.api.TOKEN", {
      attributes: [field("value", absent, secret), field("key", absent, value("TOKEN"))],
      instance: {
        ...{ defaults: new Map(), resolved: new Map([["value", new Secret(text)]]) },
        fingerprints: { value: new Secret(text).fingerprint(key, "variable.api.TOKEN") },
        ...more,
      } as Change["instance"],
    });

  const record = (one: Change, unchecked: Plan["unchecked"] = []) =>
    recordPlan({ ...plan([one]), unchecked }, key);

  it("that could not be read are on a list, and differ as long as their source is written the same", () => {
    const withSource = (one: Change, name: string): Change => ({
      ...one,
      instance: {
        ...one.instance,
        desired: {
          attributes: new Map([["value", { value: null, range, source: "env", origin: new Secret(name) }]]),
        } as unknown as Change["instance"]["desired"],
      } as Change["instance"],
    });
    const address = at("variable.api.TOKEN");
    const one = withSource(sent("a", { fingerprints: {} }), "SHOP_TOKEN");
    const unread = record(one, [{ address, attribute: "value", reason: "SHOP_TOKEN is not set" }]);
    expect(Object.keys(unread.unread)).toEqual([address]);
    const compare = (name: string) => compareWithRecord(unread, plan([withSource(sent("b"), name)]), { key });
    expect([compare("SHOP_TOKEN"), compare("OTHER")]).toEqual([
      [],
      [{ address: "variable.api.TOKEN", kind: "value" }],
    ]);
    expect(record(sent("a")).unread).toEqual({});
  });
});

describe("a record of a plan", () => {
  it("takes what a run left of it for the rest, until a run of it came to its end", () => {
    const made = { ...plan([change("create", "service.a")]), digest: "d" };
    const record = recordPlan(made, key);
    expect([isExpected(made, "d"), isExpected(made, "x")]).toEqual([true, false]);
    const gone = [{ address: "service.a", kind: "gone" }];
    const compare = (runs: { digest: string; exitCode?: number; command?: string }[], now = plan([])) =>
      compareWithRecord(record, now, { key, runs });
    expect(compare([{ digest: "d", exitCode: 3 }])).toEqual([]);
    expect(compare([{ digest: "d" }])).toEqual([]);
    const used = [{ address: "the plan", kind: "applied" }];
    expect(compare([{ digest: "d", exitCode: 0 }])).toEqual(used);
    expect(compare([{ digest: "x", exitCode: 3 }])).toEqual(gone);
    expect(compare([{ digest: "d", exitCode: 3 }], plan([change("create", "service.b")]))).toEqual([
      { address: "service.b", kind: "new" },
    ]);
    // Another plan was applied over what it left; an action on a service, or one that failed, changes no plan.
    const begun = { digest: "d", exitCode: 3 };
    expect(compare([{ digest: "x", exitCode: 0 }, begun])).toEqual(used);
    expect(compare([{ digest: "x", exitCode: 0, command: "restart" }, begun])).toEqual([]);
    expect(compare([{ digest: "x", exitCode: 5 }, begun])).toEqual([]);
  });

  it("counts for what ran since the review alone, as long as that is known", () => {
    const made = { ...plan([change("create", "service.a")]), digest: "d", lastRun: "r1" };
    const record = recordPlan(made, key);
    const compare = (...runs: { id: string; digest: string; exitCode: number }[]) =>
      compareWithRecord(record, made, { key, runs });
    const run = (id: string, digest = "d") => ({ id, digest, exitCode: 0 });
    expect(compare(run("r1"), run("r0"))).toEqual([]);
    expect(compare(run("r2"), run("r1"))).toMatchObject([{ kind: "applied" }]);
    const many = Array.from({ length: 50 }, (_, at) => run(`x${at}`, "x"));
    expect(compare(...many)).toMatchObject([{ kind: "forgotten" }]);
    expect(compare(...many, run("r1"))).toEqual([]);
  });
});
