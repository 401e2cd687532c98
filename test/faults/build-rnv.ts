import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

export type Rnv = typeof import("./rnv");

/** A change of one source file before it is bundled: a bug planted on purpose. */
export interface Edit {
  /** Below `src`. */
  readonly file: string;
  /** Must occur exactly once. */
  readonly from: string;
  readonly to: string;
}

const root = resolve(__dirname, "../..");

/**
 * The sources as one module, edited. A manifest is read once for each path: the matrix runs the same few of them
 * hundreds of thousands of times.
 */
export async function buildRnv(edits: readonly Edit[] = []): Promise<Rnv> {
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
    plugins: [editing(edits)],
  });
  const code = outputFiles[0]?.text ?? "";
  const module = { exports: {} as Rnv };
  const load = typeof jest === "undefined" ? createRequire(__filename) : require;
  new Function("require", "module", "exports", code)(load, module, module.exports);
  return module.exports;
}

const editing = (edits: readonly Edit[]): Plugin => ({
  name: "edits",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const file = relative(join(root, "src"), path).replaceAll("\\", "/");
      const text = await readFile(path, "utf8");
      const edited = edits.filter((edit) => edit.file === file).reduce(editText, text);
      return { contents: file === "commands/load.ts" ? remembering(edited) : edited, loader: "ts" };
    });
  },
});

function editText(text: string, { file, from, to }: Edit): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${from}`);
  return parts.join(to);
}

/** `load` that keeps what it read: files do not change while the matrix runs. */
const remembering = (text: string): string =>
  `${text.replace("export async function load(", "async function loadOnce(")}
const kept = new Map();
export function load(context, files, secrets) {
  const key = JSON.stringify([context.cwd, files, secrets, context.environment]);
  if (!kept.has(key)) kept.set(key, loadOnce(context, files, secrets));
  return kept.get(key);
}`;
