import type * as dagreModule from "@dagrejs/dagre";
import { escapeText } from "../escape-text";
import { compareNatural, groupBy } from "../order";
import { cutText, textWidth } from "../style";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Rectangle extends Point {
  readonly width: number;
  readonly height: number;
}

export interface GraphNode {
  readonly id: string;
  /** Undefined: it is in no box. */
  readonly box?: string | undefined;
  /** Position in the saved layout of its project. */
  readonly place?: Point | undefined;
  /** It stands for others: it is small, and has no saved position. */
  readonly isStandIn?: true;
}

/** An edge leads from what refers to what it refers to. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** What it is for: names of variables. */
  readonly names: readonly string[];
}

interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  /** From the node that refers to the one it refers to: level stretches, and slopes between columns. */
  readonly points: readonly Point[];
  /** Undefined where there is none, or no room for it. */
  readonly label?: (Rectangle & { readonly text: string }) | undefined;
}

/** Nodes and edges in one coordinate system. */
interface Picture {
  readonly nodes: ReadonlyMap<string, Rectangle>;
  readonly edges: readonly PlacedEdge[];
}

export interface PlacedGraph extends Picture {
  readonly boxes: ReadonlyMap<string, Rectangle>;
  readonly width: number;
  readonly height: number;
}

export const nodeWidth = 214;
const nodeHeight = 62;
const standInHeight = 42;
/** Width of a character of the small text, in the widest of the fonts that may show it. */
export const noteCharacter = 6.7;
const longestLabel = 16;
const labelHeight = 13;
/** Pixels between nodes, and between boxes. */
const apart = 20;
const apartBoxes = 40;
/** Pixels around the nodes of a box, and above them for its title. */
const padding = 18;
const titleRoom = 34;
/** Pixels between a column of nodes and one of labels. */
const slope = 32;
/** Pixels of a row of boxes, and columns of nodes without references. */
const widest = 1500;
const mostColumns = 5;
/** Above it, nodes that people have put nearly at the same point would tear the rest apart. */
const mostStretch = 6;

/** Text of at most so many columns of a terminal, which are those of a font of one width. */
export const clip = (text: string, columns: number): string => cutText(escapeText(text), columns, "\u2026");

function labelOf([first, ...rest]: readonly string[]): string {
  if (first === undefined) return "";
  return rest.length === 0 ? clip(first, longestLabel) : `${clip(first, longestLabel - 3)} +${rest.length}`;
}

const widthOf = (text: string): number => Math.ceil(textWidth(text) * noteCharacter);

/**
 * Places the nodes of each box where people have put them, else from left to right by what they refer to, and boxes beside
 * each other in rows. Edges lead from node to node of one box. Neither nodes nor labels nor boxes overlap. The same graph has
 * the same picture.
 */
export function placeNodes(graph: Graph): PlacedGraph {
  const nodes = [...graph.nodes].sort((a, b) => compareNatural(a.id, b.id));
  const edges = graph.edges
    .filter(({ from, to }) => from !== to)
    .sort((a, b) => compareNatural(a.from, b.from) || compareNatural(a.to, b.to));
  const boxOf = new Map(nodes.map(({ id, box = "" }) => [id, box]));
  const edgesIn = groupBy(edges, ({ from }) => boxOf.get(from));
  // What is in no box comes last.
  const pictures = [...groupBy(nodes, ({ box = "" }) => box)]
    .sort(([a], [b]) => (a === "" ? 1 : b === "" ? -1 : compareNatural(a, b)))
    .map(([id, own]) => ({ id, ...framed(placeBox(own, edgesIn.get(id) ?? []), id !== "") }));
  const boxes = placeRows(pictures, apartBoxes, Math.max(widest, ...pictures.map(({ width }) => width)));
  const placed = pictures.map((picture) => {
    const { x, y } = boxes.get(picture.id) as Rectangle;
    return moved(picture, x, y);
  });
  const { width, height } = extentOf({ nodes: boxes, edges: [] });
  boxes.delete("");
  return {
    nodes: new Map(placed.flatMap((picture) => [...picture.nodes])),
    edges: placed.flatMap((picture) => picture.edges),
    boxes,
    width,
    height,
  };
}

