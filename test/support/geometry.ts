import type { PlacedEdge, PlacedGraph, Point, Rectangle } from "../../src/report/html/place-nodes";

const overlap = (a: Rectangle, b: Rectangle): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Pairs of nodes and labels of a picture that overlap, by name. */
export function overlapsOf({ nodes, edges }: PlacedGraph): readonly string[] {
  const all: [string, Rectangle][] = [
    ...nodes,
    ...edges.flatMap(({ edge, label }): [string, Rectangle][] =>
      label ? [[`label ${edge.from}-${edge.to}`, label]] : [],
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
export function crossingsOf({ edges }: PlacedGraph): number {
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
export function hiddenEdgesOf({ nodes, edges }: PlacedGraph): readonly string[] {
  return edges.flatMap((placed) =>
    [...nodes].flatMap(([id, node]) => {
      if (id === placed.edge.from || id === placed.edge.to) return [];
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
