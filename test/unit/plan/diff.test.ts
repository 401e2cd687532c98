import { Secret } from "../../../src/model/secret";
import { type Plain, Unknown } from "../../../src/model/value";
import { diffAttributes, diffRecorded, undeclaredFields } from "../../../src/plan/diff";
import type { Plan, Revealed, SecretPrints } from "../../../src/plan/plan";
import { range } from "../../support/plan-world";
import { type InstanceGiven, instanceOf, liveOf, recordOf, typeWith } from "./fixtures";

const time = "2026-01-01T00:00:00.000Z";
const later = "2026-01-01T00:00:01.000Z";
const value = (of: Plain) => ({ kind: "value", value: of });
const absent = { kind: "absent" };
const secret = { kind: "secret" };

const diff = (given: InstanceGiven, secrets: Record<string, SecretPrints> = {}, revealed?: Revealed) =>
  diffAttributes(instanceOf({ declared: {}, ...given }), {
    resolved: new Map(Object.entries(given.declared ?? {})) as never,
    secrets: new Map(Object.entries(secrets)),
    ...(revealed && { revealed }),
  });
const causes = (given: InstanceGiven) => diff(given).changes.map(({ path, cause }) => `${path} ${cause}`);
const port = "configuration.port";

describe("a field that differs", () => {
  it("is no longer declared, and goes back to its default without a place to point at", () => {
    const given = {
      defaults: { plan: "free" },
      recorded: recordOf({ plan: "pro" }),
      live: liveOf({ plan: "pro" }),
    };
    const { changes } = diff(given);
    expect(changes).toEqual([
      {
        path: "plan",
        before: value("pro"),
        after: value("free"),
        cause: "removed",
        forcesReplacement: false,
      },
    ]);
    // A type that knows of no default leaves it to the service.
    expect(diff({ ...given, defaults: {} }).released).toMatchObject([{ path: "plan", cause: "released" }]);
    expect(diff({ ...given, live: liveOf({ plan: "other" }) }).released).toEqual([
      {
        path: "plan",
        before: value("pro"),
        after: value("other"),
        cause: "released",
        forcesReplacement: false,
      },
    ]);
    expect(
      causes({ ...given, live: liveOf({ plan: "free" }), recorded: recordOf({ plan: "free" }) }),
    ).toEqual([]);
  });

  it("is absent as much as null", () => {
    const live = liveOf({ plan: null });
    expect(causes({ declared: { plan: null }, recorded: recordOf({ plan: "x" }), live: liveOf({}) })).toEqual(
      [],
    );
    expect(causes({ declared: { plan: "" }, recorded: recordOf({}), live })).toEqual(["plan edit"]);
  });

  it("may mean the same in another form", () => {
    const equal = (a: Plain, b: Plain) => String(a).toLowerCase() === String(b).toLowerCase();
    const type = typeWith({ rules: { plan: { change: "update", equal } } as never });
    expect(causes({ type, declared: { plan: "PRO" }, live: liveOf({ plan: "pro" }) })).toEqual([]);
    expect(causes({ type, declared: { plan: "PRO" }, live: liveOf({ plan: "free" }) })).toEqual([
      "plan take-over",
    ]);
  });

  it("that holds the parent goes to none where none is declared any more", () => {
    const recorded = recordOf({ projectId: "p1" });
    expect(causes({ recorded, live: liveOf({}) })).toEqual(["projectId removed"]);
    expect(causes({ recorded, live: liveOf({}, { parentId: "p2" }) })).toEqual([]);
    const parents = [
      { type: "project", attribute: "projectId" },
      { type: "team", attribute: "teamId" },
    ];
    expect(causes({ type: typeWith({ parents }), recorded, live: liveOf({}) })).toEqual([
      "projectId removed",
    ]);
  });
});

describe("an ignored field", () => {
  const declared = { name: "b", plan: "b", [port]: 2, "configuration.portal": 2 };
  const given = {
    declared,
    recorded: recordOf({}),
    live: liveOf({ name: "a", plan: "a", [port]: 1, "configuration.portal": 1 }),
  };
  const left = (...ignoreChanges: readonly string[]) =>
    diff({ ...given, lifecycle: { ignoreChanges } }).changes.map(({ path }) => path);
  const all = [port, "configuration.portal", "name", "plan"];

  it("is that which is named, and all of a group that is named", () => {
    expect(left()).toEqual(all);
    expect(left("plan")).toEqual([port, "configuration.portal", "name"]);
    expect(left("configuration")).toEqual(["name", "plan"]);
    expect(left(port, "name")).toEqual(["configuration.portal", "plan"]);
  });

  it("is none whose name only begins or ends alike", () => {
    expect(left("configuration.por", "config", "port", "pla", "n", "configuration.port.x")).toEqual(all);
  });
});

