import type * as dagreModule from "@dagrejs/dagre";
import { reachable } from "../../model/graph-walk";
import { escapeText } from "../escape-text";
import { compareNatural, groupBy } from "../order";
import { cutText, textWidth } from "../style";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface GraphNode {
  readonly id: string;
  /** Undefined: it is in no box. */
  readonly box?: string | undefined;
  /** Position in the saved layout of its project. */
  readonly place?: Point | undefined;
  /** A node that is `blocked` is placed before the others, and its box before other boxes. */
  readonly signs?: readonly string[];
}

/** An edge leads from a node to a node that it refers to. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Its purpose: names of variables. */
  readonly names: readonly string[];
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  /** From the referring node to its target: level stretches, and slopes between columns. */
  readonly points: readonly Point[];
  /** Its label around a point; undefined where there is none, or no room for it. */
  readonly label?: (Point & Size & { readonly text: string }) | undefined;
}

/**
 * A project with the nodes that its nodes refer to, in other projects too. Nodes are given by their middles, all of one
 * size, and edges from the corner of the box.
 */
export interface PlacedBox extends Point, Size {
  /** Undefined: its nodes are in no box. */
  readonly id: string | undefined;
  readonly nodeSize: Size;
  readonly nodes: ReadonlyMap<string, Point>;
  readonly edges: readonly PlacedEdge[];
}

type Layout = Omit<PlacedBox, "id" | "x" | "y">;

export type PlacedGraph = ReturnType<typeof placeNodes>;

/** Width of a character of the small text, in the widest of the fonts that may show it. */
export const noteCharacter = 6.7;
const longestLabel = 16;
const nodeHeight = 62;
const labelHeight = 13;
/** Pixels between nodes, and between boxes. */
const apart = 20;
const apartBoxes = 40;
/** Pixels around the nodes of a box; its title is above them. */
const padding = 28;
/** Pixels between a column of nodes and one of labels. */
const slope = 32;
/** Pixels of a row. */
const widest = 1600;
/** Width of a usual frame, as a multiple of its height. */
const shape = 1.9;
/** Edges of a box: more would take longer than a third of a second, and be a tangle. */
const mostEdges = 250;
/** Above it, nodes that people have put nearly at the same point would tear the rest apart. */
const mostStretch = 6;

/** Text of at most so many columns of a terminal, which are those of a font of one width. */
export const clip = (text: string, columns: number): string => cutText(escapeText(text), columns, "\u2026");

function labelOf([first, ...rest]: readonly string[]): string {
  if (first === undefined) return "";
  return rest.length === 0 ? clip(first, longestLabel) : `${clip(first, longestLabel - 3)} +${rest.length}`;
}

const labelWidth = ({ names }: GraphEdge): number => Math.ceil(textWidth(labelOf(names)) * noteCharacter);

const labelSize = (edges: readonly GraphEdge[]): Size => {
  return { width: Math.max(0, ...edges.map(labelWidth)), height: labelHeight };
};

/**
 * Places nodes, each as many pixels wide as `widthOf` says: where people have put them, else by reference from left to
 * right. Boxes, and the unconnected parts of each, are in rows. Edges stay within a box: a referenced node of another box is in both. A
 * box of too many edges has none. Neither nodes nor labels nor boxes overlap. The same graph has the same picture.
 */
export function placeNodes<Node extends GraphNode>(
  graph: { readonly nodes: readonly Node[]; readonly edges: readonly GraphEdge[] },
  widthOf: (node: Node) => number,
) {
  const nodes = [...graph.nodes].sort((a, b) => compareNatural(a.id, b.id));
  const edges = [...graph.edges].sort((a, b) => compareNatural(a.from, b.from) || compareNatural(a.to, b.to));
  const boxOf = new Map(nodes.map(({ id, box }) => [id, box]));
  const edgesIn = groupBy(edges, ({ from }) => boxOf.get(from));
  const layouts = [...groupBy(nodes, ({ box }) => box)].map(([id, own]) => {
    const all = edgesIn.get(id) ?? [];
    const links = all.length > mostEdges ? [] : all;
    const targets = new Set(links.map(({ to }) => to));
    // Lines to the nodes of other boxes themselves would run behind others.
    const inside = nodes.flatMap((node) =>
      node.box === id ? [node] : targets.has(node.id) ? [{ ...node, place: undefined, signs: [] }] : [],
    );
    return { id, isFirst: isUrgent(own), ...layoutOf(inside, links, Math.max(...inside.map(widthOf))) };
  });
  const { parts, ...size } = pack(layouts, apartBoxes);
  return { boxes: parts, ...size };
}

