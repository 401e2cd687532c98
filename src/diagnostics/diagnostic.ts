import { codeMeanings } from "./codes";
import type { Remedy } from "./remedies";

export type DiagnosticCode = keyof typeof codeMeanings;

export const diagnosticCodes = Object.keys(codeMeanings) as [DiagnosticCode, ...DiagnosticCode[]];

/** A half-open range of character offsets in one file. Lines are worked out only when printed. */
export interface SourceRange {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly source?: SourceFile | undefined;
  /** The line that it begins in, of a document that was read back: it does not have the text. */
  readonly line?: number | undefined;
}

/** A file with ranges. Its text is for code frames: secrets in it are starred out, offsets are those of the file. */
export class SourceFile {
  /** Names the value at an offset: `rnv.config.ts: projects.shop`. Present where a program made the text. */
  placeAt?: ((offset: number) => string) | undefined;

  constructor(
    readonly path: string,
    /** The text, or a function that makes it for the first frame. */
    public shown?: string | (() => string),
  ) {}

  get text(): string | undefined {
    if (typeof this.shown === "function") this.shown = this.shown();
    return this.shown;
  }

  range(start: number, end: number): SourceRange {
    return new FileRange(this, start, end);
  }
}

/** A range that shows as plain data: the file behind it is no property of its own. */
class FileRange implements SourceRange {
  readonly #source: SourceFile;
  readonly file: string;

  constructor(
    source: SourceFile,
    readonly start: number,
    readonly end: number,
  ) {
    this.#source = source;
    this.file = source.path;
  }

  get source(): SourceFile {
    return this.#source;
  }
}

/** Offsets of the lines of the texts that were asked about last: a thousand findings lie in few files. */
const knownStarts = new Map<string, readonly number[]>();
const mostTexts = 8;

function startsOfLines(text: string): readonly number[] {
  const known = knownStarts.get(text);
  if (known) return known;
  const starts = [0];
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  if (knownStarts.size === mostTexts) knownStarts.clear();
  knownStarts.set(text, starts);
  return starts;
}

/** Returns the line and the column of an offset, both from 1. */
export function positionAt(text: string, offset: number) {
  const starts = startsOfLines(text);
  const clamped = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  for (let last = starts.length; line < last; ) {
    const middle = Math.ceil((line + last) / 2);
    if ((starts[middle - 1] as number) <= clamped) line = middle;
    else last = middle - 1;
  }
  return { line, column: clamped - (starts[line - 1] as number) + 1 };
}

/** The line where a range begins, from 1; undefined where it is not known. */
export const lineOf = ({ source, start, line }: SourceRange): number | undefined =>
  source?.text === undefined || source.placeAt ? line : positionAt(source.text, start).line;

export type Severity = "error" | "warning";

/** A finding the user can act on. Diagnostics are values: collected, returned and sorted, never thrown. */
export interface Diagnostic {
  readonly severity: Severity;
  readonly code: DiagnosticCode;
  /** The problem, on one line. The renderer escapes live text in it. */
  readonly summary: string;
  /** The expectation, and why. May span lines. */
  readonly detail?: string;
  /** The next step; shown under the caret of the code frame. */
  readonly hint?: string;
  /** The kind of the next step, where Terraform's provider says it in other words. */
  readonly remedy?: Remedy;
  readonly address?: string;
  /** Path of the construct at the address; no part of a document. */
  readonly construct?: string | undefined;
  readonly attribute?: string;
  readonly range?: SourceRange;
  /** The stage that it is in, where several were checked and not all have it. */
  readonly stage?: string | undefined;
  /** The rule of the user that is broken: the name of a policy, `precondition`. */
  readonly rule?: string;
  /** The service's correlation id, when the finding comes from an answer of the service. */
  readonly requestId?: string;
}

type Details = Omit<Diagnostic, "severity" | "code" | "summary">;

const findingOf =
  (severity: Severity) =>
  (code: DiagnosticCode, summary: string, details: Details = {}): Diagnostic => {
    return { severity, code, summary, ...details };
  };

export const error = findingOf("error");
export const warning = findingOf("warning");

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some((diagnostic) => diagnostic.severity === "error");

/** The exit code (DESIGN section 8) that a set of diagnostics stands for: 0 without errors, else the most telling. */
export function exitCodeOf(diagnostics: readonly Diagnostic[]): number {
  const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  if (codes.length === 0) return 0;
  if (codes.some((code) => outOfDate.has(code))) return 5;
  if (codes.includes("state.lock_held") || codes.includes("state.lock_lost")) return 6;
  const refused = codes.filter((code) => code.startsWith("guard.") || guardLike.has(code));
  return refused.length === codes.length ? 4 : 1;
}

const outOfDate: ReadonlySet<string> = new Set(["plan.stale", "plan.damaged", "plan.digest"]);

/** Codes of stops that protect live resources and do not begin with `guard.`. */
const guardLike: ReadonlySet<string> = new Set([
  "live.mass_disappearance",
  "live.gone_unproven",
  "state.workspace",
]);

/** Sorted by file, offset, then code, so that output does not depend on the order of discovery. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) =>
      compare(a.range?.file ?? "", b.range?.file ?? "") ||
      (a.range?.start ?? 0) - (b.range?.start ?? 0) ||
      compare(a.address ?? "", b.address ?? "") ||
      compare(a.code, b.code),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Thrown only by a step that cannot continue; carries the diagnostics to the place that reports them.
 * @example
 * try {
 *   openContext({ cwd, baseUrl, workspaceId, apiKey, state: "ftp://example.com/state.json" });
 * } catch (cause) {
 *   if (!(cause instanceof DiagnosticsError)) throw cause;
 *   for (const { summary } of cause.diagnostics) console.error(summary);
 * }
 */
export class DiagnosticsError extends Error {
  constructor(
    readonly diagnostics: readonly Diagnostic[],
    /** Exit code of DESIGN section 8. */
    readonly exitCode: number = exitCodeOf(diagnostics) || 1,
  ) {
    super(diagnostics.map((diagnostic) => diagnostic.summary).join("; "));
    this.name = "DiagnosticsError";
  }
}

export const failure = (...finding: Parameters<typeof error>): DiagnosticsError =>
  new DiagnosticsError([error(...finding)]);
