import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { error } from "../../diagnostics/diagnostic";
import { snakeCase } from "../../model/terraform-name";
import { shownPath } from "../find-files";
import type { Report } from "../findings";
import type { PlacedType } from "../type-index";
import { isObject, type Json, type Place } from "./document";
import type { Program, Stack } from "./stack";

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

/** Values nested deeper are hidden whole. */
const maxDepth = 100;

/** A value without text of its own: `${rnv_service.api.url}`, `${var.x}`. */
const onlyNames = /^\$\{[\w.\-[\]]+\}$/;

/**
 * The text of a stack for code frames: what may be a secret is starred out, offsets and lines as they were. Locals,
 * defaults and outputs may hold secrets as well as the attributes that do; what only names something stays.
 */
export function maskStack(stack: Stack, program: Pick<Program, "types">): string {
  const ranges: [number, number][] = [];
  const hide = (value: Json, place: Place, depth = 0): void => {
    if (depth > maxDepth) {
      ranges.push([place.start, place.end]);
    } else if (typeof value === "string" || typeof value === "number") {
      if (!onlyNames.test(String(value))) ranges.push([place.start, place.end]);
    } else if (value !== null && typeof value === "object")
      for (const [key, inner] of Object.entries(value))
        hide(inner, place.at(Array.isArray(value) ? Number(key) : key), depth + 1);
  };
  for (const { value, place } of stack.locals.values()) hide(value, place);
  for (const { value, place } of [...stack.variables.values(), ...stack.outputs.values()])
    if (isObject(value)) for (const key of ["default", "value"]) hide(value[key] ?? null, place.at(key));
  for (const { terraformType, body, place } of stack.resources) {
    const placed = program.types.get(terraformType);
    const open = placed === undefined ? new Set<string>() : openKeys(placed);
    if (placed !== undefined && open === undefined) continue;
    for (const [key, value] of Object.entries(body)) if (!open?.has(key)) hide(value, place.at(key));
  }
  return star(stack.document.text, ranges);
}

const meta = ["//", "depends_on", "lifecycle", "provider"];

/** Attributes that are no secrets, of a type that has any; undefined where a type has none. */
function openKeys(placed: PlacedType): ReadonlySet<string> | undefined {
  const shapes = [...placed.attributes];
  if (!shapes.some(([, { secret }]) => secret)) return undefined;
  const open = shapes.flatMap(([key, { secret }]) => (secret ? [] : [snakeCase(key)]));
  return new Set([...open, ...meta, ...placed.type.parents.map(({ attribute }) => snakeCase(attribute))]);
}

function star(text: string, ranges: readonly (readonly [number, number])[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (start < at) continue;
    pieces.push(text.slice(at, start), stars(text.slice(start, end)));
    at = end;
  }
  return [...pieces, text.slice(at)].join("");
}

/**
 * The text of a file that is no JSON. Up to where it fails only keys and punctuation are shown; from there on nothing
 * can be told apart any more.
 */
export function maskBrokenStack(text: string, failedAt: number): string {
  const texts = /"(?:[^"\\]|\\.)*"(\s*:)?/g;
  const before = text.slice(0, failedAt).replace(texts, (found, colon) => (colon ? found : stars(found)));
  return before + stars(text.slice(failedAt));
}

const stars = (text: string): string => text.replace(/[^\r\n]/g, "*");
