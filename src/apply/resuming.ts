import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import type { Diagnostic } from "../diagnostics/diagnostic";
import type { ApplyEvent } from "../model/apply-event";
import type { Clock } from "../model/clock";
import type { Intent, JournalEntry, State } from "../model/state";

/** What finding out needs: the state that an interrupted run left, and eyes for the service. */
export interface RecoveryContext {
  readonly state: State;
  readonly types: ReadonlyMap<string, Resource>;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly credential: () => string;
  /** False for a plan: it looks once and waits for nothing. */
  readonly wait: boolean;
  /** `false` where what is pending is none of the command's business, `look` where no end of it is waited for. */
  readonly settlesPending?: false | "look";
  /** Writes of verbs that the command at hand asks for again: it goes on with them itself. */
  readonly repeats?: (intent: Intent) => boolean;
  readonly emit: (event: ApplyEvent) => void;
  /** Tells people what is waited for. */
  readonly say?: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface Recovery {
  /** What became of the writes left open; to be folded into the state, and by `apply` into the journal. */
  readonly entries: readonly JournalEntry[];
  /** Creates that did not happen as far as anyone can see: sent again, if at all, under the same key. */
  readonly retriableIntents: readonly Intent[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `RecoveryContext`, with one grace for all that is looked for: time has passed for everything once it has passed. */
export interface Looking extends RecoveryContext {
  readonly grace: Grace;
}

export interface Grace {
  /** Milliseconds that were waited so far. */
  waited: number;
  /** Waits until `ms` have been waited in all; false where they have been already. */
  readonly waitUntil: (ms: number) => Promise<boolean>;
}
