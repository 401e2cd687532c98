import { type Address, nameOf } from "../../model/address";
import { graphDot, graphMermaid, type Topology, type TopologyNode } from "../graph-text";
import { legendOf, type Mark, marks, tagOf } from "../marks";
import { counted } from "../plan-wording";
import { textWidth } from "../style";
import { code, html, linked, list, type Markup, type PagePart, type Part, table, tagMark } from "./page";
import {
  clip,
  noteCharacter,
  type PlacedBox,
  type PlacedEdge,
  type PlacedGraph,
  type PlacedNode,
  type Point,
  placeNodes,
} from "./place-nodes";
import { graphOfAll, type ResourceChange, topologyOf, worstMark } from "./topology";

/** Width of a character of a title, in the widest of the fonts that may show it. */
const titleCharacter = 7.9;
const longestText = 45;
/** Pixels between a frame and the texts in it, and around the picture. */
const inset = 14;
const grey = "#59636e";

const tooMany = "Of projects with too many references to draw, they are in the table alone.";

/** The picture of a workspace with its legend, and the same as a list. `anchors` are ids of this page. */
export function topologySection(topology: Topology, anchors: ReadonlySet<string>): PagePart | undefined {
  if (topology.nodes.length === 0) return undefined;
  const placed = placeNodes(topology, widthOf);
  const drawn = placed.boxes.flatMap(({ edges }) => edges).length;
  const notes = drawn < topology.edges.length ? [...topology.notes, tooMany] : topology.notes;
  const body = html`<div class="picture" tabindex="0" role="region" aria-label="Picture of the topology">${pictureOf(placed, topology, anchors)}</div>
${legend(topology)}${notes.map((text) => html`<p>${text}</p>`)}${edgeList(topology)}`;
  return { id: "topology", title: "Topology", body };
}

/** Draws services in their projects, or in DOT and Mermaid all resources, as a file of a format. */
export function graphFile(
  drawn: readonly ResourceChange[],
  types: Parameters<typeof topologyOf>[1],
  format: "dot" | "mermaid" | "svg",
  { all = false }: { readonly all?: boolean | undefined } = {},
): string {
  const topology = topologyOf(drawn, types);
  if (format === "svg") {
    const { text } = pictureOf(placeNodes(topology, widthOf), topology, new Set());
    return `${text.replace("<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `)}\n`;
  }
  return (format === "dot" ? graphDot : graphMermaid)(all ? graphOfAll(drawn) : topology);
}

function pictureOf(placed: PlacedGraph, topology: Topology, anchors: ReadonlySet<string>): Markup {
  const [width, height] = [Math.ceil(placed.width) + 2 * inset, Math.ceil(placed.height) + 2 * inset];
  return html`<svg class="topology" role="group" aria-label="Topology" width="${width}" height="${height}" viewBox="${-inset} ${-inset} ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace">
${topology.notes.length > 0 && html`<desc>${topology.notes.join(" ")}</desc>\n`}<rect class="paper" x="${-inset}" y="${-inset}" width="${width}" height="${height}" fill="#ffffff"/>
${placed.boxes.map((box) => boxMark(box, topology, anchors))}</svg>`;
}

function boxMark(box: PlacedBox, { nodes, boxes }: Topology, anchors: ReadonlySet<string>): Markup {
  const { id, width, height, edges } = box;
  const drawn = nodes.filter((node) => box.nodes.has(node.id));
  const mark = worstMark(drawn.filter((node) => node.box === id));
  const title = clip(boxes.get(id ?? "") ?? "", Math.floor((width - 2 * inset) / titleCharacter));
  const frame = html`<rect width="${rounded(width)}" height="${rounded(height)}" rx="10" fill="#f6f8fa" stroke="${inkOf(mark)}"/><text x="${inset}" y="18" font-size="13" font-weight="600" fill="${grey}">${title}</text>`;
  const nodeMarks = drawn.map((node) => [linked(node.id, nodeMark(node, box), anchors), html`\n`]);
  return html`<g class="box ${mark}" transform="translate(${rounded(box.x)} ${rounded(box.y)})">${id !== undefined && frame}
