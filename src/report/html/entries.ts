import type { Diagnostic, SourceRange } from "../../diagnostics/diagnostic";
import { type Address, nameOf } from "../../model/address";
import type { Change } from "../../plan/plan";
import { counted } from "../plan-wording";
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

type FilterName = "action" | "cause" | "project";

/** One item of a report, folded away below its line. */
export interface Entry {
  /** Addresses that links lead to; of more than one the body is headed by all of them. */
  readonly ids: readonly string[];
  /** Its line: a mark, an address, what happens to it. */
  readonly line: Markup;
  /** What is to be known of it besides its fields, each with a label. */
  readonly notes: readonly (readonly [label: string, value: Part])[];
  /** Left out of a page that would be too large. */
  readonly fields: () => Part;
  /** What the filter finds it by. */
  readonly found: Readonly<Partial<Record<FilterName, readonly string[]>>>;
  /** It is shown however large the page is. */
  readonly isKept?: boolean;
}

/** Entries below a line that they are folded away under; without one they are shown. */
export interface EntryGroup {
  readonly line?: Markup;
  readonly entries: readonly Entry[];
}

/** Entries under a heading of their own, or without one. */
export interface EntryPart {
  readonly id?: string;
  readonly title?: string;
  readonly note?: string;
  readonly groups: readonly EntryGroup[];
  /** Its entries are unfolded. */
  readonly isOpen: boolean;
}

export interface EntriesReport {
  /** `changes`: the id, and with a capital the title, of the section. */
  readonly subject: string;
  readonly parts: readonly EntryPart[];
  /** Labels of the choices of the filter, among the values of the entries. */
  readonly filters: Readonly<Partial<Record<FilterName, string>>>;
  /** Words of a value of the filter; default: itself. */
  readonly wordOf?: (value: string, name: FilterName) => string;
  /** The command that shows what a page leaves out. */
  readonly whole: string;
}

/** Characters of the entries of a page, with their fields: with the rest of it they stay below two megabytes. */
const mostCharacters = 1_200_000;
/** Further characters for entries without fields; only what is always kept is shown beyond. */
const mostLines = 400_000;

/** The entries of a report with their filter; undefined where there are none. */
export function entriesSection(report: EntriesReport): Section | undefined {
  const { subject, parts, whole } = report;
  const entries = parts.flatMap(entriesOf);
  if (entries.length === 0) return undefined;
  const drawn = drawnWithin(parts, whole);
  const left = countOf(entries.filter((entry) => !drawn.has(entry)));
  const note =
    left === 0
      ? nothing
      : html`<p>${counted(left, "more resource")} left out, because this page would be too large: <code>${whole}</code> has all.</p>`;
  return {
    id: subject,
    title: `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`,
    count: countOf(entries),
    body: html`${filterForm(report, entries)}${parts.map((part) => partMarkup(part, drawn))}${note}`,
  };
}

const entriesOf = ({ groups }: EntryPart): readonly Entry[] => groups.flatMap(({ entries }) => entries);

const countOf = (entries: readonly Entry[]): number => entries.reduce((sum, { ids }) => sum + ids.length, 0);

/** The form that filters entries. It is hidden until the script shows it: without one it could do nothing. */
function filterForm({ subject, filters, wordOf = String }: EntriesReport, entries: readonly Entry[]): Markup {
  const selects = (Object.keys(filters) as FilterName[]).map((name) => {
    const values = [...new Set(entries.flatMap(({ found }) => found[name] ?? []))].sort();
    return values.length < 2
      ? nothing
      : html`<label>${filters[name]} <select name="${name}"><option value="">any${values.map((value) => html`<option value="${value}">${wordOf(value, name)}`)}</select></label>`;
  });
  return html`<form id="filter" role="search" aria-label="Filter the ${subject}" hidden>
<label>Text <input type="search" name="text" autocomplete="off" placeholder="address, field or value"></label>
${selects}
<span class="buttons"><button type="button" name="open">Open all</button> <button type="reset">Reset</button></span>
<output name="shown" aria-live="polite"></output>
<p class="keys">Keys: <kbd>/</kbd> search, <kbd>j</kbd> and <kbd>k</kbd> next and previous entry, <kbd>Enter</kbd> open it.</p>
</form>
`;
}

function partMarkup(part: EntryPart, drawn: ReadonlyMap<Entry, Markup>): Part {
  const { id, title, note, groups } = part;
  const count = countOf(entriesOf(part));
  if (count === 0) return nothing;
  const shown = groups.map(({ line, entries }) => {
    const markups = entries.map((entry) => drawn.get(entry));
    return line === undefined
      ? markups
      : html`<details class="group"><summary>${line}</summary>
${markups}</details>
`;
  });
  if (title === undefined) return shown;
  return html`<div class="part"${id === undefined ? nothing : html` id="${id}"`}><h3>${title} <span class="count">${count}</span></h3>
${note === undefined ? nothing : html`<p>${note}</p>`}${shown}</div>`;
}

/** Entries in their order, without fields once there are too many, and then only those that are always kept. */
function drawnWithin(parts: readonly EntryPart[], whole: string): ReadonlyMap<Entry, Markup> {
  let room = mostCharacters;
  const leftOut = html`<p>Its fields are left out, because this page would be too large: <code>${whole}</code> has them.</p>`;
  const drawn = new Map<Entry, Markup>();
  for (const part of parts)
    for (const entry of entriesOf(part)) {
      if (room < -mostLines && entry.isKept !== true) continue;
      const markup = entryMarkup(entry, part.isOpen, room > 0 ? entry.fields() : leftOut);
      room -= markup.text.length;
      drawn.set(entry, markup);
    }
  return drawn;
}

/** What bears an address as an id is inside, so that a link to it unfolds the entry, without a script too. */
function entryMarkup({ ids, line, notes, found }: Entry, isOpen: boolean, fields: Part): Markup {
  const values = Object.entries(found).map(
    ([name, own]) => html` data-${name}="${[...new Set(own)].join(" ")}"`,
  );
  const body =
    ids.length > 1
      ? html`<ul class="addresses">${ids.map((id) => html`<li id="${id}"><code>${id}</code>`)}</ul><div class="body">${fields}</div>`
      : html`<div id="${ids[0]}" class="body">${noteList(notes)}${fields}</div>`;
  return html`<details class="entry"${values}${new Markup(isOpen ? " open" : "")}><summary>${line}</summary>
${body}</details>
`;
}

/** Notes without a value are left out. */
function noteList(notes: Entry["notes"]): Markup {
  const rows = notes.filter(([, value]) => value !== undefined);
  return rows.length === 0
    ? nothing
    : html`<dl class="notes">${rows.map(([label, value]) => html`<div><dt>${label}<dd>${value}</div>`)}</dl>`;
}

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
  const sign = attributeSign(field);
  if (sign === " ") return html`${shownText(oneSide(field))}`;
  const old = sign === "+" ? nothing : html`<del>${shownText(before)}</del>`;
  const made = sign === "-" ? nothing : html`<ins>${shownText(after)}</ins>`;
  return html`${old}${sign === "~" ? " \u2192 " : ""}${made}`;
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
