/** Items in columns, each in a lane; a link leads from an item to one in the next column. */
export interface Layered {
  readonly columnOf: readonly number[];
  readonly laneOf: readonly number[];
  readonly links: readonly (readonly [from: number, to: number])[];
}

/** An order of the lanes from top to bottom, and of the items of each column. */
export interface LayerOrder {
  readonly lanes: readonly number[];
  readonly columns: readonly (readonly number[])[];
  readonly crossings: number;
}

const quickSweeps = 4;
const givenSweeps = 4;
const allSweeps = 24;
/** Of so many lanes every order is tried. */
const mostPermuted = 5;
/** Above this, lanes keep the order of their links: each order that is tried costs as much as the picture. */
const mostSearched = 300;

/**
 * Orders lanes and items so that few links cross: each item goes where the items it is linked with stand (barycenter),
 * in sweeps from left to right and back, with swaps of neighbours in between. The items of a lane stay together. Lanes that
 * are `given` in an order keep it.
 */
export function orderLayers(graph: Layered, given?: readonly number[]): LayerOrder {
  const sides = sidesOf(graph);
  if (given) return sweep(graph, sides, given, givenSweeps);
  const tried = laneOrders(graph, sides).map((lanes) => sweep(graph, sides, lanes, quickSweeps));
  const [best] = tried.sort((a, b) => a.crossings - b.crossings) as [LayerOrder];
  const refined = sweep(graph, sides, best.lanes, allSweeps);
  return refined.crossings < best.crossings ? refined : best;
}

