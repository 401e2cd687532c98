import { structuredPatch } from "diff";
import { shortList } from "../model/text";
import { type Plain, plainEqual } from "../model/value";
import type { AttributeChange, ShownValue } from "../plan/plan";
import { escapeJson, escapeLines, escapeText, quoteText, shorten } from "./escape-text";
import { causeNotes } from "./plan-wording";
import { arrowOf, padTo, type Style, textWidth } from "./style";

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

/** A field as reports show it. */
export interface ShownField extends Omit<AttributeChange, "from"> {
  readonly from?: AttributeChange["from"] | undefined;
  /** Of many resources whose changes differ: each change and how many have it, the most common first. */
  readonly several?: {
    readonly kinds: readonly (readonly [AttributeChange, number])[];
    /** Each of the resources has one of them. */
    readonly isOfAll: boolean;
  };
}

/** One side of a change on one line; absent is an empty text. */
export const shownText = (shown: ShownValue): string =>
  shown.kind === "value" ? limit(plainText(shown.value)) : hiddenWords[shown.kind];

const hiddenWords = { secret: "(sensitive)", unknown: "(known after apply)", absent: "" } as const;

/** Changes of a field that are shown, of many resources. */
const mostKinds = 3;

/** A change of a field on one line: `"main" -> "next"`; of many resources how many have each: `1 -> 2 (14), 1 -> 3 (6)`. */
function changeText(field: ShownField, arrow: string): string {
  const { before, after, several } = field;
  const isBoth = attributeSign(field) === "~";
  if (several === undefined)
    return isBoth ? `${shownText(before)} ${arrow} ${shownText(after)}` : shownText(oneSide(field));
  const { kinds, isOfAll } = several;
  if (kinds.length <= mostKinds)
    return kinds.map(([kind, count]) => `${changeText(kind, arrow)} (${count})`).join(", ");
  const total = kinds.reduce((sum, [, count]) => sum + count, 0);
  return `${kinds.length} values${isOfAll ? "" : ` (${total})`}`;
}

/** A value that reads better on several lines: text with line breaks. */
export const isBlock = (shown: ShownValue): boolean =>
  shown.kind === "value" && typeof shown.value === "string" && /[\n\r]/.test(shown.value.trimEnd());

/** One side of a change on as many lines as it needs. */
function shownLines(shown: ShownValue): string[] {
  if (shown.kind === "absent") return [];
  if (shown.kind !== "value") return [shownText(shown)];
  const { value } = shown;
  if (isBlock(shown)) return escapeLines(String(value).replace(/\r?\n$/, "")).map(limit);
  if (Array.isArray(value)) return value.map((item) => limit(plainText(item)));
  if (value !== null && typeof value === "object") return escapeJson(value, 2).split("\n").map(limit);
  return [limit(plainText(value))];
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

/** At most forty lines; the last says how many were left out. */
export const capLines = (lines: readonly string[]): string[] =>
  lines.length <= mostLines
    ? [...lines]
    : [...lines.slice(0, mostLines - 1), `... (${lines.length - mostLines + 1} more lines)`];

const limit = (line: string): string => shorten(line, longestLine);

const indent = " ".repeat(6);
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

/** `drift: changed outside rnv`, `forces replacement`. */
const attributeNotes = (change: ShownField): string[] => [
  ...(change.forcesReplacement ? ["forces replacement"] : []),
  ...(change.from ? [`follows ${shortList(change.from, 3)}, which the service has changed`] : []),
  ...(causeNotes[change.cause] === undefined ? [] : [causeNotes[change.cause] as string]),
];

const signColours: Readonly<Record<string, "green" | "red" | "yellow">> = {
  ...{ "+": "green", "-": "red", "~": "yellow" },
};

/** A text in the colour of a sign. */
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
    const notes = noteText(change, style);
    const opening = `${indent}${coloured(sign, sign, style)} ${padTo(escapeText(change.path), pathWidth)}`;
    if (inline !== undefined)
      return [`${opening}  ${notes === "" ? inline : `${padTo(inline, valueWidth)}  ${notes}`}`.trimEnd()];
    return [`${opening}${notes === "" ? "" : `  ${notes}`}`.trimEnd(), ...blockLines(change, style)];
  });
}

