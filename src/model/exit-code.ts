/** Exit codes of several runs that are told as one, the most telling first (DESIGN section 8). */
const telling = [130, 1, 3, 7, 5, 4, 6, 8, 2];

/**
 * Returns the exit code that says most of several runs: interrupted, error, partly applied, failed deployment, stale, refused, lock held, awaiting
 * checkout, changes, done.
 */
export const worstExitCode = (codes: readonly number[]): number =>
  telling.find((code) => codes.includes(code)) ?? 0;
