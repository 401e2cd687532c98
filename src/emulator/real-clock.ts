import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../model/clock";

/** The time of day. */
export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  sleep: (milliseconds, signal) =>
    wait(milliseconds, undefined, { signal }).catch((cause: unknown) => {
      throw signal?.aborted ? signal.reason : cause;
    }),
};
