import { graphDot, graphMermaid, type LabelledGraph, type Mark, marks } from "../graph";
import { counted } from "../plan-wording";
import { html, linkTo, type Markup, nothing, type Part, table } from "./markup";
import type { Section } from "./page";
import {
  clip,
  nodeWidth,
  noteCharacter,
  type PlacedEdge,
  type Point,
  placeNodes,
  type Rectangle,
} from "./place-nodes";
import {
  isCrowded,
  isMoving,
  type ResourceChange,
  type Topology,
  type TopologyNode,
  topologyOf,
  withStandIns,
  worstMark,
} from "./topology";

/** Width of a character of a title, in the widest of the fonts that may show it. */
const titleCharacter = 7.9;
const margin = 14;
const grey = "#59636e";

/** The picture of a workspace with its legend, and the same as a list. `anchors` are ids of this page. */
export function topologySection(topology: Topology, anchors: ReadonlySet<string>): Section | undefined {
  if (topology.nodes.length === 0) return undefined;
  const drawn = withStandIns(topology);
  const body = html`<div class="picture" tabindex="0" role="region" aria-label="Picture of the topology">${pictureOf(drawn, anchors)}</div>
${legend(drawn)}${topology.isCoarse ? html`<p>${coarseNote(topology)}</p>` : nothing}${edgeList(topology)}`;
  return { id: "topology", title: "Topology", body };
}

/** What a picture of projects alone stands for. */
const coarseNote = ({ services }: Topology): string =>
  `${counted(services, "service")}: one box for each project.`;

/** The picture as a file of its own, which a browser, a wiki or an editor shows. */
export function topologyFile(topology: Topology): string {
  const { text } = pictureOf(withStandIns(topology), new Set());
  const note = topology.isCoarse ? `\n<desc>${coarseNote(topology)}</desc>` : "";
  const opened = text.replace(/^<svg ([^>]*)>/, `<svg xmlns="http://www.w3.org/2000/svg" $1>${note}`);
  // XML has no such characters, not even escaped.
  return `${opened.replace(/[\uFFFE\uFFFF]/g, "\uFFFD")}\n`;
}

/** Draws services in their projects, or in DOT and Mermaid `everything`, as a file of a format. */
export function graphFile(
  drawn: readonly ResourceChange[],
  types: Parameters<typeof topologyOf>[1],
  format: "dot" | "mermaid" | "svg",
  everything: LabelledGraph | undefined,
): string {
  const topology = topologyOf({ resource_changes: drawn }, types);
  if (format === "svg") return topologyFile(topology);
  return (format === "dot" ? graphDot : graphMermaid)(everything ?? labelledGraph(topology));
}

/** The same as a graph of labels in frames, for languages that lay it out by themselves. */
export function labelledGraph({ nodes, edges, boxes }: Topology): LabelledGraph {
  const wordsOf = ({ mark, isBlocked, notes, isProject }: TopologyNode): string => {
    const { sign, word } = marks[mark];
    return `${isBlocked ? "! blocked \u00b7 " : ""}${isProject ? notes.join(", ") : `${sign} ${word}`}`;
  };
  return {
    nodes: nodes.map((node) => {
      const { id, title, box = "", mark, isBlocked } = node;
      const found = isMoving(node) ? { mark, words: wordsOf(node), isBlocked } : undefined;
      return { id, title, frame: boxes.get(box), mark: found };
    }),
    edges,
  };
}

