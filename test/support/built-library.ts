import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const built = join(root, "dist/index.js");

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Compiles the library into dist when a source is newer; whether its types agree is checked elsewhere. */
export function builtLibrary(): void {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  if (Math.max(...sources.map((file) => modified(join(root, "src", file)))) <= modified(built)) return;
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(tsc, ["-p", "tsconfig.json"], { cwd: root, encoding: "utf8" });
  if (modified(built) === 0) throw new Error(stdout);
  execFileSync(process.execPath, [join(root, "tools/build/prune.mjs")], { stdio: "pipe" });
}
