import * as z from "zod";
import type { Parsed } from "./value";

const text = z.string().min(1);
const count = z.int().min(0);

/** The shape of what a run knows of where it comes from before it writes. */
export const runOriginSchema = z.looseObject({
  /** The verb: `apply`, `destroy`. */
  command: text,
  /** The person that the job names as its starter, else `user@host`. */
  by: text,
  /** The commit that was applied, as the job or the repository of the manifest says. */
  commit: text.optional(),
  /** Address of the job's page. */
  job: text.optional(),
});

/** Who runs what: recorded with the run, before its first write. */
export type RunOrigin = Parsed<z.infer<typeof runOriginSchema>>;

/** The counts of changes that were made, and that were not. */
export const applyCounts = {
  added: count,
  changed: count,
  destroyed: count,
  adopted: count,
  forgotten: count,
  failed: count,
  skipped: count,
};

/** The shape of a run that the state remembers. */
export const pastRunSchema = runOriginSchema.extend({
  /** As the run record: 32 hex digits. */
  id: text,
  /** ISO 8601. */
  startedAt: z.string(),
  /** Of the plan that was applied. */
  digest: z.string(),
  /** When it wrote the state at its end, ISO 8601; absent where it never came to that. */
  endedAt: z.string().optional(),
  /** The counts of changes that were made, and that were not; absent where the run never came to its end. */
  counts: z.looseObject(applyCounts).optional(),
  /** DESIGN section 8; absent where it never came to its end. */
  exitCode: count.optional(),
});

/** A run that the state remembers. */
export type PastRun = Parsed<z.infer<typeof pastRunSchema>>;

/** The run record as far as the history needs it. */
interface BegunRun {
  readonly id: string;
  readonly planDigest: string;
  readonly startedAt: string;
  readonly origin?: RunOrigin | undefined;
}

/** A state keeps its last runs, as many. */
export const keptRuns = 50;

/** How a run came to its end. */
export type RunEnd = Required<Pick<PastRun, "endedAt" | "counts" | "exitCode">>;

/** Returns the past run of a record, with its end where it came to that; undefined where its origin is unknown. */
export function pastRunOf(
  { id, planDigest, startedAt, origin }: BegunRun,
  end?: RunEnd,
): PastRun | undefined {
  return origin && { ...origin, id, startedAt, digest: planDigest, ...end };
}

/**
 * Returns the history, oldest first, with `left` in it, a run that was cut short, and with `ended` behind it. A run that
 * is in it already stays as it is. Undefined while there is none.
 */
export function withRuns(
  history: readonly PastRun[] | undefined,
  left: BegunRun | null,
  ended?: PastRun,
): readonly PastRun[] | undefined {
  const cutShort = left && left.id !== ended?.id ? pastRunOf(left) : undefined;
  const known = new Set(history?.map(({ id }) => id));
  const added = [cutShort, ended].filter((run) => run !== undefined).filter(({ id }) => !known.has(id));
  return added.length === 0 ? history : [...(history ?? []), ...added].slice(-keptRuns);
}

/** Returns the runs that a state remembers, newest first, with the one that goes on or was cut short. */
export const pastRuns = ({
  history,
  run,
}: {
  readonly history?: readonly PastRun[] | undefined;
  readonly run: BegunRun | null;
}): readonly PastRun[] => [...(withRuns(history, run) ?? [])].reverse();
