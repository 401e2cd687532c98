import { diffArrays } from "diff";
import { type Plain, plainEqual } from "../model/value";
import { shortList } from "../model/wording";
import type { AttributeChange, ChangeCause, ShownValue } from "../plan/plan";
import { escapeJson, escapeText, quoteText, shorten } from "./escape-text";
import { arrowOf, padTo, type Style, textWidth, wrapLines } from "./style";

const longestLine = 400;
const mostLines = 40;

/** A JSON value on one line: `"main"`, `3`, `["a", "b"]`, `{"x": 1}`. */
export function plainText(value: Plain): string {
  if (typeof value === "string") return quoteText(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(plainText).join(", ")}]`;
  const members = Object.entries(value as Record<string, Plain>);
  return `{${members.map(([key, item]) => `${quoteText(key)}: ${plainText(item)}`).join(", ")}}`;
}

export interface ShownField extends AttributeChange {
  /** The changes of many resources, where they differ: equal changes together, the most common first. */
  readonly several?: readonly (readonly AttributeChange[])[];
  /** True if each of the resources has such a change. */
  readonly isOfAll?: boolean;
}

/** One side of a change on one line; absent is an empty text. */
export const shownText = (shown: ShownValue): string =>
  shown.kind === "value" ? limit(plainText(shown.value)) : hiddenWords[shown.kind];

const hiddenWords = { secret: "(sensitive)", unknown: "(known after apply)", absent: "" } as const;

const mostKinds = 3;

/** A change of a field on one line: `"main" -> "next"`; of many resources how many have each: `1 -> 2 (14), 1 -> 3 (6)`. */
function changeText(field: ShownField, arrow: string): string {
  const { before, after, several, isOfAll } = field;
  if (several === undefined) {
    if (attributeSign(field) !== "~") return shownText(oneSide(field));
    if (isHidden(field)) return hiddenChange;
    return `${shownText(before)} ${arrow} ${shownText(after)}`;
  }
  if (several.length > mostKinds)
    return `${several.length} values${isOfAll ? "" : ` (${several.flat().length})`}`;
  return several.map((own) => `${changeText(own[0] as AttributeChange, arrow)} (${own.length})`).join(", ");
}

const hiddenChange = "changes (hidden)";

const isHidden = ({ before, after }: ShownField): boolean =>
  before.kind === "secret" && after.kind === "secret";

const isBlock = (shown: ShownValue): boolean =>
  shown.kind === "value" && typeof shown.value === "string" && /\n/.test(shown.value.trimEnd());

/** Shows a space at the end of a line too. */
const blockLine = (line: string): string => limit(escapeText(line).replace(/ $/, "\\u0020"));

function shownLines(shown: ShownValue): string[] {
  const value = shown.kind === "value" ? shown.value : undefined;
  if (isBlock(shown)) return String(value).replace(/\n$/, "").split("\n").map(blockLine);
  if (Array.isArray(value)) return value.map((item) => limit(plainText(item)));
  if (value && typeof value === "object") return escapeJson(value, 2).split("\n").map(limit);
  return [shownText(shown)];
}

/** Joins blocks of lines: those of one line stand together, longer ones apart. */
export const joinBlocks = (blocks: readonly (readonly string[])[]): string =>
  blocks
    .map((block, i) => {
      const previous = blocks[i - 1];
      const isApart = previous !== undefined && (previous.length > 1 || block.length > 1);
      return `${isApart ? "\n" : ""}${block.join("\n")}`;
    })
    .join("\n");

export const capLines = (lines: readonly string[]): string[] =>
  lines.length <= mostLines
    ? [...lines]
    : [...lines.slice(0, mostLines - 1), `... (${lines.length - mostLines + 1} more lines)`];

const limit = (line: string): string => shorten(line, longestLine);

export const indent = " ".repeat(6);
const widestPath = 40;
const widestAlignedValue = 44;

type Sign = "+" | "-" | "~" | " ";

/** Returns the sign of a field's change: `+` sets it, `-` unsets it, `~` changes it, a space leaves it. */
export function attributeSign(change: ShownField): Sign {
  const { before, after, cause } = change;
  if (cause === "released") return " ";
  if (before.kind === "absent") return after.kind === "absent" ? " " : "+";
  if (after.kind === "absent") return "-";
  return before.kind === "value" && after.kind === "value" && plainEqual(before.value, after.value)
    ? " "
    : "~";
}

/** The cause of a change, unless it is the reader's own edit. */
const causeNotes: Readonly<Record<ChangeCause, string | undefined>> = {
  edit: undefined,
  drift: "drift: changed outside rnv",
  removed: "back to the default",
  "take-over": "take-over: set outside rnv until now",
  released: "released: no longer managed, left as it is",
};

const attributeNotes = ({ forcesReplacement, from, cause, several }: ShownField): string[] => [
  ...(forcesReplacement ? ["forces replacement"] : []),
  ...(from && !several ? [`follows ${shortList(from, 3)}, which the platform has changed`] : []),
  ...(causeNotes[cause] === undefined ? [] : [causeNotes[cause]]),
];

const signColours: Readonly<Record<string, "green" | "red" | "yellow" | "cyan">> = {
  "+": "green",
  "-": "red",
  "~": "yellow",
  "!": "yellow",
  ">": "cyan",
  "<": "cyan",
};

export function coloured(sign: string, text: string, { colors }: Style): string {
  const colour = signColours[sign];
  return colour === undefined ? text : colors[colour](text);
}

/** The fields of one change, aligned: `~ configuration.branch  "main" -> "release"  # drift: …`. */
export function attributeLines(changes: readonly ShownField[], style: Style): string[] {
  const pathWidth = Math.min(widestPath, Math.max(0, ...changes.map((change) => textWidth(change.path))));
  const room = style.width - indent.length - 2 - pathWidth - 2;
  const rows = changes.map((change) => ({ change, inline: inlineValue(change, room, style) }));
  const widths = rows.map(({ inline = "" }) => textWidth(inline));
  const valueWidth = Math.max(0, ...widths.filter((width) => width <= widestAlignedValue));
  return rows.flatMap(({ change, inline }) => {
    const sign = attributeSign(change);
    const notes = attributeNotes(change).map((note) =>
      (note === "forces replacement" ? style.colors.red : style.colors.dim)(`# ${note}`),
    );
    const opening = `${indent}${coloured(sign, sign, style)} ${padTo(escapeText(change.path), pathWidth)}`;
    const value = inline === undefined ? "" : `${padTo(inline, valueWidth)}  `;
    const line = `${opening}  ${value}`;
    const isLong = style.unicode && textWidth(line + notes.join(" ")) > style.width;
    const lines = isLong
      ? [line, ...notes.map((note) => wrapLines(`${indent}    ${note}`, style, 2))]
      : [line + notes.join(" ")];
    return [...lines.map((one) => one.trimEnd()), ...(inline === undefined ? blockLines(change, style) : [])];
  });
}

