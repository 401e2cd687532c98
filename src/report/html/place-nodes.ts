import type * as dagreModule from "@dagrejs/dagre";
import { groupBy } from "../../model/collections";
import { reachable } from "../../model/graph-walk";
import { escapeText } from "../escape-text";
import { compareNatural } from "../order";
import { cutText, textWidth } from "../style";

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface GraphNode {
  readonly id: string;
  /** Undefined: it is in no box. */
  readonly box?: string | undefined;
  /** Position in the saved layout of its project. */
  readonly position?: Point | undefined;
  /** A node that is `blocked` is placed before the others, and its box before other boxes. */
  readonly signs?: readonly string[];
}

type SizedNode = GraphNode & Size;

/** A node around its middle. */
export type PlacedNode = SizedNode & Point;

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

/** Nodes and edges in a frame, whose corner is the origin. */
interface Part extends Size {
  readonly nodes: ReadonlyMap<string, PlacedNode>;
  readonly edges: readonly PlacedEdge[];
}

/** A project with the nodes that its nodes refer to, in other projects too; all are of one size. */
export interface PlacedBox extends Part, Point {
  /** Undefined: its nodes are in no box. */
  readonly id: string | undefined;
}

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

function labelOf({ names: [first, ...rest] }: GraphEdge) {
  if (!first) return undefined;
  const text =
    rest.length === 0 ? clip(first, longestLabel) : `${clip(first, longestLabel - 3)} +${rest.length}`;
  return { text, width: Math.ceil(textWidth(text) * noteCharacter), height: labelHeight };
}

const labelWidth = (edges: readonly GraphEdge[]): number =>
  Math.max(0, ...edges.map((edge) => labelOf(edge)?.width ?? 0));

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
  const layouts = [...new Set(nodes.map(({ box }) => box))].map((id) => {
    const all = edgesIn.get(id) ?? [];
    const links = all.length > mostEdges ? [] : all;
    const targets = new Set(links.map(({ to }) => to));
    // Lines to the nodes of other boxes themselves would run behind others.
    const inside = nodes.flatMap((node) =>
      node.box === id ? [node] : targets.has(node.id) ? [{ ...node, position: undefined, signs: [] }] : [],
    );
    return { id, ...layoutOf(inside, links, Math.max(...inside.map(widthOf))) };
  });
  const { parts, ...size } = pack(layouts, apartBoxes);
  return { boxes: parts, ...size };
}

const urgencyOf = ({ nodes }: Part): number =>
  [...nodes.values()].some(({ signs }) => signs?.includes("blocked")) ? 1 : 0;