const isUrgent = (nodes: readonly GraphNode[]) => nodes.some(({ signs }) => signs?.includes("blocked"));

/** Packs parts into rows, the urgent and then the tallest above. They fit into the smallest frame of the usual shape. */
function pack<One extends Size & Pick<Part, "isFirst">>(parts: readonly One[], gap: number) {
  const sorted = [...parts].sort((a, b) => Number(b.isFirst) - Number(a.isFirst) || b.height - a.height);
  const most = Math.max(widest, ...parts.map(({ width }) => width));
  let limit = -gap;
  const found = sorted.flatMap(({ width }) => {
    limit += gap + width;
    return limit > most ? [] : [inRows(sorted, limit, gap)];
  });
  const frameOf = ({ width, height }: Size): number => Math.max(width, shape * height);
  return found.reduce((best, other) => (frameOf(other) < frameOf(best) ? other : best));
}

/** Puts parts beside each other in rows of at most `limit` pixels, with a gap between them. */
function inRows<Part extends Size>(all: readonly Part[], limit: number, gap: number) {
  let [x, y, rowHeight, right] = [0, 0, 0, 0];
  const parts = all.map((one): Part & Point => {
    if (x > 0 && x + one.width > limit) [x, y, rowHeight] = [0, y + rowHeight + gap, 0];
    const part = { ...one, x, y };
    rowHeight = Math.max(rowHeight, part.height);
    right = Math.max(right, x + part.width);
    x += part.width + gap;
    return part;
  });
  return { parts, width: right, height: y + rowHeight };
}

/** Places nodes by hand, and the others by the parts that references connect. */
function layoutOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[], nodeWidth: number): Layout {
  const nodeSize = { width: nodeWidth, height: nodeHeight };
  const saved = savedPlaces(nodes, nodeSize, labelSize(edges));
  const others = nodes.filter(({ id }) => !saved?.nodes.has(id));
  const parts = connected(others, saved ? [] : edges).map((part) => layoutByDagre(...part, nodeSize));
  const packed = pack(saved ? [saved, ...parts] : parts, apart);
  const all = packed.parts.flatMap((part) =>
    [...part.nodes].map(([id, at]) => [id, moved(at, part)] as const),
  );
  const lines = packed.parts.flatMap((part) =>
    part.edges.map(({ edge, points, label }): PlacedEdge => {
      return { edge, points: points.map((at) => moved(at, part)), label: label && moved(label, part) };
    }),
  );
  const links = saved ? straightEdges(edges, new Map(all), nodeSize) : lines;
  const [width, height] = [packed.width + 2 * padding, packed.height + 2 * padding];
  return { nodeSize, nodes: new Map(all), edges: links, width, height };
}

const moved = <One extends Point>(one: One, { x, y }: Point): One => ({
  ...one,
  ...{ x: one.x + x + padding, y: one.y + y + padding },
});

/** Splits a graph into the parts that no edge connects. */
function connected(nodes: readonly GraphNode[], edges: readonly GraphEdge[]) {
  const near = (id: string): readonly string[] =>
    edges.flatMap(({ from, to }) => (from === id ? [to] : to === id ? [from] : []));
  const parts: ReadonlySet<string>[] = [];
  for (const { id } of nodes) if (!parts.some((part) => part.has(id))) parts.push(reachable([id], near));
  return parts.map(
    (part) => [nodes.filter(({ id }) => part.has(id)), edges.filter(({ from }) => part.has(from))] as const,
  );
}

/** Nodes and edges with the size of their frame, whose corner is the origin. */
type Part = Omit<Layout, "nodeSize"> & { readonly isFirst: boolean };

