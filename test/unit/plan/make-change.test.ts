import { Unknown } from "../../../src/model/value";
import { dependenciesOf, makeChange } from "../../../src/plan/change";
import { decideAll } from "../../../src/plan/decide";
import { guardDeletions } from "../../../src/plan/guards";
import { at, catalog, changeOf, declare, desiredOf, reference, World } from "../../support/plan-world";
import { changesOf, decisionOf, decisionsOf, instanceOf, liveOf, recordOf, typeWith } from "./fixtures";

const made = (...args: Parameters<typeof decisionOf>) =>
  makeChange(
    decisionOf(...args),
    { dependsOn: new Map(), deletesAfter: new Map() } as never,
    undefined,
    catalog,
  );

describe("a change", () => {
  const recorded = recordOf({ plan: "pro" });

  it("of what is gone says what goes on about it", () => {
    const ending = { kind: "deletion", id: "d1" } as never;
    expect(made("create", { declared: {}, recorded, read: { kind: "gone", ending } }).instance.ending).toBe(
      ending,
    );
    expect(
      made("create", { declared: {}, recorded, read: { kind: "gone" } }).instance.ending,
    ).toBeUndefined();
  });

  it("costs what the type says of its fields: live, else recorded before; the defaults once made anew", () => {
    const prices: Readonly<Record<string, number>> = { pro: 7, free: 0 };
    const monthlyCost: NonNullable<ReturnType<typeof typeWith>["monthlyCost"]> = ({ get }) => {
      const usd = prices[String(get("plan"))] ?? -1;
      return { usd, ngn: usd };
    };
    const cost = (...[action, given]: Parameters<typeof decisionOf>) => {
      const { before, after } =
        made(action, { type: typeWith({ monthlyCost }), defaults: { plan: "free" }, ...given }).cost ?? {};
      return [before?.usd, after?.usd];
    };
    const gone = { kind: "gone" } as const;
    expect(cost("create", { declared: {}, recorded, read: gone })).toEqual([undefined, 0]);
    expect(cost("create", { declared: { plan: "pro" }, recorded, read: gone })).toEqual([undefined, 7]);
    expect(cost("forget", { recorded, read: gone })).toEqual([undefined, undefined]);
    const unchecked = { kind: "unchecked", reason: "x" } as const;
    expect(cost("update", { declared: {}, recorded, read: unchecked })).toEqual([7, 7]);
    expect(cost("update", { declared: {}, recorded, live: liveOf({ plan: "free" }) })).toEqual([0, 0]);
    expect(cost("adopt", { declared: {}, live: liveOf({ plan: "pro" }) })).toEqual([undefined, 7]);
  });

  it("costs nothing more where nothing changes, and what a default costs once a field is reset", () => {
    const prices: Readonly<Record<string, number>> = { pro: 7, free: 1 };
    const monthlyCost: NonNullable<ReturnType<typeof typeWith>["monthlyCost"]> = ({ get }) => {
      const usd = prices[String(get("plan"))] ?? 0;
      return { usd, ngn: 0 };
    };
    const given = {
      ...{ type: typeWith({ monthlyCost }), defaults: { plan: "free" } },
      ...{ recorded, live: liveOf({ plan: "pro" }) },
    };
    const costAfter = (...[action, own, more]: Parameters<typeof decisionOf>) =>
      made(action, { ...given, ...own }, more).cost?.after?.usd;
    const changed = (path: string, cause: string) => ({ attributes: [{ path, cause }] as never });
    expect(costAfter("no-op", { declared: { plan: "free" } })).toBe(7);
    expect(costAfter("update", { declared: {} }, changed("plan", "removed"))).toBe(1);
    expect(costAfter("update", { declared: {} }, changed("kind", "removed"))).toBe(7);
  });

  it("has the effects of its fields, and those of all of its type where it runs", () => {
    const money = (usd: number, ngn = 0) => ({ usd, ngn });
    const rules = {
      name: { change: "update" },
      plan: { change: "update", effects: ["billing"] },
      kind: { change: "replace", effects: ["restarts", "deploys"] },
    } as never;
    const effects = (
      action: Parameters<typeof decisionOf>[0],
      paths: readonly string[],
      more: Parameters<typeof typeWith>[0] = {},
    ) =>
      made(
        action,
        { type: typeWith({ rules, ...more }), declared: {}, recorded, live: liveOf({}) },
        { attributes: changesOf(...paths) },
      ).effects;
    const reacts = { reacts: { reason: () => null } } as never;
    expect(effects("update", ["name"])).toEqual([]);
    expect(effects("update", ["kind"])).toEqual(["deploys", "restarts"]);
    expect(effects("replace", ["kind"])).toEqual(["destructive", "deploys", "restarts"]);
    expect(effects("create", ["kind", "plan"])).toEqual(["billing"]);
    expect(effects("create", [], reacts)).toEqual(["billing", "deploys", "restarts"]);
    expect(effects("update", ["name"], reacts)).toEqual(["billing", "deploys", "restarts"]);
    expect(effects("update", [], reacts)).toEqual([]);
    expect(effects("adopt", ["name"], reacts)).toEqual([]);
    expect(effects("no-op", ["kind"])).toEqual([]);
    const costs = (before: object, after: object) => {
      const monthlyCost = ({ get }: { get: (path: string) => unknown }) =>
        (get("name") === "new" ? after : before) as never;
      return made(
        "update",
        { type: typeWith({ rules, monthlyCost }), declared: { name: "new" }, recorded, live: liveOf({}) },
        { attributes: changesOf("plan") },
      ).effects;
    };
    expect(costs(money(7), money(7))).toEqual([]);
    expect(costs(money(7), money(8))).toEqual(["billing"]);
    expect(costs(money(7, 70), money(7, 80))).toEqual(["billing"]);
    expect(costs(undefined as never, money(0, 0))).toEqual([]);
    expect(costs(undefined as never, money(1, 0))).toEqual(["billing"]);
  });

  it("bears the live name, else the declared, the recorded, or that of its address", () => {
    const name = (
      ...[given, decision]: [Parameters<typeof decisionOf>[1], Parameters<typeof decisionOf>[2]?]
    ) => made("update", given, decision).name;
    const old = recordOf({}, { name: "recorded" });
    const live = liveOf({}, { name: "live" });
    expect(name({ declared: { name: "declared" }, recorded: old, live })).toBe("live");
    expect(name({ declared: { name: "declared" }, recorded: old })).toBe("declared");
    const unknown = { resolved: new Map([["name", new Unknown([])]]) } as never;
    expect(name({ declared: {}, recorded: old }, unknown)).toBe("recorded");
    expect(name({ declared: {}, address: "service.shop.api" })).toBe("api");
    const type = typeWith({ nameAttribute: undefined });
    expect(name({ type, declared: { name: "declared" }, recorded: old })).toBe("recorded");
  });

  it("of a construct says what it goes into: what it refers to, an id, or what is not known yet", () => {
    const construct = (parent: object, resolved: object) =>
      made(
        "create",
        { declared: {}, desired: { constructPath: "Stack/api", ...parent } },
        { resolved: new Map(Object.entries(resolved)) as never },
      ).construct;
    expect(construct({ parent: at("project.shop") }, { projectId: "p1" })).toEqual({
      ...{ path: "Stack/api", in: "project.shop" },
    });
    expect(construct({}, { projectId: "p1" })).toEqual({ path: "Stack/api", in: "project p1" });
    expect(construct({}, { projectId: new Unknown([]) })).toEqual({
      ...{ path: "Stack/api", in: "a project known after apply" },
    });
    expect(construct({}, {})).toEqual({ path: "Stack/api" });
    expect(made("create", { declared: {} }).construct).toBeUndefined();
  });

  it("goes with its parent only where that ends", () => {
    const world = new World();
    const shop = (port: number) =>
      desiredOf([
        declare("project.shop"),
        declare("service.shop.api", { kind: "web", "configuration.port": port }),
        declare("variable.shop.api.A", { value: "x" }),
      ]);
    world.settle(shop(80));
    for (const plan of [world.plan(shop(80)), world.plan(shop(81))])
      expect(plan.changes.map(({ withParent }) => withParent)).toEqual([false, false, false]);
  });

  it("is bound to what it was planned against, unless it changes nothing", () => {
    const given = { declared: {}, recorded };
    const updatedAt = "2026-01-01T00:00:00Z";
    const binding = (action: "update" | "no-op", live?: ReturnType<typeof liveOf>) =>
      made(action, { ...given, ...(live && { live }) }).binding;
    expect(binding("update", liveOf({ plan: "pro" }, { updatedAt }))).toMatchObject({ id: "s1", updatedAt });
    expect(binding("update", liveOf({ plan: "pro" }))).toMatchObject({ id: "s1", updatedAt: null });
    expect(binding("update")).toBeNull();
    expect(binding("no-op", liveOf({ plan: "pro" }))).toBeNull();
  });

  it("of a deletion waits for no protected thing but those in it, all else does", () => {
    const waits = new Map([
      [at("service.a"), []],
      [at("service.b"), [at("service.a")]],
    ]);
    const waitsFor = (
      action: "delete" | "update",
      guarded: string,
      parents: readonly (string | undefined)[],
    ) => {
      const decisions = decisionsOf(
        decisionOf("delete", { address: "service.a", parent: parents[0] }),
        decisionOf(action, { address: "service.b", parent: parents[1] }),
      );
      const guards = new Map([
        [at(guarded), { code: "guard.prevent_destroy", summary: "", hint: "" }],
      ]) as never;
      const graph = { waits, goWith: new Map() };
      return dependenciesOf([...waits.keys()], graph, decisions, guards).dependsOn.get(at("service.b"));
    };
    const none = [undefined, undefined];
    expect(waitsFor("delete", "service.a", none)).toEqual([]);
    expect(waitsFor("update", "service.a", none)).toEqual(["service.a"]);
    expect(waitsFor("delete", "service.b", none)).toEqual(["service.a"]);
    expect(waitsFor("delete", "service.a", ["service.b", undefined])).toEqual(["service.a"]);
    expect(waitsFor("delete", "service.a", [undefined, "service.a"])).toEqual(["service.a"]);
  });

  it("of what refers to a replaced thing is none that the replacement waits for, unless it ends too", () => {
    const world = new World();
    const pair = desiredOf([
      declare("service.a", { kind: "web" }),
      declare("service.b", { kind: "web", "configuration.buildCommand": reference("service.a", "id") }),
    ]);
    world.settle(pair);
    const replace = [at("service.a")];
    expect(changeOf(world.plan(pair, { replace }), "service.a").deletesAfter).toBeUndefined();
    const both = [...replace, at("service.b")];
    expect(changeOf(world.plan(pair, { replace: both }), "service.a").deletesAfter).toEqual(["service.b"]);
  });

  it("names what moved it, also where another field was changed outside", () => {
    const world = new World();
    const field = "configuration.buildCommand";
    const pair = desiredOf([
      declare("service.a", { kind: "web" }),
      declare("service.b", {
        ...{ kind: "web", "configuration.port": 81 },
        [field]: reference("service.a", "url"),
      }),
    ]);
    world.settle(pair);
    const id = world.id("service.a");
    const live = world.live.get(id);
    if (live) world.live.set(id, { ...live, computed: new Map([["url", "https://moved"]]) });
    world.touch("service.b", { "configuration.port": 82 });
    const { attributes } = changeOf(world.plan(pair), "service.b");
    expect(attributes.map(({ path, cause, from }) => [path, cause, from])).toEqual([
      [field, "edit", ["service.a.url"]],
      ["configuration.port", "drift", undefined],
    ]);
  });
});

