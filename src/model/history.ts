import type { PastRun, RunRecord, State, Touched } from "./state";

export const keptRuns = 50;
const keptAddresses = 20;

export type RunEnd = Required<Pick<PastRun, "endedAt" | "counts" | "exitCode">> &
  Pick<PastRun, "touched" | "omitted">;

/** Returns the part of a run record that names resources, failed ones first. */
export function touching(all: readonly Touched[]): Pick<PastRun, "touched" | "omitted"> {
  const sorted = [...all.filter(({ failed }) => failed), ...all.filter(({ failed }) => !failed)];
  const omitted = Math.max(0, all.length - keptAddresses);
  return { touched: sorted.slice(0, keptAddresses), omitted: omitted || undefined };
}

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
