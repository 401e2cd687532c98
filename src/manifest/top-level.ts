import * as z from "zod";
import type { Report } from "../declaration/findings";
import type { LoadContext } from "../declaration/load-context";
import { readValue } from "../declaration/read-value";
import { type JudgedPart, judgeEach, judgeFilled } from "../declaration/schema-issues";
import { entriesIn, isNull, type MapNode, plainOfNode } from "../declaration/tree";
import { isFreeKey, logicalName, type TypeIndex } from "../declaration/type-index";
import type { Desired, DesiredAttribute } from "../model/desired";
import type { Plain } from "../model/value";

export const ownKeys: readonly string[] = ["version", "stages", "moved", "removed", "outputs"];

/** Checks the keys of one file's top level and its `version`, before files are merged. */
export function checkTopLevel(root: MapNode, index: TypeIndex, report: Report): void {
  const known = [...ownKeys, ...index.root.keys(), ...index.shared.keys()];
  const schema = z.strictObject({
    ...Object.fromEntries(known.map((key) => [key, z.unknown().optional()])),
    version: versionSchema.optional(),
  });
  const keys = [...root.entries.keys()].filter((key) => !isFreeKey(key));
  const version = root.entries.get("version")?.value;
  const value: Record<string, Plain> = Object.fromEntries(keys.map((key) => [key, null]));
  if (version !== undefined) value.version = plainOfNode(version, () => true);
  judgeFilled(schema, value, { node: root, subject: topLevel, report });
}

const topLevel: JudgedPart = {
  nameOf: ([key = "a manifest"]) => key,
  code: ({ path }) => (path.length === 0 ? "manifest.unknown_key" : "manifest.version"),
  hintFor: () => "write version: 1, or leave it out",
};

export const versionSchema = z
  .literal(1)
  .describe("Version of the manifest format. Optional; 1 is the only one.");

export const outputsSchema = z
  .record(logicalName, z.unknown())
  .describe("Named values, often references, printed by `rnv output`.");

/** `outputs`: names to values; references are allowed, secrets are not. */
export function readOutputs(root: MapNode, context: LoadContext): Desired["outputs"] {
  const outputs = new Map<string, DesiredAttribute>();
  const node = root.entries.get("outputs")?.value;
  if (node === undefined || isNull(node)) return outputs;
  const named = judgeEach(outputsSchema, node, context.report, {
    nameOf: (path) => ["outputs", ...path].join("."),
  });
  for (const entry of entriesIn(node).values()) {
    if (!Object.hasOwn(named, entry.key)) continue;
    const value = readValue(entry.value, { context, attribute: `outputs.${entry.key}` });
    if (value !== undefined) outputs.set(entry.key, { value, range: entry.value.range });
  }
  return outputs;
}
