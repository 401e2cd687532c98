import { Secret } from "../../../src/model/secret";
import { Computed, type DesiredValue, Template } from "../../../src/model/value";
import { compareWithRecord, digestPlan, isExpected, isRestOf, recordPlan } from "../../../src/plan/digest";
import type { Change, Plan } from "../../../src/plan/plan";
import { absent, change, field, plan, secret, unknown, value } from "../../support/plan-fixture";
import { at, key, range } from "../../support/plan-world";

const other = change("update", "service.other", { attributes: [field("name", value("a"), value("b"))] });

/** Both digests of a plan with one change beside another. */
const digestsOf = (one: Change, mode: Plan["options"]["mode"] = "apply", withKey = true) => {
  const about = plan([other, one]);
  return digestPlan({ ...about, options: { ...about.options, mode } }, withKey ? key : undefined);
};
const openOf = (...given: Parameters<typeof digestsOf>): string => digestsOf(...given).open;

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
    expect(openOf(one)).toBe(openOf({ ...one, reason: "another" }));
  });

  it("does not move with what happens to a resource that stays, as long as it stays", () => {
    expect(openOf({ ...base, onRemove: "archive" })).toBe(openOf(base));
  });

  it("takes functions that fail, or make a secret, for unknown", () => {
    const failing = new Computed([url], false, () => {
      throw new Error("no such text");
    });
    const secretive = (text: string) => new Computed([url], true, () => new Secret(text));
    expect(openOf(later(failing))).toBe(openOf(later(secretive("a"))));
    expect(openOf(later(secretive("a")))).toBe(openOf(later(secretive("b"))));
  });

  it("is made of what drifted where a plan only records, and of nothing else there", () => {
    const seen = {
      ...base,
      drift: [field("kind", value("web"), value("cron"), { cause: "drift" as const })],
    };
    const more = { ...seen, drift: [...seen.drift, field("name", value("a"), value("b"))] };
    expect(openOf(seen, "refresh-only")).not.toBe(openOf(more, "refresh-only"));
    expect(openOf(seen)).toBe(openOf(more));
    expect(openOf({ ...seen, attributes: [] }, "refresh-only")).toBe(openOf(seen, "refresh-only"));
    // To record and to do are two things.
    const none = change("no-op", "service.api", { previousAddress: at("service.old") });
    const { options } = plan([]);
    const alone = (mode: Plan["options"]["mode"]) =>
      digestPlan(plan([none], { options: { ...options, mode } }), key).open;
    expect(alone("refresh-only")).not.toBe(alone("apply"));
    expect(alone("destroy")).toBe(alone("apply"));
    expect(openOf({ ...base, drift: undefined } as unknown as Change, "refresh-only")).toEqual(
      expect.any(String),
    );
  });

  it("moves with an output, its name and both of its sides", () => {
    const withOutput = (name: string, before: typeof absent, after: typeof absent) =>
      digestPlan(plan([base], { outputs: [{ name, before, after }] }), key).open;
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

  it("are in the full one alone", () => {
    const [a, b] = [digestsOf(sent("a")), digestsOf(sent("b"))];
    expect(a.open).toBe(b.open);
    expect(a.digest).not.toBe(b.digest);
    expect(a.digest).not.toBe(a.open);
    expect(JSON.stringify([a, b])).not.toContain("TOKEN");
  });

  it("leave one digest where there is no key, none of them, or one without a fingerprint", () => {
    const without = digestsOf(sent("a"), "apply", false);
    expect(without.digest).toBe(without.open);
    const none = digestsOf(later(new Template([url], false)));
    expect(none.digest).toBe(none.open);
    const unread = digestsOf(sent("a", { fingerprints: {} }));
    expect(unread.digest).toBe(unread.open);
    const beside = digestPlan(plan([sent("a", { fingerprints: {} }), sent("b")]), key);
    expect(beside.digest).toBe(beside.open);
    // A secret that is not sent has none, and needs none.
    const kept = sent("a", { resolved: new Map(), fingerprints: {} });
    expect(digestPlan(plan([kept, sent("b")]), key)).not.toMatchObject({
      digest: digestPlan(plan([kept, sent("b")]), key).open,
    });
  });

  it("in the midst of a text that only apply knows are part of it", () => {
    const about = (text: string) => digestsOf(later(new Template(["a", new Secret(text), url], true)));
    expect(about("x").open).toBe(about("y").open);
    expect(about("x").digest).not.toBe(about("y").digest);
  });

  it("count where they are sent: a fingerprint of a field that stays is no part", () => {
    const shown = (print: string): Change => ({
      ...sent("a", { fingerprints: { value: "v", key: print } }),
    });
    expect(digestsOf(shown("p")).digest).toBe(digestsOf(shown("q")).digest);
  });
});

describe("a record of a plan", () => {
  it("tells differences by address, in their order, and takes what became known for what it was", () => {
    const made = plan([
      later(new Template([url], false)),
      change("create", "service.b"),
      change("create", "service.a", { attributes: [field("kind", absent, value("web"))] }),
    ]);
    const record = recordPlan(made);
    expect(record).toMatchObject({
      digest: "",
      changes: {
        "variable.api.URL": { action: "create", unknown: ["value"] },
        "service.a": { action: "create", unknown: [] },
      },
    });
    const known = made.changes.map((one) => ({
      ...one,
      attributes: one.attributes.map((it) =>
        it.after.kind === "unknown" ? { ...it, after: value("https://x") } : it,
      ),
    }));
    expect(compareWithRecord(record, plan(known))).toEqual([]);
    expect(
      compareWithRecord(record, plan([change("update", "service.b"), change("create", "service.c")])),
    ).toEqual([
      { address: "service.a", kind: "gone" },
      { address: "service.b", kind: "other" },
      { address: "service.c", kind: "new" },
      { address: "variable.api.URL", kind: "gone" },
    ]);
    expect(recordPlan({ ...made, digest: "d" }).digest).toBe("d");
  });

  it("is kept by the begin of its digests, and matched by the whole of both", () => {
    const made = { ...plan([change("create", "service.a")]), digest: "d", openDigest: "o" };
    const record = recordPlan(made);
    const short = {
      ...record,
      changes: Object.fromEntries(
        Object.entries(record.changes).map(([at, one]) => [at, { ...one, digest: one.digest.slice(0, 12) }]),
      ),
    };
    expect(compareWithRecord(short, made)).toEqual([]);
    expect([isExpected(made, "d"), isExpected(made, "o"), isExpected(made, "x")]).toEqual([
      true,
      true,
      false,
    ]);
    const nothing = plan([]);
    expect([
      isRestOf(record, nothing, [{ digest: "d", exitCode: 3 }]),
      isRestOf(record, nothing, [{ digest: "d" }]),
      isRestOf(record, nothing, [{ digest: "d", exitCode: 0 }]),
      isRestOf(record, nothing, [{ digest: "x", exitCode: 3 }]),
      isRestOf(record, plan([change("create", "service.b")]), [{ digest: "d", exitCode: 3 }]),
    ]).toEqual([true, true, false, false, false]);
  });
});
