import { defaultLifecycle } from "../../../src/model/desired";
import type { LiveResource } from "../../../src/model/live";
import { Secret } from "../../../src/model/secret";
import { isUnconfirmed } from "../../../src/plan/guards";
import { makePlan } from "../../../src/plan/make-plan";
import type { PlanInput } from "../../../src/plan/plan";
import { actionsOf, at, changeOf, codesOf, declare, desiredOf, range, World } from "../../support/plan-world";

const keep = { preventDestroy: false, ignoreChanges: [] };
const shop = () => [
  declare("project.shop"),
  declare("service.shop.api", { kind: "web" }),
  declare("variable.shop.api.LEVEL", { value: new Secret("info") }),
];
const guarded = (plan: ReturnType<World["plan"]>) =>
  plan.changes.flatMap(({ address, guard }) => (guard ? [`${guard.code} ${address}`] : []));

function settledShop(more: Parameters<typeof desiredOf>[0] = []): World {
  const world = new World();
  world.settle(desiredOf([...shop(), ...more]));
  return world;
}

describe("a deletion", () => {
  it("needs a confirmation by name, for services and projects", () => {
    const world = settledShop();
    const plan = world.plan(desiredOf([]), { allowEmpty: true });
    expect(actionsOf(plan)).toEqual([
      "delete project.shop",
      "delete service.shop.api",
      "delete variable.shop.api.LEVEL",
    ]);
    expect(guarded(plan)).toEqual([
      "guard.delete_unconfirmed project.shop",
      "guard.delete_unconfirmed service.shop.api",
    ]);
  });

  it("that only lacks its confirmation is told from one that is held", () => {
    const lifecycle = { ...defaultLifecycle, preventDestroy: true };
    const world = settledShop([declare("service.db", { kind: "web" }, { lifecycle })]);
    const plan = world.plan(desiredOf([]), { allowEmpty: true });
    expect(plan.changes.filter(isUnconfirmed).map(({ address }) => address)).toEqual([
      ...["project.shop", "service.shop.api"],
    ]);
  });

  it("is confirmed on the command line, in the manifest, or by destroy", () => {
    const world = settledShop();
    const confirmedDeletes = [at("service.shop.api")];
    expect(guarded(world.plan(desiredOf([shop()[0] as never]), { confirmedDeletes }))).toEqual([]);
    const removed = [{ address: at("service.shop.api"), range }];
    expect(guarded(world.plan(desiredOf([shop()[0] as never], { removed })))).toEqual([]);
    expect(guarded(world.plan(desiredOf([]), { mode: "destroy" }))).toEqual([]);
  });

  it("of something renamed since stands still", () => {
    const world = settledShop();
    world.touch("service.shop.api", { name: "api-prod" }, "api-prod");
    const plan = world.plan(desiredOf([]), { mode: "destroy" });
    expect(guarded(plan)).toEqual(["guard.name_changed service.shop.api"]);
    expect(changeOf(plan, "service.shop.api").name).toBe("api-prod");
  });

  it("in a protected stage stands still, and in a disposable one needs no name", () => {
    const world = settledShop();
    const only = (stage?: { readonly protect?: boolean; readonly disposable?: boolean }) =>
      world.plan(desiredOf(shop().slice(0, 1), stage && { stage: { name: "prod", ...stage } as never }));
    expect(guarded(only())).toEqual(["guard.delete_unconfirmed service.shop.api"]);
    expect(guarded(only({}))).toEqual(["guard.delete_unconfirmed service.shop.api"]);
    expect(guarded(only({ disposable: true }))).toEqual([]);
    for (const disposable of [false, true])
      expect(changeOf(only({ protect: true, disposable }), "service.shop.api").guard).toEqual({
        code: "guard.prevent_destroy",
        summary: "service.shop.api is protected: stage prod",
        hint: "to delete it, first apply without protect: true of stage prod",
      });
    expect(changeOf(only({ protect: true }), "variable.shop.api.LEVEL").guard).toBeUndefined();
  });

  it("of what is protected since this manifest stands still before that was ever recorded", () => {
    const world = settledShop();
    const declared = (lifecycle: typeof keep) => [
      declare("project.shop"),
      declare("service.shop.api", { kind: "static" }, { lifecycle: { ...defaultLifecycle, ...lifecycle } }),
      ...shop().slice(2),
    ];
    const replace = [at("service.shop.api")];
    expect(guarded(world.plan(desiredOf(declared(keep)), { replace }))).toEqual([]);
    const plan = world.plan(desiredOf(declared({ ...keep, preventDestroy: true })), { replace });
    expect(guarded(plan)).toEqual(["guard.prevent_destroy service.shop.api"]);
    expect(changeOf(plan, "service.shop.api").guard?.summary).toBe(
      "service.shop.api is protected: preventDestroy",
    );
  });

  it("of a protected variable holds its service back", () => {
    const lifecycle = { ...keep, preventDestroy: true, onRemove: "delete" } as const;
    const world = settledShop([declare("variable.shop.api.KEY", {}, { lifecycle })]);
    expect(guarded(world.plan(desiredOf([]), { mode: "destroy" }))).toContain(
      "guard.prevent_destroy service.shop.api",
    );
  });
});

