import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import * as z from "zod";
import type { Report } from "../declaration/findings";
import type { FileRequest, SynthesizedFiles } from "../declaration/load-request";
import { isLinkOut, isWithin, linkOut, realPath, shownPath } from "../declaration/project-files";
import { isSecretName, isVariableName, mayShow, star } from "../declaration/secret-texts";
import { error } from "../diagnostics/diagnostic";
import { topologicalOrder } from "../model/graph-walk";
import type { JsonNode } from "./json-node";
import type { Stack, StackContext } from "./stack";

export interface StackFile {
  readonly file: string;
  /** Its name, also as a unit of state: from the manifest of the output folder, else from the file. */
  readonly unit: string;
  /** The path of its construct in the app; its name where no app is read. */
  readonly constructPath: string;
  readonly dependencies: readonly string[];
  /** Notes of its program about constructs (`Annotations` of the library). */
  readonly annotations: ListedStack["annotations"];
}

const manifestName = "manifest.json";
/** The output folder of the library unless cdktf.json names another. */
const usualFolder = "cdktf.out";

/** Returns true if a value of `-f` names an output folder of the library, its manifest.json, or Terraform JSON. */
export async function isStackPath(path: string, { cwd, synthesized }: FileRequest): Promise<boolean> {
  const name = basename(path);
  if (name.endsWith(".tf.json") || name === manifestName || name === usualFolder || synthesized) return true;
  const manifest = resolve(cwd, path, manifestName);
  if (!(await isFolder(resolve(cwd, path))) || isLinkOut(manifest, resolve(cwd))) return false;
  return manifestIn(await readText(manifest)) !== undefined;
}

/** Reads the manifest.json of an output folder and the stacks that it lists, by their path in it; undefined without one. */
export async function readOutput(folder: string): Promise<SynthesizedFiles | undefined> {
  const stacks = manifestIn(await readText(join(folder, manifestName)));
  const paths = [manifestName, ...(stacks ?? []).map(({ synthesizedStackPath }) => synthesizedStackPath)];
  const read = async (path: string) =>
    [path, await readFile(join(folder, path)).catch(() => Buffer.of())] as const;
  return stacks && new Map(await Promise.all(paths.map(read)));
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** The stacks that `-f` values name; those of an output folder in the order of their dependencies. */
export async function findStacks(request: FileRequest, report: Report): Promise<readonly StackFile[]> {
  const { cwd } = request;
  const files: StackFile[] = [];
  for (const path of request.files) {
    const full = resolve(cwd, path);
    const file = shownPath(full, cwd);
    if (!basename(path).endsWith(".tf.json")) files.push(...(await stacksOf(path, request, report)));
    else if (isLinkOut(full, resolve(cwd))) report(linkOut(file));
    else {
      const unit = await unitOf(full);
      files.push({ file, unit, constructPath: unit, dependencies: [], annotations: [] });
    }
  }
  return files;
}

const stackComment = z.object({ "//": z.object({ metadata: z.object({ stackName: z.string() }) }) });

async function unitOf(path: string): Promise<string> {
  const { data } = stackComment.safeParse(parseJson(await readText(path)));
  return data?.["//"].metadata.stackName ?? basename(path, ".tf.json");
}

const readText = (path: string): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined);

function parseJson(text = "null"): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const levels = { "@cdktf/info": "info", "@cdktf/warn": "warning", "@cdktf/error": "error" } as const;

const annotationSchema = z.object({
  level: z.literal(["@cdktf/info", "@cdktf/warn", "@cdktf/error"]).transform((level) => levels[level]),
  constructPath: z.string(),
  message: z.string(),
});

/** A stack of the manifest of an output folder; `dependencies` are construct paths. */
const listedStack = z
  .object({
    name: z.string(),
    constructPath: z.string().optional(),
    synthesizedStackPath: z.string(),
    dependencies: z.array(z.string()).default([]),
    annotations: z.array(z.unknown()).default([]),
  })
  .transform(({ constructPath, annotations, ...stack }) => ({
    ...stack,
    constructPath: constructPath ?? stack.name,
    // A level that a later library knows is left out.
    annotations: annotations.flatMap((one) => annotationSchema.safeParse(one).data ?? []),
  }));
type ListedStack = z.infer<typeof listedStack>;

const outputManifest = z.object({ stacks: z.record(z.string(), listedStack) });

