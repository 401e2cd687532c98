import { foreseeScope } from "../../../src/plan/graph";
import { resourceTypes } from "../../../src/resources";
import { at, declare, desiredOf, options, World } from "../../support/plan-world";

const declared = () => [
  declare("project.shop"),
  declare("service.shop.api", { kind: "web" }),
  declare("variable.shop.api.LEVEL", { value: "info" }),
  declare("service.docs", { kind: "web" }),
];

/** What a plan of these is about, where all of the shop is recorded. */
function foreseen(desired: ReturnType<typeof desiredOf>, chosen: Partial<typeof options>) {
  const world = new World();
  world.settle(desiredOf(declared()));
  const resources = Object.fromEntries(world.recorded);
  return [...foreseeScope(desired, resources, resourceTypes, { ...options, ...chosen })].sort();
}

describe("the scope that is foreseen before any read", () => {
  const all = ["project.shop", "service.docs", "service.shop.api", "variable.shop.api.LEVEL"];

  it("is all that is declared or recorded, unless something is chosen", () => {
    expect(foreseen(desiredOf(declared()), {})).toEqual(all);
    expect(foreseen(desiredOf([]), {})).toEqual(all);
    expect(foreseen(desiredOf([...declared(), declare("service.new")]), {})).toContain("service.new");
  });

  it("has with a part that is declared its whole, and without it once it is not declared", () => {
    const targets = [at("variable.shop.api.LEVEL")];
    expect(foreseen(desiredOf(declared()), { targets })).toEqual(all.filter((one) => one !== "service.docs"));
    expect(foreseen(desiredOf(declared().filter(({ type }) => type !== "variable")), { targets })).toEqual(
      targets,
    );
  });

  it("has a target with its parts and without what is beside it", () => {
    expect(foreseen(desiredOf(declared()), { targets: [at("service.docs")] })).toEqual(["service.docs"]);
    expect(foreseen(desiredOf([]), { targets: [at("service.shop.api")] })).toEqual([
      ...["service.shop.api", "variable.shop.api.LEVEL"],
    ]);
  });

  it("leaves out what is excluded with what needs it", () => {
    expect(foreseen(desiredOf(declared()), { excludes: [at("service.shop.api")] })).toEqual([
      ...["project.shop", "service.docs"],
    ]);
  });

  it("follows what was moved, and passes over types that are not known", () => {
    const moved = [{ from: at("service.docs"), to: at("service.pages"), range: declared()[0]?.range }];
    const desired = desiredOf([...declared().slice(0, 3), declare("service.pages", { kind: "web" })], {
      moved: moved as never,
    });
    expect(foreseen(desired, {})).toEqual(
      [...all.filter((one) => one !== "service.docs"), "service.pages"].sort(),
    );
    const unheardOf = { ...declare("service.docs"), address: at("cache.a"), type: "cache" };
    expect(foreseen(desiredOf([...declared(), unheardOf]), {})).toEqual(all);
  });
});
