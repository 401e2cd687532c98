import type { Ask } from "./ask";
import { createAsk } from "./ask";
import type { Invocation } from "./invocation";

/** A way to ask here; undefined when nobody can answer: no terminal, `-input=false`, `-json`. */
export function askHere({ terminal, signal, options }: Invocation): Ask | undefined {
  const allowed = terminal.interactive && options.input !== false && options.json !== true;
  return allowed ? createAsk(terminal, signal) : undefined;
}
