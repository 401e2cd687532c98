import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { isOutdated, modified, root } from "./sources";

const built = join(root, "dist/index.js");

/** Compiles the library into dist when a source is newer; whether its types agree is checked elsewhere. */
export function builtLibrary(): void {
  if (!isOutdated(built)) return;
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(tsc, ["-p", "tsconfig.json"], { cwd: root, encoding: "utf8" });
  if (modified(built) === 0) throw new Error(stdout);
  execFileSync(process.execPath, [join(root, "tools/build/prune.mjs")], { stdio: "pipe" });
}