${edges.map(edgeMark)}${nodeMarks}</g>
`;
}

const inkOf = (mark: Mark): string => (mark === "same" ? "#d1d9e0" : marks[mark].ink);

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Level along nodes and labels, a smooth slope between columns; a straight line between two points. */
const pathOf = (points: readonly Point[]): string =>
  points
    .map(({ x, y }, i) => {
      const before = points[i - 1];
      if (before === undefined) return `M${x} ${y}`;
      const middle = rounded((before.x + x) / 2);
      if (before.y === y || points.length === 2) return `L${x} ${y}`;
      return `C${middle} ${before.y} ${middle} ${y} ${x} ${y}`;
    })
    .join("");

function edgeMark({ edge, points, label }: PlacedEdge): Markup {
  const at = points.map(({ x, y }) => ({ x: rounded(x), y: rounded(y) }));
  const [before, end] = at.slice(-2) as [Point, Point];
  const angle = Math.round((Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI);
  const words =
    label &&
    html`<text x="${rounded(label.x)}" y="${rounded(label.y + 4)}" text-anchor="middle" font-size="11" fill="${grey}" stroke="#f6f8fa" stroke-width="9" paint-order="stroke">${label.text}</text>`;
  return html`<g class="edge"><title>${edge.from} refers to ${edge.to}: ${edge.names.join(", ")}</title><path d="${pathOf(at)}" fill="none" stroke="#818b98" stroke-width="1.4"/><path d="M0 0l-8 -4v8z" transform="translate(${end.x} ${end.y}) rotate(${angle})" fill="#818b98"/>${words}</g>
`;
}

const nodeText = (text: string): string => clip(text, longestText);

const homeText = ({ box }: TopologyNode): string =>
  box === undefined ? "in no project" : `in ${nameOf(box as Address)}`;

/** Pixels that a node needs for its texts, wherever it is shown. */
function widthOf(node: TopologyNode): number {
  const notes = [node.facts, node.does, homeText(node)].map((text) => textWidth(nodeText(text)));
  const title = textWidth(nodeText(node.title)) * titleCharacter;
  return Math.ceil(Math.max(title, Math.max(...notes) * noteCharacter)) + 2 * inset;
}

function nodeMark(node: TopologyNode, { id, nodes }: PlacedBox): Markup {
  const { mark, title, signs, does } = node;
  const area = nodes.get(node.id) as PlacedNode;
  const { x, y, width, height } = area;
  const isElsewhere = node.box !== id;
  const facts = isElsewhere ? homeText(node) : node.facts;
  const rows = [
    { kind: "title", text: title, look: html`font-size="13" font-weight="700" fill="#1f2328"` },
    { kind: "quiet", text: facts, look: html`font-size="11" fill="${grey}"` },
    { kind: "told", text: does, look: html`font-size="11" font-weight="600" fill="${marks[mark].ink}"` },
  ].filter(({ text }) => text !== "");
  const texts = rows.map(
    ({ kind, text, look }, i) =>
      html`<text class="${kind}" x="${inset}" y="${height / 2 + 16 * (i - rows.length / 2) + 13}" ${look}>${nodeText(text)}</text>\n`,
  );
  const kinds = `${mark}${signs.includes("blocked") ? " stopped" : ""}${isElsewhere ? " standin" : ""}`;
  const corner = `${rounded(x - width / 2)} ${rounded(y - height / 2)}`;
  const label = [title, does, facts].filter((text) => text !== "").join(", ");
  return html`<g class="node ${kinds}" transform="translate(${corner})"><title>${label}</title>
${frameOf(mark, area, isElsewhere)}
${texts}</g>`;
}

/** Dashed for a new node, a double frame for a removed or missing node: the outline shows the action too. */
function frameOf(mark: Mark, { width, height }: PlacedNode, isElsewhere: boolean): Part {
  const round = isElsewhere ? height / 2 : isRemoval(mark) ? 0 : 8;
  const dash = (mark === "create" || mark === "adopt") && html` stroke-dasharray="6 3"`;
  const outer = html`<rect class="face" width="${width}" height="${height}" rx="${round}" fill="${marks[mark].paper}" stroke="${inkOf(mark)}" stroke-width="${mark === "same" ? 1 : 2}"${dash}/>`;
  if (!isRemoval(mark) && mark !== "replace") return outer;
  return html`${outer}<rect class="face inner" x="4" y="4" width="${width - 8}" height="${height - 8}" rx="${Math.max(0, round - 4)}" fill="none" stroke="${inkOf(mark)}"/>`;
}

const isRemoval = (mark: Mark): boolean => ["delete", "archive", "missing"].includes(mark);

function legend({ nodes, edges }: Topology): Markup {
  const boxOf = new Map(nodes.map(({ id, box }) => [id, box]));
  const signs = [
    ...legendOf(nodes).map((mark) => tagMark(tagOf(mark))),
    edges.length > 0 && "\u2192 refers to",
    edges.some(({ from, to }) => boxOf.get(from) !== boxOf.get(to)) && "\u25ef in another project",
  ].filter((sign) => sign !== false);
  return list(signs, "plain legend");
}

/** The edges in words, for who does not see them. */
function edgeList({ edges }: Topology): Part {
  if (edges.length === 0) return undefined;
  const rows = edges.map(({ from, to, names }) => [code(from), code(to), names.join(", ")]);
  const title = `${counted(edges.length, "reference")}, as a table`;
  return html`<details><summary>${title}</summary>${table(rows, ["From", "To", "For"])}</details>`;
}
