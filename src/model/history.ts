import type { PastRun, RunRecord, State } from "./state";

export const keptRuns = 50;

export type RunEnd = Required<Pick<PastRun, "endedAt" | "counts" | "exitCode">>;

/** Returns the past run of a record, with its end where it came to that; undefined where its origin is unknown. */
export function pastRunOf(
  { id, planDigest, startedAt, origin }: RunRecord,
  end?: RunEnd,
): PastRun | undefined {
  return origin && { ...origin, id, startedAt, digest: planDigest, ...end };
}

/**
 * Returns the history, oldest first, with two runs added: `left`, which has not ended, and `ended`. The latter replaces
 * an entry of the same run. Undefined while there is none.
 */
export function withRuns(
  history: readonly PastRun[] | undefined,
  left: RunRecord | null,
  ended?: PastRun,
): readonly PastRun[] | undefined {
  const cutShort = left && left.id !== ended?.id ? pastRunOf(left) : undefined;
  const known = new Set(history?.map(({ id }) => id));
  const runs = history?.map((run) => (run.id === ended?.id ? ended : run));
  const added = [cutShort, ended].filter((run) => run !== undefined).filter(({ id }) => !known.has(id));
  return added.length === 0 ? runs : [...(runs ?? []), ...added].slice(-keptRuns);
}

/** Returns the runs that a state remembers, newest first, with the run in progress or cut short. */
export const pastRuns = ({ history, run }: Pick<State, "history" | "run">): readonly PastRun[] =>
  [...(withRuns(history, run) ?? [])].reverse();
