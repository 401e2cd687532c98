import { type Clock, systemClock } from "../../src/model/time";

/** The clock of a service, which can be ahead of ours. */
export interface MovableClock extends Clock {
  /** Sets it forward; a negative number of milliseconds sets it back. */
  advance(milliseconds: number): void;
}

/** Returns the clock of the machine, until it is moved. */
export function movableClock(): MovableClock {
  let ahead = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
  };
}
