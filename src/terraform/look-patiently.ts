import type { Reads } from "../api/reads";
import { type Looked, type LookingAgain, lookAgain, staleReads } from "../apply/look";
import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Clock } from "../model/time";

/** What a look works with. */
export interface Looking {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly reads: Pick<Reads, "invalidate">;
}

/** Looks, and while what is seen is behind again after a pause, for 30 seconds unless said. */
export const lookPatiently = <T>(
  looking: Looking,
  look: LookingAgain<T>["look"],
  isBehind: LookingAgain<T>["isBehind"],
  forMs?: number,
): Promise<Looked<T>> =>
  lookAgain({
    clock: looking.clock,
    look,
    isBehind,
    pause: (milliseconds) => pause(looking, milliseconds),
    ...(forMs !== undefined && { forMs }),
  });

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
  staleReads(`the service does not show what was written to ${about} within the last two minutes`);
