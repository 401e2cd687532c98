import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "./address";
import type { LiveResource, Pending } from "./live";
import type { Secret } from "./secret";
import type { Command, RecordedResource } from "./state";
import type { AttributeLookup, Attributes, Plain, ResolvedValue } from "./value";

/** A finding of a type about a declaration; `attribute` is the path that it points at. */
export interface Finding
  extends Pick<Diagnostic, "code" | "summary" | "detail" | "hint" | "remedy" | "attribute"> {
  /** Stops nothing; reported where the resource is sent. */
  readonly isWarning?: true;
}

export interface ReadTarget {
  readonly address: Address;
  /** A recorded or imported id; without one the name is looked up in its scope. */
  readonly id?: string;
  readonly name: string;
  /** Declared attributes with references resolved as far as known; empty for a resource that is only recorded. */
  readonly declared: Attributes<ResolvedValue>;
  /** Id of the parent, when there is one and it is known. */
  readonly parentId?: string;
  /** The parent was found in this run. */
  readonly parentIsLive?: boolean;
  readonly recorded?: RecordedResource;
  /** It is looked up by its name alone: each place in the parent counts. */
  readonly isAnywhere?: true;
}

/** A write was accepted; `pending` says how to find out when it has settled. Plain data: it survives a crash. */
export interface Accepted {
  readonly id: string;
  /** The resource as the write's answer showed it, where it did. */
  readonly live?: LiveResource;
  readonly pending?: Pending;
  /** The resource was made, but a later request of the same write failed with this: record it, then report. */
  readonly failure?: unknown;
}

export type OperationStatus =
  | {
      readonly kind: "waiting";
      readonly status: string;
      readonly note?: string;
      /** The operation that took its place: it is polled from now on. */
      readonly next?: Pending;
      /** Seen without a break for `ms`, it ends so. */
      readonly atMost?: { readonly ms: number; readonly end: LateEnd };
    }
  /** With `showsNothing` the service shows nothing at all: no proof of an end while anything else is recorded. */
  | { readonly kind: "done"; readonly showsNothing?: true }
  | LateEnd
  /** Saved; the dashboard must complete a checkout first. */
  | { readonly kind: "checkout"; readonly summary: string };

type LateEnd =
  | { readonly kind: "failed"; readonly summary: string; readonly detail?: string }
  /** Nothing will ever show its end. */
  | { readonly kind: "unproven"; readonly summary: string };

/** Known values only; a secret stays closed until `src/api` opens it. */
export type AppliableValue = Plain | Secret;

export interface CreateInput {
  readonly address: Address;
  readonly name: string;
  readonly attributes: Attributes<AppliableValue>;
  /** Computed attributes of the parent as far as known; they save a request that looks them up. */
  readonly parent?: Attributes;
}

export interface UpdateInput extends CreateInput {
  readonly id: string;
  /** Attribute paths to send; all others keep their values. */
  readonly changed: ReadonlySet<string>;
  readonly live?: LiveResource;
  readonly recorded?: RecordedResource;
}

export interface DeleteInput {
  readonly address: Address;
  readonly id: string;
  readonly name: string;
  readonly parentId?: string;
}

/** The search for the result of an unanswered create; its reads leave out older resources. */
export interface CandidateSearch {
  readonly name: string;
  readonly parentId?: string;
  /** Declared attributes; undefined where they are not known: then each place in the parent counts. */
  readonly declared: AttributeLookup | undefined;
  /** Time of the first attempt, by the platform's clock: older resources are others. Undefined if unknown. */
  readonly since?: string | undefined;
  /** The body of its request, where that is known and holds no secret. */
  readonly body?: Plain | undefined;
}

/** An element of a resource that is no resource itself. */
export interface Holding {
  /** In the words of people: `environment group`. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

export interface Deletes<Reads, Writes> {
  /** Returns how to see the end of a deletion that was asked for, from ids alone. */
  readonly pendingOf: (id: string, operationId: string | undefined, parentId: string | undefined) => Pending;
  /** Returns the elements without which alone the service deletes it. */
  readonly holdings?: (reads: Reads, id: string) => Promise<readonly Holding[]>;
  /** Asks for a resource that only lists show with a write that changes nothing; undefined when it is gone. */
  readonly find?: (writes: Writes, input: DeleteInput) => Promise<LiveResource | undefined>;
}

export interface PlannedRuns {
  readonly count: number;
  /** Ids of their parents, as far as those exist. */
  readonly parentIds: readonly string[];
}

/** A type whose create and update start a run at the service. */
export interface Runs<Reads> {
  /** Returns the pending work of a run, recorded with its answer. `attributes`: as sent. */
  readonly pendingOf: (id: string, parentId: string | undefined, attributes: AttributeLookup) => Pending;
  /** Returns the current reasons that block planned runs; at most one request. */
  readonly checkBeforeApply: (reads: Reads, planned: PlannedRuns) => Promise<readonly Finding[]>;
  /** Returns how many seconds each step of an ended run took, by its status; one request. */
  readonly stepSeconds: (reads: Reads, run: Pending) => Promise<ReadonlyMap<string, number>>;
}

export interface ActionInput extends Omit<Command, "action"> {
  readonly address: Address;
  readonly id: string;
  readonly name: string;
}

/** The target of an action where the command names none, found out before it is sent. */
export interface ActionAim
  extends Pick<ActionInput, "deploymentId" | "commit" | "releaseCommit" | "isNewest"> {
  /** Ids that could be mistaken for the result of the action. */
  readonly preexistingIds?: readonly string[];
  /** The release that serves, for a question: `it runs release 3fe7190e`. */
  readonly standing?: string;
  /** Reasons why it will have to wait, or will not last. */
  readonly warnings?: readonly Finding[];
}

export interface Made {
  readonly id: string;
  /** By the service, ISO 8601. */
  readonly madeAt?: string;
}

/** An action of a verb on a resource, outside of a plan: `rnv restart` (interface, "Services", actions). */
export interface ResourceAction<Reads, Writes> {
  /** The part of the resource that it makes again; its record names the running release. */
  readonly makes?: {
    readonly type: string;
    /** Returns the recorded values of that part from then on, given those `before`. */
    readonly applied: (
      before: RecordedResource["applied"],
      input: ActionInput,
    ) => RecordedResource["applied"];
  };
  /** Its end takes something away from those who use it: the name of the resource must be typed. */
  readonly mustBeConfirmed?: true;
  /**
   * Finds its target, with one read at most; `last` is the record of the part that it makes. Throws `DiagnosticsError`
   * without a target.
   */
  readonly aim?: (reads: Reads, input: ActionInput, last: RecordedResource | undefined) => Promise<ActionAim>;
  readonly send: (writes: Writes, input: ActionInput) => Promise<Pick<Made, "id">>;
  /** Has the id of its answer; its end is that of the action. */
  readonly waitsFor: Pending["kind"];
  /** Returns the ids that an unanswered request may have left; undefined, or absent: that is unknown. */
  readonly find?: (reads: Reads, input: ActionInput) => Promise<readonly string[] | undefined>;
  readonly poll: (reads: Reads, pending: Pending) => Promise<OperationStatus>;
  /** Returns the reason of a refusal, where the service shows it now. */
  readonly whyRefused?: (reads: Reads, input: ActionInput) => Promise<Finding | undefined>;
}
