import type * as dagreModule from "@dagrejs/dagre";
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
/** Pixels of a row of boxes, and columns of nodes without references. */
const widest = 1600;
const mostColumns = 5;
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

/**
 * Places nodes, each as many pixels wide as `widthOf` says: where people have put them, else by reference from left to
 * right. Boxes are beside each other in rows. Edges stay within a box: a referenced node of another box is in both. A
 * box of too many edges has none. Neither nodes nor labels nor boxes overlap. The same graph has the same picture.
 */
export function placeNodes<Node extends GraphNode>(
  graph: { readonly nodes: readonly Node[]; readonly edges: readonly GraphEdge[] },
  widthOf: (node: Node) => number,
) {
  const nodes = [...graph.nodes].sort((a, b) => compareNatural(a.id, b.id));
  const edges = [...graph.edges].sort((a, b) => compareNatural(a.from, b.from) || compareNatural(a.to, b.to));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edgesIn = groupBy(edges, ({ from }) => byId.get(from)?.box);
  const boxes = [...groupBy(nodes, ({ box }) => box)].sort(([a], [b]) =>
    a === undefined ? 1 : b === undefined ? -1 : compareNatural(a, b),
  );
  const layouts = boxes.map(([id, own]) => {
    const all = edgesIn.get(id) ?? [];
    const links = all.length > mostEdges ? [] : all;
    // Lines to the nodes themselves would run behind others.
    const others = [...new Set(links.map(({ to }) => byId.get(to)))].flatMap((node) =>
      node === undefined || node.box === id ? [] : [{ ...node, place: undefined }],
    );
    return { id, ...layoutOf([...own, ...others], links, Math.max(...[...own, ...others].map(widthOf))) };
  });
  return inRows(layouts, Math.max(widest, ...layouts.map(({ width }) => width)), apartBoxes);
}

/** Puts boxes beside each other in rows of at most `limit` pixels, with a gap between them. */
function inRows<Box extends Size>(all: readonly Box[], limit: number, gap: number) {
  let [x, y, rowHeight, right] = [0, 0, 0, 0];
  const boxes = all.map((one): Box & Point => {
    if (x > 0 && x + one.width > limit) [x, y, rowHeight] = [0, y + rowHeight + gap, 0];
    const box = { ...one, x, y };
    rowHeight = Math.max(rowHeight, box.height);
    right = Math.max(right, x + box.width);
    x += box.width + gap;
    return box;
  });
  return { boxes, width: right, height: y + rowHeight };
}

/** Places nodes by hand or by dagre, and the others in rows below them. */
function layoutOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[], width: number): Layout {
  const nodeSize = { width, height: nodeHeight };
  const label = { width: Math.max(0, ...edges.map(labelWidth)), height: labelHeight };
  const saved = savedPlaces(nodes, nodeSize, label);
  const drawn = saved
    ? { nodes: saved, edges: [], ...endOf(saved, nodeSize) }
    : layoutByDagre(edges, nodeSize, label);
  const others = nodes.flatMap(({ id }) => (drawn.nodes.has(id) ? [] : [{ id, ...nodeSize }]));
  const columns = Math.min(mostColumns, Math.ceil(Math.sqrt(others.length * 0.7)));
  const top = drawn.nodes.size === 0 ? padding : drawn.height - padding + apart;
  const rows = inRows(others, columns * (width + apart), apart).boxes.map(({ id, x, y }): [string, Point] => [
    id,
    { x: padding + x + width / 2, y: top + y + nodeHeight / 2 },
  ]);
  const all = new Map([...drawn.nodes, ...rows]);
  const end = endOf(all, nodeSize);
  return {
    nodeSize,
    nodes: all,
    edges: saved ? straightEdges(edges, all, nodeSize) : drawn.edges,
    width: Math.max(drawn.width, end.width),
    height: Math.max(drawn.height, end.height),
  };
}

const endOf = (nodes: ReadonlyMap<string, Point>, nodeSize: Size): Size => ({
  width: Math.max(...[...nodes.values()].map(({ x }) => x)) + nodeSize.width / 2 + padding,
  height: Math.max(...[...nodes.values()].map(({ y }) => y)) + nodeSize.height / 2 + padding,
});

function layoutByDagre(edges: readonly GraphEdge[], nodeSize: Size, label: Size): Omit<Layout, "nodeSize"> {
  const { Graph, layout } = require("@dagrejs/dagre") as typeof dagreModule;
  const graph = new Graph({ multigraph: true });
  // The ranker of dagre's own choice takes longer, and shortens few edges.
  const ranker = { ranker: "tight-tree", rankdir: "LR" };
  const gaps = { nodesep: apart, edgesep: apart / 2, ranksep: 2 * slope };
  graph.setGraph({ ...ranker, ...gaps, marginx: padding, marginy: padding });
  const linked = [...new Set(edges.flatMap(({ from, to }) => [from, to]))].sort(compareNatural);
  for (const id of linked) graph.setNode(id, { ...nodeSize });
  for (const { from, to } of edges) graph.setEdge(from, to, { ...label, labelpos: "c" });
  layout(graph);
  const nodes = new Map(linked.map((id): [string, Point] => [id, graph.node(id)]));
  const columns = new Set([...nodes.values()].map(({ x }) => x));
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  const placed = edges.map((edge): PlacedEdge => {
    const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)] as [Point, Point];
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
  return { nodes, edges: placed, width, height };
}

function labelAt(edge: GraphEdge, { x, y }: Point): PlacedEdge["label"] {
  const text = labelOf(edge.names);
  return text === "" ? undefined : { text, x, y, width: labelWidth(edge), height: labelHeight };
}

/**
 * Returns nodes where people have put them, stretched until none overlap. Undefined where people have put less than half
 * of them, or two nearly at the same point.
 */
function savedPlaces(
  nodes: readonly GraphNode[],
  nodeSize: Size,
  label: Size,
): ReadonlyMap<string, Point> | undefined {
  const put = nodes.flatMap(({ id, place }) => (place ? [{ id, ...place }] : []));
  const [across, down] = [nodeSize.width + label.width + 2 * apart, nodeSize.height + label.height + apart];
  const stretches = put.flatMap((a, i) =>
    put.slice(i + 1).map((b) => Math.min(across / Math.abs(a.x - b.x), down / Math.abs(a.y - b.y))),
  );
  const stretch = Math.max(1, ...stretches);
  if (put.length * 2 < nodes.length || stretch > mostStretch) return undefined;
  const left = Math.min(...put.map(({ x }) => x)) * stretch - padding - nodeSize.width / 2;
  const top = Math.min(...put.map(({ y }) => y)) * stretch - padding - nodeSize.height / 2;
  return new Map(put.map(({ id, x, y }) => [id, { x: x * stretch - left, y: y * stretch - top }]));
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
