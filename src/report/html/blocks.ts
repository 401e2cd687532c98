import type { Diagnostic, SourceRange } from "../../diagnostics/diagnostic";
import { type Address, nameOf } from "../../model/address";
import type { Change } from "../../plan/plan";
import {
  attributeNotes,
  attributeSign,
  capLines,
  changedLines,
  isBlock,
  isHidden,
  oneSide,
  type ShownField,
  shownText,
} from "../values";
import { html, joined, linkTo, list, Markup, nothing, type Part, preformatted, table } from "./markup";
import type { Section } from "./page";

/** A word in a frame: what happens to a resource, or how a run ended. */
export const tag = (kind: string, sign: string, word: string): Markup =>
  html`<span class="mark ${kind}">${sign} ${word}</span>`;

/** Numbers above their words. */
export const cards = (
  all: readonly { readonly kind: string; readonly words: string; readonly count: number }[],
): Markup =>
  html`<dl class="cards">${all.map(({ kind, words, count }) => html`<div class="${count > 0 ? kind : "zero"}"><dt>${words}<dd>${count}</div>`)}</dl>`;

/** Findings with their hints; `placeOf` says where one is. */
export const findingList = <Finding extends Omit<Diagnostic, "address" | "range">>(
  findings: readonly Finding[],
  placeOf: (finding: Finding) => string | undefined,
): Markup =>
  list(
    findings.map((finding) => {
      const { severity, code, summary, detail, hint } = finding;
      const place = placeOf(finding);
      return html`<p><strong class="${severity}">${severity}[${code}]</strong>: ${summary}${place === undefined ? nothing : html` <code>${place}</code>`}</p>${detail === undefined ? nothing : html`<pre tabindex="0">${preformatted(detail)}</pre>`}${hint === undefined ? nothing : html`<p>hint: ${hint}</p>`}`;
    }),
  );

export function findingsSection(diagnostics: readonly Diagnostic[]): Section | undefined {
  if (diagnostics.length === 0) return undefined;
  const body = findingList(diagnostics, ({ range }) => range && placeText(range));
  return { id: "findings", title: "Findings", count: diagnostics.length, body };
}

/** The project or service at the head of an address; texts that people filter by. */
export const headOf = ({ address, construct }: Pick<Change, "address" | "construct">): string =>
  nameOf((construct?.in ?? address) as Address).split(".")[0] ?? "";

/** A link to a change on this page. */
export const linkedAddress = (address: Address, isHere: boolean): Markup =>
  isHere ? html`<a href="${linkTo(address)}"><code>${address}</code></a>` : html`<code>${address}</code>`;

/** Fields as rows: path, both sides, why, and the line of the manifest. */
export const fieldRows = (fields: readonly ShownField[]): Markup =>
  fields.length === 0
    ? nothing
    : table(
        fields.map((field) => [field.path, sidesOf(field), ...notesOf(field)]),
        { className: "fields", head: 0 },
      );

/** Reasons and place in one cell: most fields of something new have the place alone, many neither. */
function notesOf(field: ShownField): readonly Part[] {
  const notes = attributeNotes(field).map((note) =>
    note === "forces replacement" ? html`<em class="force">${note}</em> ` : html`<em>${note}</em> `,
  );
  const place = field.range === undefined ? [] : [html`<code>${placeText(field.range)}</code>`];
  return notes.length + place.length === 0 ? [] : [[...notes, ...place]];
}

/** `rnv.yaml:9`; the file alone where the line is not known. */
export const placeText = ({ file, line }: SourceRange & { readonly line?: number }): string =>
  line === undefined ? file : `${file}:${line}`;

function sidesOf(field: ShownField): Markup {
  const { before, after } = field;
  if (isHidden(field)) return html`changes (hidden)`;
  if (isBlock(before) || isBlock(after)) return linesOf(field);
  switch (attributeSign(field)) {
    case "~":
      return html`<del>${shownText(before)}</del> \u2192 <ins>${shownText(after)}</ins>`;
    case "-":
      return html`<del>${shownText(before)}</del>`;
    case "+":
      return html`<ins>${shownText(after)}</ins>`;
    default:
      return html`${shownText(oneSide(field))}`;
  }
}

const lineTags = { "+": "ins", "-": "del" } as const;

function linesOf(field: ShownField): Markup {
  const lines = changedLines(field).map(({ sign, text }) => ({ sign, line: `${sign} ${text}` }));
  const shown = capLines(lines.map(({ line }) => line)).map((text, i) => {
    const sign = lines[i]?.line === text ? lines[i]?.sign : undefined;
    const tag = sign === "+" || sign === "-" ? lineTags[sign] : undefined;
    return tag === undefined ? html`${text}` : html`<${new Markup(tag)}>${text}</${new Markup(tag)}>`;
  });
  return html`<pre tabindex="0">${joined(shown, "\n")}</pre>`;
}