function layoutByDagre(nodes: readonly GraphNode[], edges: readonly GraphEdge[], nodeSize: Size): Part {
  const isFirst = isUrgent(nodes);
  const [first] = nodes as [GraphNode];
  const middle = { x: nodeSize.width / 2, y: nodeSize.height / 2 };
  if (nodes.length === 1) return { nodes: new Map([[first.id, middle]]), edges: [], ...nodeSize, isFirst };
  const { Graph, layout } = require("@dagrejs/dagre") as typeof dagreModule;
  const graph = new Graph({ multigraph: true });
  // The ranker of dagre's own choice takes longer, and shortens few edges.
  const ranker = { ranker: "tight-tree", rankdir: "LR" };
  graph.setGraph({ ...ranker, nodesep: apart, edgesep: apart / 2, ranksep: 2 * slope });
  const label = labelSize(edges);
  for (const { id } of nodes) graph.setNode(id, { ...nodeSize });
  for (const { from, to } of edges) graph.setEdge(from, to, { ...label, labelpos: "c" });
  layout(graph);
  const placed = new Map(nodes.map(({ id }): [string, Point] => [id, graph.node(id)]));
  const columns = new Set([...placed.values()].map(({ x }) => x));
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  const lines = edges.map((edge): PlacedEdge => {
    const [from, to] = [placed.get(edge.from), placed.get(edge.to)] as [Point, Point];
    // The point of the edge itself is the middle of the room of its label.
    const { points, x, y } = graph.edge(edge.from, edge.to) as Point & { points: readonly Point[] };
    const forth = to.x > from.x ? 1 : -1;
    // Level as long as it passes a column.
    const stretches = [from, ...points.slice(1, -1), to].flatMap((point) => {
      const half = (forth * (columns.has(point.x) ? nodeSize : label).width) / 2;
      return [-half, half].map((step) => ({ x: point.x + step, y: point.y }));
    });
    return { edge, points: stretches.slice(1, -1), label: labelAt(edge, { x, y }) };
  });
  return { nodes: placed, edges: lines, width, height, isFirst };
}

function labelAt(edge: GraphEdge, { x, y }: Point): PlacedEdge["label"] {
  const text = labelOf(edge.names);
  return text === "" ? undefined : { text, x, y, width: labelWidth(edge), height: labelHeight };
}

/**
 * Returns nodes where people have put them, stretched until none overlap. Undefined where people have put less than half
 * of them, or two nearly at the same point.
 */
function savedPlaces(nodes: readonly GraphNode[], nodeSize: Size, label: Size): Part | undefined {
  const put = nodes.flatMap(({ id, place }) => (place ? [{ id, ...place }] : []));
  const [across, down] = [nodeSize.width + label.width + 2 * apart, nodeSize.height + label.height + apart];
  const stretches = put.flatMap((a, i) =>
    put.slice(i + 1).map((b) => Math.min(across / Math.abs(a.x - b.x), down / Math.abs(a.y - b.y))),
  );
  const stretch = Math.max(1, ...stretches);
  if (put.length * 2 < nodes.length || stretch > mostStretch) return undefined;
  const [xs, ys] = [put.map(({ x }) => x), put.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const { width, height } = nodeSize;
  const placed = put.map(({ id, x, y }): [string, Point] => [
    id,
    { x: (x - left) * stretch + width / 2, y: (y - top) * stretch + height / 2 },
  ]);
  const [right, bottom] = [(Math.max(...xs) - left) * stretch, (Math.max(...ys) - top) * stretch];
  return {
    nodes: new Map(placed),
    edges: [],
    width: right + width,
    height: bottom + height,
    isFirst: isUrgent(nodes),
  };
}

/** Edges from frame to frame, each with a label in its middle where there is room. */
function straightEdges(
  edges: readonly GraphEdge[],
  nodes: ReadonlyMap<string, Point>,
  nodeSize: Size,
): readonly PlacedEdge[] {
  const taken = [...nodes.values()].map((at) => ({ ...at, ...nodeSize }));
  const isFree = (one: Point & Size): boolean =>
    taken.every(
      (other) =>
        Math.abs(one.x - other.x) >= (one.width + other.width) / 2 ||
        Math.abs(one.y - other.y) >= (one.height + other.height) / 2,
    );
  return edges.map((edge): PlacedEdge => {
    const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)] as [Point, Point];
    const [across, down] = [to.x - from.x, to.y - from.y];
    // Half of a node, as a part of the way from middle to middle.
    const part = Math.min(nodeSize.width / Math.abs(across), nodeSize.height / Math.abs(down)) / 2;
    const points = [part, 1 - part].map((at) => ({ x: from.x + across * at, y: from.y + down * at }));
    const label = labelAt(edge, { x: from.x + across / 2, y: from.y + down / 2 });
    if (label === undefined || !isFree(label)) return { edge, points };
    taken.push(label);
    return { edge, points, label };
  });
}
