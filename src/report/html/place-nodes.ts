import type * as dagreModule from "@dagrejs/dagre";
import { escapeText } from "../escape-text";
import { compareNatural, groupBy } from "../order";
import { cutText } from "../style";

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

/** An edge leads from what refers to what it refers to. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** What it is for: names of variables. */
  readonly names: readonly string[];
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  /** From the node that refers to the one it refers to: level stretches, and slopes between columns. */
  readonly points: readonly Point[];
  /** Its label around a point; undefined where there is none, or no room for it. */
  readonly label?: (Point & Size & { readonly text: string }) | undefined;
}

/** The nodes of a box by their middles, and their edges, from the corner of the box. */
interface BoxLayout extends Size {
  readonly nodes: ReadonlyMap<string, Point>;
  readonly edges: readonly PlacedEdge[];
}

export interface PlacedBox extends BoxLayout, Point {
  /** Undefined: its nodes are in no box. */
  readonly id: string | undefined;
}

export interface PlacedGraph extends Size {
  readonly boxes: readonly PlacedBox[];
}

export const nodeSize: Size = { width: 214, height: 62 };
/** Width of a character of the small text, in the widest of the fonts that may show it. */
export const noteCharacter = 6.7;
const longestLabel = 16;
const labelSize: Size = { width: Math.ceil(longestLabel * noteCharacter), height: 13 };
/** Pixels between nodes, and between boxes. */
const apart = 20;
const apartBoxes = 40;
/** Pixels around the nodes of a box; its title is above them. */
const padding = 28;
/** Pixels from a node to the next one. */
const across = nodeSize.width + apart;
const down = nodeSize.height + apart;
/** Pixels between a column of nodes and one of labels. */
const slope = 32;
/** Pixels of a row of boxes, and columns of nodes without references. */
const widest = 1600;
const mostColumns = 5;
/** Above it, nodes that people have put nearly at the same point would tear the rest apart. */
const mostStretch = 6;

/** Text of at most so many columns of a terminal, which are those of a font of one width. */
export const clip = (text: string, columns: number): string => cutText(escapeText(text), columns, "\u2026");

function labelOf([first, ...rest]: readonly string[]): string {
  if (first === undefined) return "";
  return rest.length === 0 ? clip(first, longestLabel) : `${clip(first, longestLabel - 3)} +${rest.length}`;
}

/**
 * Places the nodes of each box where people have put them, else from left to right by what they refer to, and boxes beside
 * each other in rows. Edges lead from node to node of one box. Neither nodes nor labels nor boxes overlap. The same graph has
 * the same picture.
 */
export function placeNodes(graph: {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}): PlacedGraph {
  const nodes = [...graph.nodes].sort((a, b) => compareNatural(a.id, b.id));
  const edges = [...graph.edges].sort((a, b) => compareNatural(a.from, b.from) || compareNatural(a.to, b.to));
  const boxOf = new Map(nodes.map(({ id, box }) => [id, box]));
  const edgesIn = groupBy(edges, ({ from }) => boxOf.get(from));
  // What is in no box comes last.
  const layouts = [...groupBy(nodes, ({ box }) => box)]
    .sort(([a], [b]) => (a === undefined ? 1 : b === undefined ? -1 : compareNatural(a, b)))
    .map(([id, own]) => ({
      id,
      ...(layoutAsSaved(own, edgesIn.get(id)) ?? layoutByDagre(own, edgesIn.get(id))),
    }));
  return packed(layouts);
}

/** Puts boxes beside each other in rows. */
function packed(layouts: readonly (BoxLayout & Pick<PlacedBox, "id">)[]): PlacedGraph {
  const limit = Math.max(widest, ...layouts.map(({ width }) => width));
  let [x, y, rowHeight, right] = [0, 0, 0, 0];
  const boxes = layouts.map((layout): PlacedBox => {
    if (x > 0 && x + layout.width > limit) [x, y, rowHeight] = [0, y + rowHeight + apartBoxes, 0];
    const box = { ...layout, x, y };
    rowHeight = Math.max(rowHeight, box.height);
    right = Math.max(right, x + box.width);
    x += box.width + apartBoxes;
    return box;
  });
  return { boxes, width: right, height: y + rowHeight };
}

