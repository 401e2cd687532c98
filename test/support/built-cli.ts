import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");
const bundle = join(root, "dist/bin/rnv.js");

let isCurrent = false;

/**
 * Path of the built command line. Bundled again, as `npm run build` does, when a source is newer than it at the first
 * call; types are checked elsewhere. It is put in place by renames, so that no process ever starts half of it.
 */
export function builtCli(): string {
  if (!isCurrent && newest(join(root, "src")) > modified(bundle))
    execFileSync(process.execPath, [join(root, "tools/build/bundle.mjs")], { stdio: "pipe" });
  isCurrent = true;
  return bundle;
}

function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

const newest = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, modified(join(entry.parentPath, entry.name))), 0);
