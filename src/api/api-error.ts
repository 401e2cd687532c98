/**
 * What a failed request means for the caller. `refused`: the service said no, nothing happened.
 * `uncertain`: it may have happened. `unavailable`: it did not happen, later it may work.
 */
export type FailureKind = "refused" | "uncertain" | "unavailable" | "unauthorized" | "malformed";

/** The code of an `ApiError` for a write that needs hosting while that is off: it did not happen. */
export const HOSTING_OFF = "hosting_off";

/** The code of an `ApiError` for a route that a setting of `gaps.ts` turned off: nothing was sent. */
export const GAP_OFF = "gap_off";

export interface ApiFailure {
  readonly kind: FailureKind;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly address?: string;
  /** Absent when no answer came. */
  readonly status?: number;
  /** Error code of the body: `idempotency_conflict`. */
  readonly code?: string;
  /** Message of the body, else the status text. Never from a sensitive request. */
  readonly message: string;
  readonly requestId: string;
  readonly attempts: number;
  /** What to do about it, where that is known better than from the status. */
  readonly hint?: string;
}

/** A request that failed for good. Thrown by `Send`; turned into a diagnostic in one place per command. */
export class ApiError extends Error implements ApiFailure {
  readonly kind: FailureKind;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly address?: string;
  readonly status?: number;
  readonly code?: string;
  readonly requestId: string;
  readonly attempts: number;
  readonly hint?: string;

  constructor(failure: ApiFailure, cause?: unknown) {
    super(failure.message, { cause });
    this.name = "ApiError";
    this.kind = failure.kind;
    this.operation = failure.operation;
    this.method = failure.method;
    this.path = failure.path;
    this.address = failure.address;
    this.status = failure.status;
    this.code = failure.code;
    this.requestId = failure.requestId;
    this.attempts = failure.attempts;
    this.hint = failure.hint;
  }
}
