import { counted } from "../plan-wording";
import { type Choice, type FilterName, filterForm } from "./filter";
import { html, Markup, nothing, type Part } from "./markup";
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
  /** What the filter finds it by. */
  readonly found: Readonly<Partial<Record<FilterName, readonly string[]>>>;
  /** It is shown however large the page is. */
  readonly isKept?: boolean;
}

/** Entries under a heading of their own, or without one. */
export interface EntryPart {
  readonly id?: string;
  readonly title?: string;
  readonly note?: string;
  readonly entries: readonly Entry[];
  /** Entries folded away together, below a line. */
  readonly groups?: readonly { readonly line: Markup; readonly entries: readonly Entry[] }[];
}

interface EntriesReport {
  /** `changes`: the id, and with a capital the title, of the section. */
  readonly subject: string;
  readonly parts: readonly EntryPart[];
  readonly filters: readonly Omit<Choice, "values">[];
  /** So many entries are shown unfolded. */
  readonly mostOpen: number;
  /** The command that shows what a page leaves out. */
  readonly whole: string;
}

/** Characters of the entries of a page, with their fields: with the rest of it they stay below two megabytes. */
const mostCharacters = 1_200_000;
/** Further characters for entries without fields; only what is always kept is shown beyond. */
const mostLines = 400_000;

/** The entries of a report with their filter; undefined where there are none. */
export function entriesSection(report: EntriesReport): Section | undefined {
  const { subject, parts, filters, mostOpen, whole } = report;
  const entries = parts.flatMap((part) => part.entries);
  if (entries.length === 0) return undefined;
  const drawn = drawnWithin(entries, entries.length <= mostOpen, whole);
  const markups = (own: readonly Entry[]): Part => own.map((entry) => drawn.get(entry));
  const left = countOf(entries.filter((entry) => !drawn.has(entry)));
  const note =
    left === 0
      ? nothing
      : html`<p>${counted(left, "more resource")} left out, because this page would be too large: <code>${whole}</code> has all.</p>`;
  const choices = filters.map((one) => ({
    ...one,
    values: entries.flatMap(({ found }) => found[one.name] ?? []),
  }));
  return {
    id: subject,
    title: `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`,
    count: countOf(entries),
    body: html`${filterForm(subject, choices)}${parts.map((part) => partMarkup(part, markups))}${note}`,
  };
}

const countOf = (entries: readonly Entry[]): number => entries.reduce((sum, { ids }) => sum + ids.length, 0);

function partMarkup(part: EntryPart, markups: (own: readonly Entry[]) => Part): Part {
  const { id, title, note, entries, groups } = part;
  if (entries.length === 0) return nothing;
  const shown = groups
    ? groups.map(
        ({ line, entries: own }) => html`<details class="group"><summary>${line}</summary>
${markups(own)}</details>
`,
      )
    : markups(entries);
  if (title === undefined) return shown;
  return html`<div class="part"${id === undefined ? nothing : html` id="${id}"`}><h3>${title} <span class="count">${countOf(entries)}</span></h3>
${note === undefined ? nothing : html`<p>${note}</p>`}${shown}</div>`;
}

/** Entries in their order, without fields once there are too many, and then only those that are always kept. */
function drawnWithin(entries: readonly Entry[], isOpen: boolean, whole: string): ReadonlyMap<Entry, Markup> {
  let room = mostCharacters;
  const leftOut = html`<p>Its fields are left out, because this page would be too large: <code>${whole}</code> has them.</p>`;
  const drawn = new Map<Entry, Markup>();
  for (const entry of entries) {
    if (room < -mostLines && entry.isKept !== true) continue;
    const markup = entryMarkup(entry, isOpen, room > 0 ? entry.fields() : leftOut);
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

const noteList = (notes: Entry["notes"]): Markup =>
  notes.length === 0
    ? nothing
    : html`<dl class="notes">${notes.map(([label, value]) => html`<div><dt>${label}<dd>${value}</div>`)}</dl>`;
