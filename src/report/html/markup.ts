import { escapeHtml, escapeLines } from "../escape-text";
import { type Cell, type Code, partsOf } from "../sections";

/** Text that is HTML already. */
export class Markup {
  constructor(readonly text: string) {}
}

/** What a template takes: a text is escaped, markup stands as it is, of a list each item; false is nothing. */
export type Part = Markup | string | number | false | undefined | readonly Part[];

/** Makes markup of a template: every text in it is escaped, so that none can be forgotten. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = strings[0] ?? "";
  parts.forEach((part, i) => {
    text += textOf(part) + (strings[i + 1] ?? "");
  });
  return new Markup(text);
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  return typeof part === "object" ? part.map(textOf).join("") : escapeHtml(String(part));
}

/** A text of several lines, each escaped, for an element that keeps them. */
export const preformatted = (text: string): Markup =>
  new Markup(escapeLines(text).map(escapeHtml).join("\n"));

/** The link to what bears an id on this page. */
export const linkTo = (id: string): string => `#${encodeURIComponent(id)}`;

/** A name, an address or a value. */
export const code = (text: string | undefined): Markup => html`<code>${text}</code>`;

/** Words, or code, of a report. */
export const shownPart = (part: string | Code): Part => (typeof part === "string" ? part : code(part.code));
export const cellPart = (cell: Cell): Part => partsOf(cell).map(shownPart);

/** A list of a class; nothing where it is empty. */
export const list = (items: readonly Part[], className = "plain"): Markup =>
  html`${items.length > 0 && html`<ul class="${className}">${items.map((item) => html`<li>${item}`)}</ul>`}`;

/** A table of cells in rows; the first of each names its row. */
export function table(
  rows: readonly (readonly Part[])[],
  titles: readonly string[] = [],
  className = "plain",
): Markup {
  const heads = titles.map((title) => html`<th>${title}`);
  const head = heads.length > 0 && html`<thead><tr>${heads}</thead>`;
  const cell = (part: Part, i: number): Markup => (i === 0 ? html`<th>${part}` : html`<td>${part}`);
  return html`<table class="${className}">${head}<tbody>${rows.map((cells) => html`<tr>${cells.map(cell)}`)}</tbody></table>`;
}
