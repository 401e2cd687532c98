import { defaultLifecycle } from "../../../src/model/desired";
import { makePlan } from "../../../src/plan/make-plan";
import { actionsOf, at, changeOf, declare, desiredOf, World } from "../../support/plan-world";

const archive = { lifecycle: { ...defaultLifecycle, onRemove: "archive" } } as const;
const web = (name: string) => declare(`service.shop.${name}`, { kind: "web" });
const rest = () => [declare("project.shop"), web("a"), web("b")];
const shop = () => [
  ...rest(),
  declare("service.shop.api", { kind: "web" }, archive),
  declare("variable.shop.api.LEVEL", { value: "info" }),
];

function settled(): World {
  const world = new World();
  world.settle(desiredOf(shop()));
  return world;
}

/** The service is archived, and no longer declared. */
function archived(): World {
  const world = settled();
  world.settle(desiredOf(rest()));
  return world;
}

describe("what was archived here", () => {
  it("is forgotten with its parts once it was deleted outside of rnv", () => {
    const world = archived();
    world.lose("service.shop.api");
    const plan = world.plan(desiredOf(rest()));
    const reason = "it was archived here, and deleted outside of rnv";
    expect(plan.changes.filter(({ action }) => action !== "no-op")).toMatchObject([
      { address: "service.shop.api", action: "forget", reason },
      { address: "variable.shop.api.LEVEL", action: "forget", reason },
    ]);
  });

  it("is not believed to be gone where nothing else can be read", () => {
    const world = archived();
    world.lose("service.shop.api", "variable.shop.api.LEVEL", ...rest().map(({ address }) => address));
    for (const { address } of rest()) world.recorded.delete(address);
    expect(actionsOf(world.plan(desiredOf([])))).toEqual([]);
    world.settle(desiredOf([declare("service.other", { kind: "web" })]));
    expect(actionsOf(world.plan(desiredOf([declare("service.other", { kind: "web" })])))).toEqual([
      ...["forget service.shop.api", "forget variable.shop.api.LEVEL"],
    ]);
  });
});

describe("a project that is created again", () => {
  const replace = { replace: [at("project.shop")], confirmedDeletes: [at("project.shop")] };
  const guard = (world: World) => changeOf(world.plan(desiredOf(rest()), replace), "project.shop").blockedBy;

  it("stands still for what is archived in it, by its id", () => {
    const world = archived();
    expect(guard(world)).toEqual({
      code: "guard.holds_others",
      summary: `project.shop still contains service.shop.api (id ${world.id("service.shop.api")}, archived by onRemove), which would not be deleted with it`,
      hint: "delete that or move it elsewhere first; to leave project.shop as it is: --exclude project.shop",
    });
  });

  it("stands still for what leaves the state and stays at the service", () => {
    const world = new World();
    const lifecycle = { ...defaultLifecycle, onRemove: "retain" } as const;
    const old = declare("service.shop.old", { kind: "web" }, { lifecycle });
    world.settle(desiredOf([...rest(), old, declare("variable.shop.old.A", { value: "x" })]));
    expect(guard(world)?.summary).toBe(
      `project.shop still contains service.shop.old (id ${world.id("service.shop.old")}), which would not be deleted with it`,
    );
    world.lose("service.shop.old");
    expect(guard(world)).toBeUndefined();
  });

  it("is left as it is by the words of the verb that asked", () => {
    const world = settled();
    const holdings = new Map([
      [world.id("project.shop"), [{ kind: "environment group", id: "g", name: "g" }]],
    ]);
    const declared = shop().map((one) => ({ ...one, lifecycle: defaultLifecycle }));
    world.settle(desiredOf(declared));
    const input = world.input(desiredOf([]), { mode: "destroy" });
    expect(changeOf(makePlan({ ...input, holdings }), "project.shop").blockedBy?.hint).toMatch(
      / to leave project\.shop as it is: rnv destroy --exclude project\.shop$/,
    );
  });
});
