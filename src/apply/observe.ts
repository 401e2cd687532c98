import { ApiError } from "../api/api-error";
import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import type { CandidateSearch } from "../model/resource-type";
import type { Run } from "./run";

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

/** Looks, and while nothing is there again after a pause: what was written just now may not be shown yet. */
export async function lookWithGrace<T>(
  { clock, signal, reads }: Pick<Run, "clock" | "signal" | "reads">,
  look: () => Promise<readonly T[] | undefined>,
): Promise<readonly T[] | undefined> {
  reads.invalidate();
  let found = await look();
  for (const pause of gracePauses) {
    if (found === undefined || found.length > 0) return found;
    await clock.sleep(pause, signal);
    reads.invalidate();
    found = await look();
  }
  return found;
}

/**
 * Looks for what an unanswered create made: exactly one thing of that name outside the fence is it, none means
 * it did not happen, more than one is for a person to decide.
 */
export async function observeCreated(
  type: Resource,
  run: Pick<Run, "clock" | "signal" | "reads">,
  address: Address,
  search: CandidateSearch,
): Promise<LiveResource | undefined> {
  const found = (await lookWithGrace(run, () => lookForCreated(type, run.reads, search))) ?? [];
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
