import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

export type Rnv = typeof import("./rnv");

const root = resolve(__dirname, "../..");

let built: Promise<Rnv> | undefined;

/**
 * Returns the sources as one module. It reads a manifest once for each path: the matrix runs the same few of them
 * hundreds of thousands of times.
 */
export function buildRnv(): Promise<Rnv> {
  built ??= bundled();
  return built;
}

async function bundled(): Promise<Rnv> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "test/faults/rnv.ts")],
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    packages: "external",
    // An import at run time finds nothing from within a text.
    supported: { "dynamic-import": false },
    logLevel: "silent",
    plugins: [remembering],
  });
  const code = outputFiles[0]?.text ?? "";
  const module = { exports: {} as Rnv };
  const load = typeof jest === "undefined" ? createRequire(__filename) : require;
  new Function("require", "module", "exports", code)(load, module, module.exports);
  return module.exports;
}

const declaresLoad = "export async function load(";

const remembering: Plugin = {
  name: "remembering",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/commands\/load\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!text.includes(declaresLoad)) throw new Error(`${path} does not declare: ${declaresLoad}`);
      return { contents: withMemory(text), loader: "ts" };
    });
  },
};

/** `load` that keeps what it read: files do not change while the matrix runs. */
const withMemory = (text: string): string =>
  `${text.replace(declaresLoad, "async function loadOnce(")}
const kept = new Map();
export function load(context, files, secrets) {
  const key = JSON.stringify([context.cwd, files, secrets, context.environment]);
  if (!kept.has(key)) kept.set(key, loadOnce(context, files, secrets));
  return kept.get(key);
}`;
