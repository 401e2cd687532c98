import { indexTypes } from "../../../src/manifest/type-index";
import { resourceTypes } from "../../../src/resources";
import { shopTypes } from "./shop-types";

describe("indexTypes", () => {
  it("takes an attribute for required exactly where its schema refuses that nothing is there", () => {
    const shapes = [resourceTypes, shopTypes].flatMap((types) =>
      [...indexTypes(types).byType.values()].flatMap((placed) => [...placed.paths.values()]),
    );
    const wrong = shapes.filter(({ schema, required }) => required === schema.safeParse(undefined).success);
    expect(wrong.map(({ path }) => path)).toEqual([]);
    expect(shapes.filter(({ required }) => required).length).toBeGreaterThan(0);
    expect(shapes.length).toBeGreaterThan(50);
  });
});
