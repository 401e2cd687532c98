/** Time as a capability, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds since a moment of its own, which nobody sets back or forward: for limits and waits. The time of day is
   * for what is recorded and told.
   */
  elapsed(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