function noteText(change: ShownField, style: Style): string {
  const { colors } = style;
  return attributeNotes(change)
    .map((note) => (note === "forces replacement" ? colors.red(`# ${note}`) : colors.dim(`# ${note}`)))
    .join(" ");
}

/** The side worth showing when there is only one. */
const oneSide = (change: ShownField): ShownValue =>
  change.after.kind === "absent" ? change.before : change.after;

/** Undefined when it reads better below its path. */
function inlineValue(change: ShownField, room: number, style: Style): string | undefined {
  const { before, after, several } = change;
  if (several === undefined && (isBlock(before) || isBlock(after))) return undefined;
  const text = changeText(change, style.colors.dim(arrowOf(style)));
  const isPair = several === undefined && attributeSign(change) === "~";
  return isPair && textWidth(text) > Math.max(room, 24) ? undefined : text;
}

/** The lines of a field that reads better on several. */
function changedLines(change: ShownField): readonly { readonly sign: Sign; readonly text: string }[] {
  const sign = attributeSign(change);
  return sign === "~"
    ? diffLines(shownLines(change.before), shownLines(change.after))
    : shownLines(oneSide(change)).map((text) => ({ sign, text }));
}

function blockLines(change: ShownField, style: Style): string[] {
  const text = changedLines(change).map((line) => coloured(line.sign, `${line.sign} ${line.text}`, style));
  return capLines(text).map((line) => `${indent}    ${line}`.trimEnd());
}

/** A field as lines of a diff block; the first character is the sign that GitHub colours. */
export function fieldLines(field: ShownField): string[] {
  const { before, after } = field;
  const path = escapeText(field.path);
  const notes = attributeNotes(field).map((note) => `  # ${note}`);
  const sign = attributeSign(field);
  if (field.several !== undefined)
    return [`${sign === "~" ? "!" : sign} ${path}: ${changeText(field, "->")}${notes.join("")}`];
  if (isBlock(before) || isBlock(after)) {
    const lines = changedLines(field).map((line) => `${line.sign}   ${line.text}`);
    return [`${sign === "~" ? " " : sign} ${path}:${notes.join("")}`, ...capLines(lines)];
  }
  if (sign !== "~") return [`${sign} ${path}: ${shownText(oneSide(field))}${notes.join("")}`];
  if (before.kind === "secret" && after.kind === "secret")
    return [`! ${path} changes (hidden)${notes.join("")}`];
  return [`- ${path}: ${shownText(before)}`, `+ ${path}: ${shownText(after)}${notes.join("")}`];
}

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Beyond so many changed lines both sides are shown whole, one after the other: few of them are shown at all. */
const mostEdits = 250;
const context = 2;

/** Returns the shortest way from one list of lines to another; long equal stretches are folded to a count. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const [old, next] = [before, after].map((lines) => lines.map((line) => `${line}\n`).join(""));
  const patch = structuredPatch("", "", old ?? "", next ?? "", "", "", { context, maxEditLength: mostEdits });
  if (patch === undefined) return [...signed("-", before), ...signed("+", after)];
  let at = 0;
  const near = patch.hunks.flatMap(({ oldStart, oldLines, lines }) => {
    const skipped = before.slice(at, oldStart - 1);
    at = oldStart - 1 + oldLines;
    const changed = lines.flatMap((line) => signed(line.charAt(0) as DiffLine["sign"], [line.slice(1)]));
    return [...folded(skipped), ...changed];
  });
  return [...near, ...folded(before.slice(at))];
}

const signed = (sign: DiffLine["sign"], lines: readonly string[]): DiffLine[] =>
  lines.map((text) => ({ sign, text }));

const folded = (lines: readonly string[]): DiffLine[] =>
  signed(" ", lines.length > 1 ? [`... (${lines.length} unchanged)`] : lines);