const oneSide = (change: ShownField): ShownValue =>
  change.after.kind === "absent" ? change.before : change.after;

function inlineValue(change: ShownField, room: number, style: Style): string | undefined {
  if (hasBlock(change)) return undefined;
  const text = changeText(change, style.colors.dim(arrowOf(style)));
  const isPair = change.several === undefined && attributeSign(change) === "~";
  return isPair && textWidth(text) > Math.max(room, 24) ? undefined : text;
}

const hasBlock = ({ before, after, several }: ShownField) => !several && [before, after].some(isBlock);

function changedLines(change: ShownField): readonly string[] {
  const sign = attributeSign(change);
  if (sign !== "~") return signed(sign, shownLines(oneSide(change)));
  const lines = diffLines(shownLines(change.before), shownLines(change.after));
  if (lines.some((line) => !line.startsWith(" "))) return lines;
  return [...lines, `! differs in the line break at the end, or beyond ${longestLine} characters of a line`];
}

function blockLines(change: ShownField, style: Style): string[] {
  const text = changedLines(change).map((line) => coloured(line.charAt(0), line, style));
  return capLines(text).map((line) => `${indent}    ${line}`.trimEnd());
}

/** A field as lines of a diff block; the first character is the sign that GitHub colours. */
export function fieldLines(field: ShownField): string[] {
  const { before, after, several } = field;
  const path = escapeText(field.path);
  const notes = ["", ...attributeNotes(field)].join("  # ");
  const sign = attributeSign(field);
  if (hasBlock(field)) {
    const lines = changedLines(field).map((line) => `${line.charAt(0)}  ${line.slice(1)}`);
    return [`${sign === "~" ? " " : sign} ${path}:${notes}`, ...capLines(lines)];
  }
  if (sign !== "~" || several)
    return [`${sign === "~" ? "!" : sign} ${path}: ${changeText(field, "->")}${notes}`];
  if (isHidden(field)) return [`! ${path} ${hiddenChange}${notes}`];
  return [`- ${path}: ${shownText(before)}`, `+ ${path}: ${shownText(after)}${notes}`];
}

/** Beyond so many changed lines both sides are shown whole, one after the other: few of them are shown at all. */
const mostEdits = 250;
const context = 2;

/** Returns the shortest way from one list of lines to another, `- a`; long equal stretches are folded to a count. */
export function diffLines(before: readonly string[], after: readonly string[]): string[] {
  const stretches = diffArrays([...before], [...after], { maxEditLength: mostEdits });
  if (stretches === undefined) return [...signed("-", before), ...signed("+", after)];
  return stretches.flatMap(({ value, added, removed }, i) => {
    if (added || removed) return signed(added ? "+" : "-", value);
    const start = i === 0 ? 0 : context;
    const count = value.length - start - (i === stretches.length - 1 ? 0 : context);
    return signed(" ", count > 1 ? value.toSpliced(start, count, `... (${count} unchanged)`) : value);
  });
}

const signed = (sign: Sign, lines: readonly string[]): string[] => lines.map((text) => `${sign} ${text}`);
