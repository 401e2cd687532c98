import { graphDot, graphMermaid, type LabelledGraph, marks } from "../graph";
import { isMoving, type ResourceChange, type Topology, type TopologyNode, topologyOf } from "./topology";
import { topologyFile } from "./topology-svg";

/** Draws services in their projects, or in DOT and Mermaid `everything`, as a file of a format. */
export function graphFile(
  drawn: readonly ResourceChange[],
  types: Parameters<typeof topologyOf>[1],
  format: "dot" | "mermaid" | "svg",
  everything: LabelledGraph | undefined,
): string {
  const topology = topologyOf({ resource_changes: drawn }, types);
  if (format === "svg") return topologyFile(topology);
  return (format === "dot" ? graphDot : graphMermaid)(everything ?? graphOfTopology(topology));
}

/** The same as a graph of labels in frames, for languages that lay it out by themselves. */
export function graphOfTopology({ nodes, edges, boxes }: Topology): LabelledGraph {
  const wordsOf = ({ mark, isBlocked, notes, isProject }: TopologyNode): string => {
    const { sign, word } = marks[mark];
    return `${isBlocked ? "! blocked \u00b7 " : ""}${isProject ? notes.join(", ") : `${sign} ${word}`}`;
  };
  return {
    nodes: nodes.map(({ id }) => id),
    edges,
    titles: new Map(nodes.map(({ id, title }) => [id, title])),
    clusters: [...boxes].map(([id, title]) => ({
      title,
      nodes: nodes.filter(({ box }) => box === id).map((node) => node.id),
    })),
    marked: new Map(
      nodes
        .filter(isMoving)
        .map((node) => [node.id, { mark: node.mark, words: wordsOf(node), isBlocked: node.isBlocked }]),
    ),
  };
}
