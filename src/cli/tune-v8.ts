import { setFlagsFromString } from "node:v8";

/**
 * Makes V8 optimize later. Most runs end within a second and never repay what the optimizer takes: a third of the
 * processor time of a plan of 2,000 services, and for the WebAssembly parser of `fetch` (remote state) a wait at the end
 * of the process. What really runs long is optimized all the same. Flags that a V8 does not know it would complain about.
 */
export function tuneV8(): void {
  const major = Number(process.versions.v8.split(".", 1)[0]);
  if (major < 11 || major > 13) return;
  setFlagsFromString("--interrupt-budget=540000");
  setFlagsFromString("--liftoff-only");
}
