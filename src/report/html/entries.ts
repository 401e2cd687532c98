import type { Diagnostic, SourceRange } from "../../diagnostics/diagnostic";
import { type Address, nameOf } from "../../model/address";
import type { Change } from "../../plan/plan";
import { groupBy } from "../order";
import { fieldLines, type ShownField } from "../values";
import { html, linkTo, list, Markup, nothing, type Part, preformatted, table } from "./markup";
import type { Section } from "./page";

/** One item of a report, folded away below its line. */
export interface Entry {
  /** Addresses that links lead to; of more than one the body is headed by all of them. */
  readonly ids: readonly string[];
  /** Its line: a mark, an address, what happens to it. */
  readonly line: Markup;
  /** What is below its line; left out where the page would be too large. */
  readonly body: () => Part;
  /** What the filter finds it by: the values of each choice, by the label of the choice. */
  readonly found: Readonly<Record<string, readonly string[]>>;
}

/** Entries under a heading of their own, or without one. */
export interface EntryPart {
  readonly title?: string;
  readonly entries: readonly Entry[];
  /** Its entries are folded, however few there are. */
  readonly isFolded?: boolean;
  /** Many of them are folded away by this choice of the filter. */
  readonly groupedBy?: string;
}

/** So many entries of a page are shown unfolded. */
const mostOpen = 12;
/** Groups of a part; the last holds all others. */
const mostGroups = 40;
/** Characters of the entries of a page: with the rest of it they stay below two megabytes. */
const mostCharacters = 1_700_000;
/** Characters around what is counted of an entry. */
const frame = 60;

/** The entries of a report with their filter; undefined where there are none. `subject` is its id: `changes`. */
export function entriesSection(subject: string, parts: readonly EntryPart[]): Section | undefined {
  const entries = parts.flatMap((part) => part.entries);
  if (entries.length === 0) return undefined;
  const heads = new Map(entries.map((entry) => [entry, headMarkup(entry)]));
  // What is left for bodies, once all entries have their lines.
  let room = [...heads.values()].reduce((left, { text }) => left - text.length - frame, mostCharacters);
  const drawn = (entry: Entry, isOpen: boolean): Markup => {
    const body = room > 0 ? html`${entry.body()}` : html`<p>Fields left out.`;
    room -= body.text.length;
    return html`<details class="entry"${isOpen ? html` open` : nothing}${heads.get(entry)}${body}</div></details>
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

function partMarkup({ title, entries, groupedBy }: EntryPart, drawn: (entry: Entry) => Markup): Part {
  if (entries.length === 0) return nothing;
  const count = (own: readonly Entry[]): Markup => html`<span class="count">${countOf(own)}</span>`;
  const groups = groupedBy !== undefined && entries.length > mostOpen ? groupsOf(entries, groupedBy) : [];
  const folded = groups.map(
    ([name, own]) => html`<details class="group"><summary><b>${name}</b> ${count(own)}</summary>
${own.map(drawn)}</details>
`,
  );
  const body = folded.length === 0 ? entries.map(drawn) : folded;
  if (title === undefined) return body;
  return html`<div class="part"><h3>${title} ${count(entries)}</h3>
${body}</div>`;
}

/** The name of the last group, whose entries have several values each. */
const several = "several";

function groupsOf(entries: readonly Entry[], label: string): readonly [string, readonly Entry[]][] {
  const groupOf = ({ found: { [label]: values = [] } }: Entry): string =>
    values.every((value) => value === values[0]) ? (values[0] ?? "") : several;
  const groups = [...groupBy(entries, groupOf)].sort(
    ([a], [b]) => Number(a === several) - Number(b === several),
  );
  if (groups.length <= mostGroups) return groups;
  const others = groups.slice(mostGroups - 1);
  return [...groups.slice(0, mostGroups - 1), [`${others.length} more`, others.flatMap(([, own]) => own)]];
}

/**
 * An entry up to its fields. What has an address as its id is inside, so that a link to it unfolds the entry, without a
 * script too.
 */
function headMarkup({ ids, line, found }: Entry): Markup {
  const values = Object.values(found).map((own) => [...new Set(own)].join(","));
  const all = ids.map((id) => html`<li id="${id}"><code>${id}</code>`);
  const opening =
    ids.length > 1
      ? html`<div class="body"><ul class="addresses">${all}</ul>`
      : html`<div id="${ids[0]}" class="body">`;
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

/** What is to be known of an entry, each with a label; rows without a value are left out. */
export function noteTable(rows: readonly (readonly [label: Part, value: Part, ...Part[]])[]): Part {
  const known = rows.filter(([, value]) => value !== undefined);
  return known.length === 0 ? nothing : table(known, [], "fields");
}

/** Fields as lines of a diff, each with the line of the manifest. */
export function fieldDiff(fields: readonly ShownField[]): Part {
  const lines = fields.flatMap((field) => {
    const own = fieldLines(field);
    const place = field.range && html`  <i>${placeText(field.range)}</i>`;
    // Below its path where it has several lines.
    const at = own.length > 2 ? 0 : own.length - 1;
    return own.map((text, i) => diffLine(text, html`${text}${i === at ? place : nothing}`).text);
  });
  return lines.length === 0 ? nothing : html`<pre tabindex="0">${new Markup(lines.join("\n"))}</pre>`;
}

function diffLine(text: string, line: Markup): Markup {
  if (text.startsWith("+")) return html`<ins>${line}</ins>`;
  return text.startsWith("-") ? html`<del>${line}</del>` : line;
}

/** `rnv.yaml:9`; the file alone where the line is not known. */
export const placeText = ({ file, line }: SourceRange & { readonly line?: number }): string =>
  line === undefined ? file : `${file}:${line}`;
