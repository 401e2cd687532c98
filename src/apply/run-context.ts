import type { Endpoints } from "../api/endpoints";
import type { Reads, Resource } from "../api/reads";
import type { Send } from "../api/request";
import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { ApplyEvent } from "../model/apply-event";
import type { ReadResult } from "../model/live";
import type { AppliableValue, ReadTarget } from "../model/resource-operations";
import type { Secret } from "../model/secret";
import type { Intent, JournalEntry, RecordedResource, RunRecord, State } from "../model/state";
import type { Clock } from "../model/time";
import {
  type Attributes,
  type DesiredValue,
  GeneratedSecret,
  type Plain,
  type Reference,
  Unknown,
  UnreadSecret,
} from "../model/value";
import type { Change, PlannedInstance } from "../plan/plan";
import { resolveValue } from "../plan/resolve-value";
import type { RunJournal } from "./run-journal";
import type { RunTask, Slot } from "./schedule";

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
  readonly generate: (length: number) => Secret;
  /** Key of secret fingerprints; without one a run that needs it does not start. */
  readonly fingerprintKey: Uint8Array;
  readonly defaults: (type: string) => Attributes;
  readonly lookup: RunLookup;
  readonly emit: (event: ApplyEvent) => void;
  /** Someone watches: the durations of the last run are worth a request. */
  readonly isWatched?: boolean;
  /** Aborted by Ctrl-C, or by an answer after which no request can work. */
  readonly signal: AbortSignal;
}

/** One change of a run, with its own keyed and journaled endpoints. */
export interface ChangeContext extends Pick<RunTask, "around"> {
  readonly run: Run;
  readonly change: Change;
  readonly instance: PlannedInstance;
  readonly type: Resource;
  readonly slot: Slot;
  readonly endpoints: Endpoints;
  /** Id of its project or service. */
  readonly parentId?: string;
  /** The settings that its create sends; undefined for a change that creates nothing. */
  readonly created?: Pick<RecordedResource, "madeWith">;
}

/** Reads a resource again, past all caches. */
export function readNow(
  { reads }: Pick<Run, "reads">,
  type: Resource,
  target: Omit<ReadTarget, "declared"> & Partial<ReadTarget>,
): Promise<ReadResult> {
  return type.read(reads.fresh(), { declared: new Map(), ...target });
}

export type ChangeEnd =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly diagnostic: Diagnostic; readonly exitCode: 1 | 3 | 7 | 8 }
  | { readonly kind: "interrupted" };

export const failed = (diagnostic: Diagnostic, exitCode: 1 | 3 | 7 | 8 = 1): ChangeEnd => ({
  kind: "failed",
  exitCode,
  diagnostic,
});

/** Returns the value of an attribute once its resource is done; undefined while the service has not shown it. */
export type RunLookup = (address: Address, attribute: string) => Plain | undefined;

export class UnknownReference extends Error {
  constructor(
    readonly address: Address,
    readonly attribute: string,
  ) {
    super(`${address}.${attribute} is not known`);
    this.name = "UnknownReference";
  }
}

/** Returns a declared value with every reference filled in. Throws `UnknownReference`. */
export function knownValue(
  value: DesiredValue,
  lookup: RunLookup,
  generate: (length: number) => Secret,
): AppliableValue {
  if (value instanceof GeneratedSecret) return generate(value.length);
  if (value instanceof UnreadSecret) throw new Error("a plan that sends values was made without them");
  const found = resolveValue(value, (reference) => {
    const known = lookup(reference.address, reference.attribute);
    return known === undefined ? new Unknown([reference]) : known;
  });
  if (!(found instanceof Unknown)) return found as AppliableValue;
  const [{ address, attribute }] = found.references as [Reference];
  throw new UnknownReference(address, attribute);
}

export interface RecoveryContext {
  readonly state: State;
  readonly types: ReadonlyMap<string, Resource>;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly credential: () => string;
  /** False for a plan: it looks once and waits for nothing. */
  readonly wait: boolean;
  /** `false`: pending work is ignored. `look`: it is polled once. Default: the end of a deletion is waited for. */
  readonly settlesPending?: false | "look";
  /** Returns true for the write of a verb that this command asks for again. */
  readonly repeats?: (intent: Intent) => boolean;
  readonly emit: (event: ApplyEvent) => void;
  readonly say?: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface Recovery {
  /** Outcomes of open writes; folded into the state, and by `apply` into the journal. */
  readonly entries: readonly JournalEntry[];
  /** Writes without a visible result: sent again, if at all, under the same key. */
  readonly retriableIntents: readonly Intent[];
  readonly diagnostics: readonly Diagnostic[];
}

export const nothingRecovered: Recovery = { entries: [], retriableIntents: [], diagnostics: [] };
