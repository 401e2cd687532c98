import type { PlacedEdge, PlacedGraph, Point, Rectangle } from "../../src/render/html/boxed-graph";

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
