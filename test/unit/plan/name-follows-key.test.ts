import type { DesiredResource } from "../../../src/model/desired";
import { at, changeOf, codesOf, declare, desiredOf, range, World } from "../../support/plan-world";

const block = { file: "rnv.yaml", start: 10, end: 13 };
const move = (from: string, to: string) => ({ from: at(from), to: at(to), range });

/** As a manifest gives it where no name is written: the key stands in, with its place. */
function unnamed(address: string, values: Record<string, string> = {}): DesiredResource {
  const declared = declare(address, values, { range: block });
  const path = address.startsWith("variable.") ? "key" : "name";
  const named = declared.attributes.get(path);
  return {
    ...declared,
    attributes: new Map([
      ...declared.attributes,
      ...(named ? [[path, { ...named, range: block }] as const] : []),
    ]),
  };
}

function settled(...resources: readonly DesiredResource[]): World {
  const world = new World();
  world.settle(desiredOf(resources));
  return world;
}

describe("a key that is the name", () => {
  it("is told by its move where names are always written, as in a stack", () => {
    const world = settled(declare("service.web", { kind: "web" }));
    const plan = world.plan(
      desiredOf([declare("service.api", { kind: "web" })], { moved: [move("service.web", "service.api")] }),
    );
    expect(plan.diagnostics).toMatchObject([
      { code: "plan.name_follows_key", address: "service.api", range },
    ]);
    expect(codesOf(world.plan(desiredOf([declare("service.web", { kind: "web" })])))).toEqual([]);
  });

  it("renames what was moved in the state, and what is imported under another key", () => {
    const world = settled(unnamed("service.web", { kind: "web" }));
    const recorded = world.recorded.get(at("service.web"));
    world.recorded.delete(at("service.web"));
    if (recorded) world.recorded.set(at("service.api"), recorded);
    const moved = world.plan(desiredOf([unnamed("service.api", { kind: "web" })]));
    expect(codesOf(moved)).toEqual(["plan.name_follows_key"]);
    const id = world.id("service.api");
    const imported = unnamed("service.site", { kind: "web" });
    world.recorded.clear();
    const plan = world.plan(desiredOf([{ ...imported, importId: { id, range } }]));
    expect(plan.diagnostics).toMatchObject([
      { code: "plan.name_follows_key", summary: 'service.site follows its key: "web" is renamed to "site"' },
    ]);
  });

  it("says nothing of a name that is written, of one that stays, and of one that drifted", () => {
    const world = settled(unnamed("service.web", { kind: "web" }));
    const renamed = desiredOf([declare("service.web", { kind: "web", name: "site" })]);
    expect(changeOf(world.plan(renamed), "service.web").attributes).toHaveLength(1);
    expect(codesOf(world.plan(renamed))).toEqual([]);
    const kept = desiredOf([declare("service.api", { kind: "web", name: "web" })], {
      moved: [move("service.web", "service.api")],
    });
    expect(codesOf(world.plan(kept))).toEqual([]);
    world.touch("service.web", { name: "other" }, "other");
    const drifted = world.plan(desiredOf([unnamed("service.web", { kind: "web" })]));
    expect(changeOf(drifted, "service.web").attributes).toMatchObject([{ path: "name", cause: "drift" }]);
    expect(codesOf(drifted)).toEqual([]);
  });
});