/** The stacks that a manifest.json of the library lists; undefined for another text. */
function manifestIn(text: string | undefined): readonly ListedStack[] | undefined {
  const { data } = outputManifest.safeParse(parseJson(text));
  return data && Object.values(data.stacks);
}

async function stacksOf(
  path: string,
  { cwd, synthesized }: FileRequest,
  report: Report,
): Promise<readonly StackFile[]> {
  const folder = basename(path) === manifestName ? join(resolve(cwd, path), "..") : resolve(cwd, path);
  const shown = shownPath(join(folder, manifestName), cwd);
  if (isLinkOut(join(folder, manifestName), resolve(cwd))) {
    report(linkOut(shown));
    return [];
  }
  const own = synthesized?.get(shown);
  const stacks = manifestIn(own?.toString() ?? (await readText(join(folder, manifestName))));
  if (stacks === undefined || stacks.length === 0) {
    const isMissing = !(await isFolder(folder));
    const summary = isMissing ? `${shownPath(folder, cwd)} does not exist yet` : `${shown} lists no stacks`;
    const hint = `${isMissing ? "synthesize the stacks first" : "synthesize the stacks again"}, or let rnv run the program: --app COMMAND`;
    report(error("stack.not_found", summary, { hint }));
    return [];
  }
  const ordered = inOrder(stacks);
  if (ordered === undefined) {
    report(error("stack.reference_cycle", `the stacks of ${shown} depend on each other`));
    return [];
  }
  const names = new Map(stacks.map(({ constructPath, name }) => [constructPath, name]));
  return ordered.flatMap((stack) => {
    const dependencies = stack.dependencies.map((path) => names.get(path) ?? path);
    const file = shownPath(join(folder, stack.synthesizedStackPath), cwd);
    const place = join(realPath(folder) ?? folder, stack.synthesizedStackPath);
    if (!isWithin(realPath(place) ?? place, [folder, cwd])) {
      report(error("manifest.unreadable", `the stack ${stack.name} of ${shown} is outside its folder`));
      return [];
    }
    const { name: unit, constructPath, annotations } = stack;
    return [{ file, unit, constructPath, dependencies, annotations }];
  });
}

/** Each stack after those that it depends on; undefined when there is no such order. */
function inOrder(stacks: readonly ListedStack[]): readonly ListedStack[] | undefined {
  const sorted = [...stacks].sort((a, b) => (a.name < b.name ? -1 : 1));
  const byPath = new Map(stacks.map((stack) => [stack.constructPath, stack]));
  let hasRing = false;
  const ordered = topologicalOrder(
    sorted,
    ({ dependencies }) => dependencies.flatMap((path) => byPath.get(path) ?? []),
    () => {
      hasRing = true;
    },
  );
  return hasRing ? undefined : ordered;
}

/** Attributes that hold no secret in a block that may hold some. */
const openKeys = ["//", "depends_on", "lifecycle", "provider"];

/** The text of a stack for code frames, with values starred out that may be secrets; offsets and lines stay. */
export function maskStack(text: string, stack: Stack, dataTypes: StackContext["dataTypes"]): string {
  const open = new Set(openNodes(stack, dataTypes));
  const ranges: (readonly [start: number, end: number])[] = [];
  const hide = (node: JsonNode, isOpenAround: boolean): void => {
    const isOpen = isOpenAround || open.has(node);
    if (node.isList) for (const item of node.items) hide(item, isOpen);
    for (const [key, inner] of node.members)
      hide(inner, isOpen && !isSecretName(key) && !isVariableName(key));
    const isScalar = !node.isList && !node.isObject;
    if (isScalar && !mayShow(node.value, isOpen)) ranges.push([node.range.start, node.range.end]);
  };
  hide(stack.root, false);
  return star(text, ranges);
}

function openNodes(
  { root, providers, data, resources }: Stack,
  dataTypes: StackContext["dataTypes"],
): readonly JsonNode[] {
  const attributes = resources.flatMap(({ type, block }) =>
    [...block.members].filter(([key]) => {
      const isOpen = type?.attributes.get(key)?.secret === false || type?.groups.has(key);
      return isOpen || type?.parents.has(key) || openKeys.includes(key);
    }),
  );
  return [
    ...["//", "moved", "import", "removed"].map((key) => root.at(key)),
    ...[...providers.values()].flatMap((block) => [block.at("base_url"), block.at("workspace_id")]),
    ...[...data].filter(([label]) => dataTypes.has(label.split(".")[0] ?? "")).map(([, block]) => block),
    ...attributes.map(([, node]) => node),
  ];
}
