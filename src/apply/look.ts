import { ApiError } from "../api/api-error";
import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { youngMs } from "../model/freshness";
import type { LiveResource } from "../model/live";
import type { CandidateSearch } from "../model/resource-operations";
import type { Intent } from "../model/state";
import type { Clock } from "../model/time";
import type { Grace, Looking, RecoveryContext, Run } from "./run";

/** How long reads that are behind our last write are looked at again, milliseconds (DESIGN section 5). */
const patienceMs = 30_000;
const firstPauseMs = 250;
const longestPauseMs = 4000;

export interface LookingAgain<T> {
  readonly clock: Pick<Clock, "elapsed">;
  readonly look: () => Promise<T> | T;
  readonly isBehind: (seen: T) => boolean | Promise<boolean>;
  /** Waits, and sees to it that the next look reads anew. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Milliseconds; 30,000 unless said. */
  readonly forMs?: number;
}

export interface Looked<T> {
  readonly seen: T;
  /** It was behind to the end. */
  readonly isStale: boolean;
}

/** Looks, and while what is seen is behind looks again after a pause that grows. */
export async function lookAgain<T>(looking: LookingAgain<T>): Promise<Looked<T>> {
  const { clock, look, isBehind, pause, forMs = patienceMs } = looking;
  const startedAt = clock.elapsed();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const seen = await look();
    if (!(await isBehind(seen))) return { seen, isStale: false };
    if (clock.elapsed() - startedAt >= forMs) return { seen, isStale: true };
    await pause(pauseMs);
  }
}

/** The diagnostic of reads that stayed behind to the end. */
export const staleReads = (summary: string, address?: string): Diagnostic =>
  error("live.stale", summary, {
    ...(address !== undefined && { address }),
    detail:
      "Its reads were looked at again for 30 seconds and are still behind the answers to our last writes. Nothing was " +
      "sent: what is not shown may be there, and what is shown may be gone.",
    hint:
      "run the command again in a minute or two; what was deleted or changed back elsewhere right after our write is " +
      "believed two minutes after it",
  });

/** Receipts live 24 h; an hour is kept back for clocks that disagree. */
export const keyLifetimeMs = 23 * 3_600_000;
/** When what is not there is looked for again, milliseconds from the first look. */
const graces = [2000] as const;
/** As long as reads may lag (DESIGN section 5): for a young write that its key would not keep from being done twice. */
const patientGraces = Array.from({ length: 15 }, (_, looks) => (looks + 1) * graces[0]);

/** The service still knows the key of `intent`, and this credential may use it. */
export const keyStillCounts = (
  recovering: Pick<RecoveryContext, "state" | "credential" | "clock">,
  intent: Intent,
): boolean =>
  recovering.state.run?.credential === recovering.credential() &&
  Math.abs(recovering.clock.now() - Date.parse(intent.at)) < keyLifetimeMs;

/** One grace for all that a run looks for. */
export function graceOf({ clock, signal, reads }: RecoveryContext): Grace {
  const grace: Grace = {
    waited: 0,
    waitUntil: async (ms) => {
      if (grace.waited >= ms) return false;
      await clock.sleep(ms - grace.waited, signal);
      reads.invalidate();
      grace.waited = ms;
      return true;
    },
  };
  return grace;
}

/** Looks, and while nothing is there again after the grace: the answer may have been lost on its way. */
export async function lookPatiently<T>(
  looking: Looking,
  intent: Intent,
  look: () => Promise<readonly T[] | undefined>,
): Promise<readonly T[] | undefined> {
  const { clock, wait, grace, say } = looking;
  // One of the future was sent before the clock was set back, nobody knows how long ago.
  const mayBeYoung = clock.now() - Date.parse(intent.at) < youngMs;
  const isPatient = mayBeYoung && !keyStillCounts(looking, intent);
  let found = await look();
  for (const moment of wait ? (isPatient ? patientGraces : graces) : []) {
    if (found === undefined || found.length > 0) return found;
    if (grace.waited === graces[0] && moment > grace.waited)
      say?.("The service may not show yet what an interrupted run made; looking again …");
    if (await grace.waitUntil(moment)) found = await look();
  }
  return found;
}

/** It may have happened: no answer came, or one that says nothing certain. */
export const isUncertain = (failure: unknown): failure is ApiError =>
  failure instanceof ApiError && (failure.kind === "uncertain" || failure.kind === "malformed");

/**
 * What an unanswered create may have made. A look that tells nothing is repeated once: it may have failed in passing,
 * and a write sent again without knowing could be the second one. Undefined when it cannot be looked up.
 */
export async function lookForCreated(
  type: Resource,
  reads: Reads,
  search: CandidateSearch,
): Promise<readonly LiveResource[] | undefined> {
  const found = await type.candidates?.(reads, search);
  if (found !== undefined || !type.candidates) return found;
  reads.invalidate();
  return type.candidates(reads, search);
}

/** Pauses before what is not there is looked for again, milliseconds: reads may lag (DESIGN section 5). */
export const gracePauses = [500, 1500] as const;
/** With these, 30 seconds: for a write that its key would not keep from being done twice. */
const patientPauses = [...gracePauses, ...Array<number>(14).fill(2000)];

/** A service that failed may have done the write and lost its receipt: its key proves nothing. */
export const mayLackReceipt = (failure: ApiError): boolean => failure.status === 500;

/**
 * Looks, and while nothing is there again after a pause: what was written just now may not be shown yet. With
 * `onPatience` for as long as reads may lag; it is called when that begins.
 */
export async function lookWithGrace<T>(
  { clock, signal, reads }: Pick<Run, "clock" | "signal" | "reads">,
  look: () => Promise<readonly T[] | undefined>,
  onPatience?: () => void,
): Promise<readonly T[] | undefined> {
  reads.invalidate();
  let found = await look();
  for (const [index, pause] of (onPatience ? patientPauses : gracePauses).entries()) {
    if (found === undefined || found.length > 0) return found;
    if (index === gracePauses.length) onPatience?.();
    await clock.sleep(pause, signal);
    reads.invalidate();
    found = await look();
  }
  return found;
}

/**
 * Looks for what an unanswered create made: exactly one thing of that name outside the preexistingIds is it, none means
 * it did not happen, more than one is for a person to decide.
 */
export async function observeCreated(
  type: Resource,
  run: Pick<Run, "clock" | "signal" | "reads" | "emit">,
  address: Address,
  search: CandidateSearch,
  failure: ApiError,
): Promise<LiveResource | undefined> {
  const look = () => lookForCreated(type, run.reads, search);
  const note = "the service failed and may have done it: looking for it for at most 30 s";
  const onPatience = () => run.emit({ type: "progress", address, action: "create", note });
  const found = (await lookWithGrace(run, look, mayLackReceipt(failure) ? onPatience : undefined)) ?? [];
  if (found.length > 1) throw severalCandidates(address, found);
  return found[0];
}

function severalCandidates(address: Address, found: readonly LiveResource[]): DiagnosticsError {
  const ids = found.map((live) => live.id).join(", ");
  return new DiagnosticsError([
    error(
      "apply.uncertain",
      `a create of ${address} was not answered, and ${found.length} things bear its name now`,
      {
        address,
        detail: `Found: ${ids}. Any of them may be the one that was made.`,
        hint: `remove the others, then run: rnv import ${address} ID`,
      },
    ),
  ]);
}
