import type { Clock } from "../model/clock";
import type { Pending } from "../model/pending";
import type { WaitPolicy } from "../model/resource-type";

/** How long what a write left pending is waited for, where its type does not say. */
export const defaultWaitPolicy: WaitPolicy = { wait: true, timeoutMs: 15 * 60_000 };

/**
 * Milliseconds for which something pending may still be waited for: its whole timeout when it was accepted just now,
 * or nobody knows when; of what an earlier run left, the rest.
 */
export function remainingWaitMs({ since }: Pending, timeoutMs: number, clock: Pick<Clock, "now">): number {
  const left = Date.parse(since ?? "") + timeoutMs - clock.now();
  return Number.isNaN(left) ? timeoutMs : Math.min(timeoutMs, Math.max(0, left));
}
