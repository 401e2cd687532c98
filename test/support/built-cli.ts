import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { isOutdated, root } from "./sources";

const bundle = join(root, "dist/bin/rnv.js");

let isCurrent = false;

/**
 * Path of the built command line. Bundled again, as `npm run build` does, when a source is newer than it at the first
 * call; types are checked elsewhere. It is put in place by renames, so that no process ever starts half of it.
 */
export function builtCli(): string {
  if (!isCurrent && isOutdated(bundle))
    execFileSync(process.execPath, [join(root, "tools/build/bundle.mjs")], { stdio: "pipe" });
  isCurrent = true;
  return bundle;
}
