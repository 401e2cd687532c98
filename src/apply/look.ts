import { ApiError } from "../api/api-error";
import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { lagMs, youngMs } from "../model/freshness";
import type { LiveResource } from "../model/live";
import type { CandidateSearch } from "../model/resource-operations";
import type { Intent } from "../model/state";
import type { Clock } from "../model/time";
import type { RecoveryContext, Run, SharedWait } from "./run";

export interface Looked<T> {
  readonly seen: T;
  /** It was not enough to the end. */
  readonly isStale: boolean;
}

/** Looks, and while `isEnough` denies what is seen, looks again after each pause; where `pause` returns false, not again. */
async function lookUntil<T>(
  look: () => Promise<T> | T,
  isEnough: (seen: T) => boolean | Promise<boolean>,
  pauses: Iterable<number>,
  pause: (milliseconds: number) => Promise<unknown>,
): Promise<Looked<T>> {
  let seen = await look();
  for (const milliseconds of pauses) {
    if (await isEnough(seen)) return { seen, isStale: false };
    if ((await pause(milliseconds)) !== false) seen = await look();
  }
  return { seen, isStale: !(await isEnough(seen)) };
}

/** The capabilities that looking again needs. */
export interface LookContext {
  readonly clock: Pick<Clock, "elapsed" | "sleep">;
  readonly signal: AbortSignal;
  readonly reads: Pick<Reads, "invalidate">;
  /** Tells people, once, that the service is waited for. */
  readonly say?: (line: string) => void;
}

/** Looks until the reads are no longer behind, after pauses that grow from 250 ms to 4 s, for `forMs` (default 30,000). */
export async function lookAgain<T>(
  context: LookContext,
  look: () => Promise<T> | T,
  isBehind: (seen: T) => boolean | Promise<boolean>,
  forMs = lagMs,
): Promise<Looked<T>> {
  const { clock, say } = context;
  const endsAt = clock.elapsed() + forMs;
  function* pauses(): Generator<number> {
    for (let ms = firstPauseMs; clock.elapsed() < endsAt; ms = Math.min(2 * ms, 4000)) yield ms;
  }
  return lookUntil(
    look,
    async (seen) => !(await isBehind(seen)),
    pauses(),
    (ms) => {
      if (ms === firstPauseMs) say?.("The service's reads are behind our last write; looking again …");
      return pauseThenReadAnew(context, ms);
    },
  );
}

const firstPauseMs = 250;
const pausesOf = new WeakMap<LookContext["reads"], Promise<void>>();

/** Terraform asks for many resources at once: they share their pauses. */
function pauseThenReadAnew({ clock, signal, reads }: LookContext, milliseconds: number): Promise<void> {
  const going = pausesOf.get(reads);
  if (going !== undefined) return going;
  const begun = clock.sleep(milliseconds, signal).finally(() => {
    pausesOf.delete(reads);
    reads.invalidate();
  });
  pausesOf.set(reads, begun);
  return begun;
}

/** The diagnostic of reads that stayed behind to the end. */
export const staleReads = (summary: string, address?: string): Diagnostic =>
  error("live.stale", summary, {
    ...(address !== undefined && { address }),
    detail:
      "rnv read it again for 30 seconds. Nothing was sent: what is not shown may exist, and what is shown may be deleted.",
    hint: "Run the command again in two minutes. A change made elsewhere right after ours is trusted from then on.",
  });

/** The diagnostic of reads that do not show a write of ours to `about`. */
export const staleWrite = (about: string): Diagnostic =>
  staleReads(
    `${about}: the API still shows the values from before the last change, made less than two minutes ago`,
  );

/** Receipts live 24 h; an hour is kept back for clocks that disagree. */
export const keyLifetimeMs = 23 * 3_600_000;
/** When a write that is not shown is looked for again, milliseconds from the first look. */
const recoveryMoments = [2000] as const;
/** The same as long as reads may lag: for a young write that its key would not keep from being done twice. */
const patientMoments = Array.from({ length: lagMs / 2000 }, (_, looks) => (looks + 1) * 2000);

/** Returns whether the service still knows the key of `intent`, and this credential may use it. */
export const keyStillCounts = (
  recovering: Pick<RecoveryContext, "state" | "credential" | "clock">,
  intent: Intent,
): boolean =>
  recovering.state.run?.credential === recovering.credential() &&
  Math.abs(recovering.clock.now() - Date.parse(intent.at)) < keyLifetimeMs;

/** Returns the wait that all looks of one recovery share: time that has passed has passed for each of them. */
export function sharedWait({ clock, signal, reads }: RecoveryContext): SharedWait {
  const shared: SharedWait = {
    waited: 0,
    waitUntil: async (ms) => {
      if (shared.waited >= ms) return false;
      await clock.sleep(ms - shared.waited, signal);
      reads.invalidate();
      shared.waited = ms;
      return true;
    },
  };
  return shared;
}

/** Looks for what a write of an interrupted run left, and while nothing is shown again: its answer may have been lost. */
export async function lookForLost<T>(
  recovering: RecoveryContext & { readonly shared: SharedWait },
  intent: Intent,
  look: () => Promise<readonly T[] | undefined>,
): Promise<readonly T[] | undefined> {
  const { clock, wait, shared, say } = recovering;
  // A time in the future is from before the clock was set back: nobody knows how long ago.
  const mayBeYoung = clock.now() - Date.parse(intent.at) < youngMs;
  const isPatient = mayBeYoung && !keyStillCounts(recovering, intent);
  const [first] = recoveryMoments;
  const moments = isPatient ? patientMoments : recoveryMoments;
  const { seen } = await lookUntil(look, isFound, wait ? moments : [], async (moment) => {
    if (shared.waited === first && moment > first)
      say?.("The service may not show yet what an interrupted run made; looking again …");
    return shared.waitUntil(moment);
  });
  return seen;
}

/** Returns whether a look is enough: resources were found, or cannot be looked up. */
const isFound = (found: readonly unknown[] | undefined): boolean => found === undefined || found.length > 0;

/** Returns whether a failed write may have happened: no answer came, or an uncertain one. */
export const isUncertain = (failure: unknown): failure is ApiError =>
  failure instanceof ApiError && (failure.kind === "uncertain" || failure.kind === "malformed");

/** Sends a write, and once more where its answer is uncertain: it can be repeated. */
export const sendTwice = <T>(send: () => Promise<T>): Promise<T> =>
  send().catch((failure: unknown) => (isUncertain(failure) ? send() : Promise.reject(failure)));

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

/** Returns whether a failed service may have done the write and lost its receipt: then its key proves nothing. */
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
  let looks = 0;
  const pauses = onPatience ? patientPauses : gracePauses;
  const { seen } = await lookUntil(look, isFound, pauses, async (pause) => {
    if (looks === gracePauses.length) onPatience?.();
    looks += 1;
    await clock.sleep(pause, signal);
    reads.invalidate();
  });
  return seen;
}

/**
 * Looks for what an unanswered create made: one resource of that name with a new id is it, none means
 * that it did not happen, and several are for a person to decide.
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
      `unknown whether ${address} was created: the API did not answer, and ${found.length} resources have its name`,
      {
        address,
        detail: `Found: ${ids}. Any of them may be it.`,
        hint: `delete the others, then run: rnv import ${address} ID`,
      },
    ),
  ]);
}
