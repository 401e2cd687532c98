import stringWidth from "string-width";
import { shortList } from "../model/text";
import { plainEqual } from "../model/value";
import type { AttributeChange, ShownValue } from "../plan/plan";
import { padTo } from "./display-width";
import { inertText } from "./inert";
import { diffLines } from "./line-diff";
import { causeNotes } from "./plan-wording";
import { arrowOf, type Style } from "./style";
import { capLines, isBlock, shownLines, shownText } from "./value-text";

const indent = " ".repeat(6);
const widestPath = 40;
const widestAlignedValue = 44;

type Sign = "+" | "-" | "~" | " ";

/** What a field's change does to the field: `+` sets it, `-` unsets it, `~` changes it, a space leaves it. */
export function attributeSign(change: AttributeChange): Sign {
  const { before, after, cause } = change;
  if (cause === "released") return " ";
  if (before.kind === "absent") return after.kind === "absent" ? " " : "+";
  if (after.kind === "absent") return "-";
  return before.kind === "value" && after.kind === "value" && plainEqual(before.value, after.value)
    ? " "
    : "~";
}

/** `drift: changed outside rnv`, `forces replacement`. */
export const attributeNotes = (change: AttributeChange): string[] => [
  ...(change.forcesReplacement ? ["forces replacement"] : []),
  ...(change.from ? [`follows ${shortList(change.from, 3)}, which the service has changed`] : []),
  ...(causeNotes[change.cause] === undefined ? [] : [causeNotes[change.cause] as string]),
];

export const coloured = (sign: string, text: string, style: Style): string => {
  switch (sign) {
    case "+":
      return style.colors.green(text);
    case "-":
      return style.colors.red(text);
    case "~":
      return style.colors.yellow(text);
    default:
      return text;
  }
};

/** The fields of one change, aligned: `~ configuration.branch  "main" -> "release"  # drift: …`. */
export function attributeLines(changes: readonly AttributeChange[], style: Style): string[] {
  const pathWidth = Math.min(widestPath, Math.max(0, ...changes.map((change) => stringWidth(change.path))));
  const room = style.width - indent.length - 2 - pathWidth - 2;
  const rows = changes.map((change) => ({ change, inline: inlineValue(change, room, style) }));
  const valueWidth = Math.max(
    0,
    ...rows
      .map(({ inline }) => (inline === undefined ? 0 : stringWidth(inline)))
      .filter((width) => width <= widestAlignedValue),
  );
  return rows.flatMap(({ change, inline }) => {
    const sign = attributeSign(change);
    const notes = noteText(change, style);
    const opening = `${indent}${coloured(sign, sign, style)} ${padTo(inertText(change.path), pathWidth)}`;
    if (inline !== undefined)
      return [`${opening}  ${notes === "" ? inline : `${padTo(inline, valueWidth)}  ${notes}`}`.trimEnd()];
    return [`${opening}${notes === "" ? "" : `  ${notes}`}`.trimEnd(), ...blockLines(change, style)];
  });
}

function noteText(change: AttributeChange, style: Style): string {
  const { colors } = style;
  return attributeNotes(change)
    .map((note) => (note === "forces replacement" ? colors.red(`# ${note}`) : colors.dim(`# ${note}`)))
    .join(" ");
}

/** The side worth showing when there is only one. */
export const oneSide = (change: AttributeChange): ShownValue =>
  change.after.kind === "absent" ? change.before : change.after;

/** Undefined when it reads better below its path. */
function inlineValue(change: AttributeChange, room: number, style: Style): string | undefined {
  const { before, after } = change;
  if (isBlock(before) || isBlock(after)) return undefined;
  const sign = attributeSign(change);
  if (sign !== "~") return shownText(oneSide(change));
  const arrow = arrowOf(style);
  const text = `${shownText(before)} ${arrow} ${shownText(after)}`;
  if (stringWidth(text) > Math.max(room, 24)) return undefined;
  return `${shownText(before)} ${style.colors.dim(arrow)} ${shownText(after)}`;
}

function blockLines(change: AttributeChange, style: Style): string[] {
  const sign = attributeSign(change);
  const lines =
    sign === "~"
      ? diffLines(shownLines(change.before), shownLines(change.after))
      : shownLines(oneSide(change)).map((text) => ({ sign, text }));
  const text = lines.map((line) => coloured(line.sign, `${line.sign} ${line.text}`, style));
  return capLines(text).map((line) => `${indent}    ${line}`.trimEnd());
}
