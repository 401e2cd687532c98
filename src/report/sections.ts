import { codeSpan, escapeMarkdown, escapeText, shorten } from "./escape-text";
import { alignColumns, arrowOf, type Style, wrapText } from "./style";
import { capLines } from "./values";

/** A name, an address or a value: shown as code where there is code. */
export interface Code {
  readonly code: string;
}

/** Words and code, one after the other. Neither is escaped. */
export type Cell = string | Code | readonly (string | Code)[];

/** One part of a report beside its changes: a sentence, or rows under a heading. */
export interface Section {
  readonly id: string;
  /** Title on a page, where sections of one `id` are shown as one. */
  readonly title: string;
  readonly heading: string;
  /** Each begins with an address, and its last cell says what is to be known of it. */
  readonly rows: readonly (readonly Cell[])[];
  /** Returns true if a reader should look at it before the plan is applied. */
  readonly isWarning?: boolean;
  /** All rows are shown at a terminal too, however many there are. */
  readonly isWhole?: boolean;
}

/** Makes a section, or none where there is nothing to say. */
export const section = (
  id: string,
  title: string,
  heading: string,
  rows: Section["rows"],
  marks: Pick<Section, "isWarning" | "isWhole"> = {},
): readonly Section[] => (rows.length === 0 ? [] : [{ id, title, heading, rows, ...marks }]);

/** Makes a section of one sentence, or none where it is empty. */
export const sentence = (id: string, title: string, heading: string | undefined): readonly Section[] =>
  heading === undefined || heading === "" ? [] : [{ id, title, heading, rows: [] }];

export const code = (text: string): Code => ({ code: text });

/** Between what a value was and what it becomes. */
export const arrow = " \u2192 ";

/** Names with commas between them. */
export const codes = (names: readonly string[], most: number): readonly (string | Code)[] => [
  ...names.slice(0, most).flatMap((name, i) => (i === 0 ? [code(name)] : [", ", code(name)])),
  ...(names.length > most ? [` and ${names.length - most} more`] : []),
];

export const partsOf = (cell: Cell): readonly (string | Code)[] =>
  typeof cell === "string" || "code" in cell ? [cell] : cell;

/** The cells of a row as one line: `ADDRESS field: reason`. */
export function lineOf<Part>(
  row: readonly Cell[],
  shown: (part: string | Code) => Part,
): readonly (Part | string)[] {
  const filled = row.map(partsOf).filter((parts) => parts.length > 0 && parts[0] !== "");
  return filled.flatMap((parts, i) => {
    const gap = i === 0 ? [] : [i === filled.length - 1 ? ": " : " "];
    return [...gap, ...parts.map(shown)];
  });
}

/** A section for a terminal: rows in columns. */
export function sectionText({ heading, rows, isWarning, isWhole }: Section, style: Style): string {
  const shown = (part: string | Code): string =>
    part === arrow ? ` ${arrowOf(style)} ` : escapeText(typeof part === "string" ? part : part.code);
  const lines = alignColumns(rows.map((row) => row.map((cell) => partsOf(cell).map(shown).join(""))));
  const sentence = wrapText(heading, style).join("\n");
  const title = isWarning ? style.colors.yellow(sentence) : sentence;
  return [title, ...(isWhole ? lines : capLines(lines)).map((line) => `  ${line}`)].join("\n");
}

/** Characters of a name, or of what is said of it, in Markdown. */
export const longestName = 120;

/** A section in Markdown: rows as a list. */
export function sectionMarkdown({ heading, rows }: Section): string {
  const gap = (isThere: boolean): string => (isThere ? " " : "");
  const prose = (text: string): string =>
    `${gap(text.startsWith(" "))}${escapeMarkdown(text)}${gap(text.trim() !== "" && text.endsWith(" "))}`;
  const shown = (part: string | Code): string =>
    typeof part === "string" ? prose(part) : codeSpan(shorten(part.code, longestName));
  const lines = capLines(rows.map((row) => `- ${lineOf(row, shown).join("")}`));
  return [escapeMarkdown(heading), ...(lines.length === 0 ? [] : [lines.join("\n")])].join("\n\n");
}

/** Characters of a text in Markdown; GitHub refuses comments above 65,536. */
export const markdownLimit = 60_000;
/** Kept free for the note that says what was left out. */
const reserve = 200;

/** Parts of a text in Markdown. */
interface Parts {
  readonly opening: readonly string[];
  /** As many as fit, from the first on. */
  readonly parts: readonly string[];
  readonly closing?: readonly string[];
}

/** Joins parts within `limit` characters; `noteOf` says what is left out beyond those that are shown. */
export function markdownWithin(
  { opening, parts, closing = [] }: Parts,
  limit: number,
  noteOf: (shown: number) => string,
): string {
  let left = limit - reserve - joined([...opening, ...closing]).length;
  const end = parts.findIndex((text) => {
    left -= text.length + 2;
    return left < 0;
  });
  const shown = end === -1 ? parts : parts.slice(0, end);
  const note =
    end === -1 ? [] : [`> [!NOTE]\n> ${noteOf(end)} left out, because this text would be too long.`];
  return joined([...opening, ...shown, ...note, ...closing]);
}

/** Paragraphs with an empty line between, without those that are empty. */
export const joined = (parts: readonly string[]): string =>
  `${parts.filter((part) => part !== "").join("\n\n")}\n`;
