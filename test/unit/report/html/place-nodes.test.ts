import { join } from "node:path";
import { type GraphEdge, type GraphNode, placeNodes } from "../../../../src/report/html/place-nodes";
import { fc } from "../../../support/fixed-seed";
import { crossingsOf, flatPicture, hiddenEdgesOf, overlapsOf } from "../../../support/geometry";
import { textIn } from "../../../support/rows";
import { inSoak } from "../../../support/soak";

interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** As wide as their names are long, and some more: those of a real picture differ too. */
const pictureOf = (graph: Graph) => placeNodes(graph, ({ id }) => 90 + 20 * (id.length % 10));

/** Boxes with their nodes, and `from>to` for each edge. */
const graphOf = (boxes: Readonly<Record<string, string>>, edges: string): Graph => ({
  nodes: Object.entries(boxes).flatMap(([box, names]) =>
    names.split(" ").map((id) => ({ id, box: box === "" ? undefined : box })),
  ),
  edges: edges.split(/\s+/).map((edge) => {
    const [from = "", to = ""] = edge.split(">");
    return { from, to, names: ["DATABASE_HOST"] };
  }),
});

const pictures: Record<"shop" | "company", [Parameters<typeof graphOf>[0], readonly string[]]> = JSON.parse(
  textIn(join(__dirname, "pictures.json")),
);
const picture = ([boxes, edges]: (typeof pictures)["shop"]) => graphOf(boxes, edges.join(" "));

describe("a picture of services", () => {
  it.each([
    ["20 references of 12 services in 3 projects", "shop", 9],
    ["50 references of 40 services in 5 projects", "company", 8],
  ] as const)("lets few of %s cross, and leads none behind a service", (_, name, most) => {
    const placed = flatPicture(pictureOf(picture(pictures[name])));
    expect(crossingsOf(placed)).toBeLessThanOrEqual(most);
    expect(overlapsOf(placed)).toEqual([]);
    expect(hiddenEdgesOf(placed)).toEqual([]);
  });

  it("draws circles, and services that refer to each other", () => {
    const placed = flatPicture(pictureOf(graphOf({ a: "x y", "": "z" }, "x>y y>x y>z z>x")));
    expect([...placed.nodes.keys()]).toEqual(["a/x", "a/y", "a/z", "/x", "/z"]);
    expect(placed.edges).toHaveLength(4);
    expect(overlapsOf(placed)).toEqual([]);
  });

  it("leaves a box as people have put it, stretched until nothing overlaps", () => {
    const at = { a: { x: 0, y: 0 }, b: { x: 100, y: 10 }, c: { x: 0, y: 100 } };
    const graph = graphOf({ shop: "a b c", data: "d e" }, "a>b a>c d>e d>b");
    const nodes = graph.nodes.map((node) => ({ ...node, position: at[node.id as keyof typeof at] }));
    const placed = flatPicture(pictureOf({ ...graph, nodes }));
    const [a, b, c] = ["a", "b", "c"].map((id) => placed.nodes.get(`shop/${id}`) ?? { x: 0, y: 0 });
    expect((b?.x ?? 0) - (a?.x ?? 0)).toBeCloseTo(10 * ((b?.y ?? 0) - (a?.y ?? 0)));
    expect(c).toMatchObject({ x: a?.x });
    expect(placed.nodes.size).toBe(6);
    expect(placed.edges).toHaveLength(4);
    expect(overlapsOf(placed)).toEqual([]);
    const same = graph.nodes.map((node) => ({ ...node, position: { x: 0, y: 0 } }));
    expect(overlapsOf(flatPicture(pictureOf({ ...graph, nodes: same })))).toEqual([]);
    // As wide as its frame, but for the rounding of a fraction.
    const far = [0, 1850.3].map((x, i) => ({ id: `n${i}`, box: "shop", position: { x, y: 0 } }));
    expect(flatPicture(pictureOf({ nodes: far, edges: [] })).nodes.size).toBe(2);
  });
});

it("never lets nodes, labels or boxes overlap, whatever refers to what", () => {
  const graph = fc
    .record({
      boxes: fc.array(fc.option(fc.constantFrom("a", "b", "c", "d"), { nil: undefined }), {
        minLength: 1,
        maxLength: 24,
      }),
      isSaved: fc.boolean(),
      edges: fc.array(fc.tuple(fc.nat(23), fc.nat(23), fc.integer({ min: 0, max: 18 })), { maxLength: 40 }),
    })
    .map(({ boxes, isSaved, edges }): Graph => {
      const ids = new Set<string>();
      return {
        nodes: boxes.map((box, i) => ({
          ...{ id: `n${i}`, box },
          ...(isSaved && box === "d" && { position: { x: (i * 53) % 700, y: (i * 97) % 500 } }),
        })),
        edges: edges.flatMap(([from, to, length]) => {
          const names = length === 0 ? [] : ["A".repeat(length)];
          const edge = { from: `n${from % boxes.length}`, to: `n${to % boxes.length}`, names };
          const key = `${edge.from} ${edge.to}`;
          if (ids.has(key) || edge.from === edge.to) return [];
          ids.add(key);
          return [edge];
        }),
      };
    });
  fc.assert(
    fc.property(graph, (given) => {
      const { nodes, edges } = given;
      const picture = pictureOf(given);
      const placed = flatPicture(picture);
      expect(placed.nodes.size).toBeGreaterThanOrEqual(nodes.length);
      expect(placed.edges).toHaveLength(edges.length);
      expect(overlapsOf(placed)).toEqual([]);
      expect(overlapsOf({ nodes: placed.boxes, edges: [] })).toEqual([]);
      // An edge takes the straight way where people have put nodes.
      if (given.nodes.every(({ position }) => position === undefined))
        expect(hiddenEdgesOf(placed)).toEqual([]);
      for (const { x, y, width, height } of placed.nodes.values()) {
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect(x + width).toBeLessThanOrEqual(picture.width + 0.01);
        expect(y + height).toBeLessThanOrEqual(picture.height + 0.01);
      }
      for (const { id, box } of nodes) {
        const inner = placed.nodes.get(`${box ?? ""}/${id}`);
        expect(inner).toBeDefined();
        const outer = box === undefined ? undefined : placed.boxes.get(box);
        if (inner && outer)
          expect(inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width).toBe(true);
      }
    }),
    { numRuns: inSoak(200, 25) },
  );
});
