import type { Clock } from "../../../src/model/time";

export interface SteppingClock extends Clock {
  /** Every sleep asked for, in order, in milliseconds. */
  readonly sleeps: readonly number[];
  /** Sets the time of day alone, back when negative. */
  set(milliseconds: number): void;
}

/** Time stands still until nothing else runs, then jumps to the earliest sleeper. */
export function steppingClock(): SteppingClock {
  let time = 1_000_000;
  let shift = 0;
  const sleeps: number[] = [];
  const sleepers = new Set<{ at: number; wake: () => void }>();
  const step = () => {
    const next = [...sleepers].sort((a, b) => a.at - b.at)[0];
    if (next === undefined) return;
    sleepers.delete(next);
    time = Math.max(time, next.at);
    next.wake();
  };
  return {
    sleeps,
    now: () => time + shift,
    set: (milliseconds) => {
      shift += milliseconds;
    },
    elapsed: () => time,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        sleeps.push(milliseconds);
        const sleeper = { at: time + milliseconds, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
        setImmediate(step);
      }),
  };
}
