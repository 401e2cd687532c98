import { Secret } from "../../../src/model/secret";
import { Computed, type DesiredValue, Template } from "../../../src/model/value";
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

const moved = (at: string, rest: Parameters<typeof change>[2]) => change("update", at, rest);
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
const name = { address: at("service.api"), attribute: "name" };

describe("the digest of a plan", () => {
  const base = moved("service.api", { id: "1", attributes: [field("kind", value("web"), value("static"))] });

  it.each<[string, Change, Change]>([
    ["where a resource was before", base, { ...base, previousAddress: at("service.old") }],
    [
      "what is done to it after its end",
      { ...base, action: "delete" },
      { ...base, action: "delete", onRemove: "archive" },
    ],
    ["what is kept of it", { ...base, action: "forget" }, { ...base, action: "forget", onRemove: "retain" }],
    [
      "a rule of its life",
      base,
      { ...base, lifecycle: [field("preventDestroy", value(false), value(true))] },
    ],
    [
      "how a rule of its life changes",
      { ...base, lifecycle: [field("onRemove", value("delete"), value("archive"))] },
      { ...base, lifecycle: [field("onRemove", value("delete"), value("retain"))] },
    ],
    ["a secret in place of a value", base, { ...base, attributes: [field("kind", value("web"), secret)] }],
    [
      "which resource it was before",
      { ...base, previousAddress: at("service.old") },
      { ...base, previousAddress: at("service.older") },
    ],
    [
      "a secret in place of none",
      later(new Template([url], false)),
      { ...later(new Template([url], false)), attributes: [field("value", secret, unknown)] },
    ],
    ["a value in place of none", base, { ...base, attributes: [field("kind", absent, value("static"))] }],
    [
      "what a value is made of",
      later(new Template(["a", url], false)),
      later(new Template(["b", url], false)),
    ],
    ["what a value refers to", later(new Template([url], false)), later(new Template([name], false))],
    [
      "a secret in the midst of a text",
      later(new Template(["a", new Secret("x"), url], true)),
      later(new Template(["a", "x", url], true)),
    ],
    [
      "what functions make of a value",
      later(new Computed([url], false, ([text]) => `${text}/a`)),
      later(new Computed([url], false, ([text]) => `${text}/b`)),
    ],
    [
      "what functions are given",
      later(new Computed([url], false, () => "same")),
      later(new Computed([name], false, () => "same")),
    ],
    [
      "a value that functions make of one",
      later(new Computed([url], false, ([text]) => text as string)),
      later(new Template([url], false)),
    ],
  ])("moves with %s", (_, one, another) => {
    expect(openOf(one)).not.toBe(openOf(another));
    expect(openOf(one)).toBe(openOf({ ...one, effects: ["billing"] }));
  });

  it("takes functions that fail, or make a secret, for unknown", () => {
    const failing = new Computed([url], false, () => {
      throw new Error("no such text");
    });
    const secretive = (text: string) => new Computed([url], true, () => new Secret(text));
    expect(openOf(later(failing))).toBe(openOf(later(secretive("a"))));
    expect(openOf(later(secretive("a")))).toBe(openOf(later(secretive("b"))));
  });

  it("moves with an output, its name and both of its sides", () => {
    const withOutput = (name: string, before: typeof absent, after: typeof absent) =>
      digestPlan(plan([base], { outputs: [{ name, before, after }] }));
    const digests = [
      withOutput("a", absent, value(1)),
      withOutput("b", absent, value(1)),
      withOutput("a", value(0), value(1)),
      withOutput("a", absent, value(2)),
      withOutput("a", absent, secret),
    ];
    expect(new Set(digests).size).toBe(digests.length);
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

  const record = (one: Change, by: Uint8Array | undefined = key) => recordPlan(plan([one]), by);

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
    const unread = record(withSource(sent("a", { fingerprints: {} }), "SHOP_TOKEN"));
    expect(Object.keys(unread.unread)).toEqual(["variable.api.TOKEN"]);
    const compare = (name: string) => compareWithRecord(unread, plan([withSource(sent("b"), name)]), { key });
    expect([compare("SHOP_TOKEN"), compare("OTHER")]).toEqual([
      [],
      [{ address: "variable.api.TOKEN", kind: "value" }],
    ]);
    expect(record(sent("a")).unread).toEqual({});
  });

  it("in the midst of a text that only apply knows are bound too", () => {
    const about = (text: string) => later(new Template(["a", new Secret(text), url], true));
    expect(openOf(about("x"))).toBe(openOf(about("y")));
    expect(compareWithRecord(record(about("x")), plan([about("y")]), { key })).toMatchObject([
      { kind: "value" },
    ]);
  });
});

describe("a record of a plan", () => {
  it("tells differences by address, in their order, and takes what became known for what it was", () => {
    const made = plan([
      later(new Template([url], false)),
      change("create", "service.b"),
      change("create", "service.a", { attributes: [field("kind", absent, value("web"))] }),
    ]);
    const record = recordPlan(made, key);
    expect(record).toMatchObject({
      digest: "",
      changes: {
        "variable.api.URL": { action: "create", unknown: { value: "" } },
        "service.a": { action: "create", unknown: {} },
      },
    });
    const known = made.changes.map((one) => ({
      ...one,
      attributes: one.attributes.map((it) =>
        it.after.kind === "unknown" ? { ...it, after: value("https://x") } : it,
      ),
    }));
    expect(compareWithRecord(record, plan(known), { key })).toEqual([]);
    expect(
      compareWithRecord(record, plan([change("update", "service.b"), change("create", "service.c")]), {
        key,
      }),
    ).toEqual([
      { address: "service.a", kind: "gone" },
      { address: "service.b", kind: "other" },
      { address: "service.c", kind: "new" },
      { address: "variable.api.URL", kind: "gone" },
    ]);
    expect(recordPlan({ ...made, digest: "d" }, key).digest).toBe("d");
  });

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
