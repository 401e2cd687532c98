import type { Pending } from "../../../src/model/live";
import { Secret } from "../../../src/model/secret";
import type { RecordedResource } from "../../../src/model/state";
import { makePlan } from "../../../src/plan/make-plan";
import { actionsOf, at, codesOf, declare, desiredOf, World } from "../../support/plan-world";

const ending = (id: string): Pending => ({ kind: "operation", serviceId: id, id: "", deletes: true });

const services = (count: number) =>
  Array.from({ length: count }, (_, index) => declare(`service.s${index}`, { kind: "web" }));
const variables = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    declare(`variable.api.V${index}`, { value: new Secret("text") }),
  );

function settled(resources: ReturnType<typeof services>): World {
  const world = new World();
  world.settle(desiredOf(resources));
  return world;
}

/** DESIGN section 5: "If more than a third of the recorded ids (and at least 3) vanish at once, stop". */
describe("what vanishes at once", () => {
  it.each([
    [2, 3, "is made again"],
    [3, 9, "is made again"],
    [3, 8, "stops the plan"],
    [4, 12, "is made again"],
    [4, 11, "stops the plan"],
    [5, 5, "stops the plan"],
  ])("%i of %i recorded things: %s", (gone, count, what) => {
    const world = settled(services(count));
    const lost = services(count).slice(0, gone);
    world.lose(...lost.map(({ address }) => address));
    const plan = world.plan(desiredOf(services(count)));
    const isStop = what === "stops the plan";
    expect(codesOf(plan)).toEqual(isStop ? ["live.mass_disappearance"] : []);
    expect(actionsOf(plan)).toEqual(isStop ? [] : lost.map(({ address }) => `create ${address}`));
    if (isStop)
      expect(plan.diagnostics[0]?.summary).toBe(`${gone} of ${count} recorded resources are gone at once`);
  });

  it("what is still there is read as it is, whatever else is doubted", () => {
    const world = settled(services(6));
    world.lose("service.s0", "service.s1", "service.s2");
    world.touch("service.s3", { "configuration.port": 81 });
    const plan = world.plan(desiredOf(services(6)));
    expect(codesOf(plan)).toEqual(["live.mass_disappearance"]);
    expect(plan.unchecked.map(({ address }) => address)).toEqual(["service.s0", "service.s1", "service.s2"]);
  });

  it("parts do not count where what held them is gone, and do not make a crowd of the rest", () => {
    const declared = [declare("service.api", { kind: "web" }), ...services(2), ...variables(5)];
    const world = settled(declared);
    world.lose("service.api", ...variables(5).map(({ address }) => address));
    expect(codesOf(world.plan(desiredOf(declared)))).toEqual([]);
  });

  // "Gone needs proof: by-id 404 … and the project or another known id still readable."
  it("is not believed while nothing else can be read", () => {
    const world = settled(services(2));
    world.lose("service.s0");
    expect(actionsOf(world.plan(desiredOf(services(2))))).toEqual(["create service.s0"]);
    world.lose("service.s1");
    const plan = world.plan(desiredOf(services(2)));
    expect(codesOf(plan)).toEqual(["live.gone_unproven", "live.gone_unproven"]);
    expect(actionsOf(plan)).toEqual([]);
    expect(plan.unchecked.map(({ address }) => address)).toEqual(["service.s0", "service.s1"]);
  });

  it("is not outnumbered by what is declared and was never made", () => {
    const world = settled(services(8));
    world.lose("service.s0", "service.s1", "service.s2");
    expect(codesOf(world.plan(desiredOf(services(20))))).toEqual(["live.mass_disappearance"]);
  });

  it("does not count what is known to be deleted", () => {
    const world = settled(services(4));
    world.lose(...services(3).map(({ address }) => address));
    const input = world.input(desiredOf(services(4)));
    const gone = { kind: "gone", ending: ending(world.id("service.s0")) } as const;
    const reads = new Map(input.reads).set(at("service.s0"), gone);
    expect(codesOf(makePlan(input))).toEqual(["live.mass_disappearance"]);
    expect(codesOf(makePlan({ ...input, reads }))).toEqual([]);
    const asked = world.recorded.get(at("service.s1")) as RecordedResource;
    world.recorded.set(at("service.s1"), { ...asked, pending: ending(asked.id) });
    expect(codesOf(world.plan(desiredOf(services(4))))).toEqual([]);
  });
});

describe("a type that a newer version recorded", () => {
  it("is an error, and nothing is planned for it", () => {
    const world = settled(services(1));
    const recorded = world.recorded.get(at("service.s0")) as RecordedResource;
    world.recorded.set(at("queue.jobs"), { ...recorded, type: "queue", id: "q1" });
    const plan = world.plan(desiredOf(services(1)));
    expect(plan.diagnostics).toMatchObject([
      {
        ...{ code: "state.newer", severity: "error", address: "queue.jobs" },
        summary: 'queue.jobs is of type "queue", which is not known here',
      },
    ]);
    expect(plan.changes.map(({ address }) => address)).toEqual(["service.s0"]);
  });
});
