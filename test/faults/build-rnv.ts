import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { type Edit, locate, type Replacement, sourceWith } from "./plant";

export type Rnv = typeof import("./rnv");

const root = resolve(__dirname, "../..");

/**
 * The sources as one module, with a bug where one is wanted. A manifest is read once for each path: the matrix runs
 * the same few of them hundreds of thousands of times.
 */
export function buildRnv(bug?: Edit): Promise<Rnv> {
  if (bug !== undefined) return bundled(bug);
  plain ??= bundled();
  return plain;
}

let plain: Promise<Rnv> | undefined;

async function bundled(bug?: Edit): Promise<Rnv> {
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
    plugins: [editing(bug && locate(bug))],
  });
  const code = outputFiles[0]?.text ?? "";
  const module = { exports: {} as Rnv };
  const load = typeof jest === "undefined" ? createRequire(__filename) : require;
  new Function("require", "module", "exports", code)(load, module, module.exports);
  return module.exports;
}

const declaresLoad = "export async function load(";

function editing(edit?: Replacement): Plugin {
  const edited = [sourceWith(declaresLoad), ...(edit ? [edit.path] : [])];
  const filter = new RegExp(edited.map((path) => `^${path.replace(/[\\.]/g, "\\$&")}$`).join("|"));
  return {
    name: "edits",
    setup({ onLoad }) {
      onLoad({ filter }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        const changed =
          path === edit?.path ? text.slice(0, edit.start) + edit.text + text.slice(edit.end) : text;
        return { contents: changed.includes(declaresLoad) ? remembering(changed) : changed, loader: "ts" };
      });
    },
  };
}

/** `load` that keeps its results: files do not change while the matrix runs. */
const remembering = (text: string): string =>
  `${text.replace(declaresLoad, "async function loadOnce(")}
const kept = new Map();
export function load(context, files, secrets) {
  const key = JSON.stringify([context.cwd, files, secrets, context.environment]);
  if (!kept.has(key)) kept.set(key, loadOnce(context, files, secrets));
  return kept.get(key);
}`;
