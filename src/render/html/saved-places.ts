import {
  apart,
  type GraphEdge,
  type GraphNode,
  isOverlapping,
  labelHeight,
  type PlacedEdge,
  type PlacedGraph,
  type Rectangle,
} from "./boxed-graph";
import { padding, sized, titleRoom } from "./draw-lanes";

/** Above it, what people have put nearly at one place would tear the rest apart. */
const mostStretch = 6;

/**
 * The box of nodes that people have put somewhere, stretched as far as they would overlap; undefined where one of them has
 * no place, or two have the same. What has none because it stands for others goes below.
 */
export function savedPicture(
  nodes: readonly GraphNode[],
  rest: readonly GraphNode[],
): PlacedGraph | undefined {
  const stretch = stretchOf(nodes);
  const box = nodes[0]?.box;
  if (stretch === undefined || box === undefined) return undefined;
  const placed = new Map<string, Rectangle>(
    nodes.map(({ id, place, width, height }) => [
      id,
      { x: (place?.x ?? 0) * stretch, y: (place?.y ?? 0) * stretch, width, height },
    ]),
  );
  const left = Math.min(...[...placed.values()].map(({ x }) => x));
  for (const { id, width, height } of rest) {
    const bottom = Math.max(...[...placed.values()].map((one) => one.y + one.height));
    placed.set(id, { x: left, y: bottom + apart, width, height });
  }
  const all = [...placed.values()];
  const top = Math.min(...all.map(({ y }) => y));
  const frame = {
    ...{ x: left - padding, y: top - titleRoom },
    width: Math.max(...all.map(({ x, width }) => x + width)) - left + 2 * padding,
    height: Math.max(...all.map(({ y, height }) => y + height)) - top + titleRoom + padding,
  };
  return sized({ nodes: placed, boxes: new Map([[box, frame]]), edges: [] });
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

/** Draws edges of nodes that stand where people have put them: from side to side, with a label where there is room. */
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
