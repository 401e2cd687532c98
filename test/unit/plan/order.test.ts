import { Template } from "../../../src/model/value";
import {
  actionsOf,
  at,
  changeOf,
  codesOf,
  declare,
  desiredOf,
  range,
  reference,
  World,
} from "../../support/plan-world";

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
  it("creates what is referred to first, and deploys last", () => {
    const world = new World();
    const plan = world.plan(desiredOf(shop()));
    expect(plan.changes.map(({ address, dependsOn }) => [address, dependsOn])).toEqual([
      ["deployment.shop.api", ["service.shop.api", "variable.shop.api.HOST"]],
      ["deployment.shop.worker", ["service.shop.worker"]],
      ["project.shop", []],
      ["service.shop.api", ["project.shop"]],
      ["service.shop.worker", ["project.shop"]],
      ["variable.shop.api.HOST", ["service.shop.api", "service.shop.worker"]],
    ]);
    world.apply(plan);
    expect(actionsOf(world.plan(desiredOf(shop())))).toEqual([]);
  });

  it("waits through what does not change itself", () => {
    const world = new World();
    const chain = (branch: string) =>
      desiredOf([
        declare("service.a", { kind: "web", "configuration.branch": branch }),
        declare("service.b", { kind: "web" }, { dependsOn: [at("service.a")] }),
        declare(
          "service.c",
          { kind: "web", "configuration.branch": branch },
          { dependsOn: [at("service.b")] },
        ),
      ]);
    world.settle(chain("main"));
    const plan = world.plan(chain("dev"));
    expect(actionsOf(plan)).toEqual(["update service.a", "update service.c"]);
    expect(changeOf(plan, "service.c").dependsOn).toEqual(["service.a"]);
  });

  it("destroys in reverse, variables and deployments with their service", () => {
    const world = new World();
    world.settle(desiredOf(shop()));
    const plan = world.plan(desiredOf([]), { mode: "destroy" });
    expect(plan.changes.map(({ address, action, withParent }) => [address, action, withParent])).toEqual([
      ["deployment.shop.api", "delete", true],
      ["deployment.shop.worker", "delete", true],
      ["project.shop", "delete", false],
      ["service.shop.api", "delete", false],
      ["service.shop.worker", "delete", false],
      ["variable.shop.api.HOST", "delete", true],
    ]);
    expect(changeOf(plan, "project.shop").dependsOn).toEqual(["service.shop.api", "service.shop.worker"]);
    expect(plan.changes.every(({ guard }) => guard === undefined)).toBe(true);
    world.apply(plan);
    expect([world.live.size, world.recorded.size]).toEqual([0, 0]);
  });

  it("deletes what is no longer referred to after the reference is gone", () => {
    const world = new World();
    world.settle(desiredOf(shop()));
    const rest = shop().filter(({ address }) => !address.includes("worker") && !address.includes("HOST"));
    const other = declare("variable.shop.api.HOST", { value: new Template(["none"], true) });
    const plan = world.plan(desiredOf([...rest, other]));
    expect(changeOf(plan, "service.shop.worker").dependsOn).toEqual(["variable.shop.api.HOST"]);
    expect(changeOf(plan, "deployment.shop.api")).toMatchObject({
      action: "update",
      reason: "variable.shop.api.HOST changes",
    });
  });

  it("deploys after a variable is deleted", () => {
    const world = new World();
    world.settle(desiredOf(shop()));
    const plan = world.plan(desiredOf(shop().filter(({ address }) => !address.includes("HOST"))));
    expect(actionsOf(plan)).toEqual(["update deployment.shop.api", "delete variable.shop.api.HOST"]);
    expect(changeOf(plan, "deployment.shop.api").dependsOn).toEqual(["variable.shop.api.HOST"]);
    expect(changeOf(plan, "deployment.shop.api").effects).toEqual(["deploys"]);
  });

  it("lets a create that takes over a name wait for the deletion", () => {
    const world = new World();
    world.settle(
      desiredOf([
        declare("service.old", { kind: "web", name: "api" }),
        declare("service.keep", { kind: "web" }),
      ]),
    );
    const plan = world.plan(
      desiredOf([
        declare("service.new", { kind: "web", name: "api" }),
        declare("service.keep", { kind: "web" }),
      ]),
    );
    expect(actionsOf(plan)).toEqual(["create service.new", "delete service.old"]);
    expect(changeOf(plan, "service.new").dependsOn).toEqual(["service.old"]);
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

  it("names every member of a cycle", () => {
    const refer = (to: string) => ({ kind: "web", "configuration.buildCommand": reference(to, "url") });
    const plan = new World().plan(
      desiredOf([
        declare("service.a", refer("service.b")),
        declare("service.b", refer("service.c")),
        declare("service.c", refer("service.a")),
      ]),
    );
    expect(plan.diagnostics).toMatchObject([
      { code: "plan.cycle", detail: "service.a -> service.b -> service.c -> service.a", range },
    ]);
  });

  it("is the same for every order of keys", () => {
    const world = new World();
    const forwards = world.plan(desiredOf(shop()));
    const backwards = world.plan(desiredOf(shop().reverse()));
    expect(JSON.stringify(backwards.changes.map(({ instance: _, ...rest }) => rest))).toBe(
      JSON.stringify(forwards.changes.map(({ instance: _, ...rest }) => rest)),
    );
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

  it("does not know an address that is misspelt", () => {
    const plan = world.plan(desiredOf(shop()), { targets: [at("service.shop.apo")] });
    expect(codesOf(plan)).toEqual(["plan.target_unknown"]);
    expect(plan.diagnostics[0]?.hint).toBe('did you mean "service.shop.api"?');
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
