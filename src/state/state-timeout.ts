import { type Diagnostic, error } from "../diagnostics/diagnostic";

const usualSeconds = 60;
const mostSeconds = 3600;

/** How long to wait for one answer of a remote state's server: `RNV_STATE_TIMEOUT`, in seconds. */
export function stateTimeout(environment: Readonly<Record<string, string | undefined>>): {
  readonly timeoutMs: number;
  readonly diagnostics: readonly Diagnostic[];
} {
  const text = environment.RNV_STATE_TIMEOUT?.trim() ?? "";
  if (text === "") return { timeoutMs: usualSeconds * 1000, diagnostics: [] };
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= mostSeconds) return { timeoutMs: seconds * 1000, diagnostics: [] };
  const hint = `use a whole number of seconds from 1 to ${mostSeconds}, or unset it for ${usualSeconds}`;
  return {
    timeoutMs: usualSeconds * 1000,
    diagnostics: [error("config.invalid", "RNV_STATE_TIMEOUT is not a number of seconds", { hint })],
  };
}
