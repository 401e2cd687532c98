import type { Remedy } from "./remedies";

/**
 * Every diagnostic code. The part before the dot names the step that found it.
 * Codes are stable: scripts match them, prose may change.
 */
export const diagnosticCodes = [
  // Reading the manifest; values and references of a stack are judged by the same rules.
  "manifest.not_found",
  "manifest.unreadable",
  "manifest.too_large",
  "manifest.too_deep",
  "manifest.empty",
  "manifest.syntax",
  "manifest.duplicate_key",
  "manifest.duplicate_address",
  "manifest.unknown_key",
  "manifest.unknown_field",
  "manifest.unknown_value",
  "manifest.missing_key",
  "manifest.invalid_type",
  "manifest.invalid_value",
  "manifest.invalid_name",
  "manifest.version",
  "manifest.reference_syntax",
  "manifest.reference_unknown",
  "manifest.reference_cycle",
  "manifest.env_missing",
  "manifest.secret_source",
  "manifest.dotenv",
  "manifest.not_converted",
  "manifest.group",
  "manifest.unsupported",
  "manifest.moved",
  "manifest.stage",
  "manifest.stage_missing",
  "manifest.stage_unknown",
  "manifest.removed",
  // Reading a stack.
  "stack.not_found",
  "stack.syntax",
  "stack.unsupported",
  "stack.unknown_key",
  "stack.missing_key",
  "stack.invalid_value",
  "stack.duplicate",
  "stack.reference_unknown",
  "stack.reference_cycle",
  "stack.variable_missing",
  "stack.too_large",
  "stack.annotation",
  // Command line and environment.
  "config.missing",
  "config.invalid",
  "config.insecure",
  "command.usage",
  "command.output_lost",
  "command.undelivered",
  // State.
  "state.unreadable",
  "state.newer",
  "state.workspace",
  "state.key_missing",
  "state.key_mismatch",
  "state.write_failed",
  "state.conflict",
  "state.lock_held",
  "state.lock_lost",
  "state.address_unknown",
  "state.open_intent",
  "state.hand_over",
  // Reading the service.
  "live.failed",
  "live.ambiguous",
  "live.unmanaged_exists",
  "live.mass_disappearance",
  "live.gone_unproven",
  "live.unlisted",
  "live.unchecked",
  "live.standing",
  "live.import_missing",
  "live.import_undeclared",
  "live.preserve_missing",
  "live.data_missing",
  "live.hosting_off",
  "live.stale",
  "live.worker_offline",
  // Planning.
  "plan.adopted",
  "plan.cycle",
  "plan.price",
  "plan.not_on_offer",
  "plan.invalid_combination",
  "plan.no_source",
  "plan.live_changed_too",
  "plan.name_follows_key",
  "plan.not_deployed",
  "plan.replacement",
  "plan.retained",
  "plan.target_unknown",
  "plan.data_deferred",
  "plan.data_unusable",
  "plan.stale",
  "plan.damaged",
  "plan.digest",
  // Guards.
  "guard.prevent_destroy",
  "guard.delete_unconfirmed",
  "guard.empty_manifest",
  "guard.name_changed",
  "guard.holds_others",
  "guard.consumers",
  "guard.promote",
  "guard.untrusted",
  "guard.stack",
  "guard.stage",
  "guard.local_state",
  "guard.repository",
  "guard.plan_unauthenticated",
  "guard.review_key",
  "guard.workspace",
  "guard.policy",
  "guard.condition",
  // Policies.
  "policy.invalid",
  "policy.failed",
  // Tests of a manifest.
  "test.invalid",
  // Drift that is accepted.
  "drift.acceptance_expired",
  "drift.acceptance_unused",
  // Applying.
  "apply.failed",
  "apply.skipped",
  "apply.not_taken",
  "apply.uncertain",
  "apply.delete_failed",
  "apply.deploy_failed",
  "apply.deploy_timeout",
  "apply.condition_failed",
  "apply.awaiting_checkout",
  "apply.value_generated",
  "apply.interrupted",
  "apply.body_too_large",
  // The service's answers.
  "api.unauthorized",
  "api.forbidden",
  "api.not_found",
  "api.refused",
  "api.conflict",
  "api.rate_limited",
  "api.unavailable",
  "api.malformed",
  "internal.bug",
] as const;

export type DiagnosticCode = (typeof diagnosticCodes)[number];

/** A half-open range of character offsets in one file. Lines are worked out only when printed. */
export interface SourceRange {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

export interface Position {
  /** 1-based. */
  readonly line: number;
  /** 1-based, counted in UTF-16 code units. */
  readonly column: number;
}

interface Lines {
  readonly text: string;
  readonly starts: readonly number[];
}

const mostTexts = 8;

/** The lines of the texts that were asked about last: a thousand findings lie in few files. */
let known: readonly Lines[] = [];

function linesOf(text: string): Lines {
  const found = known.find((lines) => lines.text === text);
  if (found) return found;
  const lines = { text, starts: startsOfLines(text) };
  known = [lines, ...known.slice(0, mostTexts - 1)];
  return lines;
}

function startsOfLines(text: string): readonly number[] {
  const starts = [0];
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return starts;
}

/** Line and column of a character offset in a text. */
export function positionAt(text: string, offset: number): Position {
  const { starts } = linesOf(text);
  const clamped = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  for (let last = starts.length; line < last; ) {
    const middle = Math.ceil((line + last) / 2);
    if ((starts[middle - 1] as number) <= clamped) line = middle;
    else last = middle - 1;
  }
  return { line, column: clamped - (starts[line - 1] as number) + 1 };
}

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
  /** Attribute path such as `configuration.branch`. */
  readonly attribute?: string;
  readonly range?: SourceRange;
  /** The rule of the user that is broken: the name of a policy, `precondition`. */
  readonly rule?: string;
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
