import { Session } from "node:inspector";

/** Methods whose cost grows with the text that they are called on, or with what they look through. */
const looking = [
  "concat",
  "endsWith",
  "includes",
  "indexOf",
  "lastIndexOf",
  "match",
  "repeat",
  "replace",
  "replaceAll",
  "search",
  "split",
  "startsWith",
  "toLowerCase",
  "toUpperCase",
] as const;
const trimming = ["trim", "trimEnd", "trimStart"] as const;

/**
 * How much work `run` is, whatever the machine: characters that methods of strings look at, elements that are joined, and
 * how often each block of our code runs. What one pattern does inside one text is not seen. A count may lose what V8
 * throws away meanwhile, and never has too much: the largest of several counts.
 */
export async function countWork(run: () => unknown): Promise<number> {
  const counts = [await countOnce(run), await countOnce(run), await countOnce(run)];
  return Math.max(...counts);
}

async function countOnce(run: () => unknown): Promise<number> {
  let looked = 0;
  const restore: (() => void)[] = [];
  const replace = <Owner extends object>(
    owner: Owner,
    name: keyof Owner & string,
    costOf: (on: unknown, given: readonly unknown[], result: unknown) => number,
  ): void => {
    const method = owner[name] as (...given: unknown[]) => unknown;
    (owner as Record<string, unknown>)[name] = function counted(this: unknown, ...given: unknown[]) {
      const result = method.apply(this, given);
      looked += 1 + costOf(this, given, result);
      return result;
    };
    restore.push(() => {
      (owner as Record<string, unknown>)[name] = method;
    });
  };
  for (const name of looking) replace(String.prototype, name, lookedAt[name] ?? ((on) => String(on).length));
  for (const name of trimming)
    replace(String.prototype, name, (on, _given, result) => String(on).length - String(result).length);
  replace(Array.prototype as unknown[], "join", (on) => (on as unknown[]).length);
  const blocks = await countBlocks(run).finally(() => {
    for (const back of restore) back();
  });
  return looked + blocks;
}

/** What is found ends the look; what is only compared at one place costs what it is compared with. */
const lookedAt: Readonly<
  Record<string, (on: unknown, given: readonly unknown[], result: unknown) => number>
> = {
  startsWith: (_on, given) => String(given[0]).length,
  endsWith: (_on, given) => String(given[0]).length,
  concat: () => 1,
  indexOf: (on, given, result) =>
    (result === -1 ? String(on).length : Number(result)) - Number(given[1] ?? 0),
  lastIndexOf: (_on, given, result) => Math.max(0, Number(given[1] ?? 0) - Number(result)),
};

/** One for all of a file: to begin counting throws away what is compiled. What comes after is not slowed by it. */
let session: Session | undefined;
afterAll(async () => {
  if (session === undefined) return;
  await ask("Profiler.stopPreciseCoverage");
  session.disconnect();
});

const ask = <Answer>(method: string, parameters: object = {}): Promise<Answer> =>
  new Promise((resolve, reject) =>
    session?.post(method, parameters, (failure, answer) =>
      failure ? reject(failure) : resolve(answer as Answer),
    ),
  );

async function openSession(): Promise<void> {
  session = new Session();
  session.connect();
  await ask("Profiler.enable");
  await ask("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
}

/** The counts of all blocks of all functions, as V8 counts them for coverage. */
async function countBlocks(run: () => unknown): Promise<number> {
  if (session === undefined) await openSession();
  await ask("Profiler.takePreciseCoverage");
  await run();
  const { result } = await ask<Coverage>("Profiler.takePreciseCoverage");
  return result
    .filter(({ url }) => !url.includes("count-work"))
    .flatMap(({ functions }) => functions)
    .flatMap(({ ranges }) => ranges)
    .reduce((sum, { count }) => sum + count, 0);
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}
