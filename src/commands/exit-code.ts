import type { Diagnostic } from "../diagnostics/diagnostic";

/** The exit code (DESIGN section 8) that a set of diagnostics stands for: 0 without errors, else the most telling. */
export function exitCodeOf(diagnostics: readonly Diagnostic[]): number {
  const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  if (codes.length === 0) return 0;
  if (codes.includes("plan.stale") || codes.includes("plan.damaged")) return 5;
  if (codes.includes("state.lock_held")) return 6;
  const refused = codes.filter((code) => code.startsWith("guard.") || guardLike.has(code));
  return refused.length === codes.length ? 4 : 1;
}

/** Stops that protect what is live, under another name. */
const guardLike: ReadonlySet<string> = new Set(["live.mass_disappearance", "live.gone_unproven"]);
