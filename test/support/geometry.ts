import type { PlacedEdge, PlacedGraph, Point } from "../../src/report/html/place-nodes";

interface Rectangle extends Point {
  readonly width: number;
  readonly height: number;
}

/** Nodes, edges and frames of a picture in one coordinate system. The name of a node is `box/id`: one may be in two. */
export interface FlatPicture {
  readonly nodes: ReadonlyMap<string, Rectangle>;
  readonly edges: readonly (PlacedEdge & { readonly box?: string; readonly room?: Rectangle | undefined })[];
  readonly boxes: ReadonlyMap<string, Rectangle>;
}

const around = ({ x, y, width, height }: Rectangle): Rectangle => ({
  ...{ x: x - width / 2, y: y - height / 2, width, height },
});

/** Returns what a picture shows, each node and label as the rectangle that it takes. */
export function flatPicture({ boxes }: PlacedGraph): FlatPicture {
  const all = boxes.map((box) => {
    const move = <One extends Point>(one: One): One => ({ ...one, x: one.x + box.x, y: one.y + box.y });
    return {
      nodes: [...box.nodes].map(([id, at]): [string, Rectangle] => [
        `${box.id ?? ""}/${id}`,
        around(move(at)),
      ]),
      edges: box.edges.map((placed) => ({
        ...placed,
        box: box.id ?? "",
        points: placed.points.map(move),
        room: placed.label && around(move(placed.label)),
      })),
    };
  });
  return {
    nodes: new Map(all.flatMap(({ nodes }) => nodes)),
    edges: all.flatMap(({ edges }) => edges),
    boxes: new Map(
      boxes.flatMap((box): [string, Rectangle][] => (box.id === undefined ? [] : [[box.id, box]])),
    ),
  };
}

const overlap = (a: Rectangle, b: Rectangle): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Pairs of nodes and labels of a picture that overlap, by name. */
export function overlapsOf({ nodes, edges }: Pick<FlatPicture, "nodes" | "edges">): readonly string[] {
  const all: [string, Rectangle][] = [
    ...nodes,
    ...edges.flatMap(({ edge, room }): [string, Rectangle][] =>
      room ? [[`label ${edge.from}-${edge.to}`, room]] : [],
    ),
  ];
  return all.flatMap(([a, one], i) =>
    all.slice(i + 1).flatMap(([b, other]) => (overlap(one, other) ? [`${a} and ${b}`] : [])),
  );
}

const side = (a: Point, b: Point, c: Point): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

const segmentsOf = ({ points }: PlacedEdge): readonly (readonly [Point, Point])[] =>
  points.slice(1).map((point, i) => [points[i] as Point, point]);

/** How often the edges of a picture cross each other. */
export function crossingsOf({ edges }: Pick<FlatPicture, "edges">): number {
  const segments = edges.map(segmentsOf);
  let count = 0;
  for (const [i, one] of segments.entries())
    for (const other of segments.slice(i + 1))
      for (const [a, b] of one)
        for (const [c, d] of other)
          if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) count += 1;
  return count;
}

/** Edges that run through a node which is none of their ends, by name. */
export function hiddenEdgesOf({ nodes, edges }: FlatPicture): readonly string[] {
  return edges.flatMap((placed) =>
    [...nodes].flatMap(([id, node]) => {
      const ends = [placed.edge.from, placed.edge.to].map((end) => `${placed.box}/${end}`);
      if (ends.includes(id)) return [];
      const runsThrough = segmentsOf(placed).some(([a, b]) =>
        Array.from({ length: 33 }, (_, i) => i / 32).some((part) => {
          const [x, y] = [a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part];
          return x > node.x && x < node.x + node.width && y > node.y && y < node.y + node.height;
        }),
      );
      return runsThrough ? [`${placed.edge.from}-${placed.edge.to} through ${id}`] : [];
    }),
  );
}
