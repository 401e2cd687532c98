import type { Resource } from "../api/resource";
import { error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Pending } from "../model/pending";
import type { RecordedResource } from "../model/state";
import type { ChangeContext } from "./change-context";
import { defaultWaitPolicy, remainingWaitMs } from "./patience-left";
import { deletionFailed, endUnproven, nothingShown, recordedAfterFailedDeletion } from "./record";
import type { ChangeEnd } from "./run";
import { type WaitResult, waitUntilSettled } from "./wait-until-settled";

/**
 * Waits for what a write left pending, without holding a place among the running changes. What is not seen to
 * the end stays recorded as pending; what failed is recorded so that the next plan tries again.
 */
export async function settle(
  context: ChangeContext,
  pending: Pending,
  recorded: RecordedResource | undefined,
): Promise<ChangeEnd> {
  const { run, change, type } = context;
  const waitPolicy = type.reacts?.waitPolicy?.(change.instance.resolved) ?? defaultWaitPolicy;
  if (!waitPolicy.wait) {
    if (recorded) await run.journal.record(change.address, recorded);
    return { kind: "done" };
  }
  context.slot.release();
  try {
    const result = await waitUntilSettled(pending, {
      type,
      reads: run.reads,
      clock: run.clock,
      signal: run.signal,
      timeoutMs: remainingWaitMs(pending, waitPolicy.timeoutMs, run.clock),
      onWaiting: (elapsedSeconds, status, note) =>
        run.emit({
          type: "waiting",
          address: change.address,
          action: pending.deletes ? "delete" : waitingAction(change.action),
          elapsedSeconds,
          status,
          note,
        }),
      onNext: async (next) => {
        if (recorded) await run.journal.record(change.address, { ...recorded, id: next.id, pending: next });
      },
    });
    return await endOf(context, pending, result, recorded, waitPolicy);
  } finally {
    await context.slot.take();
  }
}

const waitingAction = (action: string) =>
  action === "delete" ? "delete" : action === "create" || action === "replace" ? "create" : "update";

async function endOf(
  context: ChangeContext,
  pending: Pending,
  result: WaitResult,
  recorded: RecordedResource | undefined,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<ChangeEnd> {
  const { run, change } = context;
  const about = { address: change.address, range: change.instance.desired?.range };
  switch (result.kind) {
    case "done":
      if (result.showsNothing && standsBeside(run, change.address))
        return { kind: "failed", exitCode: 1, diagnostic: { ...nothingShown(change.address), ...about } };
      // What was deleted is forgotten in one step, by the caller: in between it would look as if it were still there.
      if (recorded && pending.deletes !== true)
        await run.journal.record(change.address, settledRecord(context, recorded, result));
      return { kind: "done" };
    case "failed":
      if (pending.deletes) {
        if (recorded)
          await run.journal.record(change.address, recordedAfterFailedDeletion(recorded, result.summary));
        return {
          kind: "failed",
          exitCode: 1,
          diagnostic: deletionFailed(error, change.address, result, about),
        };
      }
      await recordUnfinished(context, recorded);
      return {
        kind: "failed",
        exitCode: context.type.reacts ? 7 : 1,
        diagnostic: error("apply.deploy_failed", `${change.address}: ${result.summary}`, {
          ...about,
          detail: result.detail,
        }),
      };
    case "checkout":
      // It stays pending: the service goes on with it once the checkout is complete, and another one would be too many.
      return {
        kind: "failed",
        exitCode: 8,
        diagnostic: error("apply.awaiting_checkout", `${change.address}: saved, awaiting checkout`, {
          ...about,
          detail: result.summary,
          hint: "complete the checkout in the dashboard: the service goes on with it, and the next run looks at it first",
        }),
      };
    case "timeout":
      if (result.unseen !== undefined && pending.deletes)
        return {
          kind: "failed",
          exitCode: 1,
          diagnostic: { ...endUnproven(error, change.address, result.unseen), ...about },
        };
      return {
        kind: "failed",
        exitCode: 7,
        diagnostic: error(
          "apply.deploy_timeout",
          `${change.address} has not settled after ${Math.round(timeoutMs / 1000)}s (${result.status})`,
          { ...about, hint: "it goes on at the service; the next run of the same command looks at it first" },
        ),
      };
    case "interrupted":
      return { kind: "interrupted" };
  }
}

/** Whether anything else is recorded that is not being deleted itself: then a service that shows nothing hides it. */
const standsBeside = ({ journal, types }: ChangeContext["run"], address: Address): boolean =>
  journal
    .all()
    .some(
      ([at, resource]) =>
        at !== address &&
        mustBeShown(resource, types) &&
        !journal.openAt(at).some(({ method }) => method === "DELETE"),
    );

/** It stands by itself, and nobody asked for its deletion. */
export const mustBeShown = (
  { type, retained, pending }: RecordedResource,
  types: ReadonlyMap<string, Resource>,
): boolean => !types.get(type)?.removedWithParent && !retained && pending?.deletes !== true;

function settledRecord(
  context: ChangeContext,
  recorded: RecordedResource,
  result: WaitResult,
): RecordedResource {
  const { pending: _settled, ...rest } = recorded;
  const latest = context.run.journal.recorded(context.change.address);
  const live = result.kind === "done" ? result.live : undefined;
  return {
    ...rest,
    id: latest?.id ?? rest.id,
    ...(live
      ? { computed: Object.fromEntries(live.computed), updatedAt: live.updatedAt ?? rest.updatedAt }
      : {}),
  };
}

/** Without `inputs` the next plan sees a service configured since its last deployment. */
async function recordUnfinished(
  { run, change }: ChangeContext,
  recorded: RecordedResource | undefined,
): Promise<void> {
  if (!recorded) return;
  const { pending: _failed, inputs: _notDeployed, ...rest } = recorded;
  await run.journal.record(change.address, recorded.inputs ? { ...rest, inputs: {} } : rest);
}
