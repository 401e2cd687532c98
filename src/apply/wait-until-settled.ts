import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import type { Clock } from "../model/clock";
import type { LiveResource } from "../model/live";
import type { Pending } from "../model/pending";
import type { OperationStatus } from "../model/resource-operations";

export type WaitResult =
  | { readonly kind: "done"; readonly live?: LiveResource; readonly showsNothing?: true }
  | { readonly kind: "failed"; readonly summary: string; readonly detail?: string }
  | { readonly kind: "checkout"; readonly summary: string }
  /** `unseen`: why no longer wait would show its end. */
  | { readonly kind: "timeout"; readonly status: string; readonly pending: Pending; readonly unseen?: string }
  | { readonly kind: "interrupted"; readonly pending: Pending };

export interface Wait {
  readonly type: Pick<Resource, "poll">;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** About every ten seconds, and whenever the status or the note changes. */
  readonly onWaiting: (elapsedSeconds: number, status: string, note: string | undefined) => void;
  /** The pending write was superseded: what to look at from now on. */
  readonly onNext: (pending: Pending) => Promise<void>;
}

const firstPauseMs = 250;
const longestPauseMs = 5000;
const reminderMs = 10_000;

/** Polls a pending write until it settles, from 250 ms up to 5 s apart. Accepted is not finished. */
export async function waitUntilSettled(first: Pending, wait: Wait): Promise<WaitResult> {
  const startedAt = wait.clock.elapsed();
  let pending = first;
  let pause = firstPauseMs;
  let shown = "";
  let shownAt = startedAt;
  let doubtedSince: number | undefined;
  let isFollowed = false;
  for (;;) {
    const settled = await look(wait, pending);
    if (settled === undefined) return { kind: "interrupted", pending };
    if (settled.kind !== "waiting") return settled;
    const now = wait.clock.elapsed();
    doubtedSince = settled.atMost === undefined ? undefined : (doubtedSince ?? now);
    if (settled.atMost !== undefined && now - (doubtedSince ?? now) >= settled.atMost.ms) {
      const { summary, isUnseen } = settled.atMost;
      return isUnseen
        ? { kind: "timeout", status: settled.status, pending, unseen: summary }
        : { kind: "failed", summary };
    }
    const face = `${settled.status}\n${settled.note ?? ""}`;
    if (face !== shown || now - shownAt >= reminderMs) {
      wait.onWaiting((now - startedAt) / 1000, settled.status, settled.note);
      shown = face;
      shownAt = now;
    }
    const isOver = now - startedAt >= wait.timeoutMs;
    if (settled.next) {
      pending = settled.next;
      await wait.onNext(pending);
      // What took its place is looked at once, however little time is left.
      if (isOver && !isFollowed) {
        isFollowed = true;
        continue;
      }
    }
    if (isOver) return { kind: "timeout", status: settled.status, pending };
    if (wait.signal.aborted) return { kind: "interrupted", pending };
    await pauseFor(wait, Math.min(pause, wait.timeoutMs - (now - startedAt)));
    pause = Math.min(pause * 1.5, longestPauseMs);
  }
}

/** Undefined when an interrupt cut the look short: what is pending goes on all the same. */
async function look(wait: Wait, pending: Pending): Promise<OperationStatus | undefined> {
  try {
    return await wait.type.poll(wait.reads, pending);
  } catch (failure) {
    if (!wait.signal.aborted) throw failure;
    return undefined;
  }
}

/** An interrupt ends the pause early; the loop then looks once more. */
async function pauseFor(wait: Wait, milliseconds: number): Promise<void> {
  try {
    await wait.clock.sleep(milliseconds, wait.signal);
  } catch (failure) {
    if (!wait.signal.aborted) throw failure;
  }
}
