import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Clock } from "../model/clock";

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
