import { type BoxedGraph, type GraphEdge, type GraphNode, lineRoom, portStep } from "./boxed-graph";
import { type Layered, type LayerOrder, orderLayers } from "./order-layers";

export interface Item {
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
const backPrice = 3;

/**
 * Looks for an arrangement with few crossings (simulated annealing): from that of `orderLayers` on, moves a node to
 * another column, an edge to its other lane elsewhere, or swaps two lanes. Chance has a fixed seed.
 */
export function searchLayers(
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
export function assignColumns(
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

export interface Layers {
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
