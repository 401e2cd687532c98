import { escapeText } from "../escape-text";
import { type Mark, marks } from "../graph";
import { counted } from "../plan-wording";
import { textWidth } from "../style";
import type { PlacedEdge, Point, Rectangle } from "./boxed-graph";
import { html, linkTo, type Markup, nothing, type Part } from "./markup";
import type { Section } from "./page";
import { placeNodes } from "./place-nodes";
import { type Topology, type TopologyNode, worstMark } from "./topology";

const nodeWidth = 214;
const nodeHeight = 62;
const foldedHeight = 42;
/** Widths of a character of the two sizes, in the widest of the fonts that may show it. */
const titleCharacter = 7.9;
const noteCharacter = 6.7;
const longestLabel = 16;
const margin = 14;

/** Text of at most so many columns of a terminal, which are those of a font of one width. */
function clip(text: string, columns: number): string {
  const escaped = escapeText(text);
  if (textWidth(escaped) <= columns) return escaped;
  const kept: string[] = [];
  let width = 1;
  for (const character of escaped) {
    width += textWidth(character);
    if (width > columns) break;
    kept.push(character);
  }
  return `${kept.join("")}\u2026`;
}

const labelOf = (names: readonly string[]): string =>
  names.length === 0
    ? ""
    : clip(names[0] as string, names.length === 1 ? longestLabel : longestLabel - 3) +
      (names.length === 1 ? "" : ` +${names.length - 1}`);

/** The picture of a workspace with its legend, and the same as a list. `anchors` are ids of this page. */
export function topologySection(topology: Topology, anchors: ReadonlySet<string>): Section | undefined {
  const { nodes, isCoarse } = topology;
  if (nodes.length === 0) return undefined;
  const body = html`<div class="picture" tabindex="0" role="region" aria-label="Picture of the topology">${pictureOf(topology, anchors)}</div>
${legend(topology)}${isCoarse ? html`<p>${coarseNote(topology)}</p>` : nothing}${edgeList(topology)}`;
  return { id: "topology", title: "Topology", body };
}

/** What a picture of projects alone stands for. */
const coarseNote = ({ services }: Topology): string =>
  `${counted(services, "service")}: one box for each project.`;

/** The picture as a file of its own, which a browser, a wiki or an editor shows. */
export function topologyFile(topology: Topology): string {
  const { text } = pictureOf(topology, new Set());
  const note = topology.isCoarse ? `\n<desc>${coarseNote(topology)}</desc>` : "";
  const opened = text.replace(/^<svg ([^>]*)>/, `<svg xmlns="http://www.w3.org/2000/svg" $1>${note}`);
  // XML has no such characters, not even escaped.
  return `${opened.replace(/[\uFFFE\uFFFF]/g, "\uFFFD")}\n`;
}

function pictureOf({ nodes, edges, boxes }: Topology, anchors: ReadonlySet<string>): Markup {
  const labels = new Map(edges.map((edge) => [`${edge.from} ${edge.to}`, labelOf(edge.names)]));
  const placed = placeNodes({
    nodes: nodes.map(({ id, box, folded, place }) => ({
      ...{ place, isFolded: folded !== undefined },
      ...{ id, box, width: nodeWidth, height: folded === undefined ? nodeHeight : foldedHeight },
    })),
    edges: edges.map(({ from, to }) => ({
      ...{ from, to, labelWidth: Math.ceil(textWidth(labels.get(`${from} ${to}`) ?? "") * noteCharacter) },
    })),
  });
  const [width, height] = [Math.ceil(placed.width) + 2 * margin, Math.ceil(placed.height) + 2 * margin];
  const boxOf = new Map(nodes.map(({ id, box }) => [id, box]));
  const names = new Map(edges.map((edge) => [`${edge.from} ${edge.to}`, edge.names]));
  return html`<svg class="topology" role="group" aria-label="Topology" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace">
<rect class="paper" x="${-margin}" y="${-margin}" width="${width}" height="${height}" fill="#ffffff"/>
${[...placed.boxes].map(([id, at]) => {
  const own = nodes.filter(({ box }) => box === id).map(({ mark }) => mark);
  return boxMark(boxes.get(id) ?? id, worstMark(own), at);
})}
${placed.edges.map((edge) => edgeMark(edge, labels, names, boxOf.get(edge.edge.from) !== boxOf.get(edge.edge.to)))}
${nodes.map((node) => nodeMark(node, placed.nodes.get(node.id) as Rectangle, anchors))}
</svg>`;
}

/** A project, in the colour of the worst that happens in it. */
const boxMark = (title: string, mark: Mark, { x, y, width, height }: Rectangle): Markup =>
  html`<g class="box ${mark}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10" fill="#f6f8fa" stroke="${mark === "same" ? "#d1d9e0" : marks[mark].ink}"/><text x="${x + 14}" y="${y + 22}" font-size="13" font-weight="600" fill="#59636e">${clip(title, 22)}</text></g>
`;

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

