import { worstExitCode } from "../model/exit-code";
import type { ApplyOutcome } from "./apply";
import type { Outcome } from "./context";
import type { DriftOutcome } from "./drift";
import type { PlanOutcome } from "./plan";

/** How a plan, a look for drift or an apply ended in one target: a manifest in one of its stages and one of its stacks. */
export interface TargetOutcome extends PlanOutcome, DriftOutcome, ApplyOutcome {}

/** Returns the exit code that stands for several results (DESIGN section 8): the most telling one. */
export const joinResults = (results: readonly Pick<Outcome, "exitCode">[]): number =>
  worstExitCode(results.map(({ exitCode }) => exitCode));

/** How several targets are run. */
interface TargetsRun {
  /** Aborted: those that run end by themselves, and no other begins. Undefined: each is run. */
  readonly signal?: AbortSignal;
  /** How many run at once; one unless said. */
  readonly parallelism?: number;
}

/**
 * Runs every target: a manifest in one of its stages and one of its stacks, or a member of a fleet. They begin in their
 * order, and none waits for another one's success. Returns the results of those that have begun, as they ended.
 */
export async function runTargets<T, R>(
  targets: Iterable<T>,
  run: (target: T) => Promise<R>,
  { signal, parallelism = 1 }: TargetsRun = {},
): Promise<readonly R[]> {
  const results: R[] = [];
  const all = [...targets];
  const queue = all.values();
  const next = async (): Promise<void> => {
    for (const target of queue) {
      if (signal?.aborted) return;
      results.push(await run(target));
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelism, all.length) }, next));
  return results;
}
