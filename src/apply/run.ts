import type { Endpoints } from "../api/endpoints";
import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import type { Send } from "../api/send";
import type { Diagnostic } from "../diagnostics/diagnostic";
import type { ApplyEvent } from "../model/apply-event";
import type { Attributes } from "../model/attributes";
import type { Clock } from "../model/clock";
import type { Secret } from "../model/secret";
import type { Intent, RunRecord } from "../model/state";
import type { AttributeLookup } from "./known-values";
import type { RunJournal } from "./run-journal";

/** What every change of one run shares. */
export interface Run {
  readonly types: ReadonlyMap<string, Resource>;
  readonly send: Send;
  readonly endpoints: (send: Send) => Endpoints;
  readonly reads: Reads;
  readonly journal: RunJournal;
  readonly mode: "apply" | "destroy" | "refresh-only";
  readonly record: RunRecord;
  /** Open writes of an interrupted run under the same credential, younger than 23 h. */
  readonly retriableIntents: readonly Intent[];
  readonly clock: Clock;
  /** Makes a random secret of that many characters. */
  readonly generate: (length: number) => Secret;
  /** Key of secret fingerprints; without one a run that needs it does not start. */
  readonly fingerprintKey: Uint8Array;
  /** The service's defaults, by type. */
  readonly defaults: (type: string) => Attributes;
  readonly lookup: AttributeLookup;
  /** Names of what was live when the plan was made, by id. */
  readonly before: ReadonlyMap<string, string>;
  readonly emit: (event: ApplyEvent) => void;
  /** Aborted by Ctrl-C, or by an answer after which nothing more can work. */
  readonly signal: AbortSignal;
}

/** How one change ended. */
export type ChangeEnd =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly diagnostic: Diagnostic; readonly exitCode: 1 | 7 | 8 }
  | { readonly kind: "interrupted" };
