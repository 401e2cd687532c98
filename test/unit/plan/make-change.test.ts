import { makeChange } from "../../../src/plan/change";
import { decideAll } from "../../../src/plan/decide";
import { guardDeletions } from "../../../src/plan/guards";
import { at, catalog, changeOf, declare, desiredOf, reference, World } from "../../support/plan-world";
import { decisionOf, decisionsOf, instanceOf, liveOf, recordOf, typeWith } from "./fixtures";

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
    expect(made("create", { declared: {}, recorded, read: { kind: "gone" } }).instance).not.toHaveProperty(
      "ending",
    );
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
