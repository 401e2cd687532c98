import { setTimeout as sleep } from "node:timers/promises";

/** Time as a capability, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds since a moment of its own, which is never set back or forward: for limits and waits. The time of day
   * is for records and messages.
   */
  elapsed(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Returns a time in milliseconds since the epoch as ISO 8601. */
export const isoTime = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();

/** Returns true if one time is before another; where one is in whole seconds, both are compared in whole seconds. */
export function isOlder(time: string | null | undefined, than: string | null | undefined): boolean {
  if (time == null || than == null || time === than) return false;
  const step = hasFraction(time) && hasFraction(than) ? 1 : 1000;
  return Math.floor(Date.parse(time) / step) < Math.floor(Date.parse(than) / step);
}

export const hasFraction = (time: string | null | undefined): boolean => /:\d\d\.\d*[1-9]/.test(time ?? "");

/** Returns the time of the last answer by the service's clock; by ours where its answers tell none. ISO 8601. */
export const timeNow = (run: {
  readonly clock: Pick<Clock, "now">;
  readonly reads: { serviceTime(): number | undefined };
}): string => new Date(run.reads.serviceTime() ?? run.clock.now()).toISOString();

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  sleep: async (milliseconds, signal) => {
    try {
      await sleep(milliseconds, undefined, { signal });
    } catch (cause) {
      throw signal?.aborted ? signal.reason : cause;
    }
  },
};

/** Returns how much is left of `ms` milliseconds that began at `since`; all of it where either time is unknown. */
export function timeLeft(ms: number, since = "", now = Number.NaN): number {
  const left = Date.parse(since) + ms - now;
  return Number.isNaN(left) ? ms : Math.min(ms, Math.max(0, left));
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds: a timer would not wait at all for more. */
export const longestTimer = 2 ** 31 - 1;

/** The form of a duration: `90s`, `30m`, `1h30m`. */
export const durationPattern = /^(\d+(ms|s|m|h))+$/;

/** Milliseconds of `10s`, `5m`, `1h30m`, `500ms` or a bare `0`; undefined when it is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!durationPattern.test(text)) return undefined;
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|s|m|h)/g))
    total += Number(count) * (units[unit as string] ?? 0);
  return total;
}

/** `1h30m`, `45s`: milliseconds as a duration is written, rounded up to whole seconds. */
export function durationText(milliseconds: number): string {
  const whole = Math.ceil(milliseconds / 1000);
  const parts = [
    [Math.floor(whole / 3600), "h"],
    [Math.floor((whole % 3600) / 60), "m"],
    [whole % 60, "s"],
  ] as const;
  return parts.map(([count, unit]) => (count > 0 ? `${count}${unit}` : "")).join("") || "0s";
}

/** Milliseconds of a wait until its next reminder, after `reminders` so far: 10 s, 30 s, and then each minute. */
export const reminderAfter = (reminders: number): number =>
  [10_000, 30_000][reminders] ?? 60_000 * (reminders - 1);

/** Returns the pause before another try: `first`, doubled with each of the `tries` so far, at most `longest`. */
export const backoff = (tries: number, first: number, longest: number): number =>
  Math.min(longest, first * 2 ** Math.min(tries, 30));
