import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { durationText } from "../model/duration";
import type { Pending } from "../model/pending";
import type { JournalEntry, RecordedResource } from "../model/state";
import { remainingWaitMs } from "./patience-left";
import { deletionFailed, endUnproven, nothingShown, recordedAfterFailedDeletion, writtenNow } from "./record";
import type { Recovery, RecoveryContext } from "./resuming";
import { mustBeShown } from "./settle";
import { waitUntilSettled } from "./wait-until-settled";

const nothing: Recovery = { entries: [], retriableIntents: [], diagnostics: [] };

interface PendingWait {
  /** Waits at most that long; 0 looks once. */
  readonly timeoutMs: number;
  /** The run was to see its end: that it has not come is told. */
  readonly isAwaited?: true;
}

/** Waits for what an earlier run left pending as long as its own `timeoutMs` allows, from when it was left. */
export function awaitPending(
  recovering: RecoveryContext,
  address: Address,
  recorded: RecordedResource,
  timeoutMs: number,
): Promise<Recovery> {
  const left = recorded.pending ? remainingWaitMs(recorded.pending, timeoutMs, recovering.clock) : 0;
  return settlePending(recovering, address, recorded, { timeoutMs: left, isAwaited: true });
}

/** Finds out what became of what an earlier run left pending. What has not ended stays recorded as it is. */
export async function settlePending(
  recovering: RecoveryContext,
  address: Address,
  recorded: RecordedResource,
  { timeoutMs, isAwaited }: PendingWait,
): Promise<Recovery> {
  const { pending, ...rest } = recorded;
  const type = recovering.types.get(recorded.type);
  if (!type || !pending) return nothing;
  const begunAt = recovering.clock.now();
  const { reads, clock, signal } = recovering;
  const onWaiting = timeoutMs > 0 ? tellWaiting(recovering, address, pending, timeoutMs) : () => {};
  const result = await waitUntilSettled(pending, {
    ...{ type, reads, clock, signal, timeoutMs, onWaiting },
    onNext: async () => {},
  });
  const ended = (resource: RecordedResource | null, ...diagnostics: Diagnostic[]): Recovery => ({
    ...nothing,
    entries: [
      {
        ...{ kind: "resource", address, resource },
        ...(resource === null && { deletedAt: writtenNow(clock) }),
      },
    ],
    diagnostics,
  });
  switch (result.kind) {
    case "done":
      if (result.showsNothing && standsBeside(recovering, address))
        return { ...nothing, diagnostics: [nothingShown(address)] };
      if (!pending.deletes) return ended(rest);
      return {
        ...nothing,
        entries: [{ kind: "resource", address, resource: null }, ...endOf(recovering, address)],
      };
    case "failed":
      if (pending.deletes)
        return ended(
          recordedAfterFailedDeletion(recorded, result.summary),
          deletionFailed(warning, address, result),
        );
      return ended(rest.inputs ? { ...rest, inputs: {} } : rest, endedBadly(address, result));
    case "checkout":
      return { ...nothing, diagnostics: [awaitingCheckout(address, result)] };
    case "interrupted":
      return nothing;
    case "timeout": {
      // Nothing will tell: it is asked for again, as one that failed.
      if (result.unseen !== undefined && pending.deletes && timeoutMs > 0)
        return ended(
          recordedAfterFailedDeletion(recorded, result.unseen),
          endUnproven(warning, address, result.unseen, "its deletion is asked for again"),
        );
      const told = isAwaited ? [stillGoingOn(address, result.status)] : [];
      if (timeoutMs === 0 || pending.since !== undefined) return { ...nothing, diagnostics: told };
      // A state that does not say when it was left: from now on the time counts.
      const since = new Date(begunAt).toISOString();
      const entry: JournalEntry = {
        kind: "resource",
        address,
        resource: { ...rest, pending: { ...pending, since } },
      };
      return { ...nothing, entries: [entry], diagnostics: told };
    }
  }
}

/** What asked for a deletion, and was not seen to be answered, is over with it. */
const endOf = ({ state }: RecoveryContext, address: Address): JournalEntry[] =>
  state.open
    .filter((intent) => intent.address === address && intent.method === "DELETE")
    .map(({ seq }) => ({ kind: "outcome", seq, result: "done", status: 0 }));

const standsBeside = ({ state, types }: RecoveryContext, address: Address): boolean =>
  Object.entries(state.resources).some(([at, other]) => at !== address && mustBeShown(other, types));

function tellWaiting({ emit }: RecoveryContext, address: Address, pending: Pending, timeoutMs: number) {
  const action = pending.deletes ? "delete" : "update";
  let isFirst = true;
  return (elapsedSeconds: number, status: string, note: string | undefined): void => {
    if (isFirst) {
      const limit = durationText(timeoutMs);
      emit({
        type: "progress",
        address,
        action,
        note: `left ${status} by an earlier run, waiting for it, at most ${limit}`,
      });
    }
    isFirst = false;
    emit({ type: "waiting", address, action, elapsedSeconds, status, note });
  };
}

const endedBadly = (address: Address, { summary }: { readonly summary: string }): Diagnostic =>
  warning("apply.deploy_failed", `${address}: ${summary}`, {
    address,
    detail: "It was left running by an interrupted run, and is planned again.",
  });

/** It stays pending: the service goes on with it once the checkout is complete. */
const awaitingCheckout = (address: Address, { summary }: { readonly summary: string }): Diagnostic =>
  warning("apply.awaiting_checkout", `${address}: saved, awaiting checkout`, {
    address,
    detail: summary,
    hint: "complete the checkout in the dashboard: the service goes on with it, and the next run looks at it first",
  });

/** It stays pending: the service goes on with it, and a change of what it belongs to does not wait for it. */
const stillGoingOn = (address: Address, status: string): Diagnostic =>
  warning("apply.deploy_timeout", `${address}, which an earlier run left, has not settled (${status})`, {
    address,
    detail: "Its timeout, which counts from when it was left, is over.",
    hint: "rnv status shows where it stands; the next run looks at it first, and one that changes something does not wait for it",
  });
