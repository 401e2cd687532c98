// Bundles the command line: `node .ci/bundle.mjs [FOLDER]`, dist/bin unless said. `rnv.js` is the entry, which answers
// `rnv version` itself; `run.js` beside it is the program. Both are put in place whole, for processes that start now.
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { partOfUndici } from "./undici.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = resolve(process.argv[2] ?? join(root, "dist/bin"));

/** The entry asks for the program beside it when it needs it; other folders may have a `./run` of their own. */
const keepApart = ({ onResolve }) =>
  onResolve({ filter: /^\.\/run$/ }, ({ importer, path }) =>
    importer === join(root, "src/cli/main.ts") ? { path, external: true } : undefined,
  );

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { run: "src/cli/run.ts", rnv: "src/cli/main.ts" },
  outdir: folder,
  bundle: true,
  plugins: [{ name: "program-apart", setup: keepApart }, partOfUndici],
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
