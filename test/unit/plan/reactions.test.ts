import { defaultLifecycle } from "../../../src/model/desired";
import { Secret } from "../../../src/model/secret";
import type { RecordedResource } from "../../../src/model/state";
import { actionsOf, at, changeOf, codesOf, declare, desiredOf, range, World } from "../../support/plan-world";

const shop = (deploy: Record<string, string> = {}, branch = "main") => [
  declare("service.api", { kind: "web", "configuration.branch": branch }),
  declare("variable.api.KEY", { value: new Secret("text") }),
  declare("deployment.api", deploy),
];

function settled(deploy: Record<string, string> = {}): World {
  const world = new World();
  world.settle(desiredOf(shop(deploy)));
  return world;
}

describe("a deployment", () => {
  it("that ran before rnv knew of it is taken over without a word", () => {
    const world = settled();
    world.recorded.delete(at("deployment.api"));
    const plan = world.plan(desiredOf(shop({ when: "never" })));
    expect(codesOf(plan)).toEqual([]);
    expect(actionsOf(plan)).toEqual(["adopt deployment.api"]);
  });

  it.each(["changed", "never"])("runs where --replace asks for it, with when: %s", (when) => {
    const plan = settled({ when }).plan(desiredOf(shop({ when })), { replace: [at("deployment.api")] });
    expect(changeOf(plan, "deployment.api").reason).toBe("--replace asks for it");
    const world = settled();
    const started = world.recorded.get(at("deployment.api")) as RecordedResource;
    const pending = { kind: "deployment", id: "d", startedAt: "2026-01-01T00:00:00Z" } as const;
    world.recorded.set(at("deployment.api"), { ...started, pending });
    const again = world.plan(desiredOf(shop({ when })), { replace: [at("deployment.api")] });
    expect(changeOf(again, "deployment.api").action).toBe("no-op");
  });

  it("is forgotten when its service is created again and it is not wanted there", () => {
    const world = settled();
    const other = [declare("service.api", { kind: "static" }), ...shop({ when: "never" }).slice(1)];
    const plan = world.plan(desiredOf(other));
    expect(changeOf(plan, "deployment.api").action).toBe("forget");
    world.apply(plan);
    expect(actionsOf(world.plan(desiredOf(other)))).toEqual([]);
  });
});

describe("a deployment that a verb left, and that is not declared", () => {
  const [api = declare("service.api"), key = declare("variable.api.KEY")] = shop();
  const undeclared = (): World => {
    const world = settled();
    const recorded = world.recorded.get(at("deployment.api"));
    if (recorded) world.recorded.set(at("deployment.api"), { ...recorded, applied: {} });
    return world;
  };

  it("is no change, also where it is gone, and goes with its service", () => {
    const world = undeclared();
    expect(actionsOf(world.plan(desiredOf([api, key])))).toEqual([]);
    world.lose("deployment.api");
    expect(actionsOf(world.plan(desiredOf([api, key])))).toEqual([]);
    expect(actionsOf(undeclared().plan(desiredOf([]), { mode: "destroy" }))).toEqual([
      ...["delete deployment.api", "delete service.api", "delete variable.api.KEY"],
    ]);
  });
});

describe("a deployment of a service that is archived, and left so", () => {
  const lifecycle = { ...defaultLifecycle, ignoreChanges: ["archived"] };
  const left = (branch: string) => [
    declare("service.api", { kind: "web", "configuration.branch": branch }, { lifecycle }),
    ...shop().slice(1),
  ];

  it("does not run, and every change that cannot is said", () => {
    const world = settled();
    world.touch("service.api", { archived: true });
    expect(codesOf(world.plan(desiredOf(left("main"))))).toEqual([]);
    const plan = world.plan(desiredOf(left("dev")));
    expect(actionsOf(plan)).toEqual(["update service.api"]);
    expect(changeOf(plan, "deployment.api").held).toBe("its service is archived");
    expect(changeOf(plan, "service.api").held).toBeUndefined();
    expect(plan.diagnostics).toMatchObject([
      {
        ...{ code: "plan.not_deployed", severity: "warning", address: "deployment.api", range },
        detail:
          "What is changed is saved and does not run (the service changes); an apply ends with exit 7 until it does.",
      },
    ]);
  });
});

describe("a layout", () => {
  const layout = (values = {}) =>
    desiredOf([
      declare("project.shop"),
      declare("service.shop.api", { kind: "web" }),
      declare("layout.shop", { positions: "auto", ...values }),
    ]);

  it("says what of it differs, and not its status", () => {
    const world = new World();
    world.settle(layout());
    const plan = world.plan(layout({ viewport: { x: 1, y: 2, zoom: 1 } }));
    expect(changeOf(plan, "layout.shop")).toMatchObject({ action: "update", reason: "viewport differs" });
    const bare = new World();
    bare.settle(desiredOf([declare("project.shop"), declare("service.shop.api", { kind: "web" })]));
    expect(changeOf(bare.plan(layout()), "layout.shop")).toMatchObject({
      ...{ action: "create", reason: "positions differs" },
    });
  });
});