describe("a deletion of what holds something else", () => {
  const inside = (world: World, holdings?: PlanInput["holdings"]) =>
    makePlan({ ...world.input(desiredOf([]), { mode: "destroy" }), ...(holdings && { holdings }) });

  it("stands still for a live thing that is not managed here", () => {
    const world = settledShop();
    const id = world.id("project.shop");
    const api = world.live.get(world.id("service.shop.api")) as LiveResource;
    world.live.set("s-9", { ...api, id: "s-9", name: "legacy", parentId: id });
    const plan = inside(world);
    expect(guarded(plan)).toEqual(["guard.holds_others project.shop"]);
    expect(changeOf(plan, "project.shop").guard?.summary).toBe(
      'project.shop holds what is not deleted with it: the service "legacy" (id s-9), which is not managed here',
    );
  });
});

describe("a resource no longer declared", () => {
  it.each([
    ["retain", "forget", 0],
    ["archive", "delete", 0],
    ["delete", "delete", 1],
  ] as const)("with onRemove %s ends in %s", (onRemove, action, destroyed) => {
    const world = settledShop([
      declare("service.shop.old", { kind: "web" }, { lifecycle: { ...keep, onRemove } }),
    ]);
    const plan = world.plan(desiredOf(shop()));
    expect(changeOf(plan, "service.shop.old")).toMatchObject({ action, onRemove });
    expect(plan.summary.destroy).toBe(destroyed);
    expect(guarded(plan)).toHaveLength(destroyed);
    const id = world.id("service.shop.old");
    world.apply(plan);
    expect(world.live.has(id)).toBe(destroyed === 0);
    expect(actionsOf(world.plan(desiredOf(shop())))).toEqual([]);
  });

  it("is never deleted because the manifest is empty", () => {
    const world = settledShop();
    expect(codesOf(world.plan(desiredOf([])))).toEqual(["guard.empty_manifest"]);
    expect(codesOf(world.plan(desiredOf([]), { allowEmpty: true }))).toEqual([]);
    expect(codesOf(new World().plan(desiredOf([])))).toEqual([]);
  });
});

describe("something recorded that is gone", () => {
  it("needs proof: something else must still be there", () => {
    const world = settledShop();
    world.lose("project.shop", "service.shop.api", "variable.shop.api.LEVEL");
    const plan = world.plan(desiredOf(shop()));
    expect(codesOf(plan)).toEqual(["live.gone_unproven", "live.gone_unproven"]);
    expect(plan.diagnostics[0]?.hint).toContain("rnv state rm project.shop");
    expect(actionsOf(plan)).toEqual([]);
  });

  it("stops the plan when more than a third of the variables of what still stands vanishes at once", () => {
    const variables = ["A", "B", "C", "D"].map((key) =>
      declare(`variable.a.${key}`, { value: new Secret(key) }),
    );
    const desired = desiredOf([declare("service.a", { kind: "web" }), ...variables]);
    const world = new World();
    world.settle(desired);
    world.lose("variable.a.A", "variable.a.B");
    expect(codesOf(world.plan(desired))).toEqual([]);
    world.lose("variable.a.C");
    expect(codesOf(world.plan(desired))).toEqual(["live.mass_disappearance"]);
  });
});
