import { Secret } from "../../../src/model/secret";
import { type DesiredValue, Template } from "../../../src/model/value";
import { makePlan } from "../../../src/plan/make-plan";
import type { PlanOptions } from "../../../src/plan/plan";
import { at, changeOf, codesOf, declare, desiredOf, range, reference, World } from "../../support/plan-world";

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
  it.each([
    ["a new one appears", { a: "x" }, {}, [["a", absent, value("x")]], { a: value("x") }],
    ["one that is no longer declared goes", {}, { a: "x" }, [["a", value("x"), absent]], {}],
    ["a changed one changes", { a: "y" }, { a: "x" }, [["a", value("x"), value("y")]], { a: value("y") }],
    ["an equal one stays", { a: "x" }, { a: "x" }, [], { a: value("x") }],
    ["null is a value", { a: null }, {}, [["a", absent, value(null)]], { a: value(null) }],
    [
      "they are sorted by name",
      { b: "1" },
      { a: "2" },
      [
        ["a", value("2"), absent],
        ["b", absent, value("1")],
      ],
      { b: value("1") },
    ],
  ] as const)("%s", (_, declared, recorded, changed, planned) => {
    const found = outputsOf(declared, recorded);
    expect(found.changed.map(({ name, before, after }) => [name, before, after])).toEqual(changed);
    expect(found.planned).toEqual(planned);
  });

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

describe("a plan without a state", () => {
  it("is bound to none, and declares nothing without a word", () => {
    const input = { ...new World().input(desiredOf([])), state: undefined };
    const plan = makePlan(input);
    expect(plan.binding).toMatchObject({ lineage: null, serial: 0 });
    expect([plan.changes, codesOf(plan)]).toEqual([[], []]);
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

  it("names none where it was edited, and none that was never recorded", () => {
    const world = new World();
    world.settle(declared());
    const [edited] = origin(world, declared(new Template(["other"], false)));
    expect(edited).toMatchObject({ path: field, cause: "edit" });
    expect(edited).not.toHaveProperty("from");
    const [other] = origin(world, declared(reference("service.web", "url")));
    expect(other).not.toHaveProperty("from");
    const recorded = world.recorded.get(at("service.web"));
    if (recorded) world.recorded.set(at("service.web"), { ...recorded, computed: {} });
    move(world, "service.web");
    expect(origin(world)[0]).not.toHaveProperty("from");
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
