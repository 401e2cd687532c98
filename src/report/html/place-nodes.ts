import type * as dagreModule from "@dagrejs/dagre";
import { compareNatural } from "../reading-order";
import {
  apart,
  type BoxedGraph,
  framed,
  type GraphEdge,
  type GraphNode,
  labelHeight,
  moved,
  type PlacedEdge,
  type PlacedGraph,
  type Point,
  type Rectangle,
  type UnsizedGraph,
} from "./boxed-graph";
import { freeEdges, savedPlaces } from "./saved-places";

/** Pixels of a row of boxes. */
const widest = 1500;
/** Pixels between a column of nodes and one of labels. */
const slope = 32;
/** Pixels between boxes. */
const between = 40;
/** Columns of nodes without references. */
const mostColumns = 5;

/**
 * Places the nodes of each box where people have put them, else from left to right by what they refer to, and boxes beside
 * each other in rows. Neither nodes nor labels nor boxes overlap. The same graph has the same picture.
 */
export function placeNodes(graph: BoxedGraph): PlacedGraph {
  const nodes = [...graph.nodes].sort((a, b) => compareNatural(a.id, b.id));
  const edges = graph.edges
    .filter(({ from, to }) => from !== to)
    .sort((a, b) => compareNatural(a.from, b.from) || compareNatural(a.to, b.to));
  const boxOf = new Map(nodes.map(({ id, box }) => [id, box]));
  // What is in no box comes last.
  const boxes = [...new Set(nodes.map(({ box = "" }) => box))].sort((a, b) =>
    a === "" ? 1 : b === "" ? -1 : compareNatural(a, b),
  );
  const picture = packed(
    boxes.map((name) => {
      const box = name === "" ? undefined : name;
      const inBox = edges.filter(({ from, to }) => boxOf.get(from) === box && boxOf.get(to) === box);
      return framed(
        placeBox(
          nodes.filter((node) => node.box === box),
          inBox,
        ),
        box,
      );
    }),
  );
  const drawn = new Set(picture.edges.map(({ edge }) => edge));
  const free = edges.filter((edge) => !drawn.has(edge));
  return { ...picture, edges: [...picture.edges, ...freeEdges(free, picture.nodes, picture.edges)] };
}

function placeBox(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): UnsizedGraph {
  const saved = savedPlaces(nodes);
  if (saved !== undefined) return { nodes: saved, boxes: new Map(), edges: [] };
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const columns = placeColumns(
    nodes.filter(({ id }) => linked.has(id)),
    edges,
  );
  const single = nodes.filter(({ id }) => !linked.has(id));
  const bottom = Math.max(
    ...[...columns.nodes.values()].map(({ y, height }) => y + height + apart),
    ...columns.edges.flatMap(({ points }) => points.map(({ y }) => y + apart)),
  );
  const rows = placeRows(single, linked.size === 0 ? 0 : bottom);
  return { ...columns, nodes: new Map([...columns.nodes, ...rows]) };
}

/** Lays out linked nodes. The room for a label is twice its height, since it is above its line. */
function placeColumns(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): UnsizedGraph {
  if (nodes.length === 0) return { nodes: new Map(), boxes: new Map(), edges: [] };
  const { Graph, layout } = require("@dagrejs/dagre") as typeof dagreModule;
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: apart, edgesep: apart / 2, ranksep: 2 * slope });
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const { from, to, labelWidth } of edges)
    graph.setEdge(from, to, { width: labelWidth, height: 2 * labelHeight + 2, labelpos: "c" }, to);
  layout(graph);
  const at = new Map(nodes.map(({ id }): [string, Rectangle] => [id, graph.node(id)]));
  const routes = edges.map((edge) => ({ edge, route: graph.edge(edge.from, edge.to, edge.to) as Route }));
  const columnWidths = new Map<number, number>();
  for (const { x, width } of [...at.values(), ...routes.map(({ route }) => route)])
    columnWidths.set(x, Math.max(width, columnWidths.get(x) ?? 0));
  return {
    nodes: new Map([...at].map(([id, node]) => [id, aroundCenter(node)])),
    boxes: new Map(),
    edges: routes.map(({ edge, route }) => placeEdge(edge, route, at, columnWidths)),
  };
}

/** Where dagre leads an edge; `x` and `y` are the middle of the room of its label. */
interface Route extends Rectangle {
  readonly points: readonly Point[];
}

const aroundCenter = ({ x, y, width, height }: Rectangle): Rectangle => ({
  ...{ x: x - width / 2, y: y - height / 2, width, height },
});

/** An edge from side to side, level as long as it passes a column. */
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
  const label = { x: x - width / 2, y: y - labelHeight - 1, width, height: labelHeight };
  return { edge, points: [start, ...passed, end], ...(width > 0 && { label }) };
}

/** Places what nothing refers to, and what refers to nothing, in rows from `top` on. */
function placeRows(nodes: readonly GraphNode[], top: number): readonly (readonly [string, Rectangle])[] {
  const columns = Math.max(1, Math.min(mostColumns, Math.ceil(Math.sqrt(nodes.length * 0.7))));
  const [width, height] = [
    Math.max(...nodes.map((node) => node.width)),
    Math.max(...nodes.map((node) => node.height)),
  ];
  return nodes.map((node, i) => [
    node.id,
    {
      ...{ x: (i % columns) * (width + apart), y: top + Math.floor(i / columns) * (height + apart) },
      ...{ width: node.width, height: node.height },
    },
  ]);
}

/** Puts pictures beside each other, in rows. */
function packed(pictures: readonly PlacedGraph[]): PlacedGraph {
  const nodes = new Map<string, Rectangle>();
  const boxes = new Map<string, Rectangle>();
  const edges: PlacedEdge[] = [];
  const limit = Math.max(widest, ...pictures.map(({ width }) => width));
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  for (const picture of pictures) {
    if (x > 0 && x + picture.width > limit) [x, y, rowHeight] = [0, y + rowHeight + between, 0];
    const placed = moved(picture, x, y);
    for (const [id, one] of placed.nodes) nodes.set(id, one);
    for (const [id, one] of placed.boxes) boxes.set(id, one);
    edges.push(...placed.edges);
    x += picture.width + between;
    rowHeight = Math.max(rowHeight, picture.height);
    width = Math.max(width, x - between);
  }
  return { nodes, boxes, edges, width, height: y + rowHeight };
}
