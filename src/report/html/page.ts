import type { Diagnostic } from "../../diagnostics/diagnostic";
import { groupBy } from "../../model/collections";
import { sha256 } from "../../model/sha256";
import { capitalized, shortList } from "../../model/wording";
import { shortDigest } from "../../plan/digest";
import { groupFindings, placeText, sameFor, subjectOf, summaryOf } from "../diagnostics";
import { escapeHtml, escapeLines } from "../escape-text";
import { fieldLines, type ShownField } from "../field-text";
import { tagOf } from "../marks";
import { type Cell, type Code, type Item, lineOf, partsOf, type Section, type Tag } from "../sections";
import { pageScript, pageStyle } from "./page-assets";

/** Text that is HTML already. */
export class Markup {
  constructor(readonly text: string) {}
}

/** A part of a template: text is escaped, markup stays as it is, each item of a list is a part; false is nothing. */
export type Part = Markup | string | number | false | undefined | readonly Part[];

/** Makes markup of a template: every text in it is escaped, so that none can be forgotten. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.map((text, i) => text + textOf(parts[i])).join(""));

function textOf(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  return typeof part === "object" ? part.map(textOf).join("") : escapeHtml(String(part));
}

/** Lines as they are, which keys can scroll; nothing where there are none. */
const preformatted = (lines: readonly Part[]): Part =>
  lines.length > 0 && html`<pre tabindex="0">${lines.map((line, i) => [i > 0 && html`\n`, line])}</pre>`;

export const link = (id: string, part: Part): Markup =>
  html`<a href="#${encodeURIComponent(id)}">${part}</a>`;

/** A link where the page has the id. */
export const linked = (id: string, part: Part, anchors: ReadonlySet<string>): Part =>
  anchors.has(id) ? link(id, part) : part;

export const code = (text: string | undefined): Markup => html`<code>${text}</code>`;

const shownPart = (part: string | Code): Part => (typeof part === "string" ? part : code(part.code));
const cellPart = (cell: Cell): Part => partsOf(cell).map(shownPart);

export const list = (items: readonly Part[], className = "plain"): Markup =>
  html`${items.length > 0 && html`<ul class="${className}">${items.map((item) => html`<li>${item}`)}</ul>`}`;

/** A table of cells in rows; the first of each names its row. */
export function table(
  rows: readonly (readonly Part[])[],
  titles: readonly string[] = [],
  className = "plain",
): Markup {
  const head = titles.length > 0 && html`<thead><tr>${titles.map((title) => html`<th>${title}`)}</thead>`;
  const cell = (part: Part, i: number): Markup => (i === 0 ? html`<th>${part}` : html`<td>${part}`);
  return html`<table class="${className}">${head}<tbody>${rows.map((cells) => html`<tr>${cells.map(cell)}`)}</tbody></table>`;
}

export interface PagePart {
  readonly id: string;
  readonly title: string;
  /** Beside the title, in the list of sections too. */
  readonly count?: number;
  readonly body: Part;
}

export interface PageReport {
  /** `rnv plan`. */
  readonly heading: string;
  /** One or two words, which say the same as `tone`. */
  readonly verdict: string;
  /** The first impression of a report: stopped, with changes, without changes. */
  readonly tone: "stop" | "act" | "calm";
  /** The line that ends the text of the same report. */
  readonly line: string;
  /** Sentences below it: counts, cost; those that are empty are left out. */
  readonly also?: readonly string[];
  /** Its subject: workspace, stage, digest; empty values are left out. */
  readonly facts: readonly (readonly [label: string, value: Part])[];
  readonly sections: readonly (PagePart | undefined)[];
}

const inBase64 = (text: string): string => Buffer.from(sha256(text), "hex").toString("base64");

/** Nothing is loaded and nothing else runs: the style and the script of this page are known by their digests. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${inBase64(pageStyle)}'`,
  `script-src 'sha256-${inBase64(pageScript)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Writes a report as one HTML file. It is whole without its style and its script, and makes no request. */
