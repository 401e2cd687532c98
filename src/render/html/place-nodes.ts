import { type Layered, type LayerOrder, orderLayers } from "./order-layers";

/** A graph of nodes in boxes; an edge leads from what refers to what it refers to. */
export interface BoxedGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly id: string;
  /** Undefined: it lies in no box. */
  readonly box?: string | undefined;
  readonly width: number;
  readonly height: number;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Width of its label; 0 for none. */
  readonly labelWidth: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Rectangle extends Point {
  readonly width: number;
  readonly height: number;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  /** From the node that refers to the one it refers to: level stretches, and slopes between columns. */
  readonly points: readonly Point[];
  /** Where its label stands; undefined where there is none. */
  readonly label?: Rectangle;
}

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, Rectangle>;
  readonly boxes: ReadonlyMap<string, Rectangle>;
  readonly edges: readonly PlacedEdge[];
}

/** Pixels. */
export const labelHeight = 13;
const portStep = 18;
const lineRoom = 14;
const slope = 64;
const apart = 20;
const padding = 18;
const titleRoom = 34;
const widest = 1500;

interface Item {
  readonly id: string;
  readonly height: number;
  /** It holds a place for an edge that passes. */
  readonly isPassing: boolean;
}

/** An edge as it runs from left to right: through items of consecutive columns. */
interface Route {
  readonly edge: GraphEdge;
  readonly isReversed: boolean;
  readonly items: readonly number[];
}

/** Boxes that edges connect, laid out with the same columns: one lane for each, one under the other. */
interface Group {
  readonly lanes: readonly (readonly GraphNode[])[];
  readonly edges: readonly GraphEdge[];
}

/**
 * Places nodes in columns by what they refer to, boxes as lanes, and edges from column to column, so that neither nodes
 * nor labels nor boxes overlap. The same graph has the same picture.
 */
export function placeNodes(graph: BoxedGraph): PlacedGraph {
  const groups = groupsOf(graph).map(placeGroup);
  return packed(groups);
}

const byId = (a: GraphNode, b: GraphNode): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

function groupsOf({ nodes, edges }: BoxedGraph): readonly Group[] {
  const sorted = [...nodes].sort(byId);
  const boxOf = new Map(sorted.map(({ id, box }) => [id, box ?? ""]));
  const known = edges.filter(({ from, to }) => from !== to && boxOf.has(from) && boxOf.has(to));
  const root = new Map([...new Set(boxOf.values())].sort().map((box) => [box, box]));
  const rootOf = (box: string): string => {
    const above = root.get(box) ?? box;
    return above === box ? box : rootOf(above);
  };
  for (const { from, to } of known) root.set(rootOf(boxOf.get(to) ?? ""), rootOf(boxOf.get(from) ?? ""));
  const members = new Map<string, string[]>();
  for (const box of root.keys()) members.set(rootOf(box), [...(members.get(rootOf(box)) ?? []), box]);
  return [...members.entries()].map(([at, boxes]) => ({
    lanes: boxes.map((box) => sorted.filter(({ id }) => boxOf.get(id) === box)),
    edges: known.filter(({ from }) => rootOf(boxOf.get(from) ?? "") === at),
  }));
}

function placeGroup(group: Group): PlacedGraph {
  const linked = new Set(group.edges.flatMap(({ from, to }) => [from, to]));
  const nodes = group.lanes.flat().filter(({ id }) => linked.has(id));
  const laneOf = new Map(group.lanes.flatMap((lane, i) => lane.map(({ id }) => [id, i] as const)));
  const { layered, order } = searchLayers(nodes, group.edges, assignColumns(nodes, group.edges), laneOf);
  return draw(group, layered, order, linked);
}

interface Arrangement {
  readonly columns: Columns;
  readonly layered: Layers;
  readonly order: LayerOrder;
}

/** Items times tries: the picture of a plan takes no longer than the rest of its page. */
const mostWork = 16_000;
/** Searches from the same start: each may end in another dead end. */
const searches = 4;
/** What a further column, and an edge that runs back, are worth in crossings. */
const columnPrice = 1.2;
const backPrice = 0.8;

/**
 * Looks for an arrangement with few crossings (simulated annealing): from that of `orderLayers` on, moves a node to
 * another column, an edge to its other lane elsewhere, or swaps two lanes. Chance has a fixed seed.
 */
