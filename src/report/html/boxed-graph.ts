/** A graph of nodes in boxes; an edge leads from what refers to what it refers to. */
export interface BoxedGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly id: string;
  /** Undefined: it is in no box. */
  readonly box?: string | undefined;
  readonly width: number;
  readonly height: number;
  /** Where people have put it. */
  readonly place?: Point | undefined;
  /** It stands for others, and has no saved position. */
  readonly isFolded?: boolean;
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

/** Returns whether two rectangles have a point in common. */
export const isOverlapping = (a: Rectangle, b: Rectangle): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

export interface PlacedEdge {
  readonly edge: GraphEdge;
  /** From the node that refers to the one it refers to: level stretches, and slopes between columns. */
  readonly points: readonly Point[];
  /** Position of its label; undefined where there is none. */
  readonly label?: Rectangle;
}

/** A picture of unknown size. */
export interface UnsizedGraph {
  readonly nodes: ReadonlyMap<string, Rectangle>;
  readonly boxes: ReadonlyMap<string, Rectangle>;
  readonly edges: readonly PlacedEdge[];
}

export interface PlacedGraph extends UnsizedGraph {
  readonly width: number;
  readonly height: number;
}

/** Pixels between neighbours, around the nodes of a box, for its title, and of a label. */
export const apart = 20;
const padding = 18;
const titleRoom = 34;
export const labelHeight = 13;

/** Frames a picture with a box, where it has one, and moves it to the origin. */
export function framed(picture: UnsizedGraph, box: string | undefined): PlacedGraph {
  if (box === undefined) return atOrigin(picture);
  const { x, y, width, height } = extentOf(picture);
  const frame = {
    ...{ x: x - padding, y: y - titleRoom },
    ...{ width: width + 2 * padding, height: height + titleRoom + padding },
  };
  return atOrigin({ ...picture, boxes: new Map([[box, frame]]) });
}

function atOrigin(picture: UnsizedGraph): PlacedGraph {
  const { x, y, width, height } = extentOf(picture);
  return { ...moved(picture, -x, -y), width, height };
}

/** The smallest rectangle around all that a picture shows. */
function extentOf({ nodes, boxes, edges }: UnsizedGraph): Rectangle {
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
  return { x: left, y: top, width, height };
}

/** The same picture elsewhere. */
export function moved({ nodes, boxes, edges }: UnsizedGraph, x: number, y: number): UnsizedGraph {
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
