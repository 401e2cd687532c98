import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

interface Share {
  /** The suites are dealt out to so many files that the processes of a run have about the same to do. */
  readonly of: number;
  /** From 1 to `of`. */
  readonly part: number;
  /** Suites that need a process without others, and run by themselves. */
  readonly without?: readonly string[];
}

/**
 * Declares the suites of folders below `test`, each under the name of its file, as if they were in one file: their
 * modules are loaded once for all of them, which takes longer than most of their tests.
 */
export function together(folders: readonly string[], share: Share = { of: 1, part: 1 }): void {
  const suites = folders
    .flatMap(suitesIn)
    .filter((path) => !share.without?.some((name) => path.endsWith(name)));
  for (const path of suites.filter((_, at) => at % share.of === share.part - 1))
    describe(path, () => {
      require(resolve(__dirname, "..", path));
    });
  // The last suite to set it would set it for all.
  jest.setTimeout(300_000);
}

const suitesIn = (folder: string): string[] =>
  readdirSync(resolve(__dirname, "..", folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .sort()
    .map((name) => join(folder, name));
