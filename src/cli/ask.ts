import { createInterface } from "node:readline";
import type { Terminal } from "./terminal";

/** Asks one question; undefined when there is no answer any more (end of input, Ctrl-C). */
export type Ask = (question: string) => Promise<string | undefined>;

/** Asks on the terminal. Ends with the signal, so that Ctrl-C at a question is a no. */
export function createAsk(terminal: Terminal, signal: AbortSignal): Ask {
  return (question) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      terminal.out(question);
      // Without `output`, readline does not put the terminal in raw mode: SIGINT stays a signal.
      const lines = createInterface({ input: terminal.stdin });
      const finish = (answer: string | undefined): void => {
        // Closing emits `close` at once, which must find the answer given.
        resolve(answer);
        signal.removeEventListener("abort", abort);
        lines.close();
      };
      const abort = (): void => finish(undefined);
      signal.addEventListener("abort", abort, { once: true });
      lines.once("line", (line) => finish(line));
      lines.once("close", () => finish(undefined));
    });
}
