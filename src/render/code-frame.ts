import stringWidth from "string-width";
import type { Diagnostic } from "../diagnostics/diagnostic";
import { positionAt } from "../diagnostics/diagnostic";
import { inertText } from "./inert";
import { ellipsisOf, type Style } from "./style";

export interface CodeFrame {
  readonly lines: readonly string[];
  /** The hint stands under the caret already. */
  readonly tellsHint: boolean;
}

const tab = "  ";

/** Characters of a line before and after a place that are looked at: no terminal is wider, and lines may be megabytes. */
const farthest = 2000;

/**
 * Where a finding is: ` --> file:line:column`, the source line, and carets under the range with the hint. Without
 * a range there are no lines; without the text of the file only the file is named.
 */
export function codeFrame(
  diagnostic: Diagnostic,
  style: Style,
  sources: ReadonlyMap<string, string>,
): CodeFrame {
  const { range, hint } = diagnostic;
  if (range === undefined) return { lines: [], tellsHint: false };
  const { colors } = style;
  const text = sources.get(range.file);
  if (text === undefined)
    return { lines: [`  ${colors.dim("-->")} ${inertText(range.file)}`], tellsHint: false };

  const { line, column } = positionAt(text, range.start);
  const start = Math.min(range.start, text.length);
  const lineStart = Math.max(start - (column - 1), start - farthest);
  const source = lineOf(text.slice(lineStart, start + farthest));
  const from = start - lineStart;
  const to = Math.max(from + 1, Math.min(range.end - lineStart, source.length));
  const gutter = String(line);
  const margin = `${" ".repeat(gutter.length)} ${colors.dim("|")} `;
  const shown = window(source, from, to, Math.max(30, style.width - gutter.length - 3), ellipsisOf(style));
  const short = hint !== undefined && !/[\n\r]/.test(hint);
  const colour = diagnostic.severity === "error" ? colors.red : colors.yellow;
  const carets = colour("^".repeat(shown.caretWidth) + (short ? ` ${inertText(hint)}` : ""));
  return {
    lines: [
      `${" ".repeat(gutter.length + 1)}${colors.dim("-->")} ${inertText(range.file)}:${line}:${column}`,
      `${colors.dim(`${gutter} |`)} ${shown.text}`.trimEnd(),
      `${margin}${" ".repeat(shown.caretOffset)}${carets}`,
    ],
    tellsHint: short,
  };
}

const lineOf = (text: string): string => {
  const end = text.search(/[\n\r]/);
  return end === -1 ? text : text.slice(0, end);
};

interface Shown {
  readonly text: string;
  /** Columns. */
  readonly caretOffset: number;
  readonly caretWidth: number;
}

/** The part of a line around a range that fits, made inert; offsets are counted in columns, tabs as two. */
function window(source: string, from: number, to: number, room: number, ellipsis: string): Shown {
  const drawn = (text: string) => inertText(text.replaceAll("\t", tab));
  const before = drawn(source.slice(0, from));
  const marked = drawn(source.slice(from, to));
  const after = drawn(source.slice(to));
  const markedText = cut(marked, Math.floor(room / 2), ellipsis);
  const left = room - stringWidth(markedText);
  const afterRoom = Math.max(Math.floor(left / 2), left - stringWidth(before));
  const afterText = cut(after, afterRoom, ellipsis);
  const beforeText = cutStart(before, left - stringWidth(afterText), ellipsis);
  return {
    // Once more: parts that are inert each may be a command together.
    text: inertText(beforeText + markedText + afterText),
    caretOffset: stringWidth(beforeText),
    caretWidth: Math.max(1, stringWidth(markedText)),
  };
}

const cut = (text: string, room: number, ellipsis: string): string =>
  stringWidth(text) <= room ? text : fitting([...text], room - ellipsis.length).join("") + ellipsis;

const cutStart = (text: string, room: number, ellipsis: string): string =>
  stringWidth(text) <= room
    ? text
    : ellipsis +
      fitting([...text].reverse(), room - ellipsis.length)
        .reverse()
        .join("");

/** As many characters from the start as fit. */
function fitting(characters: readonly string[], room: number): string[] {
  let width = 0;
  const end = characters.findIndex((character) => {
    width += stringWidth(character);
    return width > room;
  });
  return characters.slice(0, end === -1 ? undefined : end);
}
