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
import { html, linkTo, list, Markup, nothing, type Part, preformatted, table } from "./markup";
import type { Section } from "./page";

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
  /** What the filter finds it by: the values of each choice, by the label of the choice. */
  readonly found: Readonly<Record<string, readonly string[]>>;
}

/** Entries below a line that they are folded away under; without one they are shown. */
export interface EntryGroup {
  readonly line?: Markup;
  readonly entries: readonly Entry[];
}

/** Entries under a heading of their own, or without one. */
export interface EntryPart {
  readonly title?: string;
  readonly groups: readonly EntryGroup[];
  /** Its entries are folded, however few there are. */
  readonly isFolded?: boolean;
}

/** So many entries of a page are shown unfolded. */
const mostOpen = 12;
/** Characters of the entries of a page: with the rest of it they stay below two megabytes. */
const mostCharacters = 1_700_000;
/** Characters around what is counted of an entry. */
const frame = 60;

/** The entries of a report with their filter; undefined where there are none. `subject` is its id: `changes`. */
export function entriesSection(subject: string, parts: readonly EntryPart[]): Section | undefined {
  const entries = parts.flatMap(entriesOf);
  if (entries.length === 0) return undefined;
  const heads = new Map(entries.map((entry) => [entry, headMarkup(entry)]));
  // What is left for fields, once all entries have their lines.
  let room = [...heads.values()].reduce((left, { text }) => left - text.length - frame, mostCharacters);
  const drawn = (entry: Entry, isOpen: boolean): Markup => {
    const fields = room > 0 ? html`${entry.fields()}` : html`<p>Fields left out.`;
    room -= fields.text.length;
    return html`<details class="entry"${isOpen ? html` open` : nothing}${heads.get(entry)}${fields}</div></details>
`;
  };
  const isShort = entries.length <= mostOpen;
  const bodies = parts.map((part) => partMarkup(part, (entry) => drawn(entry, isShort && !part.isFolded)));
  const note =
    room < 0
      ? html`<p>Fields are left out where this page would be too large. They are in the JSON of this report.</p>`
      : nothing;
  const title = `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`;
  const body = html`${filterForm(subject, entries)}${note}${bodies}`;
  return { id: subject, title, count: countOf(entries), body };
}

const entriesOf = ({ groups }: EntryPart): readonly Entry[] => groups.flatMap(({ entries }) => entries);

const countOf = (entries: readonly Entry[]): number => entries.reduce((sum, { ids }) => sum + ids.length, 0);

/** The form that filters entries. It is hidden until the script shows it: without one it could do nothing. */
function filterForm(subject: string, entries: readonly Entry[]): Markup {
  const selects = Object.keys(entries[0]?.found ?? {}).map((label, i) => {
    const values = [...new Set(entries.flatMap(({ found }) => found[label] ?? []))].sort();
    const options = values.map((value) => html`<option>${value}`);
    return values.length < 2
      ? nothing
      : html`<label>${label} <select name="${i}"><option value="">any${options}</select></label>`;
  });
  return html`<form id="filter" role="search" aria-label="Filter the ${subject}" hidden>
<label>Text <input type="search" name="text" autocomplete="off" placeholder="address, field or value"></label>
${selects}
<span class="buttons"><button type="button" name="open">Open all</button> <button type="reset">Reset</button></span>
<output name="shown" aria-live="polite"></output>
</form>
`;
}

function partMarkup(part: EntryPart, drawn: (entry: Entry) => Markup): Part {
  const count = countOf(entriesOf(part));
  if (count === 0) return nothing;
  const shown = part.groups.map(({ line, entries }) =>
    line === undefined
      ? entries.map(drawn)
      : html`<details class="group"><summary>${line}</summary>
${entries.map(drawn)}</details>
`,
  );
  if (part.title === undefined) return shown;
  return html`<div class="part"><h3>${part.title} <span class="count">${count}</span></h3>
${shown}</div>`;
}

/**
 * An entry up to its fields. What has an address as its id is inside, so that a link to it unfolds the entry, without a
 * script too.
 */
function headMarkup({ ids, line, notes, found }: Entry): Markup {
  const values = Object.values(found).map((own) => [...new Set(own)].join(","));
  const rows = notes.filter(([, value]) => value !== undefined);
  const noteList = html`<dl class="notes">${rows.map(([label, value]) => html`<div><dt>${label}<dd>${value}</div>`)}</dl>`;
  const opening =
    ids.length > 1
      ? html`<ul class="addresses">${ids.map((id) => html`<li id="${id}"><code>${id}</code>`)}</ul><div class="body">`
      : html`<div id="${ids[0]}" class="body">${rows.length === 0 ? nothing : noteList}`;
  return html` data-found="${values.join("|")}"><summary>${line}</summary>
${opening}`;
}

/** A word in a frame: what happens to a resource, or how a run ended. */
export const tag = (kind: string, sign: string, word: string): Markup =>
  html`<span class="mark ${kind}">${sign} ${word}</span>`;

/** Findings with their hints; `placeOf` says where one is. */
export const findingList = <Finding extends Omit<Diagnostic, "address" | "range">>(
  findings: readonly Finding[],
  placeOf: (finding: Finding) => string | undefined,
): Markup =>
  list(
    findings.map((finding) => {
      const { severity, code, summary, detail, hint } = finding;
      const place = placeOf(finding);
      return html`<p><strong class="${severity}">${severity}[${code}]</strong>: ${summary}${place && html` <code>${place}</code>`}</p>${detail && html`<pre tabindex="0">${preformatted(detail)}</pre>`}${hint && html`<p>hint: ${hint}</p>`}`;
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
        [],
        "fields",
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

function linesOf(field: ShownField): Markup {
  const lines = changedLines(field).map(({ sign, text }) => {
    const line = html`${sign} ${text}`;
    return sign === "+" ? html`<ins>${line}</ins>` : sign === "-" ? html`<del>${line}</del>` : line;
  });
  return html`<pre tabindex="0">${new Markup(capLines(lines.map(({ text }) => text)).join("\n"))}</pre>`;
}
