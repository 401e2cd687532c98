import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Pending } from "../model/live";
import type { OperationStatus } from "../model/resource-operations";
import type { WaitPolicy } from "../model/resource-type";
import type { RecordedResource } from "../model/state";
import { type Clock, durationText, timeLeft } from "../model/time";
import type { Change } from "../plan/plan";
import { adviceFor, awaitingCheckout, deletionFailed, deletionUnproven } from "./advice";
import { recordAfterFailedDeletion, without, writtenNow } from "./record";
import {
  type ChangeContext,
  type ChangeEnd,
  failed,
  nothingRecovered,
  type Recovery,
  type RecoveryContext,
} from "./run-context";

/**
 * Waits for the end of a pending write, without a slot of the schedule. Work without an end stays recorded as pending;
 * a failure is recorded so that the next plan tries again.
 */
export async function settle(
  context: ChangeContext,
  pending: Pending,
  recorded: RecordedResource | undefined,
): Promise<ChangeEnd> {
  const { run, change, type } = context;
  const waitPolicy = waitPolicyOf(context, pending);
  if (!waitPolicy.wait) return { kind: "done" };
  context.slot.release();
  const withNote = withLastRun(context, pending);
  try {
    const result = await waitUntilSettled(pending, {
      type,
      reads: run.reads,
      clock: run.clock,
      signal: run.signal,
      timeoutMs: remainingWaitMs(pending, waitPolicy.timeoutMs, run.clock),
      onWaiting: (elapsedSeconds, status, note, { kind, id }) =>
        run.emit({
          type: "waiting",
          address: change.address,
          action: pendingAction(change, pending),
          elapsedSeconds,
          id: kind === "deployment" ? id : undefined,
          status,
          note: withNote(status, note),
        }),
      onNext: async (next) => {
        const replaced = { id: next.id, pending: next, updatedAt: undefined };
        if (recorded) await run.journal.record(change.address, { ...recorded, ...replaced });
      },
    });
    return await recordEnd(context, pending, result, recorded, waitPolicy);
  } finally {
    await context.slot.take();
  }
}

/** Waits for pending work of an earlier run, if the plan does not change its resource. Undefined: there is none. */
export async function followPending(context: ChangeContext): Promise<ChangeEnd | undefined> {
  const { run, change } = context;
  const { address } = change;
  const recorded = run.journal.recorded(address);
  const pending = recorded?.pending;
  if (!pending || pending.deletes || run.mode !== "apply") return undefined;
  const { wait, timeoutMs } = waitPolicyOf(context, pending);
  if (!wait) return undefined;
  const most = durationText(remainingWaitMs(pending, timeoutMs, run.clock));
  const note = `started by an earlier run; waiting for it, at most ${most}`;
  if (!pending.awaited) run.emit({ type: "progress", address, action: "update", note });
  return settle(context, pending, recorded);
}

/** Adds to the note of a status the time that it took in the last run, which is read once and may stay unknown. */
function withLastRun({ run, instance, type }: ChangeContext, pending: Pending) {
  const before = instance.live?.id;
  let last: ReadonlyMap<string, number> | undefined;
  const asked = run.isWatched && before !== undefined && before !== pending.id && type.runs;
  if (asked)
    asked.stepSeconds(run.reads, { ...pending, id: before }).then(
      (found) => (last = found),
      () => {},
    );
  return (status: string, note?: string): string | undefined => {
    const seconds = last?.get(status) ?? Number.NaN;
    return seconds >= 0
      ? [...(note ? [note] : []), `${durationText(seconds * 1000)} last time`].join(", ")
      : note;
  };
}

function waitPolicyOf({ change, instance, type }: ChangeContext, pending: Pending): WaitPolicy {
  const ofType = type.reacts?.waitPolicy?.(instance.resolved) ?? defaultWaitPolicy;
  const timeoutMs = instance.desired?.timeouts?.[pendingAction(change, pending)];
  return timeoutMs === undefined ? ofType : { ...ofType, timeoutMs };
}

const pendingAction = ({ action }: Change, { deletes }: Pending) =>
  deletes || action === "delete"
    ? "delete"
    : action === "create" || action === "replace"
      ? "create"
      : "update";

async function recordEnd(
  context: ChangeContext,
  pending: Pending,
  result: WaitResult,
  recorded: RecordedResource | undefined,
  { timeoutMs }: WaitPolicy,
): Promise<ChangeEnd> {
  const { run, change } = context;
  const { address, range } = change;
  const about = { address, range };
  switch (result.kind) {
    case "done":
      if (result.showsNothing && mustShowAnother(othersIn(run), run.types, address))
        return failed({ ...deletionUnproven(error, address, nothingShown), ...about });
      // The caller forgets a deleted resource in one step: without `pending` the record would say that it exists.
      if (recorded && pending.deletes !== true)
        await run.journal.record(address, without(run.journal.recorded(address) ?? recorded, ["pending"]));
      return { kind: "done" };
    case "failed": {
      const next = recorded && recordedAfterFailure(recorded, pending, result.summary);
      if (next) await run.journal.record(address, next);
      if (pending.deletes) return failed(deletionFailed(error, address, result, about));
      break;
    }
    case "checkout":
      if (recorded)
        await run.journal.record(address, recordedAtCheckout(run.journal.recorded(address) ?? recorded));
      break;
    case "unproven":
      if (pending.deletes) return failed({ ...deletionUnproven(error, address, result.summary), ...about });
      break;
    case "interrupted":
      return { kind: "interrupted" };
  }
  const wait = { about, timeoutMs, changed: context.around };
  const { diagnostic, exitCode } = finalStatus(address, result, wait);
  return failed(diagnostic, exitCode);
}

