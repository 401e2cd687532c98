import { assignColumns, searchLayers } from "./arrange-columns";
import {
  apart,
  type BoxedGraph,
  type GraphEdge,
  type GraphNode,
  type Group,
  type PlacedEdge,
  type PlacedGraph,
  type Rectangle,
} from "./boxed-graph";
import { drawLanes, moved } from "./draw-lanes";
import { freeEdges, savedPicture } from "./saved-places";

/** Pixels of a row of pictures. */
const widest = 1500;

/**
 * Places nodes in columns by what they refer to, boxes as lanes, and edges from column to column, so that neither nodes
 * nor labels nor boxes overlap. The same graph has the same picture.
 */
export function placeNodes(graph: BoxedGraph): PlacedGraph {
  const saved = savedPictures(graph);
  const isFree = ({ from, to }: GraphEdge): boolean =>
    from !== to && saved.some(({ nodes }) => nodes.has(from) || nodes.has(to));
  const ours = {
    nodes: graph.nodes.filter(({ id }) => !saved.some(({ nodes }) => nodes.has(id))),
    edges: graph.edges.filter((edge) => !isFree(edge)),
  };
  const picture = packed([...saved, ...groupsOf(ours).map(placeGroup)]);
  const free = freeEdges(graph.edges.filter(isFree), picture.nodes, picture.edges);
  return { ...picture, edges: [...picture.edges, ...free] };
}

/** Boxes whose nodes people have put somewhere. */
function savedPictures({ nodes }: BoxedGraph): readonly PlacedGraph[] {
  const boxes = [
    ...new Set(nodes.flatMap(({ box, place }) => (box !== undefined && place ? [box] : []))),
  ].sort();
  return boxes.flatMap((box) => {
    const own = nodes.filter((node) => node.box === box);
    const [put, rest] = [own.filter(({ isFolded }) => !isFolded), own.filter(({ isFolded }) => isFolded)];
    return savedPicture(put, rest) ?? [];
  });
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
  return drawLanes(group, layered, order, linked);
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
