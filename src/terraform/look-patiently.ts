import type { Reads } from "../api/reads";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Clock } from "../model/clock";

/** How long reads that are behind our last write are looked at again (DESIGN section 5). */
const patienceMs = 30_000;
const firstPauseMs = 250;
const longestPauseMs = 4000;

/** What a look works with. */
export interface Looking {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly reads: Pick<Reads, "invalidate">;
}

export interface Looked<T> {
  readonly seen: T;
  /** It was behind to the end. */
  readonly isStale: boolean;
}

/** Looks, and while what is seen is behind again after a pause, for 30 seconds unless said. */
export async function lookPatiently<T>(
  looking: Looking,
  look: () => Promise<T> | T,
  isBehind: (seen: T) => boolean | Promise<boolean>,
  forMs = patienceMs,
): Promise<Looked<T>> {
  const startedAt = looking.clock.elapsed();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const seen = await look();
    if (!(await isBehind(seen))) return { seen, isStale: false };
    if (looking.clock.elapsed() - startedAt >= forMs) return { seen, isStale: true };
    await pause(looking, pauseMs);
  }
}

const pauses = new WeakMap<Looking["reads"], Promise<void>>();

/** A pause after which everything is read anew. Terraform asks for many things at once: they share theirs. */
function pause({ clock, signal, reads }: Looking, milliseconds: number): Promise<void> {
  const going = pauses.get(reads);
  if (going !== undefined) return going;
  const begun = clock.sleep(milliseconds, signal).finally(() => {
    pauses.delete(reads);
    reads.invalidate();
  });
  pauses.set(reads, begun);
  return begun;
}

/** The diagnostic of reads that stayed behind. */
export const stale = (about: string): Diagnostic =>
  error("live.stale", `the service does not show what was written to ${about} within the last two minutes`, {
    detail:
      "Its reads were looked at again for 30 seconds and are still behind the answers to our last writes. Nothing was " +
      "sent: what is not shown may be there.",
    hint:
      "run the command again in a minute or two; what was deleted or changed back elsewhere right after our write is " +
      "believed two minutes after it",
  });