function edgeMark(
  { edge, points, label }: PlacedEdge,
  labels: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, readonly string[]>,
  isBetweenBoxes: boolean,
): Markup {
  const key = `${edge.from} ${edge.to}`;
  const end = points.at(-1) as Point;
  const back = (points.at(-2)?.x ?? 0) > end.x ? 1 : -1;
  const tip = `M${rounded(end.x)} ${rounded(end.y)}l${back * 8} -4v8z`;
  const title = `${edge.from} refers to ${edge.to}: ${(names.get(key) ?? []).join(", ")}`;
  return html`<g class="edge"><title>${title}</title><path d="${pathOf(points)}" fill="none" stroke="#818b98" stroke-width="1.4"${isBetweenBoxes ? html` stroke-opacity="0.55"` : nothing}/><path d="${tip}" fill="#818b98"/>${label ? html`<text x="${rounded(label.x)}" y="${rounded(label.y + 10)}" font-size="11" fill="#59636e">${labels.get(key)}</text>` : nothing}</g>
`;
}

/** Dashed for what comes, a double frame for what goes or is gone: the outline tells the action too. */
function frame(mark: Mark, { x, y, width, height }: Rectangle): Part {
  const { ink, paper } = marks[mark];
  const goes = mark === "delete" || mark === "missing";
  const dash = mark === "create" || mark === "adopt" ? html` stroke-dasharray="6 3"` : nothing;
  const outer = html`<rect class="face" x="${x}" y="${y}" width="${width}" height="${height}" rx="${goes ? 0 : 8}" fill="${paper}" stroke="${mark === "same" ? "#d1d9e0" : ink}" stroke-width="${mark === "same" ? 1 : 2}"${dash}/>`;
  return goes || mark === "replace"
    ? html`${outer}<rect class="face inner" x="${x + 4}" y="${y + 4}" width="${width - 8}" height="${height - 8}" rx="${goes ? 0 : 5}" fill="none" stroke="${ink}"/>`
    : outer;
}

function nodeMark(node: TopologyNode, at: Rectangle, anchors: ReadonlySet<string>): Markup {
  const { x, y } = { x: rounded(at.x), y: rounded(at.y) };
  const { ink, sign, word } = marks[node.mark];
  const room = nodeWidth - 20;
  const isSame = node.mark === "same";
  const notes = [
    ...(node.isBlocked ? ["! blocked"] : []),
    ...(isSame || node.isProject ? [] : [`${sign} ${word}`]),
    ...node.notes,
  ];
  const told = [
    node.title,
    isSame || node.isProject ? "" : word,
    node.isBlocked ? "blocked" : "",
    node.facts,
    ...node.notes,
  ].filter((text) => text !== "");
  const lines =
    node.folded === undefined
      ? html`<text x="${x + 10}" y="${y + 20}" font-size="13" font-weight="700" fill="#1f2328">${clip(node.title, Math.floor(room / titleCharacter))}</text><text class="quiet" x="${x + 10}" y="${y + 36}" font-size="11" fill="#59636e">${clip(node.facts, Math.floor(room / noteCharacter))}</text><text class="told" x="${x + 10}" y="${y + 52}" font-size="11" font-weight="600" fill="${ink}">${clip(notes.join(" \u00b7 "), Math.floor(room / noteCharacter))}</text>`
      : html`<text class="quiet" x="${x + 10}" y="${y + 18}" font-size="11" font-weight="600" fill="#59636e">${clip(node.title, Math.floor(room / noteCharacter))}</text><text class="quiet" x="${x + 10}" y="${y + 33}" font-size="11" fill="#59636e">${clip(node.facts, Math.floor(room / noteCharacter))}</text>`;
  const shape = html`<title>${told.join(", ")}</title>${frame(node.mark, { ...at, x, y })}${lines}`;
  const group = html`<g class="node ${node.mark}${node.isBlocked ? " stopped" : ""}"${isSame ? nothing : html` data-changed=""`}>${shape}</g>`;
  return anchors.has(node.id) ? html`<a href="${linkTo(node.id)}">${group}</a>\n` : html`${group}\n`;
}

/** Every sign of the picture: actions, what is blocked, references. */
function legend({ nodes, edges }: Topology): Markup {
  const used = (Object.keys(marks) as Mark[]).filter((mark) => nodes.some((node) => node.mark === mark));
  const item = (sign: Markup, words: string): Markup =>
    html`<li><svg width="34" height="20" aria-hidden="true">${sign}</svg>${words}`;
  const isStopped = nodes.some(({ isBlocked }) => isBlocked);
  return html`<ul class="plain legend">${used.map((mark) =>
    item(
      html`<g class="node ${mark}">${frame(mark, { x: 2, y: 2, width: 30, height: 16 })}</g>`,
      `${marks[mark].sign} ${marks[mark].word}`.trim(),
    ),
  )}${isStopped ? item(html`<text class="stop" x="14" y="15" font-weight="700" fill="#a40e26">!</text>`, "blocked") : nothing}${edges.length > 0 ? item(html`<g class="edge"><path d="M2 10H28" stroke="#818b98" stroke-width="1.4"/><path d="M32 10l-8 -4v8z" fill="#818b98"/></g>`, "refers to") : nothing}</ul>
`;
}

/** The edges in words, for who does not see them. */
function edgeList({ edges }: Topology): Markup {
  if (edges.length === 0) return nothing;
  const rows = edges.map(
    ({ from, to, names }) => html`<tr><td><code>${from}</code><td><code>${to}</code><td>${names.join(", ")}`,
  );
  return html`<details><summary>${counted(edges.length, "reference")}, as a table</summary><table><thead><tr><th>From<th>To<th>For</thead><tbody>${rows}</tbody></table></details>`;
}