type WaitSubject = Pick<Change, "address" | "range">;

/** Returns diagnostic and exit code of a wait that did not end well; `next` is the hint for work that still runs. */
export function finalStatus(
  subject: string,
  result: Exclude<WaitResult, { readonly kind: "done" | "interrupted" }>,
  {
    about,
    timeoutMs,
    next,
    changed,
  }: { about: WaitSubject; timeoutMs: number; next?: string; changed?: Change },
): { readonly diagnostic: Diagnostic; readonly exitCode: 7 | 8 } {
  switch (result.kind) {
    case "failed": {
      const details = { ...about, detail: result.detail, ...adviceFor(result.summary, changed) };
      return {
        diagnostic: error("apply.deploy_failed", `${subject}: ${result.summary}`, details),
        exitCode: 7,
      };
    }
    case "checkout":
      return { diagnostic: awaitingCheckout(subject, { ...about, detail: result.summary }), exitCode: 8 };
    case "unproven": {
      const detail = "rnv looked for it for 30 seconds.";
      const hint =
        next ?? "It may still be running. Run the same command again to look for it: nothing is sent twice.";
      const summary = `${subject} was accepted, but ${result.summary}`;
      return { diagnostic: error("live.stale", summary, { ...about, detail, hint }), exitCode: 7 };
    }
    case "timeout": {
      const { status, note } = result;
      const summary = `${subject}: still ${status} after ${durationText(timeoutMs)}`;
      const detail = note && `The platform says: ${note}`;
      const running = "It is still running. Run the same command to follow it, or raise the timeout.";
      const hint = next ?? (status === "queued" ? stillQueued : running);
      return { diagnostic: error("apply.deploy_timeout", summary, { ...about, detail, hint }), exitCode: 7 };
    }
  }
}

const stillQueued =
  "Nothing runs yet. Run the same command to follow it. If it never starts, `rnv deploy` queues another deployment.";

/** A failed run is recorded without `inputs`: the next plan sees a service configured since its last deployment. */
function recordedAfterFailure(recorded: RecordedResource, { deletes }: Pending, reason: string) {
  if (deletes) return recordAfterFailedDeletion(recorded, reason);
  return without({ ...recorded, inputs: recorded.inputs && {} }, ["pending"]);
}

/** Stays pending: the service may continue the work after the checkout. A second request would double it. */
export const recordedAtCheckout = (recorded: RecordedResource): RecordedResource =>
  recorded.pending ? { ...recorded, pending: { ...recorded.pending, awaited: true } } : recorded;

const nothingShown = "the API shows no resource at all";

const othersIn = ({ journal }: ChangeContext["run"]) =>
  journal.all().filter(([at]) => !journal.openAt(at).some(({ method }) => method === "DELETE"));

/** Returns true if another recorded resource must be shown: then a service that shows nothing hides it. */
const mustShowAnother = (
  records: readonly (readonly [string, RecordedResource])[],
  types: ReadonlyMap<string, Resource>,
  address: Address,
): boolean =>
  records.some(
    ([at, { type, retained, pending }]) =>
      at !== address && !types.get(type)?.removedWithParent && !retained && pending?.deletes !== true,
  );

/** Settles pending work of an earlier run, at most `longestMs` after its request; 0 polls once. No end: no change. */
export async function settlePending(
  recovering: RecoveryContext,
  address: Address,
  recorded: RecordedResource,
  longestMs: number,
): Promise<Recovery> {
  const { pending } = recorded;
  const { types, state, reads, clock, signal } = recovering;
  const type = types.get(recorded.type);
  if (!type || !pending) return nothingRecovered;
  const timeoutMs = remainingWaitMs(pending, longestMs, clock);
  const onWaiting = timeoutMs > 0 ? reportWaiting(recovering, address, pending, timeoutMs) : undefined;
  const result = await waitUntilSettled(pending, { type, reads, clock, signal, timeoutMs, onWaiting });
  const ended = (resource: RecordedResource | null, ...diagnostics: Diagnostic[]): Recovery => ({
    ...nothingRecovered,
    entries: [
      { kind: "resource", address, resource, deletedAt: resource ? undefined : writtenNow(recovering) },
    ],
    diagnostics,
  });
  switch (result.kind) {
    case "done":
      if (result.showsNothing && mustShowAnother(Object.entries(state.resources), types, address))
        return { ...nothingRecovered, diagnostics: [deletionUnproven(error, address, nothingShown)] };
      return ended(pending.deletes ? null : without(recorded, ["pending"]));
    case "failed":
      return ended(
        recordedAfterFailure(recorded, pending, result.summary),
        pending.deletes ? deletionFailed(warning, address, result) : endedBadly(address, result),
      );
    case "checkout":
    case "interrupted":
    case "timeout":
      return nothingRecovered;
    case "unproven":
      // Result unknown: request the deletion again.
      return pending.deletes && timeoutMs > 0
        ? ended(
            recordAfterFailedDeletion(recorded, result.summary),
            deletionUnproven(warning, address, result.summary, "its deletion is asked for again"),
          )
        : nothingRecovered;
  }
}

