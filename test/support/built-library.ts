import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");

/** Compiles the library into dist, as `npm run build` does, when a source is newer. */
export function builtLibrary(): void {
  const compiled = statSync(join(root, "dist/cdktf/cdktf.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newest = Math.max(
    ...["cdktf", "resources", "model"].flatMap((folder) =>
      readdirSync(join(root, "src", folder)).map((file) => statSync(join(root, "src", folder, file)).mtimeMs),
    ),
  );
  if (newest <= compiled) return;
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.json"], { cwd: root, stdio: "pipe" });
}
