import type { ShownField } from "./field-text";

/** A name, an address or a value: shown as code where there is code. */
export interface Code {
  readonly code: string;
}

/** Words and code, one after the other. Neither is escaped. */
export type Cell = string | Code | readonly (string | Code)[];

/** A resource of a report, or many alike: a line, and the facts below it. */
export interface Item {
  /** The sign of its change: `+`, `~`, `-`, `-/+`, `>`, `<`; `!` where nothing changes. */
  readonly sign: string;
  /** Its address; of many how many there are: `14 services`. */
  readonly subject: string;
  readonly names?: readonly string[];
  /** Its name, where neither its address nor a field says it. */
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  readonly phrase: string;
  readonly notes?: readonly string[];
  readonly fields?: readonly ShownField[];
  readonly effects?: string | undefined;
  readonly facts?: readonly Fact[];
  readonly stop?: { readonly summary: string; readonly hint: string } | undefined;
  /** Lines from elsewhere, shown as they are, such as the end of a program's output. */
  readonly printed?: readonly string[];
  readonly tag?: Tag;
  readonly tagPhrase?: string | undefined;
  readonly homes?: readonly string[];
}

export type Tag = readonly [kind: string, sign: string, word: string];

export interface Fact {
  readonly label?: string;
  readonly text: Cell;
}

/** One part of a report: items or rows under a heading, or a sentence. */
export interface Section<Own extends Item = Item> {
  readonly id: string;
  /** Title on a page and in Markdown, where sections of one `id` are shown as one. */
  readonly title: string;
  /** Is above it in a text; above items, where it is that of their first section. */
  readonly heading: Cell;
  /** Each begins with an address; its last cell has a fact about it. */
  readonly rows: readonly (readonly Cell[])[];
  readonly items?: readonly Own[];
  /** `warning`: a reader should look at it before the plan is applied. */
  readonly severity?: "warning";
  /** `whole`: nothing of it is left out, however long the report becomes. */
  readonly weight?: "whole";
  readonly isFolded?: boolean;
}

/** Makes a section of rows, or without them of one sentence; none where there is nothing to say. */
export const section = (
  id: string,
  title: string,
  heading: Cell,
  rows?: Section["rows"],
  marks: Pick<Section, "severity" | "weight"> = {},
): readonly Section<never>[] =>
  heading === "" || rows?.length === 0 ? [] : [{ id, title, heading, rows: rows ?? [], ...marks }];

export const itemSection = <Own extends Item>(
  id: string,
  title: string,
  heading: string,
  items: readonly Own[],
  marks: Pick<Section, "weight" | "isFolded"> = {},
): readonly Section<Own>[] => (items.length === 0 ? [] : [{ id, title, heading, rows: [], items, ...marks }]);

export const code = (text: string): Code => ({ code: text });

export const arrow = "\u2192";

export const codes = (names: readonly string[], most: number): readonly (string | Code)[] => [
  ...names.slice(0, most).flatMap((name, i) => (i === 0 ? [code(name)] : [", ", code(name)])),
  ...(names.length > most ? [` and ${names.length - most} more`] : []),
];

export const partsOf = (cell: Cell): readonly (string | Code)[] =>
  typeof cell === "string" || "code" in cell ? [cell] : cell;

/** The cells of a row as one line: `ADDRESS field: reason`. */
export function lineOf<Part>(row: readonly Cell[], shown: (part: string | Code) => Part) {
  const filled = row.map(partsOf).filter((parts) => parts.length > 0 && parts[0] !== "");
  return filled.flatMap((parts, i) => {
    const gap = i === 0 ? [] : [i === filled.length - 1 ? ": " : " "];
    return [...gap, ...parts.map(shown)];
  });
}

export const joined = (parts: readonly string[]): string =>
  `${parts.filter((part) => part !== "").join("\n\n")}\n`;
