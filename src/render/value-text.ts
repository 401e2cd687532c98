import type { Plain } from "../model/value";
import type { ShownValue } from "../plan/plan";
import { inertJson, inertLines, inertString } from "./inert";

const longestLine = 400;
const mostLines = 40;

/** A JSON value on one line: `"main"`, `3`, `["a", "b"]`, `{"x": 1}`. */
export function plainText(value: Plain): string {
  if (typeof value === "string") return inertString(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(plainText).join(", ")}]`;
  const members = Object.entries(value as Record<string, Plain>);
  return `{${members.map(([key, item]) => `${inertString(key)}: ${plainText(item)}`).join(", ")}}`;
}

/** One side of a change on one line; absent is an empty text. */
export function shownText(shown: ShownValue): string {
  switch (shown.kind) {
    case "value":
      return limit(plainText(shown.value));
    case "secret":
      return "(sensitive)";
    case "unknown":
      return "(known after apply)";
    case "absent":
      return "";
  }
}

/** A value that reads better on several lines: text with line breaks. */
export const isBlock = (shown: ShownValue): boolean =>
  shown.kind === "value" && typeof shown.value === "string" && /[\n\r]/.test(shown.value.trimEnd());

/** One side of a change on as many lines as it needs. */
export function shownLines(shown: ShownValue): string[] {
  if (shown.kind === "absent") return [];
  if (shown.kind !== "value") return [shownText(shown)];
  const { value } = shown;
  if (isBlock(shown)) return inertLines(String(value).replace(/\r?\n$/, "")).map(limit);
  if (Array.isArray(value)) return value.map((item) => limit(plainText(item)));
  if (value !== null && typeof value === "object") return inertJson(value, 2).split("\n").map(limit);
  return [limit(plainText(value))];
}

/** At most forty lines; the last says how many were left out. */
export const capLines = (lines: readonly string[]): string[] =>
  lines.length <= mostLines
    ? [...lines]
    : [...lines.slice(0, mostLines - 1), `... (${lines.length - mostLines + 1} more lines)`];

function limit(line: string): string {
  const points = [...line];
  return points.length <= longestLine
    ? line
    : `${points.slice(0, longestLine).join("")}... (${points.length - longestLine} more characters)`;
}