interface Sides {
  /** The items of the column before that an item is linked with, and those of the column after. */
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

function sidesOf({ columnOf, links }: Layered): Sides {
  const before: number[][] = columnOf.map(() => []);
  const after: number[][] = columnOf.map(() => []);
  for (const [from, to] of links) {
    before[to]?.push(from);
    after[from]?.push(to);
  }
  return { before, after };
}

function laneOrders(graph: Layered, sides: Sides): readonly (readonly number[])[] {
  const lanes = [...new Set(graph.laneOf)].sort((a, b) => a - b);
  if (lanes.length <= 1) return [lanes];
  if (lanes.length <= mostPermuted) return permutations(lanes);
  const linked = linkedOrder(lanes, graph);
  if (graph.columnOf.length > mostSearched) return [linked];
  return [linked, improved(linked, graph, sides)];
}

const permutations = (items: readonly number[]): readonly (readonly number[])[] =>
  items.length <= 1
    ? [items]
    : items.flatMap((item) =>
        permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
      );

/** Puts each lane beside those that it has most links with. */
function linkedOrder(lanes: readonly number[], { laneOf, links }: Layered): readonly number[] {
  const weight = (lane: number, placed: readonly number[]): number =>
    links.filter(([from, to]) => {
      const [a, b] = [laneOf[from] as number, laneOf[to] as number];
      return (a === lane && placed.includes(b)) || (b === lane && placed.includes(a));
    }).length;
  const [first = 0, ...rest] = lanes;
  const order = [first];
  const left = new Set(rest);
  while (left.size > 0) {
    const near = order.slice(-2);
    const [next] = [...left].sort((a, b) => weight(b, near) - weight(a, near) || a - b) as [number];
    order.push(next);
    left.delete(next);
  }
  return order;
}

/** Swaps neighbouring lanes as long as that saves crossings. */
function improved(lanes: readonly number[], graph: Layered, sides: Sides): readonly number[] {
  let best = sweep(graph, sides, lanes, 2);
  for (let i = 0; i + 1 < lanes.length; i += 1) {
    const swapped = [...best.lanes];
    [swapped[i], swapped[i + 1]] = [swapped[i + 1] as number, swapped[i] as number];
    const found = sweep(graph, sides, swapped, 2);
    if (found.crossings < best.crossings) best = found;
  }
  return best.lanes;
}

function sweep(graph: Layered, sides: Sides, lanes: readonly number[], sweeps: number): LayerOrder {
  const rank = new Map(lanes.map((lane, i) => [lane, i]));
  const rankOf = (item: number): number => rank.get(graph.laneOf[item] as number) ?? 0;
  const columns = columnsOf(graph, rankOf);
  const place = new Array<number>(graph.columnOf.length).fill(0);
  const settle = (column: readonly number[]): void => {
    for (const [i, item] of column.entries()) place[item] = i;
  };
  columns.forEach(settle);
  let best: LayerOrder = { lanes, columns: columns.map((column) => [...column]), crossings: Infinity };
  const note = (): void => {
    const crossings = crossingsOf(columns, sides, place);
    if (crossings < best.crossings)
      best = { lanes, columns: columns.map((column) => [...column]), crossings };
  };
  note();
  for (let i = 0; i < sweeps && best.crossings > 0; i += 1) {
    const isBack = i % 2 === 1;
    for (const column of isBack ? [...columns].reverse() : columns) {
      const center = centersOf(column, isBack ? sides.after : sides.before, place);
      column.sort(
        (a, b) =>
          rankOf(a) - rankOf(b) ||
          (center.get(a) ?? 0) - (center.get(b) ?? 0) ||
          (place[a] as number) - (place[b] as number),
      );
      settle(column);
    }
    swapNeighbours(columns, { sides, place, rankOf });
    note();
  }
  return best;
}

function columnsOf({ columnOf }: Layered, rankOf: (item: number) => number): number[][] {
  const columns: number[][] = Array.from({ length: Math.max(-1, ...columnOf) + 1 }, () => []);
  for (const [item, column] of columnOf.entries()) columns[column]?.push(item);
  for (const column of columns) column.sort((a, b) => rankOf(a) - rankOf(b) || a - b);
  return columns;
}

/** Where an item would stand: amid what it is linked with, else where it is. */
const centersOf = (
  column: readonly number[],
  linked: readonly (readonly number[])[],
  place: readonly number[],
): ReadonlyMap<number, number> =>
  new Map(
    column.map((item) => {
      const others = linked[item] ?? [];
      const sum = others.reduce((total, other) => total + (place[other] as number), 0);
      return [item, others.length === 0 ? (place[item] as number) : sum / others.length];
    }),
  );

interface Swapping {
  readonly sides: Sides;
  readonly place: number[];
  readonly rankOf: (item: number) => number;
}

/** Swaps neighbours of one lane wherever that saves a crossing. */
function swapNeighbours(columns: readonly number[][], { sides, place, rankOf }: Swapping): void {
  for (let round = 0, isBetter = true; isBetter && round < 8; round += 1) {
    isBetter = false;
    for (const column of columns) {
      for (let i = 0; i + 1 < column.length; i += 1) {
        const [a, b] = [column[i] as number, column[i + 1] as number];
        if (rankOf(a) !== rankOf(b)) continue;
        const saved = [sides.before, sides.after].reduce(
          (sum, linked) =>
            sum + inversions(linked[a], linked[b], place) - inversions(linked[b], linked[a], place),
          0,
        );
        if (saved <= 0) continue;
        [column[i], column[i + 1]] = [b, a];
        [place[a], place[b]] = [i + 1, i];
        isBetter = true;
      }
    }
  }
}

/** How many links of an upper item cross those of a lower one. */
function inversions(
  upper: readonly number[] = [],
  lower: readonly number[] = [],
  place: readonly number[],
): number {
  let count = 0;
  for (const a of upper) for (const b of lower) if ((place[a] as number) > (place[b] as number)) count += 1;
  return count;
}

/** All crossings: inversions among the ends of links that leave a column, in the order of where they begin. */
function crossingsOf(
  columns: readonly (readonly number[])[],
  { after }: Sides,
  place: readonly number[],
): number {
  let count = 0;
  for (const column of columns) {
    const ends = column.flatMap((item) =>
      (after[item] ?? []).map((to) => place[to] as number).sort((a, b) => a - b),
    );
    const seen: number[] = [];
    for (const end of ends) {
      let at = seen.length;
      while (at > 0 && (seen[at - 1] as number) > end) at -= 1;
      count += seen.length - at;
      seen.splice(at, 0, end);
    }
  }
  return count;
}
