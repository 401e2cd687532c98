import { mkdtempSync, rmSync } from "node:fs";
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
}
