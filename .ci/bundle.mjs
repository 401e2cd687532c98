// Bundles the command line: `node .ci/bundle.mjs [OUTFILE]`, dist/bin/rnv.js unless said. It makes three files: the
// entry, which answers `rnv version` itself; the program beside it, named by its content; and V8's compiled code of
// that program, which the entry uses when it was made by the same V8.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const outfile = resolve(process.argv[2] ?? join(root, "dist/bin/rnv.js"));
const folder = dirname(outfile);

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  minifySyntax: true,
  minifyWhitespace: true,
  write: false,
  logLevel: "warning",
};

const sample = `
projects:
  shop:
    services:
      api:
        kind: web
        configuration:
          runtime: node
          port: 8080
          startCommand: "npm start"
        variables: { PEER: "\${service.shop.worker.internalHost}" }
        deploy: { when: never }
      worker: { kind: web, deploy: { when: never } }
`;

const put = (path, bytes) => {
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, bytes);
  renameSync(fresh, path);
};

mkdirSync(folder, { recursive: true });
const program = await build({ ...shared, entryPoints: ["src/cli/run.ts"], plugins: [builtinsOnUse()] });
const [{ contents }] = program.outputFiles;
const digest = createHash("sha256").update(contents).digest("hex").slice(0, 16);
const name = `program-${digest}.js`;
put(join(folder, name), contents);

const entry = await build({
  ...shared,
  entryPoints: ["src/cli/main.ts"],
  banner: { js: "#!/usr/bin/env node" },
  plugins: [
    {
      name: "program-beside",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^\.\/run$/ }, () => ({ path: "program", namespace: "program-beside" }));
        onLoad({ filter: /.*/, namespace: "program-beside" }, () => ({
          contents: `module.exports = require("./load-program.cjs").loadProgram(__dirname + "/${name}");`,
          resolveDir: join(root, ".ci"),
        }));
      },
    },
  ],
});
put(outfile, entry.outputFiles[0].contents);
chmodSync(outfile, 0o755);
await compile();
// One that has just been made may belong to a process that starts now.
for (const old of readdirSync(folder).filter((file) => file.startsWith("program-") && !file.startsWith(name)))
  if (Date.now() - statSync(join(folder, old)).mtimeMs > 60_000) rmSync(join(folder, old), { force: true });

/** Loads what takes Node milliseconds when something of it is first used, which most plans never do. */
function builtinsOnUse() {
  return {
    name: "builtins-on-use",
    setup({ onResolve, onLoad }) {
      onResolve(
        { filter: /^(node:)?(crypto|child_process|fs\/promises|readline)$/, namespace: "file" },
        ({ path }) => ({
          path: path.replace(/^(node:)?/, "node:"),
          namespace: "on-use",
        }),
      );
      onLoad({ filter: /.*/, namespace: "on-use" }, ({ path }) => ({
        contents: [
          `let all; const loaded = () => (all ??= require("${path}"));`,
          ...Object.keys(createRequire(import.meta.url)(path)).map(
            (name) => `Object.defineProperty(exports, "${name}", { get: () => loaded().${name} });`,
          ),
        ].join("\n"),
      }));
    },
  };
}

/** Plans once against a service over HTTP, so that what a plan needs is compiled. Optional: without it all works. */
async function compile() {
  const home = mkdtempSync(join(tmpdir(), "rnv-compile-"));
  const service = spawn(process.execPath, [outfile, "emulator", "-port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const env = await settingsOf(service);
    writeFileSync(join(home, "rnv.yaml"), sample);
    // Without a seed V8 hashes otherwise each time, and what it compiles has other bytes; it takes no account of the
    // seed when it looks whether compiled code is its own.
    const compileProgram = ["--random-seed=1", join(root, ".ci/compile-program.cjs"), join(folder, name)];
    for (const args of [["apply", "-auto-approve"], ["plan"]])
      execFileSync(process.execPath, [...compileProgram, ...args], {
        cwd: home,
        env: { ...process.env, ...env },
        stdio: "ignore",
        timeout: 30_000,
      });
  } catch (cause) {
    process.stderr.write(`the program is not compiled ahead and will start more slowly: ${cause.message}\n`);
  } finally {
    service.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The export lines that `rnv emulator` prints. */
async function settingsOf(service) {
  let text = "";
  for await (const chunk of service.stdout.setEncoding("utf8")) {
    text += chunk;
    const found = Object.fromEntries(
      [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]),
    );
    if (found.RNV_API_KEY !== undefined && text.endsWith("\n")) return found;
  }
  throw new Error("no service to plan against");
}
