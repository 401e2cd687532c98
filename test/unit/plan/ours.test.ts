import { at, changeOf, codesOf, declare, desiredOf, World } from "../../support/plan-world";

const shop = (values: Record<string, boolean> = {}) =>
  desiredOf([declare("project.shop"), declare("service.shop.api", { kind: "web", ...values })]);

/** The changed fields of the service, each with its cause. */
const changesOf = (world: World, desired = shop(), chosen = {}) =>
  changeOf(world.plan(desired, chosen), "service.shop.api").attributes.map(({ path, cause, after }) => [
    path,
    cause,
    after.kind === "value" ? after.value : after.kind,
  ]);

function settled(values: Record<string, boolean> = {}): World {
  const world = new World();
  world.settle(shop(values));
  return world;
}

// DESIGN section 4: "Whether a managed service is archived is always ours: it is declared, or false."
describe("a field that is ours where it is not written", () => {
  it("is drift when it changed outside, and is set back to its default", () => {
    const world = settled();
    world.touch("service.shop.api", { archived: true });
    expect(changesOf(world)).toEqual([["archived", "drift", false]]);
    expect(changeOf(world.plan(shop()), "service.shop.api").drift).toMatchObject([{ path: "archived" }]);
  });

  it("goes back to its default when it is no longer declared", () => {
    expect(changesOf(settled({ archived: true }))).toEqual([["archived", "removed", false]]);
  });

  it("is taken over in what was only imported: nothing of it was applied here", () => {
    const world = settled();
    world.touch("service.shop.api", { archived: true });
    const recorded = world.recorded.get(at("service.shop.api"));
    if (recorded) world.recorded.set(at("service.shop.api"), { ...recorded, applied: {} });
    expect(changesOf(world)).toContainEqual(["archived", "take-over", false]);
  });
});

describe("a create that may double what no list shows", () => {
  it("is told with --adopt and inside of what was taken over, and not in a workspace of our own", () => {
    expect(codesOf(new World().plan(shop()))).toEqual([]);
    expect(codesOf(new World().plan(shop(), { adopt: true }))).toEqual(["live.unlisted"]);
    const world = new World();
    world.settle(desiredOf([declare("project.shop")]));
    expect(codesOf(world.plan(shop()))).toEqual([]);
    const project = world.recorded.get(at("project.shop"));
    if (project) world.recorded.set(at("project.shop"), { ...project, applied: {}, writes: 0 });
    expect(codesOf(world.plan(shop()))).toEqual(["live.unlisted"]);
  });
});
