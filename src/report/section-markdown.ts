import { groupBy } from "../model/collections";
import { capitalized, shortList } from "../model/wording";
import {
  codeSpan,
  escapeHtml,
  escapeMarkdown,
  escapeText,
  fencedBlock,
  foldedParts,
  shorten,
} from "./escape-text";
import { attributeSign, capLines, fieldLines, joinBlocks, type ShownField } from "./field-text";
import { counted } from "./plan-wording";
import { type Cell, type Code, type Item, joined, lineOf, partsOf, type Section } from "./sections";

const longestName = 120;
const mostNames = 50;
const mostOpen = 25;
/** Characters of a text in Markdown; GitHub refuses comments above 65,536. */
export const markdownLimit = 60_000;
/** Kept free for titles of sections, and for the note on omissions. */
const reserve = 400;

/**
 * A report in Markdown, in at most `limit` characters: items in the order of their sections, then all else. Items
 * beyond the limit are left out from the end and counted, but `whole` sections are shortened to names. All else is left
 * out last.
 */
export function reportMarkdown(
  opening: readonly string[],
  sections: readonly Section[],
  limit = markdownLimit,
  closing: readonly string[] = [],
): string {
  const whole = sections.filter(({ weight, items }) => items && weight === "whole");
  const parts = textsOf(sections.filter((section) => !whole.includes(section)));
  const listed = sections.filter(({ items }) => items === undefined);
  const besides = listed.map((section) => rowsMarkdown(section, limit));
  const textOf = (head: readonly string[], foot: readonly string[]): string => {
    let left = limit - reserve - joined([...opening, ...head, ...foot]).length;
    const shown = parts.filter(({ text }) => {
      left -= text.length + 2;
      return left >= 0;
    });
    const note = omissionNote(parts.length - shown.length, "item");
    return joined([...opening, ...head, ...itemsMarkdown(shown), note, ...foot]);
  };
  const names = whole.map(({ items = [] }) => fencedBlock(items.map(shortLine), "diff"));
  const texts = [itemsMarkdown(textsOf(whole)), names].map((head) => textOf(head, [...besides, ...closing]));
  const rest = omissionNote(besides.length, "section");
  return texts.find(({ length }) => length <= limit) ?? textOf(names, [rest, ...closing]);
}

const omissionNote = (count: number, noun: string): string =>
  count === 0 ? "" : `> [!NOTE]\n> ${counted(count, noun)} left out, because this text would be too long.`;

const textsOf = (sections: readonly Section[]) =>
  sections.flatMap(({ title, items = [] }) => items.map((item) => ({ title, text: itemMarkdown(item) })));

const itemsMarkdown = (texts: ReturnType<typeof textsOf>): readonly string[] =>
  [...groupBy(texts, ({ title }) => title)].map(([title, items]) => {
    const list = joinBlocks(items.map(({ text }) => text.split("\n")));
    if (items.length <= mostOpen) return `**${escapeMarkdown(title)}**\n\n${list}`;
    return foldedParts(`<b>${escapeHtml(title)}</b> (${items.length})`, [list]);
  });

const shortLine = ({ sign, subject, stop }: Item): string =>
  `${sign} ${shorten(escapeText(subject), longestName)}${stop === undefined ? "" : "  # blocked"}`;

/** An item: its line, with its fields folded away below it. Why it is stopped is never folded. */
function itemMarkdown(item: Item): string {
  const { id, name, names = [], notes = [], fields = [], facts = [], stop, printed = [] } = item;
  const addresses = names.map((name) => codeSpan(shorten(name, longestName)));
  const said = [
    ...(names.length === 0 ? [] : [shortList(addresses, mostNames)]),
    ...(name === undefined ? [] : [`named ${codeSpan(shorten(name, longestName))}`]),
    ...notes.map((note) => escapeMarkdown(note)),
    ...(id === undefined ? [] : [`id ${codeSpan(id)}`]),
    ...facts.map(({ label, text }) => `${label === undefined ? "" : `${label}: `}${cellMarkdown(text)}`),
  ];
  const stops = stop === undefined ? [] : [stopMarkdown(stop)];
  if (fields.length + printed.length === 0) {
    const text = [...said, ...stops].join("; ");
    return `- ${headline(item, (name) => codeSpan(name), escapeMarkdown, "**")}${text === "" ? "" : `: ${text}`}`;
  }
  const line = headline(item, (name) => `<code>${escapeHtml(name)}</code>`, escapeHtml, "");
  const blocks = [
    ...(fields.length === 0 ? [] : [fencedBlock(fields.flatMap(fieldLines), "diff")]),
    ...(printed.length === 0 ? [] : [fencedBlock(printed.map(escapeText))]),
  ];
  const folded = foldedParts(line, [...blocks, ...(said.length === 0 ? [] : [`- ${said.join("; ")}`])]);
  return [folded, ...stops.map((text) => `- ${text}`)].join("\n\n");
}

/** The line of an item, in the words of Markdown or HTML. No text of the service is in it: in HTML a mention might work. */
function headline(
  { sign, subject, names = [], phrase, fields = [], effects }: Item,
  code: (text: string) => string,
  words: (text: string) => string,
  bold: string,
): string {
  const isEnd = sign === "-" || sign === "-/+";
  const changed = sign === "+" ? "" : changedFields(fields);
  const line = [
    names.length > 0 ? words(subject) : code(shorten(subject, longestName)),
    ...(phrase === "" ? [] : [isEnd ? `${bold}${words(phrase)}${bold}` : words(phrase)]),
  ].join(" ");
  const fieldNames = changed === "" ? "" : `: ${code(shorten(changed, longestName))}`;
  return `${line}${fieldNames}${effects === undefined ? "" : ` (${effects})`}`;
}

function changedFields(fields: readonly ShownField[]): string {
  const names = fields
    .filter((field) => attributeSign(field) !== " ")
    .map(({ path }) => path.slice(path.lastIndexOf(".") + 1));
  return names.length <= 4 ? names.join(", ") : shortList(names, 3);
}

const cellMarkdown = (cell: Cell): string => partsOf(cell).map(partMarkdown).join("");

function partMarkdown(part: string | Code): string {
  if (typeof part !== "string") return codeSpan(shorten(part.code, longestName));
  const before = part.startsWith(" ") ? " " : "";
  const after = part.trim() !== "" && part.endsWith(" ") ? " " : "";
  return `${before}${escapeMarkdown(part)}${after}`;
}

/** Sentences after a full stop begin with a capital. */
const stopMarkdown = ({ summary, hint }: NonNullable<Item["stop"]>): string =>
  `blocked: ${[summary, ...hint.split("\n").map(capitalized)].map(escapeMarkdown).join(". ")}`;

/** A section of rows: its heading, and the rows as a list. Without a limit, a `whole` section has all rows. */
function rowsMarkdown({ heading, rows, weight }: Section, limit: number): string {
  const all = rows.map((row) => `- ${lineOf(row, partMarkdown).join("")}`);
  const lines = weight === "whole" && limit === Number.POSITIVE_INFINITY ? all : capLines(all);
  const title = cellMarkdown(heading);
  return [title, ...(lines.length === 0 ? [] : [lines.join("\n")])].join("\n\n");
}
