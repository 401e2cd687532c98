import { groupBy } from "../model/collections";
import { escapeText } from "./escape-text";
import type { GraphEdge, GraphNode } from "./html/place-nodes";
import { legendOf, type Mark, marks, signText } from "./marks";
import { compareNatural } from "./order";

export interface TopologyNode extends GraphNode {
  readonly title: string;
  /** Kind, plan, region, price; of a project how many services it has. */
  readonly facts: string;
  readonly mark: Mark;
  /** Its mark, and whether it is blocked or drifted, too; of a project those of all its services. */
  readonly signs: readonly Mark[];
  /** Its changes in words: its signs, parts that change, effects; of a project the number of services that change. */
  readonly does: string;
}

/** Projects as boxes, services as nodes, references as edges: from a node to its dependency. */
export interface Topology {
  readonly nodes: readonly TopologyNode[];
  readonly edges: readonly GraphEdge[];
  readonly boxes: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

export function graphDot(graph: Topology): string {
  const { nodes, edges, frames } = inOrder(graph);
  const inner = (label: string) => escapeText(label).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  const quoted = (label: string) => `"${inner(label)}"`;
  const attributes = ({ id, title, mark, does }: TopologyNode): string => {
    if (mark === "same") return title === id ? "" : ` [label = ${quoted(title)}]`;
    const { ink, paper } = marks[mark];
    return ` [label = "${inner(title)}\\n${inner(does)}", style = filled, color = "${ink}", fontcolor = "${ink}", fillcolor = "${paper}"]`;
  };
  return [
    "digraph rnv {",
    "  rankdir = LR",
    '  node [shape = box, fontname = "sans-serif"]',
    ...(graph.notes.length === 0 ? [] : [`  label = ${quoted(graph.notes.join(" "))}`]),
    ...frames.flatMap(([title, own], i) => [
      `  subgraph cluster_${i} {`,
      `    label = ${quoted(title)}`,
      ...own.map(({ id }) => `    ${quoted(id)}`),
      "  }",
    ]),
    ...nodes.map((node) => `  ${quoted(node.id)}${attributes(node)}`),
    ...edges.map(({ from, to }) => `  ${quoted(from)} -> ${quoted(to)}`),
    "}",
    "",
  ].join("\n");
}

/** The graph as a Mermaid flowchart, which GitHub and GitLab draw in a fenced block. */
export function graphMermaid(graph: Topology): string {
  const { nodes, edges, frames } = inOrder(graph);
  const ids = new Map(nodes.map(({ id }, i) => [id, `n${i}`]));
  const boxOf = (label: string, mark: Mark): string =>
    `["${label}"]${mark === "same" ? "" : `:::${mark}Mark`}`;
  const box = ({ title, mark, does }: TopologyNode): string =>
    boxOf(`${mermaidLabel(title)}${mark === "same" ? "" : `<br/>${mermaidLabel(does)}`}`, mark);
  const styles = legendOf(nodes).filter((mark) => mark !== "same");
  const legend = [
    ...styles.map((mark, i) => `    l${i}${boxOf(mermaidLabel(signText(mark)), mark)}`),
    ...graph.notes.map((text, i) => `    m${i}${boxOf(mermaidLabel(text), "same")}`),
  ];
  return [
    "flowchart LR",
    ...frames.flatMap(([title, own], i) => [
      `  subgraph c${i}["${mermaidLabel(title)}"]`,
      ...own.map(({ id }) => `    ${ids.get(id)}`),
      "  end",
    ]),
    ...nodes.map((node) => `  ${ids.get(node.id)}${box(node)}`),
    ...edges.map(({ from, to }) => `  ${ids.get(from)} --> ${ids.get(to)}`),
    ...(legend.length === 0 ? [] : ['  subgraph legend["Legend"]', ...legend, "  end"]),
    ...styles.map((mark) => `  classDef ${mark}Mark ${mermaidStyle(mark)}`),
    "",
  ].join("\n");
}

const mermaidStyle = (mark: Mark): string =>
  `fill:${marks[mark].paper},stroke:${marks[mark].ink},color:${marks[mark].ink}`;

/** Anything but plain characters as a character code: Mermaid reads quotes, HTML and Markdown in labels. */
const mermaidLabel = (label: string): string =>
  escapeText(label).replace(/[^\p{L}\p{N}._ /-]/gu, (character) => `#${character.codePointAt(0)};`);

/** Nodes by id, those that only edges name among them; edges by their ends; and the nodes of each box, with its title. */
function inOrder({ nodes, edges, boxes }: Topology) {
  const named = edges.map(
    ({ to: id }): TopologyNode => ({ id, title: id, facts: "", mark: "same", signs: [], does: "" }),
  );
  const byId = new Map([...named, ...nodes].map((node) => [node.id, node]));
  const all = [...byId.values()].sort((a, b) => compareNatural(a.id, b.id));
  const frames = [...groupBy(all, ({ box = "" }) => boxes.get(box))].flatMap(([title, own]) =>
    title === undefined ? [] : [[title, own] as const],
  );
  const byEnds = [...edges].sort((a, b) => compareNatural(a.from, b.from) || compareNatural(a.to, b.to));
  return { nodes: all, edges: byEnds, frames };
}