function searchLayers(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  column: ReadonlyMap<string, number>,
  laneOf: ReadonlyMap<string, number>,
): Arrangement {
  const arrange = (columns: Columns, lanes?: readonly number[]): Arrangement => {
    const layered = layers(nodes, edges, columns);
    return { columns, layered, order: orderLayers(layered.graph, lanes) };
  };
  const costOf = ({ order, layered: { routes } }: Arrangement): number =>
    order.crossings +
    columnPrice * order.columns.length +
    backPrice * routes.filter(({ isReversed }) => isReversed).length;
  const start = arrange({ column, laneOf, crossesAt: new Map() });
  let best = start;
  for (let search = 1; search <= searches && best.order.crossings > 0; search += 1) {
    const chance = chanceFrom(search * 7919);
    let now = start;
    for (let work = 0; work < mostWork; work += now.layered.items.length) {
      const { columns, lanes } = moveOne(now, { nodes, edges }, chance);
      if (columns === undefined) continue;
      const found = arrange(columns, lanes);
      const worse = costOf(found) - costOf(now);
      if (worse <= 0 || chance() < Math.exp(-worse / (0.1 + 2 * (1 - work / mostWork)))) now = found;
      if (costOf(now) < costOf(best)) best = now;
    }
  }
  return best;
}

/** Numbers from 0 to 1 that look like chance, and are the same in every run. */
function chanceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

type Graph = Pick<BoxedGraph, "nodes" | "edges">;

/** One random step from an arrangement; no columns where the step cannot be made. */
function moveOne(
  { columns, order }: Arrangement,
  { nodes, edges }: Graph,
  chance: () => number,
): { readonly columns?: Columns; readonly lanes: readonly number[] } {
  const { column, laneOf, crossesAt } = columns;
  const { lanes } = order;
  const kind = chance();
  const pick = (count: number): number => Math.floor(chance() * count);
  if (kind < 0.15 && lanes.length > 1) {
    const i = pick(lanes.length - 1);
    const swapped = lanes.map((lane, at) => (at === i ? lanes[i + 1] : at === i + 1 ? lanes[i] : lane));
    return { columns, lanes: swapped as readonly number[] };
  }
  if (kind < 0.45) {
    const edge = edges[pick(edges.length)] as GraphEdge;
    const [left, right] = endsOf(edge, column);
    const start = column.get(left) ?? 0;
    const room = (column.get(right) ?? 0) - start;
    if (laneOf.get(left) === laneOf.get(right) || room < 2) return { lanes };
    return { columns: { ...columns, crossesAt: new Map([...crossesAt, [edge, start + pick(room)]]) }, lanes };
  }
  const { id } = nodes[pick(nodes.length)] as GraphNode;
  const at = (column.get(id) ?? 0) + (pick(2) === 0 ? -1 : 1) * (1 + pick(2));
  const moved = new Map([...column, [id, at]]);
  // The ends of an edge stand in two columns.
  if (edges.some(({ from, to }) => moved.get(from) === moved.get(to))) return { lanes };
  return { columns: { ...columns, column: fromZero(moved) }, lanes };
}

/** Columns from 0 on, none of them empty. */
function fromZero(column: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const used = [...new Set(column.values())].sort((a, b) => a - b);
  const rank = new Map(used.map((at, i) => [at, i]));
  return new Map([...column].map(([id, at]) => [id, rank.get(at) ?? 0]));
}

/** The ends of an edge from left to right. */
const endsOf = ({ from, to }: GraphEdge, column: ReadonlyMap<string, number>): readonly [string, string] =>
  isLeft(from, to, column) ? [from, to] : [to, from];

/** The column of each node: right of all that refer to it, but for circles, whose last edge runs back. */
function assignColumns(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
): ReadonlyMap<string, number> {
  const next = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) next.get(from)?.push(to);
  const state = new Map<string, "open" | "done">();
  const ordered: string[] = [];
  const forward = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  const visit = (id: string): void => {
    state.set(id, "open");
    for (const to of [...new Set(next.get(id))].sort()) {
      // An edge to what is still open closes a circle: it runs back.
      if (state.get(to) === "open") forward.get(to)?.push(id);
      else {
        forward.get(id)?.push(to);
        if (!state.has(to)) visit(to);
      }
    }
    state.set(id, "done");
    ordered.unshift(id);
  };
  for (const { id } of nodes) if (!state.has(id)) visit(id);
  const column = new Map(ordered.map((id) => [id, 0]));
  // Each stands before all that its edges lead to, those that were turned round too.
  for (const id of ordered)
    for (const to of forward.get(id) ?? [])
      column.set(to, Math.max(column.get(to) ?? 0, (column.get(id) ?? 0) + 1));
  const hasBefore = new Set([...forward.values()].flat());
  for (const id of [...ordered].reverse()) {
    const after = forward.get(id) ?? [];
    if (after.length === 0 || hasBefore.has(id)) continue;
    column.set(id, Math.min(...after.map((to) => column.get(to) ?? 0)) - 1);
  }
  return column;
}

interface Layers {
  readonly graph: Layered;
  readonly items: readonly Item[];
  readonly routes: readonly Route[];
}

