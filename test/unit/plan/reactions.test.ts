import { defaultLifecycle } from "../../../src/model/desired";
import { Secret } from "../../../src/model/secret";
import type { State } from "../../../src/model/state";
import type { Plain } from "../../../src/model/value";
import { makePlan } from "../../../src/plan/make-plan";
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
  it("runs once for everything that changes, and says why", () => {
    const change = changeOf(settled().plan(desiredOf(shop({}, "dev"))), "deployment.api");
    expect(change).toMatchObject({
      action: "update",
      attributes: [],
      effects: ["deploys"],
      reason: "service.api changes",
      dependsOn: ["service.api"],
    });
  });

  it("never runs where it is not wanted, and is not recorded then", () => {
    const world = settled({ when: "never" });
    expect([...world.recorded.keys()]).toEqual(["service.api", "variable.api.KEY"]);
    expect(actionsOf(world.plan(desiredOf(shop({ when: "never" }, "dev"))))).toEqual(["update service.api"]);
  });

  it("that ran before rnv knew of it is taken over without a word", () => {
    const world = settled();
    world.recorded.delete(at("deployment.api"));
    const plan = world.plan(desiredOf(shop({ when: "never" })));
    expect(codesOf(plan)).toEqual([]);
    expect(actionsOf(plan)).toEqual(["adopt deployment.api"]);
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
    expect(changeOf(plan, "deployment.api").held).toBe(
      "its service is archived, and ignoreChanges leaves it so",
    );
    expect(changeOf(plan, "service.api").held).toBeUndefined();
    expect(plan.diagnostics).toMatchObject([
      {
        ...{ code: "plan.not_deployed", severity: "warning", address: "deployment.api", range },
        detail:
          "What is changed is saved and does not run (service.api changes); an apply ends with exit 7 until it does.",
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

describe("the price of a plan", () => {
  const priced = (plan?: string) =>
    desiredOf([
      declare("service.a", { kind: "web", ...(plan === undefined ? {} : { "configuration.plan": plan }) }),
      declare("service.b", { kind: "web", "configuration.plan": "starter" }),
    ]);

  it("is what is managed before and after", () => {
    const world = new World();
    const first = world.plan(priced("starter"));
    expect(first.cost).toEqual({
      before: { usd: 0, ngn: 0 },
      after: { usd: 14, ngn: 14000 },
      estimate: true,
    });
    world.apply(first);
    const reset = world.plan(priced());
    expect(reset.cost).toMatchObject({ before: { usd: 14 }, after: { usd: 7 } });
    expect(changeOf(reset, "service.a")).toMatchObject({ cost: { before: { usd: 7 }, after: { usd: 0 } } });
    expect(world.plan(desiredOf([]), { mode: "destroy" }).cost).toMatchObject({
      before: { usd: 14 },
      after: { usd: 0 },
    });
  });
});

describe("what the catalog does not offer", () => {
  const gold = desiredOf([declare("service.a", { kind: "web", "configuration.plan": "gold" })]);

  it("is no error where it is there already", () => {
    const world = new World();
    world.settle(gold);
    expect(codesOf(world.plan(gold))).toEqual([]);
    const other = { kind: "web", "configuration.plan": "gold", "configuration.branch": "dev" };
    expect(world.plan(desiredOf([declare("service.a", other)])).diagnostics).toMatchObject([
      { code: "plan.not_on_offer", severity: "warning" },
    ]);
  });
});

describe("an output", () => {
  const outputs = new Map([["url", { value: reference("service.api", "url"), range }]]);

  /** A plan of this mode where these outputs are recorded. */
  const planned = (recorded: Record<string, Plain>, mode: "apply" | "destroy" | "refresh-only" = "apply") => {
    const world = settled();
    const url = `https://${world.id("service.api")}`;
    const input = world.input(desiredOf(shop(), { outputs }), { mode });
    const state = { ...(input.state as State), outputs: { ...recorded, ...(recorded.url && { url }) } };
    const { outputs: changes, plannedOutputs } = makePlan({ ...input, state });
    return [changes.map(({ name, after }) => [name, after.kind]), Object.keys(plannedOutputs)];
  };

  it("that is as recorded is no change; one that is no longer declared goes, all of them with a destroy", () => {
    expect(planned({ url: "…" })).toEqual([[], ["url"]]);
    expect(planned({ url: "…", old: 1 })).toEqual([[["old", "absent"]], ["url"]]);
    expect(planned({ url: "…", old: 1 }, "destroy")).toEqual([
      [
        ["old", "absent"],
        ["url", "absent"],
      ],
      [],
    ]);
    expect(planned({ old: 1 }, "refresh-only")).toEqual([[], ["old"]]);
  });

  it("that is a secret is shown as one and never compared: no state holds it", () => {
    const held = new Map([["key", { value: reference("variable.api.KEY", "value"), range }]]);
    const plan = settled().plan(desiredOf(shop(), { outputs: held }));
    expect([plan.outputs, plan.plannedOutputs]).toEqual([[], { key: { kind: "secret" } }]);
  });
});
