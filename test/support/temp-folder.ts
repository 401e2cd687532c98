import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * What this process and those that it starts leave in the temporary folder goes into one of their own, and away with
 * them.
 */
export function ownTempFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), "rnv-tests-"));
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // A signal ends a process without "exit".
  for (const [name, number] of [
    ["SIGHUP", 1],
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ] as const)
    process.once(name, () => process.exit(128 + number));
}

/** Makes a folder, which the temporary folder of the run takes away with it. Links in its path are followed. */
export const newFolder = (name: string): string => realpathSync(mkdtempSync(join(tmpdir(), `rnv-${name}-`)));
