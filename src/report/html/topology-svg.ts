import { graphDot, graphMermaid, type LabelledGraph, type Mark, marks } from "../graph";
import { counted } from "../plan-wording";
import { code, html, linkTo, list, type Markup, nothing, type Part, table } from "./markup";
import type { Section } from "./page";
import {
  clip,
  nodeSize,
  noteCharacter,
  type PlacedBox,
  type PlacedEdge,
  type Point,
  placeNodes,
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
${legend(drawn)}${topology.left.map((text) => html`<p>${text}</p>`)}${edgeList(topology)}`;
  return { id: "topology", title: "Topology", body };
}

/** The picture as a file of its own, which a browser, a wiki or an editor shows. */
export function topologyFile(topology: Topology): string {
  const { text } = pictureOf(withStandIns(topology), new Set());
  const { left } = topology;
  const note = left.length === 0 ? nothing : html`\n<desc>${left.join(" ")}</desc>`;
  const opened = text.replace(/^<svg ([^>]*)>/, `<svg xmlns="http://www.w3.org/2000/svg" $1>${note.text}`);
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
  const topology = topologyOf(drawn, types);
  if (format === "svg") return topologyFile(topology);
  return (format === "dot" ? graphDot : graphMermaid)(everything ?? labelledGraph(topology));
}

/** The same as a graph of labels in frames, for languages that lay it out by themselves. */
export function labelledGraph({ nodes, edges, boxes }: Topology): LabelledGraph {
  const labelled = nodes.map((node) => {
    const { id, title, box = "", mark, isBlocked } = node;
    const found = isMoving(node) ? { mark, words: dotted(node.does), isBlocked } : undefined;
    return { id, title, frame: boxes.get(box), mark: found };
  });
  return { nodes: labelled, edges };
}

const dotted = (words: readonly string[]): string => words.join(" \u00b7 ");

function pictureOf(topology: Topology, anchors: ReadonlySet<string>): Markup {
  const { nodes, edges, isCoarse } = topology;
  // Too many references between projects are in the table alone.
  const placed = placeNodes({ nodes, edges: isCoarse && isCrowded(topology) ? [] : edges });
  const [width, height] = [Math.ceil(placed.width) + 2 * margin, Math.ceil(placed.height) + 2 * margin];
  return html`<svg class="topology" role="group" aria-label="Topology" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace">
<rect class="paper" x="${-margin}" y="${-margin}" width="${width}" height="${height}" fill="#ffffff"/>
${placed.boxes.map((box) => boxMark(box, topology, anchors))}</svg>`;
}

/** A project with its nodes, in the colour of the worst that happens in it. */
function boxMark(box: PlacedBox, topology: Topology, anchors: ReadonlySet<string>): Markup {
  const { id, width, height, edges } = box;
  const nodes = topology.nodes.filter((node) => node.box === id);
  const mark = worstMark(nodes.filter(({ standsFor }) => standsFor === undefined).map((node) => node.mark));
  const title = clip(topology.boxes.get(id ?? "") ?? id ?? "", Math.floor((width - 28) / titleCharacter));
  const frame = html`<rect width="${rounded(width)}" height="${rounded(height)}" rx="10" fill="#f6f8fa" stroke="${inkOf(mark)}"/><text x="14" y="18" font-size="13" font-weight="600" fill="${grey}">${title}</text>`;
  return html`<g class="box ${mark}" transform="translate(${rounded(box.x)} ${rounded(box.y)})">${id === undefined ? nothing : frame}
${edges.map((edge) => edgeMark(edge, nodes))}${nodes.map((node) => nodeMark(node, box.nodes.get(node.id) as Point, anchors))}</g>
`;
}

const inkOf = (mark: Mark): string => (mark === "same" ? "#d1d9e0" : marks[mark].ink);

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Level along nodes and labels, a smooth slope between columns. */
function pathOf(points: readonly Point[]): string {
  const [first = { x: 0, y: 0 }, ...rest] = points;
  let at = first;
  const steps = rest.map(({ x, y }) => {
    const middle = rounded((at.x + x) / 2);
    const step = at.y === y ? `H${x}` : `C${middle} ${at.y} ${middle} ${y} ${x} ${y}`;
    at = { x, y };
    return step;
  });
  return `M${first.x} ${first.y}${steps.join("")}`;
}

function edgeMark({ edge, points, label }: PlacedEdge, nodes: readonly TopologyNode[]): Markup {
  const at = points.map(({ x, y }) => ({ x: rounded(x), y: rounded(y) }));
  const end = at.at(-1) as Point;
  const back = (at.at(-2)?.x ?? 0) > end.x ? 1 : -1;
  const target = nodes.find(({ id }) => id === edge.to)?.standsFor ?? edge.to;
  const words = label
    ? html`<text x="${rounded(label.x)}" y="${rounded(label.y + 2)}" text-anchor="middle" font-size="11" fill="${grey}">${label.text}</text>`
    : nothing;
  return html`<g class="edge"><title>${edge.from} refers to ${target}: ${edge.names.join(", ")}</title><path d="${pathOf(at)}" fill="none" stroke="#818b98" stroke-width="1.4"/><path d="M${end.x} ${end.y}l${back * 8} -4v8z" fill="#818b98"/>${words}</g>
`;
}

/** Dashed for what comes, a double frame for what goes or is gone: the outline tells the action too. */
function frame(mark: Mark, width: number, height: number, isPill = false): Part {
  const goes = mark === "delete" || mark === "missing";
  const round = isPill ? height / 2 : goes ? 0 : Math.min(8, height / 4);
  const dash = mark === "create" || mark === "adopt" ? html` stroke-dasharray="6 3"` : nothing;
  const outer = html`<rect class="face" width="${width}" height="${height}" rx="${round}" fill="${marks[mark].paper}" stroke="${inkOf(mark)}" stroke-width="${mark === "same" ? 1 : 2}"${dash}/>`;
  return goes || mark === "replace"
    ? html`${outer}<rect class="face inner" x="4" y="4" width="${width - 8}" height="${height - 8}" rx="${Math.max(0, round - 4)}" fill="none" stroke="${inkOf(mark)}"/>`
    : outer;
}

/** Its title, what it is and what happens to it; round for a node of another project. */
function nodeMark(node: TopologyNode, { x, y }: Point, anchors: ReadonlySet<string>): Markup {
  const { id, mark, title, facts, isBlocked, standsFor = id } = node;
  const { width, height } = nodeSize;
  const isPill = standsFor !== id;
  const does = dotted(node.does);
  const row = (kind: string, below: number, text: string, size: number, weight: number, fill: string) => {
    const inset = isPill ? 22 : 10;
    const room = (width - 2 * inset) / (size === 13 ? titleCharacter : noteCharacter);
    return html`<text class="${kind}" x="${inset}" y="${below}" font-size="${size}" font-weight="${weight}" fill="${fill}">${clip(text, Math.floor(room))}</text>`;
  };
  const kinds = `${mark}${isBlocked ? " stopped" : ""}${isPill ? " standin" : ""}`;
  const corner = `${rounded(x - width / 2)} ${rounded(y - height / 2)}`;
  const told = [title, does, facts].filter((text) => text !== "").join(", ");
  const group = html`<g class="node ${kinds}" transform="translate(${corner})"><title>${told}</title>
${frame(mark, width, height, isPill)}
${row("title", 20, title, 13, 700, "#1f2328")}
${row("quiet", 36, facts, 11, 400, grey)}
${row("told", 52, does, 11, 600, marks[mark].ink)}</g>`;
  return anchors.has(standsFor) ? html`<a href="${linkTo(standsFor)}">${group}</a>\n` : html`${group}\n`;
}

/** Every sign of the picture: actions, what is blocked, references. */
function legend({ nodes, edges }: Topology): Markup {
  const face = (mark: Mark, isPill = false): Markup =>
    html`<g class="node ${mark}" transform="translate(2 2)">${frame(mark, 30, 16, isPill)}</g>`;
  const used = (Object.keys(marks) as Mark[]).filter((mark) => nodes.some((node) => node.mark === mark));
  const blocked = html`<text class="stop" x="14" y="15" font-weight="700" fill="#a40e26">!</text>`;
  const arrow = html`<g class="edge"><path d="M2 10H28" stroke="#818b98" stroke-width="1.4"/><path d="M32 10l-8 -4v8z" fill="#818b98"/></g>`;
  const signs: readonly (readonly [isUsed: boolean, sign: Markup, words: string])[] = [
    ...used.map((mark) => [true, face(mark), `${marks[mark].sign} ${marks[mark].word}`.trim()] as const),
    [nodes.some(({ isBlocked }) => isBlocked), blocked, "blocked"],
    [edges.length > 0, arrow, "refers to"],
    [nodes.some(({ standsFor }) => standsFor !== undefined), face("same", true), "in another project"],
  ];
  const items = signs.flatMap(([isUsed, sign, words]) =>
    isUsed ? [html`<svg width="34" height="20" aria-hidden="true">${sign}</svg>${words}`] : [],
  );
  return html`${list(items, "plain legend")}
`;
}

/** The edges in words, for who does not see them. */
function edgeList({ edges }: Topology): Markup {
  if (edges.length === 0) return nothing;
  const rows = edges.map(({ from, to, names }) => [code(from), code(to), names.join(", ")]);
  return html`<details><summary>${counted(edges.length, "reference")}, as a table</summary>${table(rows, ["From", "To", "For"])}</details>`;
}
