import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "./address";

/** One step of a change: a replacement is a `delete` and a `create`, each with a start and an end of its own. */
export type StepAction = "create" | "update" | "delete" | "archive" | "adopt" | "forget";

/** What a plan does with one address; `no-op` has no event. */
export type PlannedAction = "create" | "update" | "replace" | "delete" | "adopt" | "forget";

interface Step {
  readonly address: Address;
  readonly action: StepAction;
}

/** What was done, and what was not. */
export interface ApplyCounts {
  readonly added: number;
  readonly changed: number;
  readonly destroyed: number;
  readonly adopted: number;
  readonly forgotten: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The first event of a stream: what wrote it. */
export interface VersionEvent {
  readonly type: "version";
  /** Version of this event format; a new major part breaks readers. */
  readonly format: "1.0";
  /** Version of rnv. */
  readonly rnv: string;
}

/** One for each change of the plan that does something, before the first write. */
export interface PlannedEvent {
  readonly type: "planned";
  readonly address: Address;
  readonly action: PlannedAction;
  /** Why a reacting resource runs. */
  readonly reason?: string;
}

/** Live values were revealed, on request, to compare them with what is declared; the service audits each. */
export interface RevealedEvent {
  readonly type: "revealed";
  readonly count: number;
  /** Those that are as declared: nothing is sent. */
  readonly equal: number;
}

/** A step is about to send its first write. */
export interface StartEvent extends Step {
  readonly type: "start";
  /** Undefined while it is not created. */
  readonly id?: string;
}

/** Something happened within a step that a reader wants to know: a write was accepted, a retry, a follow-up. */
export interface ProgressEvent extends Step {
  readonly type: "progress";
  /** One line. */
  readonly note: string;
}

/** A step waits for the service to settle; emitted about every ten seconds and whenever the status changes. */
export interface WaitingEvent extends Step {
  readonly type: "waiting";
  readonly elapsedSeconds: number;
  /** The service's word for where it stands: `building`. */
  readonly status?: string;
  /** Why it waits, such as a deployment's `blockedReason`. */
  readonly note?: string;
}

/** A step has settled. */
export interface DoneEvent extends Step {
  readonly type: "done";
  readonly elapsedSeconds: number;
  readonly id?: string;
}

/** A step failed; unrelated ones go on. */
export interface FailedEvent extends Step {
  readonly type: "failed";
  readonly elapsedSeconds: number;
  readonly diagnostic: Diagnostic;
}

/** A change was not tried, because what it depends on failed, or because the run was interrupted. */
export interface SkippedEvent {
  readonly type: "skipped";
  readonly address: Address;
  readonly action: PlannedAction;
  /** Addresses that failed; empty when the run was interrupted. */
  readonly because: readonly Address[];
}

/** The last event of a stream. */
export interface SummaryEvent {
  readonly type: "summary";
  readonly mode: "apply" | "destroy" | "refresh-only";
  readonly counts: ApplyCounts;
  /** Exit code of DESIGN section 8. */
  readonly exitCode: number;
  readonly elapsedSeconds: number;
  /** How to go on, when something is left to do. */
  readonly hint?: string;
}

/** What a run tells while it runs, in order (DESIGN section 8). Plain data, without a secret. */
export type ApplyEvent =
  | VersionEvent
  | RevealedEvent
  | PlannedEvent
  | StartEvent
  | ProgressEvent
  | WaitingEvent
  | DoneEvent
  | FailedEvent
  | SkippedEvent
  | SummaryEvent;