/** Places linked nodes by what they refer to, and others in rows as if each referred to the next. */
function layoutByDagre(nodes: readonly GraphNode[], edges: readonly GraphEdge[] = []): BoxLayout {
  const { Graph, layout } = require("@dagrejs/dagre") as typeof dagreModule;
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    ...{ rankdir: "LR", nodesep: apart, edgesep: apart / 2, ranksep: edges.length === 0 ? apart : 2 * slope },
    ...{ marginx: padding, marginy: padding },
    // The ranker of dagre's own choice takes longer, and shortens few edges.
    ranker: "tight-tree",
  });
  for (const { id } of nodes) graph.setNode(id, { ...nodeSize });
  // A label is above its line: the room for it is twice its height.
  const room = { width: labelSize.width, height: 2 * labelSize.height + 2, labelpos: "c" };
  for (const { from, to } of edges) graph.setEdge(from, to, { ...room }, to);
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const single = nodes.filter(({ id }) => !linked.has(id));
  const columns = Math.min(mostColumns, Math.ceil(Math.sqrt(single.length * 0.7)));
  for (const [i, { id }] of single.entries())
    if (i % columns > 0) graph.setEdge((single[i - 1] as GraphNode).id, id, {}, "row");
  layout(graph);
  const placed = new Map(nodes.map(({ id }): [string, Point] => [id, graph.node(id)]));
  const columnsOfNodes = new Set([...placed.values()].map(({ x }) => x));
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>;
  return {
    nodes: placed,
    edges: edges.map((edge): PlacedEdge => {
      const [from, to] = [placed.get(edge.from), placed.get(edge.to)] as [Point, Point];
      // The point of the edge itself is the middle of the room of its label.
      const { points, x, y } = graph.edge(edge.from, edge.to, edge.to) as Point & {
        points: readonly Point[];
      };
      const forth = to.x > from.x ? 1 : -1;
      // Level as long as it passes a column.
      const stretches = [from, ...points.slice(1, -1), to].flatMap((point) => {
        const half = (forth * (columnsOfNodes.has(point.x) ? nodeSize : labelSize).width) / 2;
        return [
          { x: point.x - half, y: point.y },
          { x: point.x + half, y: point.y },
        ];
      });
      const text = labelOf(edge.names);
      const at = { x, y: y - labelSize.height / 2 - 1, ...labelSize };
      const label = text === "" ? undefined : { text, ...at };
      return { edge, points: stretches.slice(1, -1), label };
    }),
    width,
    height,
  };
}

/**
 * Places nodes as people have put them, stretched as far as they would overlap, and others in rows below. Undefined where
 * people have put less than half of them, or two nearly at the same point.
 */
function layoutAsSaved(nodes: readonly GraphNode[], edges: readonly GraphEdge[] = []): BoxLayout | undefined {
  const put = nodes.flatMap(({ id, place }) => (place ? [{ id, ...place }] : []));
  const stretch = stretchOf(put);
  if (put.length * 2 < nodes.length || stretch > mostStretch) return undefined;
  const [left, top] = [Math.min(...put.map(({ x }) => x)), Math.min(...put.map(({ y }) => y))];
  const saved = put.map(({ id, x, y }) => ({ id, x: (x - left) * stretch, y: (y - top) * stretch }));
  const below = Math.max(...saved.map(({ y }) => y)) + down;
  const others = nodes
    .filter(({ place }) => place === undefined)
    .map(({ id }, i) => ({
      id,
      x: (i % mostColumns) * across,
      y: below + Math.floor(i / mostColumns) * down,
    }));
  const [firstX, firstY] = [padding + nodeSize.width / 2, padding + nodeSize.height / 2];
  const placed = new Map(
    [...saved, ...others].map(({ id, x, y }): [string, Point] => [id, { x: firstX + x, y: firstY + y }]),
  );
  const lines = directEdges(edges, placed);
  const right = Math.max(
    ...[...placed.values()].map(({ x }) => x + nodeSize.width / 2),
    ...lines.flatMap(({ points, label }) => [
      ...points.map(({ x }) => x),
      label ? label.x + label.width / 2 : 0,
    ]),
  );
  const bottom = Math.max(...[...placed.values()].map(({ y }) => y)) + nodeSize.height / 2;
  return { nodes: placed, edges: lines, width: right + padding, height: bottom + padding };
}

/** Returns by how much all distances must grow, so that no two nodes overlap. */
function stretchOf(nodes: readonly Point[]): number {
  const stretches = nodes.flatMap((a, i) =>
    nodes.slice(i + 1).map((b) => Math.min(across / Math.abs(a.x - b.x), down / Math.abs(a.y - b.y))),
  );
  return Math.max(1, ...stretches);
}

/** Edges from side to side, and around the right of nodes below each other, with a label where there is room. */
function directEdges(edges: readonly GraphEdge[], nodes: ReadonlyMap<string, Point>): readonly PlacedEdge[] {
  const taken = [...nodes.values()].map((at) => ({ ...at, ...nodeSize }));
  const isFree = (one: Point & Size): boolean =>
    taken.every(
      (other) =>
        Math.abs(one.x - other.x) >= (one.width + other.width) / 2 ||
        Math.abs(one.y - other.y) >= (one.height + other.height) / 2,
    );
  return edges.map((edge): PlacedEdge => {
    const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)] as [Point, Point];
    const isBeside = Math.abs(to.x - from.x) >= nodeSize.width;
    const half = nodeSize.width / 2;
    const start = { x: from.x + (isBeside && to.x < from.x ? -half : half), y: from.y };
    const end = { x: to.x + (isBeside && to.x > from.x ? -half : half), y: to.y };
    const around = Math.max(start.x, end.x) + slope;
    const detour = isBeside ? [] : [start, end].map(({ y }) => ({ x: around, y }));
    const text = labelOf(edge.names);
    const room = { width: Math.ceil(text.length * noteCharacter), height: labelSize.height };
    const x = isBeside ? (start.x + end.x) / 2 : around + room.width / 2 + 4;
    const at = { x, y: (start.y + end.y) / 2 - room.height / 2 - 1, ...room };
    const label = text !== "" && isFree(at) ? { text, ...at } : undefined;
    if (label) taken.push(label);
    return { edge, points: [start, ...detour, end], label };
  });
}
