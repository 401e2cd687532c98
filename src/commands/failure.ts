import { ApiError, diagnosticOf } from "../api/api-error";
import { DiagnosticsError } from "../diagnostics/diagnostic";
import type { Outcome } from "./context";

/** Returns the outcome of a failure; undefined for a bug. An interrupted call is no failure: it has no findings. */
export function expectedFailure(cause: unknown, isInterrupted: boolean): Outcome | undefined {
  if (cause instanceof DiagnosticsError) return { diagnostics: cause.diagnostics, exitCode: cause.exitCode };
  if (isInterrupted) return { diagnostics: [], exitCode: 130 };
  return cause instanceof ApiError ? { diagnostics: [diagnosticOf(cause)], exitCode: 1 } : undefined;
}
