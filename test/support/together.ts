import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

interface Share {
  /** The suites are dealt out to so many files that the processes of a run have about the same to do. */
  readonly of: number;
  /** From 1 to `of`. */
  readonly part: number;
}

/** Suites that mostly wait for processes of their own, and run by themselves. */
const alone: readonly string[] = JSON.parse(
  readFileSync(join(__dirname, "..", "together", "alone.json"), "utf8"),
);

/**
 * Declares the suites of folders below `test`, each under the name of its file, as if they were in one file: their
 * modules are loaded once for all of them, which takes longer than most of their tests.
 */
export function together(folders: readonly string[], { of, part }: Share = { of: 1, part: 1 }): void {
  for (const path of folders.flatMap(suitesIn).filter((_, at) => at % of === part - 1))
    describe(path, () => {
      require(resolve(__dirname, "..", path));
    });
  // The last suite to set it would set it for all.
  jest.setTimeout(300_000);
}

const suitesIn = (folder: string): string[] =>
  readdirSync(resolve(__dirname, "..", folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !alone.some((one) => name === `${one}.test.ts`))
    .sort()
    .map((name) => join(folder, name));
