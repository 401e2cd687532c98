import { defaultLifecycle } from "../../../src/model/desired";
import { Secret } from "../../../src/model/secret";
import { isUnconfirmed } from "../../../src/plan/guards";
import { at, changeOf, declare, desiredOf, World } from "../../support/plan-world";

const keep = { preventDestroy: false, ignoreChanges: [] };
const shop = () => [
  declare("project.shop"),
  declare("service.shop.api", { kind: "web" }),
  declare("variable.shop.api.LEVEL", { value: new Secret("info") }),
];
const guarded = (plan: ReturnType<World["plan"]>) =>
  plan.changes.flatMap(({ address, blockedBy }) => (blockedBy ? [`${blockedBy.code} ${address}`] : []));

function settledShop(more: Parameters<typeof desiredOf>[0] = []): World {
  const world = new World();
  world.settle(desiredOf([...shop(), ...more]));
  return world;
}

describe("a deletion", () => {
  it("that only lacks its confirmation is told from one that is held", () => {
    const lifecycle = { ...defaultLifecycle, preventDestroy: true };
    const world = settledShop([declare("service.db", { kind: "web" }, { lifecycle })]);
    const plan = world.plan(desiredOf([]), { allowEmpty: true });
    expect(plan.changes.filter(isUnconfirmed).map(({ address }) => address)).toEqual([
      ...["project.shop", "service.shop.api"],
    ]);
  });

  it("in a protected stage stands still, and in a disposable one needs no name", () => {
    const world = settledShop();
    const only = (stage?: { readonly protect?: boolean; readonly disposable?: boolean }) =>
      world.plan(desiredOf(shop().slice(0, 1), stage && { stage: { name: "prod", ...stage } as never }));
    expect(guarded(only())).toEqual(["guard.delete_unconfirmed service.shop.api"]);
    expect(guarded(only({}))).toEqual(["guard.delete_unconfirmed service.shop.api"]);
    expect(guarded(only({ disposable: true }))).toEqual([]);
    for (const disposable of [false, true])
      expect(changeOf(only({ protect: true, disposable }), "service.shop.api").blockedBy).toEqual({
        code: "guard.prevent_destroy",
        summary: "service.shop.api is protected: stage prod",
        hint: "to delete it, first apply without protect: true of stage prod",
      });
    expect(changeOf(only({ protect: true }), "variable.shop.api.LEVEL").blockedBy).toBeUndefined();
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
    expect(changeOf(plan, "service.shop.api").blockedBy?.summary).toBe(
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
