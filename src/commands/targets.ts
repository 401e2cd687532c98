import { failure } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { namePattern } from "../model/names";
import { shortList } from "../model/wording";
import type { ApplyOutcome } from "./apply";
import type { DriftOutcome } from "./drift";
import type { PlanOutcome } from "./plan";

export interface TargetOutcome extends PlanOutcome, DriftOutcome, ApplyOutcome {}

/** The worst first: interrupted, error, partly applied, failed deployment, stale, refused, lock held, checkout, changes. */
const exitCodesByWeight = [130, 1, 3, 7, 5, 4, 6, 8, 2];

/** Returns the exit code that says most of the runs of stacks, stages, jobs, members of a fleet or shards (DESIGN section 8). */
export const joinExitCodes = (exitCodes: readonly number[]): number =>
  exitCodesByWeight.find((code) => exitCodes.includes(code)) ?? 0;

/**
 * Runs every target in its order, `parallelism` at once, whatever becomes of the others. After `signal` no target begins,
 * unless it is alone: then it reports the interrupt. Returns the results of those that have begun, as they ended.
 */
export async function runTargets<T, R>(
  targets: Iterable<T>,
  run: (target: T) => Promise<R>,
  { signal, parallelism = 1 }: { readonly signal?: AbortSignal; readonly parallelism?: number } = {},
): Promise<readonly R[]> {
  const results: R[] = [];
  const all = [...targets];
  const queue = all.values();
  const next = async (): Promise<void> => {
    for (const target of queue) {
      if (signal?.aborted && all.length > 1) return;
      results.push(await run(target));
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelism, all.length) }, next));
  return results;
}

/** Returns the elements that names or patterns (`prod-*`) mean, in their order; throws where one means none. */
export function chooseNamed<T>(
  all: readonly T[],
  nameOf: (element: T) => string,
  words: readonly string[],
  kind: "stack" | "member",
): readonly T[] {
  const names = all.map(nameOf);
  const meant = words.flatMap((word) => {
    const pattern = namePattern(word);
    const found = names.filter((name) => pattern.test(name));
    if (found.length > 0) return found;
    throw failure("command.usage", `there is no ${kind} ${JSON.stringify(word)}`, {
      hint: didYouMean(word, names) ?? `there are: ${shortList(names, 10)}`,
    });
  });
  return words.length === 0 ? all : all.filter((element) => meant.includes(nameOf(element)));
}
