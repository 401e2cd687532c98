import { defaultLifecycle } from "../../../src/model/desired";
import { actionsOf, at, changeOf, declare, desiredOf, reference, World } from "../../support/plan-world";

const retained = { lifecycle: { ...defaultLifecycle, onRemove: "retain" } } as const;
const priced = { kind: "web", "configuration.plan": "starter" };

describe("what a change costs", () => {
  const settled = (more: object = {}) => {
    const world = new World();
    world.settle(desiredOf([declare("service.a", priced, more)]));
    return world;
  };
  const money = { usd: 7, ngn: 7000 };

  it("is before and after it, and nothing after what is deleted or forgotten", () => {
    const cost = (world: World, ...[desired, chosen]: Parameters<World["plan"]>) =>
      changeOf(world.plan(desired, { allowEmpty: true, ...chosen }), "service.a").cost;
    expect(cost(new World(), desiredOf([declare("service.a", priced)]))).toEqual({
      before: null,
      after: money,
    });
    expect(cost(settled(), desiredOf([declare("service.a", priced)]))).toEqual({
      before: money,
      after: money,
    });
    expect(cost(settled(), desiredOf([]))).toEqual({ before: money, after: null });
    const world = settled(retained);
    expect(actionsOf(world.plan(desiredOf([]), { allowEmpty: true }))).toEqual(["forget service.a"]);
    expect(cost(world, desiredOf([]))).toEqual({ before: money, after: null });
    const free = { kind: "web", "configuration.plan": "free" };
    expect(cost(settled(), desiredOf([declare("service.a", free)]))).toEqual({
      before: money,
      after: { usd: 0, ngn: 0 },
    });
  });
});

describe("what is live and not managed", () => {
  it("is listed until it is recorded, or taken over in this plan", () => {
    const world = new World();
    const declared = desiredOf([declare("service.a", priced)]);
    world.settle(declared);
    const id = world.id("service.a");
    expect(world.plan(declared).unmanaged).toEqual([]);
    world.recorded.delete(at("service.a"));
    expect(world.plan(desiredOf([])).unmanaged).toEqual([{ type: "service", id, name: "a" }]);
    expect(world.plan(declared, { adopt: true })).toMatchObject({
      unmanaged: [],
      summary: { adopt: 1, change: 0, add: 0 },
    });
  });
});

describe("what a change waits for", () => {
  it("is sorted, however it is declared, and goes through what does not change", () => {
    const world = new World();
    const [a, b] = [declare("service.a", { kind: "web" }), declare("service.b", { kind: "web" })];
    const c = declare("service.c", { kind: "web" }, { dependsOn: [at("service.b"), at("service.a")] });
    const d = declare("service.d", {
      kind: "web",
      "configuration.buildCommand": reference("service.c", "url"),
    });
    expect(changeOf(world.plan(desiredOf([a, b, c])), "service.c").dependsOn).toEqual([
      "service.a",
      "service.b",
    ]);
    const x = declare("service.x", { kind: "web" }, { dependsOn: [at("service.a")] });
    const e = declare("service.e", { kind: "web" }, { dependsOn: [at("service.b"), at("service.x")] });
    world.settle(desiredOf([c, x]));
    expect(changeOf(world.plan(desiredOf([a, b, c, x, e])), "service.e").dependsOn).toEqual([
      ...["service.a", "service.b"],
    ]);
    expect(changeOf(world.plan(desiredOf([a, b, c, d])), "service.d").dependsOn).toEqual([
      "service.a",
      "service.b",
    ]);
  });
});

describe("the summary of a plan", () => {
  it("counts as Terraform does: a replacement adds and destroys, an archiving changes", () => {
    const world = new World();
    const all = (kind: string) => [
      declare("service.a", { kind }),
      declare("service.b", { kind: "web", "configuration.branch": kind }),
    ];
    expect(world.plan(desiredOf(all("web"))).summary).toEqual({
      add: 2,
      change: 0,
      destroy: 0,
      adopt: 0,
      forget: 0,
    });
    const archived = { lifecycle: { ...defaultLifecycle, onRemove: "archive" } } as const;
    world.settle(
      desiredOf([
        ...all("web"),
        declare("service.c", { kind: "web" }, archived),
        declare("service.d", { kind: "web" }, retained),
      ]),
    );
    const plan = world.plan(desiredOf(all("static")));
    expect(plan.summary).toEqual({ add: 1, change: 2, destroy: 1, adopt: 0, forget: 1 });
  });
});
