// Bundles the command line: `node .ci/bundle.mjs [FOLDER]`, dist/bin unless said. `rnv.js` is the entry, which answers
// `rnv version` itself; `run.js` beside it is the program. Both are put in place whole, for processes that start now.
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = resolve(process.argv[2] ?? join(root, "dist/bin"));

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { run: "src/cli/run.ts", rnv: "src/cli/main.ts" },
  outdir: folder,
  bundle: true,
  external: ["./run"],
  // Its main file asks for its parts in a way that a bundler does not see.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  platform: "node",
  target: "node20",
  format: "cjs",
  minifySyntax: true,
  minifyWhitespace: true,
  write: false,
  logLevel: "warning",
});

mkdirSync(folder, { recursive: true });
for (const { path, text } of outputFiles) {
  const isEntry = path === join(folder, "rnv.js");
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, isEntry ? `#!/usr/bin/env node\n${text}` : text);
  if (isEntry) chmodSync(fresh, 0o755);
  renameSync(fresh, path);
}
