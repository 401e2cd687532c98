import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { error } from "../diagnostics/diagnostic";
import { shownPath } from "./find-files";
import type { Report } from "./findings";
import { isObject, type Json } from "./stack-document";

/** One stack to read: its file as shown, and what the manifest of the output folder calls it. */
export interface StackFile {
  readonly file: string;
  readonly name: string;
}

const manifestName = "manifest.json";

/** Whether a value of `-f` names a stack: an output folder of the library, its manifest.json, or Terraform JSON. */
export async function isStackPath(path: string, cwd: string): Promise<boolean> {
  const name = basename(path);
  if (name.endsWith(".tf.json") || name === manifestName) return true;
  const found = await stat(resolve(cwd, path)).catch(() => undefined);
  return (
    found?.isDirectory() === true && (await readManifest(resolve(cwd, path, manifestName))) !== undefined
  );
}

/** The stacks that `-f` values name; those of an output folder in the order of their dependencies. */
export async function findStacks(
  paths: readonly string[],
  cwd: string,
  report: Report,
): Promise<readonly StackFile[]> {
  const files: StackFile[] = [];
  for (const path of paths) {
    if (basename(path).endsWith(".tf.json")) {
      const file = shownPath(resolve(cwd, path), cwd);
      files.push({ file, name: file });
    } else files.push(...(await stacksOf(path, cwd, report)));
  }
  return files;
}

interface Listed {
  readonly name: string;
  readonly path: string;
  readonly dependencies: readonly string[];
}

async function stacksOf(path: string, cwd: string, report: Report): Promise<readonly StackFile[]> {
  const folder = basename(path) === manifestName ? join(resolve(cwd, path), "..") : resolve(cwd, path);
  const stacks = await readManifest(join(folder, manifestName));
  const shown = shownPath(join(folder, manifestName), cwd);
  if (stacks === undefined) {
    report(
      error("manifest.not_found", `${shown} lists no stacks`, {
        hint: "synthesize them first, or use --app",
      }),
    );
    return [];
  }
  const ordered = inOrder(stacks);
  if (ordered === undefined) {
    report(error("manifest.reference_cycle", `the stacks of ${shown} depend on each other`));
    return [];
  }
  return ordered.flatMap((stack) => {
    if (stack.path.endsWith(".tf.json"))
      return [{ file: shownPath(join(folder, stack.path), cwd), name: stack.name }];
    report(
      error("manifest.unsupported", `the stack ${stack.name} was synthesized to HCL`, {
        hint: "unset SYNTH_HCL_OUTPUT: rnv reads cdk.tf.json",
      }),
    );
    return [];
  });
}

/** What manifest.json lists; undefined when it is not one of the library. */
async function readManifest(path: string): Promise<readonly Listed[] | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  let parsed: Json = null;
  try {
    parsed = JSON.parse(text ?? "null") as Json;
  } catch {
    return undefined;
  }
  if (!isObject(parsed) || !isObject(parsed.stacks)) return undefined;
  return Object.values(parsed.stacks).flatMap((stack) => {
    if (!isObject(stack) || typeof stack.synthesizedStackPath !== "string") return [];
    const { constructPath, name, dependencies } = stack;
    return [
      {
        name: String(constructPath ?? name),
        path: stack.synthesizedStackPath,
        dependencies: Array.isArray(dependencies) ? dependencies.map(String) : [],
      },
    ];
  });
}

/** Each stack after those that it depends on; undefined when there is no such order. */
function inOrder(stacks: readonly Listed[]): readonly Listed[] | undefined {
  const ordered: Listed[] = [];
  const waiting = new Set([...stacks].sort((a, b) => (a.name < b.name ? -1 : 1)));
  const isWaiting = (name: string): boolean => [...waiting].some((one) => one.name === name);
  while (waiting.size > 0) {
    const next = [...waiting].find(({ dependencies }) => !dependencies.some(isWaiting));
    if (next === undefined) return undefined;
    ordered.push(next);
    waiting.delete(next);
  }
  return ordered;
}
