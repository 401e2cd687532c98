import type { ErrorCode } from "yaml";
import type { SyntaxScan } from "./scan-syntax";
import { type Line, lineAt, type Span } from "./syntax-lines";

/** Why a text does not parse, and what to write. */
export interface Cause {
  readonly summary: string;
  readonly hint?: string;
  readonly start: number;
  readonly end: number;
}

/** What the causes look at. */
export interface Situation {
  readonly text: string;
  /** The text without what may be secret; nothing is quoted that differs in it. */
  readonly shown: string;
  readonly code: ErrorCode;
  /** Where the parser stumbled. */
  readonly at: number;
  readonly line: Line;
  readonly scan: SyntaxScan;
}

/** Finds its cause in a situation, or undefined. */
export type FindCause = (situation: Situation) => Cause | undefined;

const longestShown = 80;

/** A part of the text, where it is short and no secret. */
export function visible(text: string, shown: string, range: Span | undefined): string | undefined {
  if (range === undefined || range.end - range.start > longestShown) return undefined;
  const part = text.slice(range.start, range.end);
  return shown.slice(range.start, range.end) === part ? part : undefined;
}

/** The rest of a line. */
export const endOfLine = (text: string, start: number): Span => ({
  start,
  end: lineAt(text, start).end,
});
