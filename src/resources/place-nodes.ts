import { type Canvas, canvasLimits, type Position } from "../api/wire/canvas";

const columnWidth = 320;
const rowHeight = 160;

/** Ids of everything on a canvas that has a place: services, and groups as far as the limit of places reaches. */
export function nodeIds(canvas: Canvas): readonly string[] {
  const ids = [...canvas.nodes.map(({ id }) => id), ...canvas.groups.map(({ id }) => id)];
  return ids.slice(0, canvasLimits.positions);
}

/**
 * A place for every node that has none: consumers left of what they refer to, one column per depth, rows by name.
 * Nodes that have a place keep it; equal canvases get equal places.
 */
export function placeNodes(
  canvas: Canvas,
  placed: Readonly<Record<string, Position>>,
): Readonly<Record<string, Position>> {
  const depths = depthsOf(canvas);
  const names = new Map([...canvas.groups, ...canvas.nodes].map(({ id, name }) => [id, name]));
  const ordered = nodeIds(canvas)
    .filter((id) => placed[id] === undefined)
    .sort((a, b) => compare(names.get(a) ?? "", names.get(b) ?? "") || compare(a, b));
  const positions: Record<string, Position> = { ...placed };
  const taken = new Set(Object.values(placed).map(cellOf));
  const nextRow = new Map<number, number>();
  for (const id of ordered) {
    const column = depths.get(id) ?? 0;
    let row = nextRow.get(column) ?? 0;
    while (taken.has(`${column}:${row}`)) row += 1;
    nextRow.set(column, row + 1);
    positions[id] = { x: column * columnWidth, y: row * rowHeight };
  }
  return positions;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const cellOf = ({ x, y }: Position): string => `${Math.round(x / columnWidth)}:${Math.round(y / rowHeight)}`;

/** Longest way to each node from one that nothing refers to; what lies only on a cycle goes behind the rest. */
function depthsOf(canvas: Canvas): ReadonlyMap<string, number> {
  const targets = new Map<string, string[]>();
  const incoming = new Map<string, number>(nodeIds(canvas).map((id) => [id, 0]));
  for (const { source, target } of canvas.edges) {
    if (source === target || !incoming.has(source) || !incoming.has(target)) continue;
    targets.set(source, [...(targets.get(source) ?? []), target]);
    incoming.set(target, (incoming.get(target) ?? 0) + 1);
  }
  const depths = new Map([...incoming.keys()].map((id) => [id, 0]));
  const ready = [...incoming].filter(([, count]) => count === 0).map(([id]) => id);
  for (const id of ready) {
    for (const target of targets.get(id) ?? []) {
      depths.set(target, Math.max(depths.get(target) ?? 0, (depths.get(id) ?? 0) + 1));
      const left = (incoming.get(target) ?? 0) - 1;
      incoming.set(target, left);
      if (left === 0) ready.push(target);
    }
  }
  return depths;
}
