import type { DiagnosticCode } from "./codes";
import type { SourceRange } from "./source-range";

export type Severity = "error" | "warning";

/** A finding the user can act on. Diagnostics are values: collected, returned and sorted, never thrown. */
export interface Diagnostic {
  readonly severity: Severity;
  readonly code: DiagnosticCode;
  /** One line: what is wrong. Live text in it is made inert by the renderer, not here. */
  readonly summary: string;
  /** What was expected, and why. May span lines. */
  readonly detail?: string;
  /** What to do next; shown under the caret of the code frame. */
  readonly hint?: string;
  readonly address?: string;
  /** Attribute path such as `configuration.branch`. */
  readonly attribute?: string;
  readonly range?: SourceRange;
  /** The service's correlation id, when the finding comes from an answer of the service. */
  readonly requestId?: string;
}

type Details = Omit<Diagnostic, "severity" | "code" | "summary">;

export const error = (code: DiagnosticCode, summary: string, details: Details = {}): Diagnostic => ({
  severity: "error",
  code,
  summary,
  ...details,
});

export const warning = (code: DiagnosticCode, summary: string, details: Details = {}): Diagnostic => ({
  severity: "warning",
  code,
  summary,
  ...details,
});

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some((diagnostic) => diagnostic.severity === "error");

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

/** Thrown only by a step that cannot go on; carries the diagnostics to the one place that reports them. */
export class DiagnosticsError extends Error {
  constructor(
    readonly diagnostics: readonly Diagnostic[],
    /** Exit code of DESIGN section 8; 1 unless a guard (4), a stale plan (5) or a lock (6) refused. */
    readonly exitCode: number = 1,
    /** Texts of the files that the diagnostics point into. */
    readonly sources?: ReadonlyMap<string, string>,
  ) {
    super(diagnostics.map((diagnostic) => diagnostic.summary).join("; "));
    this.name = "DiagnosticsError";
  }
}
