import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { error, type SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { reasonOf } from "../model/text";
import type { ReadContext } from "./context";
import { type Dotenv, parseDotenv } from "./dotenv";
import { isWithin, maxFileBytes, readSource, shownPath } from "./files";
import { judgeEach, judgeItems } from "./schema-issues";
import { describeKind, isNull, type MapEntry, type MapNode, mapValues, quoteShort } from "./tree";
import { ownFileAt } from "./trust";
import { logicalName, type PlacedType } from "./type-index";

/** Named groups of blocks at the top level: `variableGroups`. */
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
        .describe("Path of a dotenv file in the project, relative to the manifest file."),
    })
    .refine((item) => Object.keys(item).length === 1, {
      error: "expected one group or one dotenv file",
      when: ({ issues }) => issues.length === 0,
    })
    .meta({ minProperties: 1, maxProperties: 1 });

/** `variablesFrom`: the groups and dotenv files that a block takes from. */
export const itemsSchema = (child: PlacedType) =>
  z
    .array(itemSchema(child))
    .describe(
      `Groups and dotenv files whose ${child.place.key} it takes; later ones win, and its own ${child.place.key} over all.`,
    );

interface Sharing extends Pick<ReadContext, "environment" | "index" | "report"> {
  /** The project folder, absolute. */
  readonly cwd: string;
}

interface Taking extends Sharing {
  readonly groups: ReadonlyMap<PlacedType, ReadonlyMap<string, MapNode>>;
  readonly files: Map<string, Dotenv | undefined>;
}

/**
 * The tree with what `variablesFrom` takes in place (DESIGN section 12): each block stands where it was written, later
 * items and a block's own `variables` win, and a null in these takes one away. The groups themselves are left out.
 */
export function takeShared(root: MapNode, sharing: Sharing): MapNode {
  const { index } = sharing;
  const groups = new Map(
    [...index.shared].map(([key, placed]) => [placed, readGroups(root.entries.get(key), placed, sharing)]),
  );
  const taking: Taking = { ...sharing, groups, files: new Map() };
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
  { report }: Sharing,
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

/** Replaces `variablesFrom` by its blocks, below those that stand in `variables` already. */
function takeItems(entries: Map<string, MapEntry>, from: MapEntry, child: PlacedType, taking: Taking): void {
  const { key } = child.place;
  entries.delete(from.key);
  const taken = new Map<string, MapEntry>();
  const items = judgeItems(itemSchema(child), from.key, from.value, taking.report, {
    ...{ code: "manifest.group", describe: describeKind },
    hintFor: () => `${from.key}: [{ group: common }, { dotenv: .env.production }]`,
  });
  for (const { item, at } of items)
    for (const entry of entriesOf(item, at as MapNode, child, taking)) taken.set(entry.key, entry);
  const own = entries.get(key);
  // What is no mapping is a mistake that is found with the block.
  if (own !== undefined && own.value.kind !== "map" && !isNull(own.value)) return;
  for (const entry of own?.value.kind === "map" ? own.value.entries.values() : []) {
    if (!isNull(entry.value) || entry.value.range.start === entry.value.range.end)
      taken.set(entry.key, entry);
    else if (!taken.delete(entry.key) && !entry.hasTaken)
      taking.report(
        error("manifest.unknown_key", `nothing in ${from.key} has the key ${quoteShort(entry.key)}`, {
          range: entry.keyRange,
          hint:
            didYouMean(entry.key, taken.keys()) ??
            `null takes away what ${from.key} brings: remove this line`,
        }),
      );
  }
  const { range } = own?.value ?? from.value;
  const keyRange = own?.keyRange ?? from.keyRange;
  entries.set(key, { key, keyRange, value: { kind: "map", entries: taken, range } });
}

function entriesOf(
  { group: named, dotenv }: z.infer<ReturnType<typeof itemSchema>>,
  { entries }: MapNode,
  child: PlacedType,
  taking: Taking,
): Iterable<MapEntry> {
  const { range } = (entries.get(dotenv === undefined ? "group" : "dotenv") as MapEntry).value;
  if (dotenv !== undefined) return readDotenv(dotenv, range, taking)?.values() ?? [];
  const groups = taking.groups.get(child) ?? new Map<string, MapNode>();
  const group = groups.get(named as string);
  if (group !== undefined) return group.entries.values();
  const known = [...groups.keys()];
  const listed =
    known.length === 0 ? `declare it in ${child.place.shared?.groups}` : `the groups are ${known.join(", ")}`;
  const hint = didYouMean(named as string, known) ?? listed;
  taking.report(error("manifest.group", `there is no group ${quoteShort(named as string)}`, { range, hint }));
  return [];
}

/** The entries of a dotenv file in the project folder; its path starts at the file that names it. */
function readDotenv(written: string, range: SourceRange, taking: Taking): Dotenv | undefined {
  const { cwd, environment, report, files } = taking;
  const path = resolve(dirname(resolve(cwd, range.file)), written);
  if (files.has(path)) return files.get(path);
  files.set(path, undefined);
  const name = `the dotenv file ${quoteShort(written)}`;
  const refuse = (summary: string, hint: string): undefined => {
    report(error("manifest.dotenv", summary, { range, hint }));
  };
  try {
    const real = realpathSync.native(path);
    const own = ownFileAt(real, cwd, environment);
    if (own !== undefined) return refuse(`${name} ${own}`, "name a file of variables");
    if (!isWithin(real, [cwd]))
      return refuse(`${name} is outside the project folder`, "copy it into the project");
  } catch (cause) {
    return refuse(
      `cannot read ${name}: ${reasonOf(cause)}`,
      "its path starts at the folder of this manifest file",
    );
  }
  const file = shownPath(path, cwd);
  const text = readSource(file, cwd, maxFileBytes, report);
  if (text === undefined) return undefined;
  const read = parseDotenv(file, text, report);
  files.set(path, read);
  return read;
}
