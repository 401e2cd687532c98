import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const built = join(root, "dist/cdktf/cdktf.js");

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Compiles the library into dist when a source of it is newer; whether its types agree is checked elsewhere. */
export function builtLibrary(): void {
  const sources = ["cdktf", "resources", "model"].flatMap((folder) =>
    readdirSync(join(root, "src", folder)).map((file) => join(root, "src", folder, file)),
  );
  if (Math.max(...sources.map(modified)) <= modified(built)) return;
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(tsc, ["-p", "tsconfig.json"], { cwd: root, encoding: "utf8" });
  if (modified(built) === 0) throw new Error(stdout);
}
