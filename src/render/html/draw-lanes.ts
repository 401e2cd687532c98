import type { Item, Layers } from "./arrange-columns";
import {
  apart,
  type GraphNode,
  type Group,
  labelHeight,
  type PlacedEdge,
  type PlacedGraph,
  type Point,
  portStep,
  type Rectangle,
} from "./boxed-graph";
import type { LayerOrder } from "./order-layers";

/** Pixels: from the labels of a column to the next one, around the nodes of a box, and for its title. */
const slope = 64;
export const padding = 18;
export const titleRoom = 34;

/** What is in one lane, from top to bottom. */
interface Lane {
  readonly index: number;
  readonly columns: readonly (readonly number[])[];
  readonly single: readonly GraphNode[];
  readonly top: number;
  /** Of what edges connect; the rest is shown below it. */
  readonly linkedHeight: number;
  readonly height: number;
}

export function drawLanes(
  group: Group,
  drawn: Layers,
  order: LayerOrder,
  linked: ReadonlySet<string>,
): PlacedGraph {
  const { items, routes } = drawn;
  const nodeWidth = Math.max(...group.lanes.flat().map(({ width }) => width));
  const starts = columnStarts(drawn, order.columns.length, nodeWidth);
  const lanes = stackLanes(group, drawn, order, linked);
  const centers = alignItems(drawn, lanes);
  const nodes = new Map<string, Rectangle>();
  const boxes = new Map<string, Rectangle>();
  const sizes = new Map(group.lanes.flat().map((node) => [node.id, node]));
  for (const [i, { id, height, isPassing }] of items.entries()) {
    const width = sizes.get(id)?.width ?? nodeWidth;
    const at = {
      x: starts[drawn.graph.columnOf[i] as number]?.left ?? 0,
      y: (centers[i] as number) - height / 2,
    };
    if (!isPassing) nodes.set(id, { ...at, width, height });
  }
  const labelled = new Map(
    routes.map(({ items: [first = 0] }) => [
      items[first]?.id ?? "",
      starts[drawn.graph.columnOf[first] as number]?.labelRoom ?? 0,
    ]),
  );
  for (const lane of lanes) {
    const members = group.lanes[lane.index] ?? [];
    const own = members.flatMap(({ id }) => nodes.get(id) ?? []);
    const left = own.length === 0 ? 0 : Math.min(...own.map(({ x }) => x));
    const first = Math.max(
      0,
      starts.findIndex((start) => start.left === left),
    );
    const right = Math.max(
      left,
      ...members.flatMap(({ id }) => {
        const found = nodes.get(id);
        return found ? [found.x + found.width + (labelled.get(id) ?? 0)] : [];
      }),
    );
    const grid = placeSingles(lane, starts.slice(first), nodeWidth);
    for (const [id, rectangle] of grid) nodes.set(id, rectangle);
    const name = members[0]?.box;
    const end = Math.max(right, ...[...grid.values()].map(({ x, width }) => x + width));
    if (name !== undefined)
      boxes.set(name, {
        ...{ x: left - padding, y: lane.top - titleRoom },
        ...{ width: end - left + 2 * padding, height: lane.height + titleRoom + padding },
      });
  }
  const edges = routeEdges(drawn, { starts, centers, nodes });
  return sized({ nodes, boxes, edges });
}

interface ColumnStart {
  readonly left: number;
  /** Where slopes begin: right of the nodes and of the labels of what leaves them. */
  readonly exit: number;
  readonly labelRoom: number;
}

function columnStarts({ graph, routes }: Layers, count: number, nodeWidth: number): readonly ColumnStart[] {
  const starts: ColumnStart[] = [];
  for (let column = 0, left = 0; column < count; column += 1) {
    const labels = routes
      .filter(({ items: [first = 0] }) => graph.columnOf[first] === column)
      .map(({ edge }) => edge.labelWidth);
    const labelRoom = Math.max(0, ...labels) === 0 ? 0 : Math.max(...labels) + 12;
    const exit = left + nodeWidth + labelRoom;
    starts.push({ left, exit, labelRoom });
    left = exit + slope;
  }
  return starts;
}

const gapBetween = (a: Item | undefined, b: Item | undefined): number =>
  a?.isPassing && b?.isPassing ? 2 : apart;

