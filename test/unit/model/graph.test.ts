import { reachable, topologicalOrder } from "../../../src/model/graph";

const order = (edges: Readonly<Record<string, readonly string[]>>) => {
  const rings: (readonly string[])[] = [];
  const found = topologicalOrder(
    Object.keys(edges),
    (node) => edges[node] ?? [],
    (ring) => rings.push(ring),
  );
  return { found, rings };
};

describe("a topological order", () => {
  it("puts each node after its dependencies, once", () => {
    expect(order({ a: ["c", "b"], b: ["c"], c: [], d: ["a"] })).toEqual({
      found: ["c", "b", "a", "d"],
      rings: [],
    });
  });

  it("names each ring and keeps its nodes", () => {
    expect(order({ a: ["b"], b: ["c"], c: ["b"] })).toEqual({ found: ["c", "b", "a"], rings: [["b", "c"]] });
    expect(order({ a: ["a"] })).toEqual({ found: ["a"], rings: [["a"]] });
  });

  it("reaches a row of nodes that is deeper than the stack", () => {
    const nodes = Array.from({ length: 50_000 }, (_, index) => index);
    const next = (node: number) => (node < 49_999 ? [node + 1] : []);
    expect(topologicalOrder(nodes, next, () => {}).slice(0, 2)).toEqual([49_999, 49_998]);
    expect(reachable([0], next).size).toBe(50_000);
  });
});
