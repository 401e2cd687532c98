import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { isOutdated, root } from "./sources";

/** Builds dist, as `npm run build` does, when a source is newer than the library in it. */
export function builtLibrary(): void {
  if (isOutdated(join(root, "dist/index.js")))
    execFileSync(process.execPath, [join(root, "tools/build/build.mjs")], { stdio: "pipe" });
}
