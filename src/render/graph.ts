import { compareTexts } from "../model/text";
import { escapeText } from "./escape-text";

/** A directed graph of labels; an edge points from what depends to what it depends on. */
export interface LabelledGraph {
  readonly nodes: readonly string[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** The graph in the language of Graphviz. */
export function graphDot(graph: LabelledGraph): string {
  const quoted = (label: string) => `"${escapeText(label).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  return [
    "digraph rnv {",
    "  rankdir = LR",
    '  node [shape = box, fontname = "sans-serif"]',
    ...allNodes(graph).map((node) => `  ${quoted(node)}`),
    ...sortedEdges(graph).map(({ from, to }) => `  ${quoted(from)} -> ${quoted(to)}`),
    "}",
    "",
  ].join("\n");
}

/** The graph as a Mermaid flowchart, which GitHub and GitLab draw in a fenced block. */
export function graphMermaid(graph: LabelledGraph): string {
  const nodes = allNodes(graph);
  const ids = new Map(nodes.map((node, i) => [node, `n${i}`]));
  return [
    "flowchart LR",
    ...nodes.map((node) => `  ${ids.get(node)}["${mermaidLabel(node)}"]`),
    ...sortedEdges(graph).map(({ from, to }) => `  ${ids.get(from)} --> ${ids.get(to)}`),
    "",
  ].join("\n");
}

/** Anything but plain characters as a character code: Mermaid reads quotes, HTML and Markdown in labels. */
const mermaidLabel = (label: string): string =>
  escapeText(label).replace(/[^\p{L}\p{N}._ /-]/gu, (character) => `#${character.codePointAt(0)};`);

const allNodes = ({ nodes, edges }: LabelledGraph): string[] =>
  [...new Set([...nodes, ...edges.flatMap(({ from, to }) => [from, to])])].sort();

const sortedEdges = ({ edges }: LabelledGraph) =>
  [...edges].sort((a, b) => compareTexts(a.from, b.from) || compareTexts(a.to, b.to));
