import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../model/time";

/** The clock of the machine. */
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
