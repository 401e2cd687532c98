import { setMaxListeners } from "node:events";

/** The part of `process` that signals come from. */
export interface SignalSource {
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

/** Whether Ctrl-C was pressed, and the end of listening for it. */
export interface Interruption {
  readonly signal: AbortSignal;
  readonly dispose: () => void;
}

/**
 * Ctrl-C (or SIGTERM) once aborts the signal: calls in flight finish, none is started. Twice leaves at once.
 * `dispose` gives the signals back.
 */
export function listenForInterruption(source: SignalSource, onSecond: () => void): Interruption {
  const controller = new AbortController();
  // Every request in flight listens; that many listeners are no leak.
  setMaxListeners(0, controller.signal);
  const listener = (): void => {
    if (controller.signal.aborted) {
      onSecond();
    } else {
      controller.abort(new Error("interrupted"));
    }
  };
  source.on("SIGINT", listener);
  source.on("SIGTERM", listener);
  return {
    signal: controller.signal,
    dispose: () => {
      source.off("SIGINT", listener);
      source.off("SIGTERM", listener);
    },
  };
}