/** Packs parts into rows, the urgent and then the tallest above. They fit into the smallest frame of the usual shape. */
function pack<One extends Part>(parts: readonly One[], gap: number) {
  const sorted = [...parts].sort((a, b) => urgencyOf(b) - urgencyOf(a) || b.height - a.height);
  const most = Math.max(widest, ...parts.map(({ width }) => width));
  let taken = 0;
  const found = sorted.flatMap(({ width }) => {
    const limit = taken + width;
    taken = limit + gap;
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
function layoutOf(given: readonly GraphNode[], edges: readonly GraphEdge[], width: number): Part {
  const nodes = given.map((node) => ({ ...node, width, height: nodeHeight }));
  const saved = savedPositions(nodes, labelWidth(edges));
  const others = nodes.filter(({ id }) => !saved?.nodes.has(id));
  const parts = connected(others, saved ? [] : edges).map((part) => layoutByDagre(...part));
  const packed = pack(saved ? [saved, ...parts] : parts, apart);
  const all = packed.parts.flatMap((part) => [...part.nodes.values()].map((node) => moved(node, part)));
  const placed = new Map(all.map((node) => [node.id, node]));
  const lines = packed.parts.flatMap((part) =>
    part.edges.map(({ edge, points, label }): PlacedEdge => {
      return { edge, points: points.map((at) => moved(at, part)), label: label && moved(label, part) };
    }),
  );
  const links = saved ? straightEdges(edges, placed) : lines;
  const size = { width: packed.width + 2 * padding, height: packed.height + 2 * padding };
  return { nodes: placed, edges: links, ...size };
}

const moved = <One extends Point>(one: One, { x, y }: Point): One => {
  return { ...one, x: one.x + x + padding, y: one.y + y + padding };
};

function connected(nodes: readonly SizedNode[], edges: readonly GraphEdge[]) {
  const near = (id: string): readonly string[] =>
    edges.flatMap(({ from, to }) => (from === id ? [to] : to === id ? [from] : []));
  const parts: ReadonlySet<string>[] = [];
  for (const { id } of nodes) if (!parts.some((part) => part.has(id))) parts.push(reachable([id], near));
  return parts.map(
    (part) => [nodes.filter(({ id }) => part.has(id)), edges.filter(({ from }) => part.has(from))] as const,
  );
}

function layoutByDagre(nodes: readonly SizedNode[], edges: readonly GraphEdge[]): Part {
  const [first] = nodes as [SizedNode];
  const size = { width: first.width, height: first.height };
  const middle = { x: size.width / 2, y: size.height / 2 };
  if (nodes.length === 1)
    return { nodes: new Map([[first.id, { ...first, ...middle }]]), edges: [], ...size };
  const { Graph, layout } = require("@dagrejs/dagre") as typeof dagreModule;
  const graph = new Graph({ multigraph: true });
  // The ranker of dagre's own choice takes longer, and shortens few edges.
  const ranker = { ranker: "tight-tree", rankdir: "LR" };
  graph.setGraph({ ...ranker, nodesep: apart, edgesep: apart / 2, ranksep: 2 * slope });
  const label = { width: labelWidth(edges), height: labelHeight };
  for (const { id } of nodes) graph.setNode(id, { ...size });
  for (const { from, to } of edges) graph.setEdge(from, to, { ...label, labelpos: "c" });
  layout(graph);
  const placed = new Map(nodes.map((node) => [node.id, { ...node, ...(graph.node(node.id) as Point) }]));
  const columns = new Set([...placed.values()].map(({ x }) => x));
  const frame = graph.graph() as Size;
  const lines = edges.map((edge): PlacedEdge => {
    const [from, to] = [placed.get(edge.from), placed.get(edge.to)] as [Point, Point];
    // The point of the edge itself is the middle of the room of its label.
    const { points, x, y } = graph.edge(edge.from, edge.to) as Point & { points: readonly Point[] };
    const forth = to.x > from.x ? 1 : -1;
    // Level as long as it passes a column.
    const stretches = [from, ...points.slice(1, -1), to].flatMap((point) => {
      const half = (forth * (columns.has(point.x) ? size : label).width) / 2;
      return [-half, half].map((step) => ({ x: point.x + step, y: point.y }));
    });
    const room = labelOf(edge);
    return { edge, points: stretches.slice(1, -1), label: room && { ...room, x, y } };
  });
  return { nodes: placed, edges: lines, width: frame.width, height: frame.height };
}

/**
 * Returns nodes where people have put them, stretched until none overlap. Undefined where people have put less than half
 * of them, or two nearly at the same point.
 */
function savedPositions(nodes: readonly SizedNode[], label: number): Part | undefined {
  const [{ width, height }] = nodes as [SizedNode];
  const put = nodes.flatMap((node) => (node.position ? [{ ...node, ...node.position }] : []));
  const [across, down] = [width + label + 2 * apart, height + labelHeight + apart];
  const stretches = put.flatMap((a, i) =>
    put.slice(i + 1).map((b) => Math.min(across / Math.abs(a.x - b.x), down / Math.abs(a.y - b.y))),
  );
  const stretch = Math.max(1, ...stretches);
  if (put.length * 2 < nodes.length || stretch > mostStretch) return undefined;
  const [xs, ys] = [put.map(({ x }) => x), put.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const placed = put.map((node): [string, PlacedNode] => {
    const [x, y] = [(node.x - left) * stretch, (node.y - top) * stretch];
    return [node.id, { ...node, x: x + width / 2, y: y + height / 2 }];
  });
  const [right, bottom] = [(Math.max(...xs) - left) * stretch, (Math.max(...ys) - top) * stretch];
  return { nodes: new Map(placed), edges: [], width: right + width, height: bottom + height };
}

/** Edges from frame to frame, each with a label in its middle where there is room. */
function straightEdges(edges: readonly GraphEdge[], nodes: Part["nodes"]): readonly PlacedEdge[] {
  const occupied: (Point & Size)[] = [...nodes.values()];
  const isFree = (one: Point & Size): boolean =>
    occupied.every(
      (other) =>
        Math.abs(one.x - other.x) >= (one.width + other.width) / 2 ||
        Math.abs(one.y - other.y) >= (one.height + other.height) / 2,
    );
  return edges.map((edge): PlacedEdge => {
    const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)] as [PlacedNode, PlacedNode];
    const [across, down] = [to.x - from.x, to.y - from.y];
    // Half of a node, as a part of the way from middle to middle.
    const part = Math.min(from.width / Math.abs(across), from.height / Math.abs(down)) / 2;
    const points = [part, 1 - part].map((at) => ({ x: from.x + across * at, y: from.y + down * at }));
    const room = labelOf(edge);
    const label = room && { ...room, x: from.x + across / 2, y: from.y + down / 2 };
    if (!label || !isFree(label)) return { edge, points };
    occupied.push(label);
    return { edge, points, label };
  });
}
