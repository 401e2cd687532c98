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
  /** Where its label stands; undefined where there is none. */
  readonly label?: Rectangle;
}

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, Rectangle>;
  readonly boxes: ReadonlyMap<string, Rectangle>;
  readonly edges: readonly PlacedEdge[];
}

/** Pixels between neighbours, between the ends of edges on one side of a node, and of the line of one that passes. */
export const apart = 20;
export const portStep = 18;
export const lineRoom = 14;
export const labelHeight = 13;

/** Boxes that edges connect, laid out with the same columns: one lane for each, one under the other. */
export interface Group {
  readonly lanes: readonly (readonly GraphNode[])[];
  readonly edges: readonly GraphEdge[];
}
