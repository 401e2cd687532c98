import type { Canvas } from "../../../src/api/wire/shapes";
import { canvas as canvasSchema } from "../../../src/api/wire/shapes";
import { placeNodes } from "../../../src/resources/layout";

const canvasOf = (
  names: readonly string[],
  edges: readonly [string, string][] = [],
  groups: string[] = [],
): Canvas =>
  canvasSchema.parse({
    nodes: names.map((name) => ({ id: name, name, kind: "web", configuration: {} })),
    groups: groups.map((name) => ({ id: `group:${name}`, name })),
    edges: edges.map(([source, target]) => ({
      id: `${source}-${target}`,
      source,
      target,
      kind: "reference",
    })),
    layout: { revision: 0, positions: {}, viewport: null },
    scope: { projectId: null, environmentId: null },
  });

describe("automatic places", () => {
  it("put consumers left of what they refer to", () => {
    const placed = placeNodes(
      canvasOf(
        ["web", "api", "db"],
        [
          ["web", "api"],
          ["api", "db"],
          ["web", "db"],
        ],
      ),
      {},
    );
    expect((placed.web?.x ?? 0) < (placed.api?.x ?? 0)).toBe(true);
    expect((placed.api?.x ?? 0) < (placed.db?.x ?? 0)).toBe(true);
  });

  it("leave what has a place where it is, and step around it", () => {
    const placed = placeNodes(canvasOf(["a", "b"]), { b: { x: 3, y: -2 } });
    expect(placed.b).toEqual({ x: 3, y: -2 });
    expect(placed.a).toEqual({ x: 0, y: 160 });
  });

  it("end on references that form a cycle or lead nowhere", () => {
    const placed = placeNodes(
      canvasOf(
        ["a", "b", "c"],
        [
          ["a", "b"],
          ["b", "a"],
          ["c", "c"],
          ["c", "gone"],
        ],
      ),
      {},
    );
    expect(Object.keys(placed).sort()).toEqual(["a", "b", "c"]);
  });

  it("stay within the number of places that can be saved", () => {
    const names = Array.from({ length: 1999 }, (_, i) => `s${i}`);
    expect(Object.keys(placeNodes(canvasOf(names, [], ["one", "two"]), {}))).toHaveLength(2000);
  });
});