function pictureOf(topology: Topology, anchors: ReadonlySet<string>): Markup {
  const { nodes, edges, boxes, isCoarse } = topology;
  // Too many references between projects are in the table alone.
  const placed = placeNodes({ nodes, edges: isCoarse && isCrowded(topology) ? [] : edges });
  const [width, height] = [Math.ceil(placed.width) + 2 * margin, Math.ceil(placed.height) + 2 * margin];
  const targets = new Map(nodes.map(({ id, standsFor = id }) => [id, standsFor]));
  return html`<svg class="topology" role="group" aria-label="Topology" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace">
<rect class="paper" x="${-margin}" y="${-margin}" width="${width}" height="${height}" fill="#ffffff"/>
${[...placed.boxes].map(([id, at]) => {
  const own = nodes.filter(({ box, standsFor }) => box === id && standsFor === undefined);
  return boxMark(boxes.get(id) ?? id, worstMark(own.map(({ mark }) => mark)), at);
})}
${placed.edges.map((edge) => edgeMark(edge, targets.get(edge.edge.to) ?? ""))}
${nodes.map((node) => nodeMark(node, placed.nodes.get(node.id) as Rectangle, anchors))}
</svg>`;
}

/** A project, in the colour of the worst that happens in it. */
const boxMark = (title: string, mark: Mark, { x, y, width, height }: Rectangle): Markup =>
  html`<g class="box ${mark}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10" fill="#f6f8fa" stroke="${inkOf(mark)}"/><text x="${x + 14}" y="${y + 22}" font-size="13" font-weight="600" fill="${grey}">${clip(title, 22)}</text></g>
`;

const inkOf = (mark: Mark): string => (mark === "same" ? "#d1d9e0" : marks[mark].ink);

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Level along nodes and labels, a smooth slope between columns. */
function pathOf(points: readonly Point[]): string {
  const [first = { x: 0, y: 0 }, ...rest] = points;
  let at = first;
  const steps = rest.map((to) => {
    const middle = rounded((at.x + to.x) / 2);
    const step =
      at.y === to.y
        ? `H${rounded(to.x)}`
        : `C${middle} ${rounded(at.y)} ${middle} ${rounded(to.y)} ${rounded(to.x)} ${rounded(to.y)}`;
    at = to;
    return step;
  });
  return `M${rounded(first.x)} ${rounded(first.y)}${steps.join("")}`;
}

function edgeMark({ edge, points, label }: PlacedEdge, target: string): Markup {
  const end = points.at(-1) as Point;
  const back = (points.at(-2)?.x ?? 0) > end.x ? 1 : -1;
  const tip = `M${rounded(end.x)} ${rounded(end.y)}l${back * 8} -4v8z`;
  const words = label
    ? html`<text x="${rounded(label.x)}" y="${rounded(label.y + 10)}" font-size="11" fill="${grey}">${label.text}</text>`
    : nothing;
  return html`<g class="edge"><title>${edge.from} refers to ${target}: ${edge.names.join(", ")}</title><path d="${pathOf(points)}" fill="none" stroke="#818b98" stroke-width="1.4"/><path d="${tip}" fill="#818b98"/>${words}</g>
`;
}

/** Dashed for what comes, a double frame for what goes or is gone: the outline tells the action too. */
function frame(mark: Mark, { x, y, width, height }: Rectangle, isPill = false): Part {
  const goes = mark === "delete" || mark === "missing";
  const round = isPill ? height / 2 : goes ? 0 : Math.min(8, height / 4);
  const dash = mark === "create" || mark === "adopt" ? html` stroke-dasharray="6 3"` : nothing;
  const outer = html`<rect class="face" x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}" fill="${marks[mark].paper}" stroke="${inkOf(mark)}" stroke-width="${mark === "same" ? 1 : 2}"${dash}/>`;
  return goes || mark === "replace"
    ? html`${outer}<rect class="face inner" x="${x + 4}" y="${y + 4}" width="${width - 8}" height="${height - 8}" rx="${Math.max(0, round - 4)}" fill="none" stroke="${inkOf(mark)}"/>`
    : outer;
}