function stackLanes(group: Group, { items, graph }: Layers, order: LayerOrder, linked: ReadonlySet<string>) {
  const bare = group.lanes.map((_, i) => i).filter((i) => !order.lanes.includes(i));
  let y = 0;
  return [...order.lanes, ...bare].map((index): Lane => {
    const members = group.lanes[index] ?? [];
    const columns = order.columns.map((column) => column.filter((item) => graph.laneOf[item] === index));
    const heights = columns.map((column) =>
      column.reduce(
        (sum, item, i) =>
          sum +
          (items[item]?.height ?? 0) +
          (i === 0 ? 0 : gapBetween(items[column[i - 1] as number], items[item])),
        0,
      ),
    );
    const single = members.filter(({ id }) => !linked.has(id));
    const top = y + (members[0]?.box === undefined ? 0 : titleRoom);
    const linkedHeight = Math.max(0, ...heights);
    const height = linkedHeight + gridHeight(single, linkedHeight);
    y = top + height + padding + apart;
    return { index, columns, single, top, linkedHeight, height };
  });
}

const gridColumns = (count: number): number => Math.max(1, Math.min(5, Math.ceil(Math.sqrt(count * 0.7))));

function gridHeight(single: readonly GraphNode[], linkedHeight: number): number {
  if (single.length === 0) return 0;
  const tallest = Math.max(...single.map((node) => node.height));
  const rows = Math.ceil(single.length / gridColumns(single.length));
  return rows * (tallest + apart) - apart + (linkedHeight > 0 ? apart : 0);
}

/**
 * Places what nothing refers to, and what refers to nothing, in rows below the rest of its lane: where columns begin, so
 * that no edge between two columns runs through it.
 */
function placeSingles(
  { single, top, height }: Lane,
  starts: readonly ColumnStart[],
  nodeWidth: number,
): ReadonlyMap<string, Rectangle> {
  if (single.length === 0) return new Map();
  const tallest = Math.max(...single.map((node) => node.height));
  const columns = gridColumns(single.length);
  const rows = Math.ceil(single.length / columns);
  const begin = top + height - (rows * (tallest + apart) - apart);
  const last = starts.at(-1)?.left ?? 0;
  const leftOf = (column: number): number =>
    starts[column]?.left ?? last + (column + 1 - Math.max(1, starts.length)) * (nodeWidth + apart);
  return new Map(
    single.map(({ id, width, height: own }, i) => [
      id,
      {
        ...{ x: leftOf(i % columns), y: begin + Math.floor(i / columns) * (tallest + apart) },
        ...{ width, height: own },
      },
    ]),
  );
}

/** The middle of each item: beside what it is linked with as far as the order and the lane allow. */
function alignItems({ items, graph }: Layers, lanes: readonly Lane[]): readonly number[] {
  const centers = new Array<number>(items.length).fill(0);
  const linked: number[][] = items.map(() => []);
  for (const [from, to] of graph.links) {
    linked[from]?.push(to);
    linked[to]?.push(from);
  }
  for (const lane of lanes)
    for (const column of lane.columns)
      settleColumn(
        column,
        items,
        lane,
        column.map(() => lane.top),
        centers,
      );
  for (let pass = 0; pass < 10; pass += 1) {
    for (const lane of lanes) {
      const columns = pass % 2 === 0 ? lane.columns : [...lane.columns].reverse();
      for (const column of columns) {
        const wanted = column.map((item) => {
          const others = linked[item] ?? [];
          return (
            others.reduce((sum, other) => sum + (centers[other] as number), 0) / Math.max(1, others.length)
          );
        });
        settleColumn(column, items, lane, wanted, centers);
      }
    }
  }
  return centers;
}

/** Puts the items of a column as near as they may stand to where they want to (pooled neighbours). */
function settleColumn(
  column: readonly number[],
  items: readonly Item[],
  { top, linkedHeight }: Lane,
  wanted: readonly number[],
  centers: number[],
): void {
  const offsets: number[] = [];
  for (const [i, item] of column.entries()) {
    const before = items[column[i - 1] as number];
    const own = items[item] as Item;
    offsets.push(
      i === 0 || !before
        ? own.height / 2
        : (offsets[i - 1] as number) + before.height / 2 + gapBetween(before, own) + own.height / 2,
    );
  }
  const last = items[column.at(-1) as number];
  const bottom = top + linkedHeight;
  const most = Math.max(top, bottom - (offsets.at(-1) ?? 0) - (last?.height ?? 0) / 2);
  const pools: { sum: number; count: number }[] = [];
  for (const [i, want] of wanted.entries()) {
    pools.push({ sum: want - (offsets[i] as number), count: 1 });
    for (let end = pools.length - 1; end > 0; end -= 1) {
      const [a, b] = [pools[end - 1], pools[end]] as [(typeof pools)[0], (typeof pools)[0]];
      if (a.sum / a.count <= b.sum / b.count) break;
      pools.splice(end - 1, 2, { sum: a.sum + b.sum, count: a.count + b.count });
    }
  }
  let i = 0;
  for (const { sum, count } of pools)
    for (let n = 0; n < count; n += 1, i += 1)
      centers[column[i] as number] = Math.min(Math.max(sum / count, top), most) + (offsets[i] as number);
}

