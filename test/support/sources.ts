import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(__dirname, "../..");

/** Zero where there is no such file. */
export const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** True where a source is newer than the built file. */
export function isOutdated(built: string): boolean {
  const folder = join(root, "src");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const builtAt = modified(built);
  return sources.some((file) => modified(join(folder, file)) > builtAt);
}