function reportWaiting({ emit }: RecoveryContext, address: Address, pending: Pending, timeoutMs: number) {
  const action = pending.deletes ? "delete" : "update";
  let isFirst = true;
  return (elapsedSeconds: number, status: string, note: string | undefined): void => {
    const text = `${status} since an earlier run; waiting for it, at most ${durationText(timeoutMs)}`;
    if (isFirst) emit({ type: "progress", address, action, note: text });
    isFirst = false;
    emit({ type: "waiting", address, action, elapsedSeconds, status, note });
  };
}

const endedBadly = (address: Address, { summary }: { readonly summary: string }): Diagnostic =>
  warning("apply.deploy_failed", `${address}: ${summary}`, {
    address,
    detail: "An earlier run had started it. It is planned again.",
  });

/** The result of a wait, and its operation: a later operation may have replaced the first. */
export type WaitResult = { readonly pending: Pending } & (
  | Exclude<OperationStatus, { readonly kind: "waiting" }>
  | { readonly kind: "timeout"; readonly status: string; readonly note?: string }
  | { readonly kind: "interrupted" }
);

interface Wait {
  readonly type: Pick<Resource, "poll">;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** About every ten seconds, and whenever the status or the note changes. */
  readonly onWaiting?: (seconds: number, status: string, note: string | undefined, pending: Pending) => void;
  /** Called with the operation that replaced the pending operation. */
  readonly onNext?: (pending: Pending) => Promise<void>;
}

const firstPauseMs = 250;
const longestPauseMs = 5000;
/** An operation of an action may be shown for a second after its end. */
const longestActionPauseMs = 750;
const reminderMs = 10_000;

/** Polls a pending write until it settles, from 250 ms up to 5 s apart. Accepted is not finished. */
export async function waitUntilSettled(first: Pending, wait: Wait): Promise<WaitResult> {
  const startedAt = wait.clock.elapsed();
  let pending = first;
  let pause = firstPauseMs;
  let shown = "";
  let shownAt = startedAt;
  let limitedSince: number | undefined;
  let isSuccessorPolled = false;
  for (;;) {
    const settled = await unlessInterrupted(wait.signal, wait.type.poll(wait.reads, pending));
    if (settled === undefined) return { kind: "interrupted", pending };
    if (settled.kind !== "waiting") return { ...settled, pending };
    const now = wait.clock.elapsed();
    limitedSince = settled.atMost === undefined ? undefined : (limitedSince ?? now);
    if (settled.atMost !== undefined && now - (limitedSince ?? now) >= settled.atMost.ms)
      return { ...settled.atMost.end, pending };
    const face = `${settled.status}\n${settled.note ?? ""}`;
    if (face !== shown || now - shownAt >= reminderMs) {
      wait.onWaiting?.((now - startedAt) / 1000, settled.status, settled.note, settled.next ?? pending);
      shown = face;
      shownAt = now;
    }
    const isOver = now - startedAt >= wait.timeoutMs;
    if (settled.next) {
      pending = settled.next;
      await wait.onNext?.(pending);
      // Poll the successor once, even after the timeout.
      if (isOver && !isSuccessorPolled) {
        isSuccessorPolled = true;
        continue;
      }
    }
    if (isOver) return { kind: "timeout", status: settled.status, note: settled.note, pending };
    if (wait.signal.aborted) return { kind: "interrupted", pending };
    const pauseMs = Math.min(pause, wait.timeoutMs - (now - startedAt));
    await unlessInterrupted(wait.signal, wait.clock.sleep(pauseMs, wait.signal));
    const isAction = pending.kind === "operation" && !pending.deletes;
    pause = Math.min(pause * 1.5, isAction ? longestActionPauseMs : longestPauseMs);
  }
}

/** Returns undefined where an interrupt cut `work` short. */
async function unlessInterrupted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (failure) {
    if (!signal.aborted) throw failure;
    return undefined;
  }
}

export const defaultWaitPolicy: WaitPolicy = { wait: true, timeoutMs: 15 * 60_000 };

/** Returns the milliseconds left of a timeout that began with the request, if that has a known time. */
const remainingWaitMs = (
  { since, awaited }: Pending,
  timeoutMs: number,
  clock: Pick<Clock, "now">,
): number => (awaited ? timeoutMs : timeLeft(timeoutMs, since, clock.now()));
