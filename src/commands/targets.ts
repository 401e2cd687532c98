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