interface Columns {
  readonly column: ReadonlyMap<string, number>;
  readonly laneOf: ReadonlyMap<string, number>;
  /** The column behind which an edge leaves its lane for that of its other end; the first unless said. */
  readonly crossesAt: ReadonlyMap<GraphEdge, number>;
}

/** Gives an edge over several columns a place in each of them. */
function layers(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  { column, laneOf, crossesAt }: Columns,
): Layers {
  const items: Item[] = [];
  const columnOf: number[] = [];
  const lanes: number[] = [];
  const add = (item: Item, at: number, lane: number): number => {
    columnOf.push(at);
    lanes.push(lane);
    return items.push(item) - 1;
  };
  const outs = countsOf(edges, ({ from, to }) => (isLeft(from, to, column) ? from : to));
  const index = new Map(
    nodes.map(({ id, height }) => [
      id,
      add(
        { id, height: Math.max(height, (outs.get(id) ?? 0) * portStep), isPassing: false },
        column.get(id) ?? 0,
        laneOf.get(id) ?? 0,
      ),
    ]),
  );
  const routes = edges.map((edge): Route => {
    const isReversed = !isLeft(edge.from, edge.to, column);
    const [left, right] = endsOf(edge, column);
    const start = column.get(left) ?? 0;
    const cross = crossesAt.get(edge) ?? start;
    const passing: number[] = [];
    for (let at = start + 1; at < (column.get(right) ?? 0); at += 1)
      passing.push(
        add({ id: "", height: lineRoom, isPassing: true }, at, laneOf.get(at <= cross ? left : right) ?? 0),
      );
    return { edge, isReversed, items: [index.get(left) as number, ...passing, index.get(right) as number] };
  });
  const links = routes.flatMap((route) =>
    route.items.slice(1).map((item, i) => [route.items[i] as number, item] as const),
  );
  return { graph: { columnOf, laneOf: lanes, links }, items, routes };
}

const isLeft = (a: string, b: string, column: ReadonlyMap<string, number>): boolean =>
  (column.get(a) ?? 0) < (column.get(b) ?? 0);

function countsOf<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** What is in one lane, from top to bottom. */
interface Lane {
  readonly index: number;
  readonly columns: readonly (readonly number[])[];
  readonly single: readonly GraphNode[];
  readonly top: number;
  /** Of what edges connect; the rest stands below it. */
  readonly linkedHeight: number;
  readonly height: number;
}

function draw(group: Group, drawn: Layers, order: LayerOrder, linked: ReadonlySet<string>): PlacedGraph {
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
    const right = Math.max(
      left,
      ...members.flatMap(({ id }) => {
        const found = nodes.get(id);
        return found ? [found.x + found.width + (labelled.get(id) ?? 0)] : [];
      }),
    );
    const grid = placeSingles(lane, { left, width: right - left, nodeWidth });
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

/** What nothing refers to, and what refers to nothing, stands in rows below the rest of its lane. */
function placeSingles(
  { single, top, height }: Lane,
  { left, nodeWidth }: { readonly left: number; readonly width: number; readonly nodeWidth: number },
): ReadonlyMap<string, Rectangle> {
  if (single.length === 0) return new Map();
  const tallest = Math.max(...single.map((node) => node.height));
  const columns = gridColumns(single.length);
  const rows = Math.ceil(single.length / columns);
  const begin = top + height - (rows * (tallest + apart) - apart);
  return new Map(
    single.map(({ id, width, height: own }, i) => [
      id,
      {
        ...{
          x: left + (i % columns) * (nodeWidth + apart),
          y: begin + Math.floor(i / columns) * (tallest + apart),
        },
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

type Unsized = Pick<PlacedGraph, "nodes" | "boxes" | "edges">;

/** Moves a picture to the origin, and says how large it is. */
function sized({ nodes, boxes, edges }: Unsized): PlacedGraph {
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

function moved({ nodes, boxes, edges }: Unsized, x: number, y: number): Unsized {
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

/** Puts pictures beside each other, in rows. */
function packed(pictures: readonly PlacedGraph[]): PlacedGraph {
  const nodes = new Map<string, Rectangle>();
  const boxes = new Map<string, Rectangle>();
  const edges: PlacedEdge[] = [];
  const limit = Math.max(widest, ...pictures.map(({ width }) => width));
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  for (const picture of pictures) {
    if (x > 0 && x + picture.width > limit) [x, y, rowHeight] = [0, y + rowHeight + apart, 0];
    const placed = moved(picture, x, y);
    for (const [id, one] of placed.nodes) nodes.set(id, one);
    for (const [id, one] of placed.boxes) boxes.set(id, one);
    edges.push(...placed.edges);
    x += picture.width + apart;
    rowHeight = Math.max(rowHeight, picture.height);
    width = Math.max(width, x - apart);
  }
  return { nodes, boxes, edges, width, height: y + rowHeight };
}