function nodeMark(node: TopologyNode, place: Rectangle, anchors: ReadonlySet<string>): Markup {
  const { id, mark, title, facts, isBlocked, isProject, isStandIn, standsFor = id } = node;
  const { ink, sign, word } = marks[mark];
  const at = { ...place, x: rounded(place.x), y: rounded(place.y) };
  const isMarked = mark !== "same" && !isProject;
  const does = [...(isBlocked ? ["! blocked"] : []), ...(isMarked ? [`${sign} ${word}`] : []), ...node.notes];
  const told = [title, isMarked ? word : "", isBlocked ? "blocked" : "", facts, ...node.notes];
  const inset = standsFor === id ? 10 : 20;
  const row = (name: string, y: number, text: string, size: number, weight: number, fill: string) => {
    const room = (nodeWidth - 2 * inset) / (size === 13 ? titleCharacter : noteCharacter);
    return html`<text class="${name}" x="${at.x + inset}" y="${at.y + y}" font-size="${size}" font-weight="${weight}" fill="${fill}">${clip(text, Math.floor(room))}</text>`;
  };
  const rows = isStandIn
    ? [row("quiet", 18, title, 11, 600, grey), row("told", 33, dotted([facts, ...does]), 11, 400, ink)]
    : [
        row("title", 20, title, 13, 700, "#1f2328"),
        row("quiet", 36, facts, 11, 400, grey),
        row("told", 52, dotted(does), 11, 600, ink),
      ];
  const kinds = [mark, ...(isBlocked ? ["stopped"] : []), ...(isStandIn ? ["standin"] : [])].join(" ");
  const changed = mark === "same" || isStandIn ? nothing : html` data-changed=""`;
  const group = html`<g class="node ${kinds}"${changed}><title>${told.filter((text) => text !== "").join(", ")}</title>${frame(mark, at, standsFor !== id)}${rows}</g>`;
  return anchors.has(standsFor) ? html`<a href="${linkTo(standsFor)}">${group}</a>\n` : html`${group}\n`;
}

const dotted = (words: readonly string[]): string => words.join(" \u00b7 ");

/** Every sign of the picture: actions, what is blocked, references. */
function legend({ nodes, edges }: Topology): Markup {
  const face = { x: 2, y: 2, width: 30, height: 16 };
  const used = (Object.keys(marks) as Mark[]).filter((mark) => nodes.some((node) => node.mark === mark));
  const blocked = html`<text class="stop" x="14" y="15" font-weight="700" fill="#a40e26">!</text>`;
  const arrow = html`<g class="edge"><path d="M2 10H28" stroke="#818b98" stroke-width="1.4"/><path d="M32 10l-8 -4v8z" fill="#818b98"/></g>`;
  const elsewhere = html`<g class="node same">${frame("same", face, true)}</g>`;
  const signs: readonly (readonly [isUsed: boolean, sign: Markup, words: string])[] = [
    ...used.map((mark) => {
      const words = `${marks[mark].sign} ${marks[mark].word}`.trim();
      return [true, html`<g class="node ${mark}">${frame(mark, face)}</g>`, words] as const;
    }),
    [nodes.some(({ isBlocked }) => isBlocked), blocked, "blocked"],
    [edges.length > 0, arrow, "refers to"],
    [nodes.some(({ standsFor }) => standsFor !== undefined), elsewhere, "in another project"],
  ];
  const items = signs.flatMap(([isUsed, sign, words]) =>
    isUsed ? [html`<li><svg width="34" height="20" aria-hidden="true">${sign}</svg>${words}`] : [],
  );
  return html`<ul class="plain legend">${items}</ul>
`;
}

/** The edges in words, for who does not see them. */
function edgeList({ edges }: Topology): Markup {
  if (edges.length === 0) return nothing;
  const rows = edges.map(({ from, to, names }) => [
    html`<code>${from}</code>`,
    html`<code>${to}</code>`,
    names.join(", "),
  ]);
  return html`<details><summary>${counted(edges.length, "reference")}, as a table</summary>${table(rows, { titles: ["From", "To", "For"] })}</details>`;
}
