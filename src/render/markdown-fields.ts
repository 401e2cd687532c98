import type { AttributeChange } from "../plan/plan";
import { attributeNotes, attributeSign, oneSide } from "./attribute-lines";
import { inertText } from "./inert";
import { diffLines } from "./line-diff";
import { capLines, isBlock, shownLines, shownText } from "./value-text";

/** A field as lines of a diff block; the first character is the sign that GitHub colours. */
export function fieldLines(field: AttributeChange): string[] {
  const { before, after } = field;
  const path = inertText(field.path);
  const notes = attributeNotes(field).map((note) => `  # ${note}`);
  const sign = attributeSign(field);
  const isLong = isBlock(before) || isBlock(after);
  if (sign !== "~") {
    const side = oneSide(field);
    if (!isLong) return [`${sign} ${path}: ${shownText(side)}${notes.join("")}`];
    const lines = capLines(shownLines(side)).map((line) => `${sign}   ${line}`);
    return [`${sign} ${path}:${notes.join("")}`, ...lines];
  }
  if (!isLong) return [`- ${path}: ${shownText(before)}`, `+ ${path}: ${shownText(after)}${notes.join("")}`];
  const lines = diffLines(shownLines(before), shownLines(after)).map(({ sign, text }) => `${sign}   ${text}`);
  return [`  ${path}:${notes.join("")}`, ...capLines(lines)];
}
