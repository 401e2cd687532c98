import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import type { LoadContext } from "../declaration/load-context";
import {
  isLfsPointer,
  isMissing,
  isWithin,
  lfsHint,
  maxFileBytes,
  readSource,
  shownPath,
} from "../declaration/project-files";
import { judgeEach, judgeItems } from "../declaration/schema-issues";
import {
  describeKind,
  entriesIn,
  entryNode,
  isNull,
  type MapEntry,
  type MapNode,
  mapNode,
  mapValues,
  quoteShort,
  scalarNode,
} from "../declaration/tree";
import { commandHints, ownFileAt } from "../declaration/trust";
import { type BlockType, logicalName } from "../declaration/type-index";
import { error, type SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { reasonOf } from "../model/file-error";
import { parseDotenv } from "./text/dotenv";

export const groupsSchema = ({ form }: BlockType, group: z.ZodType) =>
  z
    .record(logicalName, group)
    .describe(`Named groups of ${form.key}, which blocks take by ${form.shared?.from}.`);

const itemSchema = ({ form }: BlockType) =>
  z
    .strictObject({
      group: logicalName.optional().describe(`A name of ${form.shared?.groups}.`),
      dotenv: z
        .string()
        .min(1, "expected a path")
        .optional()
        .describe("Path of a dotenv file in the git repository, relative to the manifest file."),
    })
    .refine((item) => Object.keys(item).length === 1, {
      error: "expected one group or one dotenv file",
      when: ({ issues }) => issues.length === 0,
    })
    .meta({ minProperties: 1, maxProperties: 1 });

export const itemsSchema = (child: BlockType) =>
  z
    .array(itemSchema(child))
    .describe(
      `Groups and dotenv files whose ${child.form.key} it takes; later ones win, and its own ${child.form.key} over all.`,
    );

interface Expansion extends LoadContext {
  readonly groups: ReadonlyMap<BlockType, ReadonlyMap<string, MapNode>>;
  readonly files: Map<string, SharedEntries>;
}

/** The entries of an item; `absent`: the reason why its file is not here. */
interface SharedEntries {
  readonly entries: readonly MapEntry[];
  readonly absent?: string;
}

/**
 * Returns the tree with the entries of `variablesFrom` in their blocks, and without the groups (DESIGN section 12).
 * Each entry keeps its range. Later items and a block's own `variables` win; a null in these removes an entry.
 */
export function expandShared(root: MapNode, context: LoadContext): MapNode {
  const { index } = context;
  const groups = new Map(
    [...index.shared].map(([key, blockType]) => [
      blockType,
      readGroups(root.entries.get(key), blockType, context),
    ]),
  );
  const expansion: Expansion = { ...context, groups, files: new Map() };
  const entries = new Map(root.entries);
  for (const key of index.shared.keys()) entries.delete(key);
  return expandIn({ ...root, entries }, expansion);
}

/** Returns the mapping with the shared entries of it and of the mappings in it; the same node where it has none. */
function expandIn(node: MapNode, expansion: Expansion): MapNode {
  const expanded = mapValues(node, (value) => (value.kind === "map" ? expandIn(value, expansion) : value));
  const shared = [...expansion.groups.keys()].filter((child) => expanded.entries.has(sharedFrom(child)));
  if (shared.length === 0) return expanded;
  const entries = new Map(expanded.entries);
  for (const child of shared)
    expandItems(entries, entries.get(sharedFrom(child)) as MapEntry, child, expansion);
  return { ...expanded, entries };
}

const sharedFrom = ({ form }: BlockType): string => form.shared?.from ?? "";

function readGroups(
  entry: MapEntry | undefined,
  blockType: BlockType,
  { report }: LoadContext,
): ReadonlyMap<string, MapNode> {
  const groups = new Map<string, MapNode>();
  if (entry === undefined || isNull(entry.value)) return groups;
  const schema = groupsSchema(blockType, z.record(z.string(), z.unknown()).nullable());
  const named = judgeEach(schema, entry.value, report, {
    nameOf: (path) => [entry.key, ...path].join("."),
    code: "manifest.group",
    describe: describeKind,
    hintFor: () => `${entry.key}: { common: { LOG_LEVEL: info } }`,
  });
  for (const { key, value } of entriesIn(entry.value).values())
    if (Object.hasOwn(named, key)) groups.set(key, value.kind === "map" ? value : mapNode([], value.range));
  return groups;
}

function expandItems(
  entries: Map<string, MapEntry>,
  from: MapEntry,
  child: BlockType,
  expansion: Expansion,
): void {
  const { key } = child.form;
  const { report } = expansion;
  entries.delete(from.key);
  const merged = new Map<string, MapEntry>();
  const [below, without] = [new Set<string>(), new Set<string>()];
  let reason: string | undefined;
  const add = (entry: MapEntry): void => {
    const other = merged.get(entry.key);
    const names = [...new Set([other ?? entry, entry].map((each) => nameIn(each, child)))];
    const summary = `${names.map(quoteShort).join(" and ")} both have the name ${entry.key} here`;
    if (names.length > 1 && names.join("").includes("."))
      report(error("manifest.duplicate_address", summary, { range: entry.keyRange, hint: "rename one" }));
    below.delete(entry.key);
    merged.set(entry.key, entry);
  };
  const items = judgeItems(itemSchema(child), from.key, from.value, report, {
    code: "manifest.group",
    describe: describeKind,
    hintFor: () => `${from.key}: [{ group: common }, { dotenv: .env.production }]`,
  });
  const written = JSON.stringify(items.map(({ item }) => item));
  for (const { item, at } of items) {
    const { entries: found, absent } = entriesOf(item, at as MapNode, child, expansion);
    for (const name of absent === undefined ? [] : merged.keys()) below.add(name);
    reason = absent ?? reason;
    for (const entry of found) add({ ...entry, from: written });
  }
  const own = entries.get(key);
  // Another value than a mapping is reported with the block.
  if (own !== undefined && own.value.kind !== "map" && !isNull(own.value)) return;
  for (const entry of entriesIn(own?.value).values()) {
    if (!isNull(entry.value) || entry.value.range.start === entry.value.range.end) add(entry);
    else if (!merged.delete(entry.key) && reason === undefined && !entry.hasRemoved) {
      const summary = `nothing in ${from.key} has the key ${quoteShort(entry.key)}`;
      const removeHint = `null takes away what ${from.key} brings: remove this line`;
      const hint = didYouMean(entry.key, merged.keys()) ?? removeHint;
      report(error("manifest.unknown_key", summary, { range: entry.keyRange, hint }));
    } else without.add(entry.key);
  }
  const { range } = own?.value ?? from.value;
  const keyRange = own?.keyRange ?? from.keyRange;
  const absent =
    reason === undefined ? undefined : { type: child.type.type, reason, from: written, below, without };
  entries.set(key, { key, keyRange, value: { kind: "map", entries: merged, range, absent } });
}

function nameIn({ key, value }: MapEntry, { type: { nameAttribute = "" } }: BlockType): string {
  const named = entriesIn(value).get(nameAttribute);
  return named?.value.kind === "scalar" ? String(named.value.value) : key;
}

function entriesOf(
  { group: named, dotenv }: z.infer<ReturnType<typeof itemSchema>>,
  { entries }: MapNode,
  child: BlockType,
  expansion: Expansion,
): SharedEntries {
  const { range } = (entries.get(dotenv === undefined ? "group" : "dotenv") as MapEntry).value;
  if (dotenv !== undefined) return dotenvEntries(dotenv, range, child, expansion);
  const groups = expansion.groups.get(child) ?? new Map<string, MapNode>();
  const group = groups.get(named as string);
  if (group !== undefined) return { entries: [...group.entries.values()] };
  const known = [...groups.keys()];
  const listed =
    known.length === 0 ? `declare it in ${child.form.shared?.groups}` : `the groups are ${known.join(", ")}`;
  const hint = didYouMean(named as string, known) ?? listed;
  expansion.report(
    error("manifest.group", `there is no group ${quoteShort(named as string)}`, { range, hint }),
  );
  return { entries: [] };
}

/** Returns the entries of a dotenv file; its path starts at the file that names it. */
function dotenvEntries(
  written: string,
  range: SourceRange,
  child: BlockType,
  expansion: Expansion,
): SharedEntries {
  const path = resolve(dirname(resolve(expansion.cwd, range.file)), written);
  const found = expansion.files.get(path) ?? readDotenv(path, written, range, expansion);
  expansion.files.set(path, found);
  return { ...found, entries: found.entries.map((entry) => withPlainName(entry, child)) };
}

/** Reads a dotenv file. An absent or empty file is an error only where values are needed. */
function readDotenv(path: string, written: string, range: SourceRange, expansion: Expansion): SharedEntries {
  const { cwd, project, environment, reach, report, trust } = expansion;
  const name = `the dotenv file ${quoteShort(written)}`;
  const refuse = (absent: string, hint: string): SharedEntries => {
    report(error("manifest.dotenv", absent, { range, hint }));
    return { entries: [], absent };
  };
  const leaveOut = (absent: string, hint: string): SharedEntries => {
    const code = trust.isUntrusted ? "guard.untrusted" : "manifest.dotenv";
    if (reach === "resolve") report(error(code, absent, { range, hint }));
    return { entries: [], absent };
  };
  const outsideHint = trust.isUntrusted ? commandHints["--untrusted"] : "copy it into the project";
  const elsewhere = () =>
    (trust.isUntrusted ? leaveOut : refuse)(`${name} is not a file of the project folder`, outsideHint);
  try {
    const real = realpathSync.native(path);
    const own = ownFileAt(real, cwd, environment);
    if (own !== undefined) return refuse(`${name} ${own}`, "name a file of variables");
    if (!isWithin(real, [project])) return elsewhere();
  } catch (cause) {
    if (trust.isUntrusted) return elsewhere();
    const hint = "its path starts at the folder of this manifest file";
    return (isMissing(cause) ? leaveOut : refuse)(`cannot read ${name}: ${reasonOf(cause)}`, hint);
  }
  const file = shownPath(path, cwd);
  const text = readSource(file, cwd, maxFileBytes, report);
  if (text === undefined) return { entries: [] };
  if (isLfsPointer(text)) return leaveOut(`${name} is a pointer of git-lfs`, lfsHint);
  if (!/^[^\S\n]*[^\s#]/m.test(text))
    return leaveOut(`${name} declares nothing`, "write KEY=value into it, or leave it out here");
  return { entries: [...parseDotenv(file, text, report).values()] };
}

/** Replaces each dot of a name by `_`, which an address may hold. */
function withPlainName(entry: MapEntry, { type: { nameAttribute = "", manifest } }: BlockType): MapEntry {
  const { key, keyRange, value } = entry;
  if (!key.includes(".")) return entry;
  const parts = [
    [nameAttribute, scalarNode(key, keyRange)],
    [manifest.shorthand ?? "", value],
  ] as const;
  return entryNode(key.replaceAll(".", "_"), mapNode(parts, keyRange), keyRange);
}
