import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import {
  isLfsPointer,
  isMissing,
  isWithin,
  lfsHint,
  maxFileBytes,
  readSource,
  shownPath,
} from "../declaration/files";
import type { LoadContext } from "../declaration/load-context";
import { judgeEach, judgeItems } from "../declaration/schema-issues";
import {
  describeKind,
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
import { logicalName, type PlacedType } from "../declaration/type-index";
import { error, type SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { reasonOf } from "../model/text";
import { parseDotenv } from "./text/dotenv";

export const groupsSchema = ({ place }: PlacedType, group: z.ZodType) =>
  z
    .record(logicalName, group)
    .describe(`Named groups of ${place.key}, which blocks take by ${place.shared?.from}.`);

const itemSchema = ({ place }: PlacedType) =>
  z
    .strictObject({
      group: logicalName.optional().describe(`A name of ${place.shared?.groups}.`),
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

export const itemsSchema = (child: PlacedType) =>
  z
    .array(itemSchema(child))
    .describe(
      `Groups and dotenv files whose ${child.place.key} it takes; later ones win, and its own ${child.place.key} over all.`,
    );

interface Taking extends LoadContext {
  readonly groups: ReadonlyMap<PlacedType, ReadonlyMap<string, MapNode>>;
  readonly files: Map<string, Taken>;
}

/** The entries of one item; `absent`: why its file is not here. */
interface Taken {
  readonly entries: readonly MapEntry[];
  readonly absent?: string;
}

/**
 * The tree with what `variablesFrom` takes in place (DESIGN section 12): each block stands where it was written, later
 * items and a block's own `variables` win, and a null in these takes one away. The groups themselves are left out.
 */
export function takeShared(root: MapNode, context: LoadContext): MapNode {
  const { index } = context;
  const groups = new Map(
    [...index.shared].map(([key, placed]) => [placed, readGroups(root.entries.get(key), placed, context)]),
  );
  const taking: Taking = { ...context, groups, files: new Map() };
  const entries = new Map(root.entries);
  for (const key of index.shared.keys()) entries.delete(key);
  return takeIn({ ...root, entries }, taking);
}

/** The mapping with all that it and those in it take; the same one where they take nothing. */
function takeIn(node: MapNode, taking: Taking): MapNode {
  const taken = mapValues(node, (value) => (value.kind === "map" ? takeIn(value, taking) : value));
  const shared = [...taking.groups.keys()].filter((child) => taken.entries.has(sharedFrom(child)));
  if (shared.length === 0) return taken;
  const entries = new Map(taken.entries);
  for (const child of shared) takeItems(entries, entries.get(sharedFrom(child)) as MapEntry, child, taking);
  return { ...taken, entries };
}

const sharedFrom = ({ place }: PlacedType): string => place.shared?.from ?? "";

function readGroups(
  entry: MapEntry | undefined,
  placed: PlacedType,
  { report }: LoadContext,
): ReadonlyMap<string, MapNode> {
  const groups = new Map<string, MapNode>();
  if (entry === undefined || isNull(entry.value)) return groups;
  const schema = groupsSchema(placed, z.record(z.string(), z.unknown()).nullable());
  const named = judgeEach(schema, entry.value, report, {
    nameOf: (path) => [entry.key, ...path].join("."),
    ...{ code: "manifest.group", describe: describeKind },
    hintFor: () => `${entry.key}: { common: { LOG_LEVEL: info } }`,
  });
  for (const { key, value } of entry.value.kind === "map" ? entry.value.entries.values() : []) {
    const { range } = value;
    if (Object.hasOwn(named, key))
      groups.set(key, value.kind === "map" ? value : { kind: "map", entries: new Map(), range });
  }
  return groups;
}

function takeItems(entries: Map<string, MapEntry>, from: MapEntry, child: PlacedType, taking: Taking): void {
  const { key } = child.place;
  const { report } = taking;
  entries.delete(from.key);
  const taken = new Map<string, MapEntry>();
  const [below, without] = [new Set<string>(), new Set<string>()];
  let reason: string | undefined;
  const take = (entry: MapEntry): void => {
    const other = taken.get(entry.key);
    const names = [...new Set([other ?? entry, entry].map((one) => nameIn(one, child)))];
    const summary = `${names.map(quoteShort).join(" and ")} both have the name ${entry.key} here`;
    if (names.length > 1 && names.join("").includes("."))
      report(error("manifest.duplicate_address", summary, { range: entry.keyRange, hint: "rename one" }));
    below.delete(entry.key);
    taken.set(entry.key, entry);
  };
  const items = judgeItems(itemSchema(child), from.key, from.value, report, {
    ...{ code: "manifest.group", describe: describeKind },
    hintFor: () => `${from.key}: [{ group: common }, { dotenv: .env.production }]`,
  });
  const written = JSON.stringify(items.map(({ item }) => item));
  for (const { item, at } of items) {
    const { entries: found, absent } = entriesOf(item, at as MapNode, child, taking);
    for (const name of absent === undefined ? [] : taken.keys()) below.add(name);
    reason = absent ?? reason;
    for (const entry of found) take({ ...entry, from: written });
  }
  const own = entries.get(key);
  // What is no mapping is a mistake that is found with the block.
  if (own !== undefined && own.value.kind !== "map" && !isNull(own.value)) return;
  for (const entry of own?.value.kind === "map" ? own.value.entries.values() : []) {
    if (!isNull(entry.value) || entry.value.range.start === entry.value.range.end) take(entry);
    else if (!taken.delete(entry.key) && reason === undefined && !entry.hasTaken) {
      const summary = `nothing in ${from.key} has the key ${quoteShort(entry.key)}`;
      const removeHint = `null takes away what ${from.key} brings: remove this line`;
      const hint = didYouMean(entry.key, taken.keys()) ?? removeHint;
      report(error("manifest.unknown_key", summary, { range: entry.keyRange, hint }));
    } else without.add(entry.key);
  }
  const { range } = own?.value ?? from.value;
  const keyRange = own?.keyRange ?? from.keyRange;
  const absent =
    reason === undefined ? undefined : { type: child.type.type, reason, from: written, below, without };
  entries.set(key, { key, keyRange, value: { kind: "map", entries: taken, range, absent } });
}

function nameIn({ key, value }: MapEntry, { type: { nameAttribute = "" } }: PlacedType): string {
  const named = value.kind === "map" ? value.entries.get(nameAttribute) : undefined;
  return named?.value.kind === "scalar" ? String(named.value.value) : key;
}

function entriesOf(
  { group: named, dotenv }: z.infer<ReturnType<typeof itemSchema>>,
  { entries }: MapNode,
  child: PlacedType,
  taking: Taking,
): Taken {
  const { range } = (entries.get(dotenv === undefined ? "group" : "dotenv") as MapEntry).value;
  if (dotenv !== undefined) return takeDotenv(dotenv, range, child, taking);
  const groups = taking.groups.get(child) ?? new Map<string, MapNode>();
  const group = groups.get(named as string);
  if (group !== undefined) return { entries: [...group.entries.values()] };
  const known = [...groups.keys()];
  const listed =
    known.length === 0 ? `declare it in ${child.place.shared?.groups}` : `the groups are ${known.join(", ")}`;
  const hint = didYouMean(named as string, known) ?? listed;
  taking.report(error("manifest.group", `there is no group ${quoteShort(named as string)}`, { range, hint }));
  return { entries: [] };
}

/** The entries of a dotenv file; its path starts at the file that names it. */
function takeDotenv(written: string, range: SourceRange, child: PlacedType, taking: Taking): Taken {
  const path = resolve(dirname(resolve(taking.cwd, range.file)), written);
  const found = taking.files.get(path) ?? readDotenv(path, written, range, taking);
  taking.files.set(path, found);
  return { ...found, entries: found.entries.map((entry) => withPlainName(entry, child)) };
}

/** Reads a dotenv file. An absent or empty file is an error only where values are needed. */
function readDotenv(path: string, written: string, range: SourceRange, taking: Taking): Taken {
  const { cwd, project, environment, reach, report, trust } = taking;
  const name = `the dotenv file ${quoteShort(written)}`;
  const refuse = (absent: string, hint: string, isAbsent = false): Taken => {
    const code = isAbsent && trust.isUntrusted ? "guard.untrusted" : "manifest.dotenv";
    if (!isAbsent || reach === "resolve") report(error(code, absent, { range, hint }));
    return { entries: [], absent };
  };
  const hint = trust.isUntrusted ? commandHints["--untrusted"] : "copy it into the project";
  const elsewhere = [`${name} is not a file of the project folder`, hint, trust.isUntrusted] as const;
  try {
    const real = realpathSync.native(path);
    const own = ownFileAt(real, cwd, environment);
    if (own !== undefined) return refuse(`${name} ${own}`, "name a file of variables");
    if (!isWithin(real, [project])) return refuse(...elsewhere);
  } catch (cause) {
    if (trust.isUntrusted) return refuse(...elsewhere);
    const hint = "its path starts at the folder of this manifest file";
    return refuse(`cannot read ${name}: ${reasonOf(cause)}`, hint, isMissing(cause));
  }
  const file = shownPath(path, cwd);
  const text = readSource(file, cwd, maxFileBytes, report);
  if (text === undefined) return { entries: [] };
  if (isLfsPointer(text)) return refuse(`${name} is a pointer of git-lfs`, lfsHint, true);
  if (!/^[^\S\n]*[^\s#]/m.test(text))
    return refuse(`${name} declares nothing`, "write KEY=value into it, or leave it out here", true);
  return { entries: [...parseDotenv(file, text, report).values()] };
}

/** Replaces each dot of a name by `_`, which an address may hold. */
function withPlainName(entry: MapEntry, { type: { nameAttribute = "", manifest } }: PlacedType): MapEntry {
  const { key, keyRange, value } = entry;
  if (!key.includes(".")) return entry;
  const parts = [
    [nameAttribute, scalarNode(key, keyRange)],
    [manifest.shorthand ?? "", value],
  ] as const;
  return entryNode(key.replaceAll(".", "_"), mapNode(parts, keyRange), keyRange);
}