export function page({ heading, verdict, tone, line, also = [], facts, sections }: PageReport): string {
  const shown = sections.filter((section) => section !== undefined);
  const links = shown.map((section) => link(section.id, titleOf(section)));
  const known = facts.filter(([, value]) => value);
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${heading}: ${line}</title>
<style>${new Markup(pageStyle)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header class="top ${tone}">
<h1>${heading}</h1>
<p class="line"><strong class="verdict">${verdict}</strong> ${line}</p>
${also.filter((text) => text !== "").map((text) => html`<p>${text}</p>\n`)}
<dl class="facts">${known.map(([label, value]) => html`<div><dt>${label}<dd>${value}</div>`)}</dl>
</header>
${links.length > 0 && html`<nav aria-label="Sections">${list(links)}</nav>`}
<main id="main" tabindex="-1">
${shown.map(
  (section) => html`<section id="${section.id}" aria-labelledby="${section.id}-title">
<h2 id="${section.id}-title">${titleOf(section)}</h2>
${section.body}
</section>
`,
)}
</main>
<footer><p>Made by rnv. This page makes no network requests.</p></footer>
<script>${new Markup(pageScript)}</script>
</body>
</html>
`.text;
}

const titleOf = ({ title, count }: PagePart): Part =>
  html`${title}${count !== undefined && html` <span class="count">${count}</span>`}`;

/** The first characters of a digest; the whole is copied, and shown by a pointer. */
export const shortened = (digest: string): Markup =>
  html`<code class="copy" data-copy="${digest}" title="${digest}">${digest.slice(0, shortDigest)}</code>`;

/**
 * A report: its items as entries with a filter, then its other sections, those of one `id` as one. Entries have the id
 * `subject`, and the filter calls their tags `tags`.
 */
export function reportParts(subject: string, tags: string, sections: readonly Section[]) {
  const entries = sections.filter(({ items }) => items);
  const listed = sections.filter(({ items }) => !items);
  const lists = [...groupBy(listed, ({ id }) => id)].map(([id, own]): PagePart => {
    const count = own.reduce((sum, { rows }) => sum + rows.length, 0);
    const body = own.map(({ heading, title, rows }) => [
      heading !== `${title}:` && html`<p>${cellPart(heading)}</p>`,
      list(rows.map((row) => lineOf(row, shownPart))),
    ]);
    return { id, title: own[0]?.title ?? id, count: count || undefined, body };
  });
  return [entriesPart(subject, tags, entries), ...lists];
}

/** The values that the filter matches in an entry, for each choice, in the order of the choices. */
const foundBy = ({ tag, fields = [], homes = [] }: Item): readonly (readonly string[])[] => [
  tag === undefined ? [] : [tag[2]],
  [...new Set(fields.map(({ cause }) => cause))],
  [...new Set(homes)],
];

/** So many entries of a page are shown unfolded. */
const mostOpen = 12;
/** So many are listed one by one, unless they are new. */
const mostListed = 100;
/** Groups of a part; the last holds all others. */
const mostGroups = 40;
/** Characters of the entries of a page: with the rest of it they stay below two megabytes. */
const mostCharacters = 1_600_000;
/** Characters around the counted text of an entry. */
const frame = 60;

function entriesPart(subject: string, tags: string, sections: readonly Section[]): PagePart | undefined {
  const entries = sections.flatMap(({ items = [] }) => items);
  if (entries.length === 0) return undefined;
  const seen = new Set<string>();
  const heads = new Map(entries.map((entry) => [entry, headOf(entry, seen)]));
  // The room for bodies, once all entries have their lines.
  let room = [...heads.values()].reduce((left, { text }) => left - text.length - frame, mostCharacters);
  const isShort = entries.length <= mostOpen;
  const bodies = sections.map((section) =>
    entryList(section, (entry) => {
      const body = room > 0 ? bodyOf(entry) : html`<p>Fields left out.`;
      room -= body.text.length;
      return html`<details class="entry"${isShort && !section.isFolded && html` open`}${heads.get(entry)}${body}</div></details>\n`;
    }),
  );
  const left = "Fields are left out where this page would be too large. They are in the JSON of this report.";
  const body = html`${filterForm(subject, [tags, "Cause", "Project or service"], entries)}${room < 0 && html`<p>${left}</p>`}${bodies}`;
  return { id: subject, title: capitalized(subject), count: countOf(entries), body };
}

const countOf = (entries: readonly Item[]): number =>
  entries.reduce((sum, { names = [] }) => sum + (names.length || 1), 0);

/** The form that filters entries. It is hidden until the script shows it: without one it could do nothing. */
function filterForm(subject: string, labels: readonly string[], entries: readonly Item[]): Markup {
  const found = entries.map(foundBy);
  const selects = labels.map((label, i) => {
    const values = [...new Set(found.flatMap((own) => own[i] ?? []))].sort();
    const options = values.map((value) => html`<option>${value}`);
    if (values.length < 2) return false;
    return html`<label>${label} <select name="${i}"><option value="">any${options}</select></label>`;
  });
  return html`<form id="filter" role="search" aria-label="Filter the ${subject}" hidden>
<label>Text <input type="search" name="text" autocomplete="off" placeholder="address, field or value"></label>
${selects}
<span class="buttons"><button type="button" name="open">Open all</button> <button type="reset">Reset</button></span>
<output name="shown" aria-live="polite"></output>
</form>
<p id="none" hidden>No ${subject.slice(0, -1)} matches. <button type="reset" form="filter">Reset</button></p>
`;
}

/** Entries below their title, where they have one; many are folded away by their homes, but no losses. */
function entryList({ title, items: entries = [], weight }: Section, drawn: (entry: Item) => Markup): Part {
  const count = (own: readonly Item[]): Markup => html`<span class="count">${countOf(own)}</span>`;
  const isNew = entries.every(({ tag }) => tag?.[0] === "create");
  const isLong = weight !== "whole" && entries.length > (isNew ? mostOpen : mostListed);
  const group = ([name, own]: readonly [string, readonly Item[]]): Markup =>
    html`<details class="group"><summary><b>${name}</b> ${count(own)}</summary>\n${own.map(drawn)}</details>\n`;
  const body = isLong ? groupsOf(entries).map(group) : entries.map(drawn);
  return title === "" ? body : html`<div class="part"><h3>${title} ${count(entries)}</h3>\n${body}</div>`;
}

function groupsOf(entries: readonly Item[]): readonly [string, readonly Item[]][] {
  const groups = [...groupBy(entries, ({ homes }) => shortList([...new Set(homes)], 3))];
  if (groups.length <= mostGroups) return groups;
  const others = groups.slice(mostGroups - 1);
  return [...groups.slice(0, mostGroups - 1), [`${others.length} more`, others.flatMap(([, own]) => own)]];
}

/**
 * An entry up to its fields. An element with an address as its id is inside: a link to it unfolds the entry, without a
 * script too. No two elements share an id: `seen` has those that are taken.
 */
function headOf(entry: Item, seen: Set<string>): Markup {
  const { subject, names = [], tag, phrase, tagPhrase = phrase, effects, stop } = entry;
  const idOf = (name: string): Part => !seen.has(name) && seen.add(name) && html` id="${name}"`;
  const values = foundBy(entry).map((own) => own.join(","));
  const line = [
    tag && tagMark(tag),
    stop && html` ${tagMark(tagOf("blocked"))}`,
    html` ${names.length > 0 ? html`<b>${subject}</b>` : code(subject)} ${tagPhrase}`,
    effects && html` <span class="effect">${effects}</span>`,
  ];
  const lines = names.map((name) => html`<li${idOf(name)}>${code(name)}`);
  const addresses = lines.length > 0 && html`<ul class="addresses">${lines}</ul>`;
  return html` data-found="${values.join("|")}"><summary>${line}</summary>\n<div${!addresses && idOf(subject)} class="body">${addresses}`;
}

/** Notes, facts and fields. Why it is blocked is in a section of its own. */
function bodyOf(entry: Item): Markup {
  const { name, id, notes = [], fields = [], facts = [], printed = [] } = entry;
  const plain = facts.filter(({ label }) => label === undefined);
  const lines = [...notes, ...plain.map(({ text }) => cellPart(text))];
  const rows = facts.flatMap(({ label, text }) => (label === undefined ? [] : [[label, cellPart(text)]]));
  const known = [["name", name && code(name)], ["id", id && code(id)], ...rows].filter(
    ([, value]) => value !== undefined,
  );
  return html`${list(lines)}${known.length > 0 && table(known, [], "fields")}${preformatted(fieldDiff(fields))}${preformatted(printed.flatMap(escapeLines))}`;
}

export const tagMark = ([kind, sign, word]: Tag): Markup =>
  html`<span class="mark ${kind}">${sign} ${word}</span>`;

/** Errors and warnings, grouped as in the text. `anchors` are ids of this page. */
export function findingsSections(diagnostics: readonly Diagnostic[], anchors: ReadonlySet<string>) {
  const finding = ([first, ...others]: readonly [Diagnostic, ...Diagnostic[]]): Markup => {
    const { severity, code, detail, hint, range } = first;
    const place = range && html` <code>${placeText(range)}</code>`;
    const addresses = others.map(subjectOf).map((text) => linked(text, text, anchors));
    const names = list(addresses, "addresses");
    const same = others.length > 0 && html`<details><summary>${sameFor(others)}</summary>${names}</details>`;
    return html`<p><strong class="${severity}">${severity}[${code}]</strong>: ${summaryOf(first)}${place}</p>${detail && preformatted(escapeLines(detail))}${hint && html`<p>hint: ${hint}</p>`}${same}`;
  };
  return Object.entries({ error: "Errors", warning: "Warnings" }).map(([severity, title]) => {
    const own = diagnostics.filter((one) => one.severity === severity);
    if (own.length === 0) return undefined;
    const body = list(groupFindings(own).map(finding));
    return { id: title.toLowerCase(), title, count: own.length, body };
  });
}

/** Fields as lines of a diff, each with the line of the manifest. */
const fieldDiff = (fields: readonly ShownField[]): readonly Part[] =>
  fields.flatMap((field) => {
    const own = fieldLines(field);
    const place = field.range && html`  <i>${placeText(field.range)}</i>`;
    // Below its path where it has several lines.
    const at = own.length > 2 ? 0 : own.length - 1;
    return own.map((text, i) => {
      const line = html`${text}${i === at && place}`;
      if (text.startsWith("+")) return html`<ins>${line}</ins>`;
      return text.startsWith("-") ? html`<del>${line}</del>` : line;
    });
  });
