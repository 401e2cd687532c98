import {
  type Diagnostic,
  lineOf,
  positionAt,
  type SourceRange,
  sortDiagnostics,
} from "../diagnostics/diagnostic";
import { groupBy } from "../model/collections";
import { shortList } from "../model/wording";
import { escapeLines, escapeText, fencedBlock, shorten } from "./escape-text";
import { compareNatural } from "./order";
import { countNouns } from "./plan-wording";
import { cutText, plainStyle, type Style, textWidth, wrapLines } from "./style";

/** So many findings that say the same are one, with the addresses of the others. */
const fewestFolded = 4;

/** Renders findings, and the counts of several (`2 errors, 1 warning`). No findings: "". */
export function diagnosticsText(diagnostics: readonly Diagnostic[], style: Style): string {
  const counts = countNouns(diagnostics.map(({ severity }) => severity).sort()).join(", ");
  return `${findingsText(diagnostics, style)}${diagnostics.length > 1 ? `\n\n${counts}` : ""}`;
}

/**
 * Renders findings for people: `error[code]: summary`, the location with a code frame, detail and request id. They are
 * sorted, with a blank line between. Equal findings of different resources are merged. No findings: "".
 */
export const findingsText = (diagnostics: readonly Diagnostic[], style: Style): string =>
  groupFindings(diagnostics)
    .map(([first, ...others]) => {
      const text = diagnosticText(first, style);
      return others.length === 0 ? text : `${text}\n${wrapLines(`  ${sameFor(others)}`, style)}`;
    })
    .join("\n\n");

/** The same in a fenced block of Markdown, of at most `limit` characters. No findings: "". */
export const findingsBlock = (diagnostics: readonly Diagnostic[], limit: number): string =>
  diagnostics.length === 0
    ? ""
    : fencedBlock(shorten(diagnosticsText(diagnostics, plainStyle).trimEnd(), limit).split("\n"));

/** Findings by their places; those that say the same of many resources are a group, in the order of the addresses. */
export function groupFindings(diagnostics: readonly Diagnostic[]) {
  const sorted = sortDiagnostics(diagnostics);
  const alike = groupBy(sorted, likenessOf);
  const isMany = (likeness: string): boolean => (alike.get(likeness)?.length ?? 0) >= fewestFolded;
  const groups = groupBy(sorted, (one) => [likenessOf(one)].find(isMany) ?? one);
  const byAddress = (a: Diagnostic, b: Diagnostic) => compareNatural(a.address ?? "", b.address ?? "");
  return [...groups.values()].map((group) => group.sort(byAddress) as [Diagnostic, ...Diagnostic[]]);
}

export const sameFor = (others: readonly Diagnostic[]): string =>
  `The same for ${shortList(others.map(subjectOf))}`;

function likenessOf(finding: Diagnostic): string {
  const { severity, code, address = "", construct = address, detail, hint, requestId } = finding;
  const plain = (text = ""): string =>
    address === "" ? text : text.replaceAll(construct, "…").replaceAll(address, "…");
  return JSON.stringify([severity, code, plain(summaryOf(finding)), plain(detail), plain(hint), requestId]);
}

export function subjectOf({ construct, address = construct, range, code }: Diagnostic): string {
  if (address !== undefined) return escapeText(construct ?? address);
  return range === undefined ? code : escapeText(placeText(range));
}

/** `rnv.yaml:9`; the path in a value; the file alone where the line is not known. */
export function placeText(range: SourceRange): string {
  const line = lineOf(range);
  return range.source?.placeAt?.(range.start) ?? (line === undefined ? range.file : `${range.file}:${line}`);
}

function diagnosticText(diagnostic: Diagnostic, style: Style): string {
  const { severity, code, detail, requestId } = diagnostic;
  const { bold, cyan, dim } = style.colors;
  const frame = codeFrame(diagnostic, style);
  const opening = colourOf(diagnostic, style)(bold(`${severity}[${code}]`));
  const label = `  ${cyan("hint:")} `;
  return [
    wrapLines(`${opening}${bold(`: ${escapeText(summaryOf(diagnostic))}`)}`, style, 2),
    ...frame.lines,
    ...indented(detail, style),
    ...indented(frame.hint, style, 8).map((line, i) => (i > 0 ? line : line.replace(/^ +/, label))),
    ...(requestId === undefined ? [] : [dim(`  request id: ${escapeText(requestId)}`)]),
  ].join("\n");
}

const colourOf = ({ severity }: Diagnostic, { colors }: Style) =>
  severity === "error" ? colors.red : colors.yellow;