describe("what goes with its parent", () => {
  it("is not held by what lies in it: the parent's own deletion is", () => {
    const holdings = new Map([["s1", [{ kind: "disk", id: "d", name: "d" }]]]);
    const guards = (withParent: boolean) => {
      const deletion = decisionOf("delete", { recorded: recordOf({}), live: liveOf({}) }, { withParent });
      const input = { ...new World().input(desiredOf([]), { mode: "destroy" }), holdings };
      return [...guardDeletions(input, decisionsOf(deletion)).values()].map(({ code }) => code);
    };
    expect([guards(false), guards(true)]).toEqual([["guard.holds_others"], []]);
  });
});

describe("a live thing that is declared and not recorded", () => {
  it("is taken over unasked where its removal would only forget it", () => {
    const decided = (removal: "delete" | "forget") => {
      const one = instanceOf({ type: typeWith({ removal }), declared: { plan: "pro" }, live: liveOf({}) });
      const input = new World().input(desiredOf([]));
      const all = new Map([[one.address, one]]);
      const decision = decideAll(input, all, [one.address], new Set([one.address])).get(one.address);
      return [decision?.action, decision?.diagnostics.map(({ code }) => code)];
    };
    expect(decided("forget")).toEqual(["adopt", []]);
    expect(decided("delete")).toEqual(["adopt", ["live.unmanaged_exists"]]);
  });
});
