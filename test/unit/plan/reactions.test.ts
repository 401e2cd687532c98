import { Secret } from "../../../src/model/secret";
import { actionsOf, at, changeOf, codesOf, declare, desiredOf, range, reference, World } from "./world";

const commit = (digit: string) => digit.repeat(40);
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

  it("runs for what was written after it ran last, as when a run was cut short", () => {
    const world = settled();
    const service = world.recorded.get(at("service.api"));
    if (service) world.recorded.set(at("service.api"), { ...service, writes: service.writes + 1 });
    expect(actionsOf(world.plan(desiredOf(shop())))).toEqual(["update deployment.api"]);
  });

  it("runs when another commit is live than the pinned one", () => {
    const world = settled({ commit: commit("a") });
    expect(actionsOf(world.plan(desiredOf(shop({ commit: commit("a") }))))).toEqual([]);
    world.touch("deployment.api", { commit: commit("b") });
    expect(changeOf(world.plan(desiredOf(shop({ commit: commit("a") }))), "deployment.api")).toMatchObject({
      action: "update",
      attributes: [{ path: "commit", cause: "drift" }],
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

  it("is forgotten when its service is made anew and it is not wanted there", () => {
    const world = settled();
    const other = [declare("service.api", { kind: "static" }), ...shop({ when: "never" }).slice(1)];
    const plan = world.plan(desiredOf(other));
    expect(changeOf(plan, "deployment.api").action).toBe("forget");
    world.apply(plan);
    expect(actionsOf(world.plan(desiredOf(other)))).toEqual([]);
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

  it("is an error at the value when it would be sent", () => {
    expect(new World().plan(gold).diagnostics).toMatchObject([
      { code: "plan.not_on_offer", severity: "error", attribute: "configuration.plan", range },
    ]);
  });

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

  it("is listed when its value changes", () => {
    const world = settled();
    const before = { kind: "absent" };
    const after = { kind: "value", value: `https://${world.id("service.api")}` };
    const desired = desiredOf(shop(), { outputs });
    expect(world.plan(desired).outputs).toEqual([{ name: "url", before, after }]);
    expect(new World().plan(desired).outputs).toEqual([{ name: "url", before, after: { kind: "unknown" } }]);
  });
});
