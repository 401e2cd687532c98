// Builds dist: the library, the command line and the provider. All are made in a folder beside it, whose files then replace
// their predecessors: a checkout is never without a program.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const dist = join(root, "dist");
const fresh = join(root, `dist.${process.pid}`);

try {
  run("node_modules/tsx/dist/cli.mjs", "tools/types/write-props.ts");
  run("node_modules/typescript/bin/tsc", "-p", "tsconfig.json", "--outDir", fresh);
  run("tools/build/prune.mjs", fresh);
  run("tools/build/bundle.mjs", fresh);
  run("tools/build/provider.mjs", join(fresh, "terraform/terraform-provider-rnv"));
  run("tools/build/notices.mjs");
  replaceFiles();
} catch (failure) {
  // A compiler has printed its errors.
  if (failure.status === undefined) throw failure;
  process.exitCode = failure.status;
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

function run(...command) {
  execFileSync(process.execPath, command, { cwd: root, stdio: "inherit" });
}

/** Moves the new files to their places and removes the others. Archives of a release stay. */
function replaceFiles() {
  const built = new Set(filesBelow(fresh));
  for (const file of built) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    renameSync(join(fresh, file), join(dist, file));
  }
  for (const file of filesBelow(dist))
    if (!built.has(file) && !file.startsWith("release")) rmSync(join(dist, file));
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
