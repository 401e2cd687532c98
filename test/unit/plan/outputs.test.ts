import { Secret } from "../../../src/model/secret";
import { type DesiredValue, Template } from "../../../src/model/value";
import { makePlan } from "../../../src/plan/make-plan";
import type { PlanOptions } from "../../../src/plan/plan";
import { at, changeOf, codesOf, declare, desiredOf, range, World } from "../../support/plan-world";

const api = declare("service.api", { kind: "web" });
const value = (of: unknown) => ({ kind: "value", value: of });
const absent = { kind: "absent" };

function outputsOf(
  declared: Readonly<Record<string, DesiredValue>>,
  recorded: Readonly<Record<string, string | null>>,
  mode: PlanOptions["mode"] = "apply",
) {
  const world = new World();
  world.settle(desiredOf([api]));
  const outputs = new Map(Object.entries(declared).map(([name, of]) => [name, { value: of, range }]));
  const input = world.input(desiredOf([api], { outputs }), { mode });
  const state = input.state && { ...input.state, outputs: recorded };
  const { outputs: changed, plannedOutputs } = makePlan({ ...input, state });
  return { changed, planned: plannedOutputs };
}

describe("the outputs of a plan", () => {
  it("hold no text of a secret, and are not compared with it", () => {
    expect(outputsOf({ a: new Secret("text") }, { a: "x" })).toEqual({
      ...{ changed: [], planned: { a: { kind: "secret" } } },
    });
  });

  it("go with a destroy, and stay as recorded with a refresh", () => {
    expect(outputsOf({ a: "y" }, { a: "x" }, "destroy")).toEqual({
      ...{ changed: [{ name: "a", before: value("x"), after: absent }], planned: {} },
    });
    expect(outputsOf({ a: "y" }, { a: "x" }, "refresh-only")).toEqual({
      ...{ changed: [], planned: { a: value("x") } },
    });
  });
});

describe("a field that follows from a reference", () => {
  const field = "configuration.buildCommand";
  const build = new Template(
    [
      ...["run ", { address: at("service.web"), attribute: "url" }, " "],
      ...[
        { address: at("service.api"), attribute: "url" },
        { address: at("service.api"), attribute: "url" },
      ],
    ],
    false,
  );
  const declared = (more: DesiredValue = build) =>
    desiredOf([
      api,
      declare("service.web", { kind: "web" }),
      declare("service.build", { kind: "web", [field]: more }),
    ]);
  const move = (world: World, ...addresses: readonly string[]): void => {
    for (const address of addresses) {
      const live = world.live.get(world.id(address));
      if (live)
        world.live.set(live.id, { ...live, computed: new Map([["url", `https://moved.${address}`]]) });
    }
  };
  const origin = (world: World, desired = declared()) =>
    changeOf(world.plan(desired), "service.build").attributes;

  it("names each that moved by itself, once and sorted", () => {
    const world = new World();
    world.settle(declared());
    move(world, "service.web", "service.api");
    expect(origin(world)).toMatchObject([{ path: field, from: ["service.api.url", "service.web.url"] }]);
  });
});

describe("what is out of the scope of a plan", () => {
  it("is no change, and finds no fault", () => {
    const world = new World();
    const web = declare("service.web", { kind: "web" });
    world.settle(desiredOf([api, web]));
    world.recorded.delete(at("service.web"));
    const whole = world.plan(desiredOf([api, web]));
    const only = world.plan(desiredOf([api, web]), { targets: [at("service.api")] });
    expect([codesOf(whole), codesOf(only)]).toEqual([["live.unmanaged_exists"], []]);
    expect(only.changes.map(({ address }) => address)).toEqual(["service.api"]);
  });
});
