// Bundles the command line: `node .ci/bundle.mjs [FOLDER]`, dist/bin unless said. `rnv.js` is the entry, which answers
// `rnv version` itself; `run.js` beside it is the program, and `evaluate-program.js` runs `rnv.config.ts`. All are put in
// place whole, for processes that start now.
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { oldestNode, readableBy, refuseOlderNode } from "./oldest-node.mjs";
import { bundleS3Client, s3Client } from "./s3-client.mjs";
import { partOfUndici } from "./undici.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = resolve(process.argv[2] ?? join(root, "dist/bin"));

/** A program asks for another beside it when it needs it. */
const apart = (filter) => ({
  name: "program-apart",
  setup: ({ onResolve }) => onResolve({ filter }, ({ path }) => ({ path, external: true })),
});

/** The AWS SDK stays in a module of its own. */
const s3Apart = ({ onResolve }) =>
  onResolve({ filter: /\/s3-client$/ }, () => ({ path: relative(folder, s3Client), external: true }));

const options = {
  absWorkingDir: root,
  outdir: folder,
  bundle: true,
  // Its main file asks for its parts in a way that a bundler does not see.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  platform: "node",
  format: "cjs",
  minifySyntax: true,
  minifyWhitespace: true,
  write: false,
  logLevel: "warning",
};

const refusal = `console.error("rnv needs Node ${oldestNode} or later; this is " + process.version.slice(1))`;

const programs = [
  {
    entryPoints: { run: "src/cli/run.ts" },
    target: "node20",
    plugins: [apart(/^\.\/evaluate-program$/), partOfUndici, { name: "s3-apart", setup: s3Apart }],
  },
  {
    entryPoints: { "evaluate-program": "src/manifest/text/evaluate-program.ts" },
    target: "node20",
  },
  {
    entryPoints: { rnv: "src/cli/main.ts" },
    target: readableBy,
    plugins: [apart(/^\.\/run$/)],
    banner: { js: `#!/usr/bin/env node\n${refuseOlderNode(refusal)}` },
  },
];

await bundleS3Client();
mkdirSync(folder, { recursive: true });
for (const program of programs) {
  const [{ path, text }] = (await build({ ...options, ...program })).outputFiles;
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, text);
  if (program.banner) chmodSync(fresh, 0o755);
  renameSync(fresh, path);
}
