import type { ApplyEvent } from "../model/apply-event";
import { type OpenContext, openContext } from "./context";
import type { Invocation } from "./invocation";

/** Runs `work` with the capabilities of this invocation and closes them afterwards. */
export async function withContext<T>(
  invocation: Invocation,
  work: (context: OpenContext) => Promise<T>,
  emit?: (event: ApplyEvent) => void,
): Promise<T> {
  const context = openContext(invocation, emit);
  const { signal, terminal } = invocation;
  const tell = () =>
    terminal.err("\nInterrupted. What is in flight is brought to an end; Ctrl-C again leaves at once.\n");
  signal.addEventListener("abort", tell, { once: true });
  try {
    return await work(context);
  } finally {
    signal.removeEventListener("abort", tell);
    await context.close();
  }
}