/** Places the nodes of a box. */
function placeBox(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Picture {
  const saved = savedPlaces(nodes);
  if (saved !== undefined) return { nodes: saved, edges: straightEdges(edges, saved) };
  const ends = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const items = nodes.map(itemOf);
  const linked = placeColumns(
    items.filter(({ id }) => ends.has(id)),
    edges,
  );
  const single = items.filter(({ id }) => !ends.has(id));
  const columns = Math.min(mostColumns, Math.ceil(Math.sqrt(single.length * 0.7)));
  const rows = placeRows(single, apart, columns * (nodeWidth + apart));
  const { y, height } = extentOf(linked);
  const below = moved({ nodes: rows, edges: [] }, 0, ends.size === 0 ? 0 : y + height + apart);
  return { nodes: new Map([...linked.nodes, ...below.nodes]), edges: linked.edges };
}

interface Item {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

const itemOf = ({ id, isStandIn }: GraphNode): Item => ({
  id,
  width: nodeWidth,
  height: isStandIn ? standInHeight : nodeHeight,
});

/** Places items beside each other in rows of at most `limit` pixels. */
function placeRows(items: readonly Item[], gap: number, limit: number): Map<string, Rectangle> {
  const placed = new Map<string, Rectangle>();
  let [x, y, rowHeight] = [0, 0, 0];
  for (const { id, width, height } of items) {
    if (x > 0 && x + width > limit) [x, y, rowHeight] = [0, y + rowHeight + gap, 0];
    placed.set(id, { x, y, width, height });
    x += width + gap;
    rowHeight = Math.max(rowHeight, height);
  }
  return placed;
}

/** Places linked nodes by what they refer to. The room for a label is twice its height, since it is above its line. */
function placeColumns(items: readonly Item[], edges: readonly GraphEdge[]): Picture {
  if (items.length === 0) return { nodes: new Map(), edges: [] };
  const { Graph, layout } = require("@dagrejs/dagre") as typeof dagreModule;
  const graph = new Graph({ multigraph: true });
  // The ranker of dagre's own choice takes longer, and shortens few edges.
  graph.setGraph({
    rankdir: "LR",
    nodesep: apart,
    edgesep: apart / 2,
    ranksep: 2 * slope,
    ranker: "tight-tree",
  });
  for (const { id, width, height } of items) graph.setNode(id, { width, height });
  for (const { from, to, names } of edges) {
    const room = { width: widthOf(labelOf(names)), height: 2 * labelHeight + 2, labelpos: "c" };
    graph.setEdge(from, to, room, to);
  }
  layout(graph);
  const at = new Map(items.map(({ id }): [string, Rectangle] => [id, graph.node(id)]));
  const routes = edges.map((edge) => ({ edge, route: graph.edge(edge.from, edge.to, edge.to) as Route }));
  const columnWidths = new Map<number, number>();
  for (const { x, width } of [...at.values(), ...routes.map(({ route }) => route)])
    columnWidths.set(x, Math.max(width, columnWidths.get(x) ?? 0));
  return {
    nodes: new Map([...at].map(([id, one]) => [id, aroundMiddle(one)])),
    edges: routes.map(({ edge, route }) => placeEdge(edge, route, at, columnWidths)),
  };
}

const aroundMiddle = ({ x, y, width, height }: Rectangle): Rectangle => ({
  x: x - width / 2,
  y: y - height / 2,
  width,
  height,
});

/** The way of an edge through the columns; `x` and `y` are the middle of the room of its label. */
interface Route extends Rectangle {
  readonly points: readonly Point[];
}

/** An edge from side to side, level as long as it passes a column. Positions in `at` are middles. */
function placeEdge(
  edge: GraphEdge,
  { points, x, y, width }: Route,
  at: ReadonlyMap<string, Rectangle>,
  columnWidths: ReadonlyMap<number, number>,
): PlacedEdge {
  const [from, to] = [at.get(edge.from), at.get(edge.to)] as [Rectangle, Rectangle];
  const forth = to.x > from.x ? 1 : -1;
  const passed = points.slice(1, -1).flatMap((point) => {
    const half = (forth * (columnWidths.get(point.x) ?? 0)) / 2;
    return [
      { x: point.x - half, y: point.y },
      { x: point.x + half, y: point.y },
    ];
  });
  const start = { x: from.x + (forth * from.width) / 2, y: from.y };
  const end = { x: to.x - (forth * to.width) / 2, y: to.y };
  const text = labelOf(edge.names);
  const label = { text, x: x - width / 2, y: y - labelHeight - 1, width, height: labelHeight };
  return { edge, points: [start, ...passed, end], label: text === "" ? undefined : label };
}

/**
 * The nodes of a box as people have put them, stretched as far as they would overlap; undefined where one of them has no
 * place, or two have the same. Nodes that stand for others have none: they go below.
 */
function savedPlaces(nodes: readonly GraphNode[]): ReadonlyMap<string, Rectangle> | undefined {
  const put = nodes.filter(({ isStandIn }) => !isStandIn);
  const stretch = put.length === 0 ? undefined : stretchOf(put);
  if (stretch === undefined) return undefined;
  const placed = new Map(
    put.map((node) => {
      const { id, ...size } = itemOf(node);
      return [id, { x: (node.place?.x ?? 0) * stretch, y: (node.place?.y ?? 0) * stretch, ...size }];
    }),
  );
  for (const { id, ...size } of nodes.filter(({ isStandIn }) => isStandIn).map(itemOf)) {
    const { x, y, height } = extentOf({ nodes: placed, edges: [] });
    placed.set(id, { x, y: y + height + apart, ...size });
  }
  return placed;
}

function stretchOf(nodes: readonly GraphNode[]): number | undefined {
  let stretch = 1;
  for (const [i, { place: a }] of nodes.entries()) {
    if (a === undefined) return undefined;
    for (const { place: b } of nodes.slice(i + 1)) {
      if (b === undefined) return undefined;
      const [x, y] = [Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
      stretch = Math.max(stretch, Math.min((nodeWidth + apart) / x, (nodeHeight + apart) / y));
    }
  }
  return stretch <= mostStretch ? stretch : undefined;
}

/** Edges between nodes that people have put: from side to side, with a label in the middle where there is room. */
function straightEdges(
  edges: readonly GraphEdge[],
  nodes: ReadonlyMap<string, Rectangle>,
): readonly PlacedEdge[] {
  const taken = [...nodes.values()];
  return edges.map((edge) => {
    const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)] as [Rectangle, Rectangle];
    const points = [sideOf(from, to), sideOf(to, from)] as const;
    const [start, end] = points;
    const text = labelOf(edge.names);
    const width = widthOf(text);
    const middle = { x: (start.x + end.x - width) / 2, y: (start.y + end.y) / 2 - labelHeight - 1 };
    const label = { text, ...middle, width, height: labelHeight };
    if (text === "" || taken.some((other) => isOverlapping(label, other))) return { edge, points };
    taken.push(label);
    return { edge, points, label };
  });
}

/** The middle of the side of a node that is nearer to another one. */
const sideOf = ({ x, y, width, height }: Rectangle, other: Rectangle): Point => ({
  x: other.x >= x ? x + width : x,
  y: y + height / 2,
});

const isOverlapping = (a: Rectangle, b: Rectangle): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Moves the nodes of a box to its origin, below its title where it has a frame, and says how large it is. */
function framed(picture: Picture, hasFrame: boolean) {
  const { x, y, width, height } = extentOf(picture);
  const [side, above] = hasFrame ? [padding, titleRoom] : [0, 0];
  return { ...moved(picture, side - x, above - y), width: width + 2 * side, height: height + above + side };
}

/** The smallest rectangle around all that a picture shows. */
function extentOf({ nodes, edges }: Picture): Rectangle {
  const lines = edges.flatMap(({ points }) => points.map((point) => ({ ...point, width: 0, height: 0 })));
  const all = [...nodes.values(), ...edges.flatMap(({ label }) => label ?? []), ...lines];
  if (all.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const left = Math.min(...all.map(({ x }) => x));
  const top = Math.min(...all.map(({ y }) => y));
  const right = Math.max(...all.map(({ x, width }) => x + width));
  const bottom = Math.max(...all.map(({ y, height }) => y + height));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The same picture elsewhere. */
function moved({ nodes, edges }: Picture, x: number, y: number): Picture {
  const move = <T extends Point>(one: T): T => ({ ...one, x: one.x + x, y: one.y + y });
  return {
    nodes: new Map([...nodes].map(([id, one]) => [id, move(one)])),
    edges: edges.map(({ edge, points, label }) => ({
      edge,
      points: points.map(move),
      label: label && move(label),
    })),
  };
}
