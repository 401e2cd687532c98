import { Template } from "../../../src/model/value";
import { actionsOf, at, changeOf, codesOf, declare, desiredOf, World } from "../../support/plan-world";

const shop = () => [
  declare("project.shop"),
  declare("service.shop.api", { kind: "web" }),
  declare("service.shop.worker", { kind: "web" }),
  declare("variable.shop.api.HOST", {
    value: new Template([{ address: at("service.shop.worker"), attribute: "internalHost" }], true),
  }),
  declare("deployment.shop.api"),
  declare("deployment.shop.worker"),
];

describe("the order of changes", () => {
  it("lets a variable wait for the one that leaves the key that it takes", () => {
    const world = new World();
    const keyed = (keys: Readonly<Record<string, string>>) =>
      desiredOf([
        declare("service.api", { kind: "web" }),
        ...Object.entries(keys).map(([name, key]) => declare(`variable.api.${name}`, { key, value: name })),
      ]);
    world.settle(keyed({ A: "A", B: "B", C: "C" }));
    const plan = world.plan(keyed({ A: "B", B: "C", D: "A" }));
    const waits = plan.changes.map(({ address, dependsOn }) => [address, ...dependsOn].join(" < "));
    expect(waits).toEqual([
      ...["service.api", "variable.api.A < variable.api.B", "variable.api.B < variable.api.C"],
      ...["variable.api.C", "variable.api.D < variable.api.A"],
    ]);
  });

  it("replaces a service of a replaced project, and ends the old ones inside first", () => {
    const world = new World();
    world.settle(desiredOf(shop()));
    const plan = world.plan(desiredOf(shop()), { replace: [at("project.shop")] });
    expect(actionsOf(plan)).toEqual([
      "create deployment.shop.api",
      "create deployment.shop.worker",
      "replace project.shop",
      "replace service.shop.api",
      "replace service.shop.worker",
      "replace variable.shop.api.HOST",
    ]);
    expect(changeOf(plan, "project.shop")).toMatchObject({
      dependsOn: [],
      deletesAfter: ["service.shop.api", "service.shop.worker"],
    });
    expect(changeOf(plan, "service.shop.api").dependsOn).toEqual(["project.shop"]);
    expect(changeOf(plan, "variable.shop.api.HOST").withParent).toBe(true);
    expect(plan.summary).toEqual({ add: 6, change: 0, destroy: 4, adopt: 0, forget: 0 });
  });

  it("names the same cycle however what is waited for is ordered", () => {
    const cycle = (...dependsOn: readonly string[]) =>
      new World().plan(
        desiredOf([
          declare("service.a", { kind: "web" }, { dependsOn: dependsOn.map(at) }),
          declare("service.b", { kind: "web" }, { dependsOn: [at("service.a")] }),
          declare("service.c", { kind: "web" }, { dependsOn: [at("service.a")] }),
        ]),
      ).diagnostics;
    expect(cycle("service.c", "service.b")).toEqual(cycle("service.b", "service.c"));
  });

  it("destroys what was recorded as a ring, which is no mistake of the manifest", () => {
    const world = new World();
    world.settle(desiredOf([declare("service.a", { kind: "web" }), declare("service.b", { kind: "web" })]));
    for (const [address, on] of [
      ["service.a", "service.b"],
      ["service.b", "service.a"],
    ] as const) {
      const recorded = world.recorded.get(at(address));
      if (recorded) world.recorded.set(at(address), { ...recorded, dependsOn: [at(on)] });
    }
    const plan = world.plan(desiredOf([]), { mode: "destroy" });
    expect([codesOf(plan), actionsOf(plan)]).toEqual([[], ["delete service.a", "delete service.b"]]);
    world.apply(plan);
    expect(world.live.size).toBe(0);
  });

  it("lets a create wait for a removed name of its own project and type alone, also where that is its key", () => {
    const world = new World();
    const old = (project: string) => declare(`service.${project}.old`, { kind: "web", name: "api" });
    const projects = [declare("project.shop"), declare("project.blog")];
    world.settle(desiredOf([...projects, old("shop"), old("blog")]));
    const create = declare("service.shop.api", { kind: "web" });
    const nameless = new Map([...create.attributes].filter(([path]) => path !== "name"));
    for (const one of [create, { ...create, attributes: nameless }]) {
      const plan = world.plan(desiredOf([...projects, one]));
      expect(changeOf(plan, "service.shop.api").dependsOn).toEqual(["service.shop.old"]);
    }
    const web = declare("service.shop.web", { kind: "web" });
    const kept = world.plan(desiredOf([...projects, old("shop"), web]));
    expect(changeOf(kept, "service.shop.web").dependsOn).toEqual([]);
  });
});

describe("the scope of a plan", () => {
  const world = new World();

  it("is a target and what it needs", () => {
    const plan = world.plan(desiredOf(shop()), { targets: [at("variable.shop.api.HOST")] });
    expect(actionsOf(plan)).toEqual([
      "create project.shop",
      "create service.shop.api",
      "create service.shop.worker",
      "create variable.shop.api.HOST",
    ]);
  });

  it("leaves out what is excluded and what needs it", () => {
    const plan = world.plan(desiredOf(shop()), { excludes: [at("service.shop.worker")] });
    expect(actionsOf(plan)).toEqual(["create project.shop", "create service.shop.api"]);
  });

  it("destroys a target with all that lies in it, and a part of it alone", () => {
    const full = new World();
    full.settle(desiredOf(shop()));
    const destroy = (target: string) =>
      actionsOf(full.plan(desiredOf(shop()), { mode: "destroy", targets: [at(target)] }));
    expect(destroy("service.shop.api")).toEqual([
      "delete deployment.shop.api",
      "delete service.shop.api",
      "delete variable.shop.api.HOST",
    ]);
    expect(destroy("variable.shop.api.HOST")).toEqual(["delete variable.shop.api.HOST"]);
  });

  it("takes what goes with an excluded part out with it, where all of it is removed", () => {
    const full = new World();
    full.settle(desiredOf(shop()));
    const left = full.plan(desiredOf(shop()), { mode: "destroy", excludes: [at("variable.shop.api.HOST")] });
    expect(actionsOf(left).filter((one) => !one.endsWith("worker"))).toEqual([]);
    const kept = full.plan(desiredOf(shop().filter(({ address }) => address !== "variable.shop.api.HOST")), {
      excludes: [at("variable.shop.api.HOST")],
    });
    expect(codesOf(kept)).toEqual([]);
    expect(kept.changes.map(({ address }) => address)).toContain("service.shop.api");
  });

  it("does not know an address that is misspelt", () => {
    const plan = world.plan(desiredOf(shop()), { targets: [at("service.shop.apo")] });
    expect(codesOf(plan)).toEqual(["plan.target_unknown"]);
    expect(plan.diagnostics[0]?.hint).toBe('did you mean "service.shop.api"?');
    const scope = { excludes: [at("service.shop.api")], replace: [at("service.shop.api")] };
    expect(codesOf(world.plan(desiredOf(shop()), scope))).toContain("plan.target_unknown");
  });

  it("waits for nothing that is not there, and never for itself", () => {
    const dependsOn = [at("service.gone"), at("service.a"), at("service.b"), at("service.b")];
    const plan = new World().plan(
      desiredOf([
        declare("service.a", { kind: "web" }, { dependsOn }),
        declare("service.b", { kind: "web" }),
      ]),
    );
    expect(codesOf(plan)).toEqual([]);
    expect(changeOf(plan, "service.a").dependsOn).toEqual(["service.b"]);
  });
});