interface Places {
  readonly starts: readonly ColumnStart[];
  readonly centers: readonly number[];
  readonly nodes: ReadonlyMap<string, Rectangle>;
}

function routeEdges(
  { items, graph, routes }: Layers,
  { starts, centers, nodes }: Places,
): readonly PlacedEdge[] {
  const centerOf = (item: number | undefined): number => centers[item ?? 0] as number;
  const outs = portsOf(
    routes.map(({ items: own }) => ({ at: own[0] as number, towards: centerOf(own[1]) })),
    (item) => ({ center: centerOf(item), step: portStep }),
  );
  const ins = portsOf(
    routes.map(({ items: own }) => ({ at: own.at(-1) as number, towards: centerOf(own.at(-2)) })),
    (item, count) => ({
      center: centerOf(item),
      step: Math.min(10, (items[item]?.height ?? 0) / (count + 1)),
    }),
  );
  return routes.map(({ edge, isReversed, items: own }, i) => {
    const [from, to] = [outs[i] as number, ins[i] as number];
    const first = nodes.get(items[own[0] as number]?.id ?? "") as Rectangle;
    const points = own.flatMap((item, step): Point[] => {
      const { left = 0, exit = 0 } = starts[graph.columnOf[item] as number] ?? {};
      if (step === 0)
        return [
          { x: first.x + first.width, y: from },
          { x: exit, y: from },
        ];
      if (step === own.length - 1) return [{ x: left, y: to }];
      return [
        { x: left, y: centerOf(item) },
        { x: exit, y: centerOf(item) },
      ];
    });
    const label = {
      ...{ x: first.x + first.width + 6, y: from - labelHeight - 1 },
      ...{ width: edge.labelWidth, height: labelHeight },
    };
    return { edge, points: isReversed ? points.reverse() : points, ...(edge.labelWidth > 0 && { label }) };
  });
}

/** Spreads the ends of edges over one side of their items, in the order of where they lead. */
function portsOf(
  ends: readonly { readonly at: number; readonly towards: number }[],
  sideOf: (item: number, count: number) => { readonly center: number; readonly step: number },
): readonly number[] {
  const byItem = new Map<number, number[]>();
  for (const [i, { at }] of ends.entries()) byItem.set(at, [...(byItem.get(at) ?? []), i]);
  const ports = new Array<number>(ends.length).fill(0);
  for (const [item, own] of byItem) {
    const { center, step } = sideOf(item, own.length);
    own.sort((a, b) => (ends[a]?.towards ?? 0) - (ends[b]?.towards ?? 0) || a - b);
    for (const [i, end] of own.entries()) ports[end] = center + (i - (own.length - 1) / 2) * step;
  }
  return ports;
}

/** A picture whose size is not known. */
export type Unsized = Pick<PlacedGraph, "nodes" | "boxes" | "edges">;

/** Moves a picture to the origin, and says how large it is. */
export function sized({ nodes, boxes, edges }: Unsized): PlacedGraph {
  const all = [
    ...[...nodes.values(), ...boxes.values()],
    ...edges.flatMap(({ label, points }) => [
      ...(label ? [label] : []),
      ...points.map((at) => ({ ...at, width: 0, height: 0 })),
    ]),
  ];
  const left = Math.min(...all.map(({ x }) => x));
  const top = Math.min(...all.map(({ y }) => y));
  const width = Math.max(...all.map((one) => one.x + one.width)) - left;
  const height = Math.max(...all.map((one) => one.y + one.height)) - top;
  return { ...moved({ nodes, boxes, edges }, -left, -top), width, height };
}

/** The same picture elsewhere. */
export function moved({ nodes, boxes, edges }: Unsized, x: number, y: number): Unsized {
  const move = <T extends Point>(one: T): T => ({ ...one, x: one.x + x, y: one.y + y });
  return {
    nodes: new Map([...nodes].map(([id, one]) => [id, move(one)])),
    boxes: new Map([...boxes].map(([id, one]) => [id, move(one)])),
    edges: edges.map(({ label, points, edge }) => ({
      ...{ edge, points: points.map(move) },
      ...(label && { label: move(label) }),
    })),
  };
}
