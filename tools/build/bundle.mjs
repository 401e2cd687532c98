// Bundles the command line: `node tools/build/bundle.mjs [DIST]`. `rnv.js` is the entry, which answers
// `rnv version` itself; `run.js` beside it is the program, and `evaluate-program.js` runs `rnv.config.ts`. Each
// is replaced whole.
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { oldestNode, readableBy, refuseOlderNode } from "./oldest-node.mjs";
import { replaceFile } from "./replace-file.mjs";
import { bundleS3Client, s3Client } from "./s3-client.mjs";
import { partOfUndici } from "./undici.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const dist = resolve(process.argv[2] ?? join(root, "dist"));
const folder = join(dist, "bin");

/** A program asks for another beside it when it needs it. */
const apart = (filter) => ({
  name: "program-apart",
  setup: ({ onResolve }) => onResolve({ filter }, ({ path }) => ({ path, external: true })),
});

/** The AWS SDK stays in a module of its own. */
const s3Apart = ({ onResolve }) =>
  onResolve({ filter: /\/s3-client$/ }, () => ({ path: relative(folder, s3Client(dist)), external: true }));

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

await bundleS3Client(dist);
for (const program of programs) {
  const [{ path, text }] = (await build({ ...options, ...program })).outputFiles;
  replaceFile(path, text, program.banner && 0o755);
}
