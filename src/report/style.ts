import { stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import type * as stringWidth from "string-width";
import { shortId } from "../model/address";
import { escapeText } from "./escape-text";

/** The look of text. Built by the command line from the terminal and the environment; renderers read nothing else. */
export interface Style {
  readonly colors: ReturnType<typeof picocolors.createColors>;
  /** Columns of the terminal; lines longer than this are laid out on several where that reads better. */
  readonly width: number;
  /** True at a terminal; false: ASCII only, for logs and pipes. */
  readonly unicode: boolean;
}

/** Without a width it is no terminal. */
export const createStyle = ({ color = false, width }: { color?: boolean; width?: number }): Style => ({
  colors: picocolors.createColors(color),
  width: Math.max(40, width ?? 80),
  unicode: width !== undefined,
});

/** No colour, 80 columns, ASCII: for a file or a pipe. */
export const plainStyle: Style = createStyle({});

export const arrowOf = (style: Style): string => (style.unicode ? "\u2192" : "->");

/** A note of an ID: ` [id=3f2a9d10]` at a terminal, else with the whole ID. */
export const idNote = (id: string | undefined, { colors, unicode }: Style, kind = "id"): string =>
  id === undefined ? "" : colors.dim(` [${kind}=${escapeText(unicode ? shortId(id) : id)}]`);

const printable = /^[ -~]*$/;

/** Columns of a text in a terminal. The library for more than ASCII is loaded only if needed: loading it is slow. */
export function textWidth(coloured: string): number {
  const text = stripVTControlCharacters(coloured);
  return printable.test(text) ? text.length : (require("string-width") as typeof stringWidth).default(text);
}

/** As many characters from the start as fit in so many columns, with an ellipsis where some do not. */
export function cutText(text: string, columns: number, ellipsis: string): string {
  if (textWidth(text) <= columns) return text;
  let width = ellipsis.length;
  const shown = [...text].filter((character) => {
    width += textWidth(character);
    return width <= columns;
  });
  return shown.join("") + ellipsis;
}

export const padTo = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - textWidth(text)));

/**
 * Sentences on lines of a terminal; unchanged where there is no terminal. The rest of a line that is too long begins
 * `hanging` columns further in.
 */
export function wrapLines(text: string, { unicode, width }: Style, hanging = 0): string {
  if (!unicode) return text;
  const wrapped = text.split("\n").map((line) => {
    const own = line.length - line.trimStart().length;
    const [first = "", ...words] = line.trimStart().split(" ");
    return words.reduce((lines, word) => {
      const longer = `${lines.slice(lines.lastIndexOf("\n") + 1)} ${word}`;
      const fits = textWidth(longer) <= Math.max(width, own + hanging + 20);
      return `${lines}${fits ? " " : `\n${" ".repeat(own + hanging)}`}${word}`;
    }, " ".repeat(own) + first);
  });
  return wrapped.join("\n");
}

/** Left-aligned columns, two spaces apart; nothing is filled at the end of a line. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, textWidth(cell));
  const filled = rows.map((row) => row.map((cell, i) => padTo(cell, widths[i] ?? 0)));
  return filled.map((cells) => cells.join("  ").trimEnd());
}

export function tableText(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  notes: readonly (readonly string[])[] = [],
): string {
  const { colors } = style;
  const [title = "", ...lines] = alignColumns([head.map((word) => word.toUpperCase()), ...rows]);
  const below = notes.map((own) => own.map((note) => colors.dim(wrapLines(`    ${note}`, style))));
  return [colors.bold(title), ...lines.flatMap((line, i) => [line, ...(below[i] ?? [])])].join("\n");
}
