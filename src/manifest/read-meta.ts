import { error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { type DesiredResource, defaultLifecycle, type Lifecycle, type OnRemove } from "../model/desired";
import { uuidPattern } from "../model/text";
import { hintForFlag } from "./form-hints";
import { readPlain } from "./read-attribute";
import { type Reading, type Spot, where } from "./reading";
import { describeNode, type MapEntry, quoteShort, type SourceNode } from "./source-tree";
import { mayHoldReferences } from "./template";
import { lifecycleKeys, openShape, unknownField } from "./type-index";
import type { Block } from "./walk-blocks";

/** `import: <uuid>`: the id of the live thing to take over. */
export function readImport(block: Block, reading: Reading): DesiredResource["importId"] {
  const entry = block.meta.get("import");
  if (entry === undefined) return undefined;
  const { range } = entry.value;
  const spot = {
    address: block.address,
    attribute: "import",
    noReference: "import takes an id, not a reference",
  };
  const id = readPlain(entry.value, spot, reading);
  if (id === undefined) return undefined;
  if (typeof id === "string" && uuidPattern.test(id)) return { id: id.toLowerCase(), range };
  reading.report(
    error(
      "manifest.invalid_value",
      `import of ${block.address} takes the id (a UUID) of a live ${block.placed.type.type}`,
      {
        ...where(spot),
        range,
      },
    ),
  );
  return undefined;
}

/** The `lifecycle` block; what is not written keeps its default. */
export function readLifecycle(block: Block, reading: Reading): Lifecycle {
  const entry = block.meta.get("lifecycle");
  if (entry === undefined) return defaultLifecycle;
  const { value } = entry;
  if (value.kind !== "map") {
    if (value.kind !== "scalar" || value.value !== null)
      refuse(block, "lifecycle", "a mapping", value, reading);
    return defaultLifecycle;
  }
  let lifecycle = defaultLifecycle;
  for (const item of value.entries.values()) lifecycle = { ...lifecycle, ...readItem(item, block, reading) };
  return lifecycle;
}

function readItem(entry: MapEntry, block: Block, reading: Reading): Partial<Lifecycle> {
  const { key } = entry;
  const value = filledIn(entry, block, reading);
  if (value === undefined) return {};
  if (key === "preventDestroy") {
    if (value.kind === "scalar" && typeof value.value === "boolean") return { preventDestroy: value.value };
    refuse(block, "lifecycle.preventDestroy", "true or false", value, reading);
    return {};
  }
  if (key === "onRemove") return readOnRemove(value, block, reading);
  if (key === "ignoreChanges") return { ignoreChanges: readIgnored(value, block, reading) };
  const hint = didYouMean(key, lifecycleKeys);
  reading.report(
    error("manifest.unknown_key", `lifecycle of ${block.address} has no key ${quoteShort(key)}`, {
      address: block.address,
      range: entry.keyRange,
      ...(hint === undefined ? {} : { hint }),
    }),
  );
  return {};
}

/** The value with `${env.…}` filled in; undefined after a mistake, which is reported. */
function filledIn({ key, value }: MapEntry, block: Block, reading: Reading): SourceNode | undefined {
  if (value.kind !== "scalar" || !mayHoldReferences(value.value)) return value;
  const attribute = `lifecycle.${key}`;
  const noReference = `${attribute} is read by rnv only and cannot hold a reference`;
  const text = readPlain(value, { address: block.address, attribute, noReference }, reading);
  if (typeof text !== "string") return undefined;
  const flag = text === "true" || text === "false";
  return { kind: "scalar", value: flag ? text === "true" : text, range: value.range };
}

function readOnRemove(value: SourceNode, block: Block, reading: Reading): Partial<Lifecycle> {
  const { type } = block.placed;
  const choices: readonly OnRemove[] = type.archives ? ["delete", "archive", "retain"] : ["delete", "retain"];
  const chosen = choices.find((choice) => value.kind === "scalar" && value.value === choice);
  if (chosen !== undefined) return { onRemove: chosen };
  refuse(block, "lifecycle.onRemove", choices.join(" or "), value, reading);
  return {};
}

function readIgnored(value: SourceNode, block: Block, reading: Reading): readonly string[] {
  const spot: Spot = { address: block.address, attribute: "lifecycle.ignoreChanges" };
  if (value.kind !== "list") {
    refuse(block, spot.attribute, "a list of attributes", value, reading);
    return [];
  }
  const { paths, groups } = block.placed;
  const ignored: string[] = [];
  for (const item of value.items) {
    const path = item.kind === "scalar" ? item.value : undefined;
    if (typeof path === "string" && (paths.has(path) || groups.has(path))) {
      ignored.push(path);
      continue;
    }
    const [group = "", field = ""] = typeof path === "string" ? path.split(".") : [];
    const further = openShape(block.placed, group, field);
    if (further !== undefined && further.path === path) {
      const meant = didYouMean(field, groups.get(group)?.keys() ?? []);
      reading.report(unknownField(block.address, further.path, item.range, meant));
      ignored.push(path);
      continue;
    }
    const hint = typeof path === "string" ? didYouMean(path, [...groups.keys(), ...paths.keys()]) : undefined;
    reading.report(
      error("manifest.invalid_value", `${block.placed.type.type} has no attribute ${shown(path)} to ignore`, {
        ...where(spot),
        range: item.range,
        ...(hint === undefined ? {} : { hint }),
      }),
    );
  }
  return ignored;
}

const shown = (path: unknown): string => (typeof path === "string" ? quoteShort(path) : "of that kind");

function refuse(
  block: Block,
  attribute: string,
  expected: string,
  found: SourceNode,
  reading: Reading,
): void {
  reading.report(
    error(
      "manifest.invalid_value",
      `${attribute} of ${block.address} is ${expected}, found ${describeNode(found)}`,
      {
        address: block.address,
        attribute,
        range: found.range,
        ...(expected === "true or false" ? hintForFlag(found) : {}),
      },
    ),
  );
}
