import { ApiError } from "../api/api-error";
import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import type { CandidateSearch } from "../model/resource-operations";
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
