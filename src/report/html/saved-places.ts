import {
  apart,
  type GraphEdge,
  type GraphNode,
  isOverlapping,
  labelHeight,
  type PlacedEdge,
  type Rectangle,
} from "./boxed-graph";

/** Above it, nodes that people have put nearly at the same point would tear the rest apart. */
const mostStretch = 6;

/**
 * The nodes of a box as people have put them, stretched as far as they would overlap; undefined where one of them has no
 * place, or two have the same. Nodes that stand for others have none: they go below.
 */
export function savedPlaces(nodes: readonly GraphNode[]): ReadonlyMap<string, Rectangle> | undefined {
  const put = nodes.filter(({ isFolded }) => !isFolded);
  const stretch = put.length === 0 ? undefined : stretchOf(put);
  if (stretch === undefined) return undefined;
  const placed = new Map<string, Rectangle>(
    put.map(({ id, place, width, height }) => [
      id,
      { x: (place?.x ?? 0) * stretch, y: (place?.y ?? 0) * stretch, width, height },
    ]),
  );
  const left = Math.min(...[...placed.values()].map(({ x }) => x));
  for (const { id, width, height } of nodes.filter(({ isFolded }) => isFolded)) {
    const bottom = Math.max(...[...placed.values()].map((one) => one.y + one.height));
    placed.set(id, { x: left, y: bottom + apart, width, height });
  }
  return placed;
}

function stretchOf(nodes: readonly GraphNode[]): number | undefined {
  let stretch = 1;
  for (const [i, { place: a, width, height }] of nodes.entries()) {
    if (a === undefined) return undefined;
    for (const { place: b } of nodes.slice(i + 1)) {
      if (b === undefined) return undefined;
      const needed = Math.min((width + apart) / Math.abs(a.x - b.x), (height + apart) / Math.abs(a.y - b.y));
      stretch = Math.max(stretch, needed);
    }
  }
  return stretch <= mostStretch ? stretch : undefined;
}

/** Draws edges that dagre did not lead: from side to side, with a label where there is room. */
export function freeEdges(
  edges: readonly GraphEdge[],
  nodes: ReadonlyMap<string, Rectangle>,
  drawn: readonly PlacedEdge[],
): readonly PlacedEdge[] {
  const taken = [...nodes.values(), ...drawn.flatMap(({ label }) => label ?? [])];
  return edges.flatMap((edge): PlacedEdge[] => {
    const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)];
    if (!from || !to) return [];
    const isForth = to.x + to.width / 2 >= from.x + from.width / 2;
    const start = { x: isForth ? from.x + from.width : from.x, y: from.y + from.height / 2 };
    const end = { x: isForth ? to.x : to.x + to.width, y: to.y + to.height / 2 };
    const label = [0.5, 0.35, 0.65, 0.2, 0.8]
      .map((part) => ({
        x: start.x + (end.x - start.x) * part - edge.labelWidth / 2,
        y: start.y + (end.y - start.y) * part - labelHeight - 1,
        ...{ width: edge.labelWidth, height: labelHeight },
      }))
      .find((one) => !taken.some((other) => isOverlapping(one, other)));
    if (label && edge.labelWidth > 0) taken.push(label);
    return [{ edge, points: [start, end], ...(label && edge.labelWidth > 0 && { label }) }];
  });
}