describe("a secret", () => {
  const token = new Secret("a-token");
  const printed = (now: string | undefined, ...asRecorded: string[]) => ({ token: { now, asRecorded } });
  const recorded = recordOf({ token: { fingerprint: "f" } }, { updatedAt: time });
  const live = liveOf({}, { updatedAt: time });
  const of = (
    given: InstanceGiven,
    prints: Record<string, SecretPrints> = printed("f", "f"),
    revealed?: Revealed,
  ) => diff({ declared: { token: token as never }, recorded, live, ...given }, prints, revealed);

  it("is never shown, before and after", () => {
    const { changes, drift, diagnostics } = of({ live: liveOf({}, { updatedAt: later }) }, printed("g", "g"));
    expect(changes).toEqual([
      { path: "token", before: secret, after: secret, cause: "edit", forcesReplacement: false, range },
    ]);
    expect(drift).toEqual([
      { path: "token", before: secret, after: secret, cause: "drift", forcesReplacement: false },
    ]);
    expect(diagnostics).toMatchObject([{ code: "plan.live_changed_too", attribute: "token" }]);
    expect(of({}, printed("g", "g"))).toMatchObject({
      changes: [{ cause: "edit" }],
      drift: [],
      diagnostics: [],
    });
    expect(
      of({ recorded: recordOf({}), live: undefined, read: { kind: "unchecked", reason: "x" } }).changes.at(
        -1,
      ),
    ).toMatchObject({ path: "token", before: absent, after: secret, cause: "take-over" });
  });

  it("that was revealed tells by itself whether it drifted", () => {
    const revealed = (now: string, ...asRecorded: string[]): Revealed => ({
      id: "s1",
      prints: { token: { now, asRecorded } },
    });
    const touched = { live: liveOf({}, { updatedAt: later }) };
    expect(of(touched, printed("f", "f"), revealed("f", "f")).changes).toEqual([]);
    expect(of({}, printed("f", "f"), revealed("other", "other")).changes).toMatchObject([{ cause: "drift" }]);
    expect(of(touched, printed("g", "g"), revealed("f", "f"))).toMatchObject({
      changes: [{ cause: "edit" }],
      drift: [],
    });
    expect(
      of({}, printed(undefined), { id: "s1", prints: { token: { now: undefined, asRecorded: [] } } } as never)
        .changes,
    ).toMatchObject([{ cause: "edit" }]);
  });

  it("is edited where it is not known yet, and released where it is no longer declared", () => {
    expect(of({ declared: { token: new Unknown([]) as never } }, {}).changes).toMatchObject([
      { cause: "edit" },
    ]);
    expect(of({ declared: {} }).released).toMatchObject([{ path: "token", before: secret, after: secret }]);
    expect(of({ declared: {}, recorded: recordOf({}) })).toMatchObject({ changes: [], released: [] });
  });
});

describe("what a refresh would record", () => {
  it("is each recorded field that is live with another value, and of what is always managed", () => {
    const given = {
      recorded: recordOf(
        { plan: "a", name: "api", preserve: true, unheardOf: 1, token: { fingerprint: "f" } },
        { updatedAt: time },
      ),
      live: liveOf({ plan: "b", name: "api", archived: true }, { updatedAt: time }),
      defaults: { archived: false },
    };
    expect(diffRecorded(instanceOf(given))).toEqual([
      {
        path: "archived",
        before: value(false),
        after: value(true),
        cause: "drift",
        forcesReplacement: false,
      },
      { path: "plan", before: value("a"), after: value("b"), cause: "drift", forcesReplacement: false },
    ]);
    const touched = instanceOf({ ...given, live: liveOf({ plan: "a", name: "api" }, { updatedAt: later }) });
    expect(diffRecorded(touched)).toEqual([
      { path: "token", before: secret, after: secret, cause: "drift", forcesReplacement: false },
    ]);
    const ignoring = recordOf({ plan: "a" }, { ignoreChanges: ["plan"] });
    expect(diffRecorded(instanceOf({ ...given, recorded: ignoring }))).toMatchObject([{ path: "archived" }]);
  });
});

describe("what was set outside and is not declared", () => {
  const fields = (given: InstanceGiven, types = [typeWith()]) => {
    const instance = instanceOf({
      declared: {},
      defaults: { [port]: 1, plan: "free" },
      live: liveOf({ [port]: 2, plan: "pro" }),
      ...given,
    });
    const { address } = instance;
    const instances = new Map([[address, instance]]);
    return undeclaredFields({ changes: [{ address, type: "service" }], instances } as unknown as Plan, types);
  };

  it("is none that is declared, was applied, or is ignored", () => {
    expect(fields({ declared: { [port]: 3 } })).toEqual([]);
    expect(fields({ recorded: recordOf({ [port]: 3 }) })).toEqual([]);
    expect(fields({ recorded: recordOf({ plan: "x" }) })).toHaveLength(1);
    expect(fields({ lifecycle: { ignoreChanges: ["configuration"] } })).toEqual([]);
  });

  it("is none of what is not declared, not live, or not known", () => {
    expect(fields({ declared: undefined })).toEqual([]);
    expect(fields({ live: undefined })).toEqual([]);
    expect(fields({}, [])).toEqual([]);
  });
});
