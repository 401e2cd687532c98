import { ApiError, diagnosticOf } from "../api/api-error";
import type { Connection } from "../api/connection";
import type { ManifestRequest, SecretReach } from "../declaration/load-request";
import { type Diagnostic, DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { type Address, parseAddress } from "../model/address";
import type { ApplyEvent } from "../model/apply-event";
import type { Desired } from "../model/desired";
import { stageText } from "../model/stage";
import type { RunOrigin } from "../model/state";
import type { Clock } from "../model/time";
import type { PlanInput, PlanOptions } from "../plan/plan";
import type { StateBackend } from "../state/backend";
import type { LoadedStateKey } from "../state/key";
import type { Origin } from "../state/recorded";
import type { PlanWishes } from "./library/types";

export { planRequest } from "./library/read-request";

export interface StateKey extends LoadedStateKey {
  /** Authenticates the record of a review. */
  readonly reviewKey?: Uint8Array | undefined;
}

/** A manifest or stacks and their surroundings; `stage` is `any` for a run that names none and works on a state alone. */
export interface LoadContext
  extends Omit<ManifestRequest, "files" | "types" | "secrets" | "checksOnly" | "standardInput"> {
  /** Reads standard input to its end, for `-f -`. */
  readonly standardInput?: () => Promise<Uint8Array>;
}

/**
 * Every capability a command may use; `src/cli` builds it from argv, environment and terminal, tests from their
 * own parts. Commands print nothing: they return outcomes and emit events.
 */
export interface Context extends LoadContext {
  /** Ends in `/api/v1`, or `embedded`. */
  readonly baseUrl: string;
  readonly workspaceId: string;
  /** First 16 hex digits of SHA-256 of the API key; names the credential without telling it. */
  readonly credential: () => string;
  readonly host: string;
  readonly pid: number;
  /** Returns the origin of a run of the manifest `files`, for the history of the state. Absent: the host alone. */
  readonly startedBy?: (files: readonly string[]) => Omit<RunOrigin, "command">;
  /** The repository that the run is of; `isJob`: without a name it writes to no state of a repository. */
  readonly repository?: { readonly name?: string | undefined; readonly isJob: boolean };
  /** Why this run must not create the state: it would be gone with the runner. */
  readonly refusedState?: Diagnostic | undefined;
  readonly clock: Clock;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly backend: StateBackend;
  /** Throws `DiagnosticsError` when base URL, workspace or key is missing. */
  readonly connect: () => Promise<Connection>;
  /** The key of secret fingerprints; `create` makes one where there is none; a key is taken over. */
  readonly stateKey: (create: boolean | Uint8Array) => Promise<StateKey>;
  /** Shows a line at a terminal where a step takes long; absent elsewhere. */
  readonly progress?: ((line: string) => void) | undefined;
  readonly emit: (event: ApplyEvent) => void;
  /** Shows a warning that is not in the outcome: the lock is freed after the outcome is made. */
  readonly warn?: (warning: Diagnostic) => void;
  /** Tells people, in one line, why a command waits. */
  readonly say?: (line: string) => void;
  /** Aborted by the first Ctrl-C: finish calls in flight, start none. */
  readonly signal: AbortSignal;
}

export const originOf = ({ workspaceId, baseUrl, stack, stage }: Context): Origin => ({
  workspaceId,
  baseUrl,
  stack: stack?.name,
  stage: stage && stage !== "any" ? { name: stageText(stage), takesUnnamed: false } : undefined,
});

export interface Outcome {
  /** Undefined where the service was not asked. */
  readonly runId?: string;
  readonly diagnostics: readonly Diagnostic[];
  /** DESIGN section 8. */
  readonly exitCode: number;
}

export const succeeded: Outcome = { diagnostics: [], exitCode: 0 };

/** Returns the outcome of a failure; undefined for a bug. An interrupted call is no failure: it has no findings. */
export function expectedFailure(cause: unknown, isInterrupted: boolean): Outcome | undefined {
  if (cause instanceof DiagnosticsError) return { diagnostics: cause.diagnostics, exitCode: cause.exitCode };
  if (isInterrupted) return { diagnostics: [], exitCode: 130 };
  return cause instanceof ApiError ? { diagnostics: [diagnosticOf(cause)], exitCode: 1 } : undefined;
}

export interface PlanRequest extends PlanWishes {
  /** `-f`, repeatable; empty means the default files. */
  readonly files: readonly string[];
  /** Everything that is to be destroyed is confirmed as a whole: `rnv destroy`. */
  readonly confirmsAll?: boolean;
  /** The plan will be saved: it is bound to the values of its secrets, so there must be a key for their fingerprints. */
  readonly isSaved?: boolean;
  /** The plan is reviewed, or was: a manifest with secrets needs the key of their fingerprints. */
  readonly needsKey?: boolean;
  /** Reach of secret sources; default `resolve`. With less, the key of their fingerprints may be missing too. */
  readonly secrets?: SecretReach;
  /** The manifest is not read: all recorded resources are destroyed. */
  readonly recordedOf?: Pick<Desired, "stage">;
  /** Values revealed for the saved plan that is applied: they are not revealed again. */
  readonly revealed?: PlanInput["revealed"];
  readonly costLimits?: readonly CostLimit[];
}

/** A limit of the monthly cost of all managed resources, or of its increase. */
export interface CostLimit {
  readonly kind: "increase" | "total";
  readonly amount: number;
  readonly currency: "usd" | "ngn";
}

/** Returns the options of a plan; throws `DiagnosticsError` at a confirmation that is not an address. */
export function planOptions(request: PlanRequest): PlanOptions {
  const confirmedConsumers = addresses("--confirm-consumers", request.confirmedConsumers ?? []);
  return {
    mode: request.mode,
    targets: request.targets as readonly Address[],
    excludes: request.excludes as readonly Address[],
    replace: request.replace as readonly Address[],
    adopt: request.adopt,
    allowEmpty: request.allowEmpty,
    confirmedDeletes: addresses("--confirm-delete", request.confirmedDeletes),
    confirmedConsumers: confirmedConsumers.length > 0 ? confirmedConsumers : undefined,
    confirmsAll: request.confirmsAll || undefined,
  };
}

/** Parses the addresses given to a flag; throws `DiagnosticsError` at the first that is not an address. */
export function addresses(flag: string, texts: readonly string[]): Address[] {
  return texts.map((text) => {
    const address = parseAddress(text);
    if (address) return address;
    const hint = "an address looks like service.shop.api; rnv state list shows those that are recorded";
    throw failure("command.usage", `${flag}: "${text}" is not an address`, { hint });
  });
}