type Named = "stage" | "address" | "construct" | "summary";

/** `service.shop.api: kind "wbe" does not exist`: the summary, which names its resource or its construct. */
export function summaryOf({ stage, address = "", construct, summary }: Pick<Diagnostic, Named>): string {
  const fact = construct && summary.startsWith(`${address}: `) ? summary.slice(address.length + 2) : summary;
  const subject = construct ?? address;
  const named = subject === "" || isNamedIn(subject, fact) ? fact : `${subject}: ${fact}`;
  return stage === undefined || isNamedIn(`stage ${stage}`, named) ? named : `stage ${stage}: ${named}`;
}

/** Returns true if a text has the subject as a whole, and not as the start of another address. */
const isNamedIn = (subject: string, text: string): boolean =>
  text.split(subject).some((after, i) => i > 0 && !/^\.?[\w-]/.test(after));

const indented = (text: string | undefined, style: Style, indent = 2): string[] =>
  (text === undefined ? [] : escapeLines(text)).map((line) => {
    const placed = " ".repeat(indent) + line;
    return (line.startsWith(" ") ? placed : wrapLines(placed, style)).trimEnd();
  });

/** Characters looked at before and after an offset: no terminal is wider, and lines may be megabytes. */
const farthest = 2000;

/**
 * Renders the position of a finding: ` --> file:line:column`, the source line, and carets under the range with the
 * hint. Without a range: no lines; without the text: only the position. A hint that is not rendered is returned.
 */
function codeFrame(diagnostic: Diagnostic, style: Style) {
  const { range, hint } = diagnostic;
  if (range === undefined) return { lines: [], hint };
  const { colors } = style;
  const text = range.source?.text;
  if (text === undefined) return { lines: [`  ${colors.dim("-->")} ${escapeText(placeText(range))}`], hint };

  const { line, column } = positionAt(text, range.start);
  const start = Math.min(range.start, text.length);
  const place = range.source?.placeAt?.(range.start);
  // The keys around a value are in its path: it is shown without its indentation.
  const lineStart = place !== undefined ? start : Math.max(start - (column - 1), start - farthest);
  const [source = ""] = text.slice(lineStart, start + farthest).split(/[\n\r]/, 1);
  const from = start - lineStart;
  const to = Math.max(from + 1, Math.min(range.end - lineStart, source.length));
  const gutter = place === undefined ? String(line) : " ";
  const margin = `${" ".repeat(gutter.length)} ${colors.dim("|")} `;
  const columns = style.width - gutter.length - 3;
  const shown = window(source, from, to, Math.max(30, columns), style.unicode ? "\u2026" : "...");
  const room = style.unicode ? columns - shown.caretOffset - shown.caretWidth : Number.POSITIVE_INFINITY;
  const short = hint !== undefined && !/[\n\r]/.test(hint) && textWidth(hint) < room;
  const carets = "^".repeat(shown.caretWidth) + (short ? ` ${escapeText(hint)}` : "");
  return {
    lines: [
      `${" ".repeat(gutter.length + 1)}${colors.dim("-->")} ${escapeText(place ?? `${range.file}:${line}:${column}`)}`,
      `${colors.dim(`${gutter} |`)} ${shown.text}`.trimEnd(),
      `${margin}${" ".repeat(shown.caretOffset)}${colourOf(diagnostic, style)(carets)}`,
    ],
    hint: short ? undefined : hint,
  };
}

/** Cuts a line around a range to `room` columns, and escapes it; tabs count as two columns. The caret is in columns. */
function window(source: string, from: number, to: number, room: number, ellipsis: string) {
  const drawn = (text: string) => escapeText(text.replaceAll("\t", "  "));
  const before = drawn(source.slice(0, from));
  const marked = drawn(source.slice(from, to));
  const after = drawn(source.slice(to));
  const markedText = cutText(marked, Math.floor(room / 2), ellipsis);
  const left = room - textWidth(markedText);
  const afterRoom = Math.max(Math.floor(left / 2), left - textWidth(before));
  const afterText = cutText(after, afterRoom, ellipsis);
  const beforeText = backwards(cutText(backwards(before), left - textWidth(afterText), ellipsis));
  return {
    // Again: escaped parts may be a command together.
    text: escapeText(beforeText + markedText + afterText),
    caretOffset: textWidth(beforeText),
    caretWidth: Math.max(1, textWidth(markedText)),
  };
}

const backwards = (text: string): string => [...text].reverse().join("");
