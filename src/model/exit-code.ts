/** From the most telling: interrupted, error, partly applied, failed deployment, stale, refused, lock held, checkout, changes. */
const telling = [130, 1, 3, 7, 5, 4, 6, 8, 2];

/** Returns the exit code that stands for several runs (DESIGN section 8). */
export const worstExitCode = (codes: readonly number[]): number =>
  telling.find((code) => codes.includes(code)) ?? 0;
