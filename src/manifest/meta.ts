import { error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { type Address, isLogicalName, parseAddress, typeOf } from "../model/address";
import {
  type Desired,
  type DesiredAttribute,
  type DesiredResource,
  defaultLifecycle,
  type Lifecycle,
  type OnRemove,
} from "../model/desired";
import { conditionKinds } from "../model/policy";
import { uuidPattern } from "../model/text";
import type { Block } from "./blocks";
import { type ReadContext, type ValueLocation, where } from "./context";
import { hintForFlag, hintForUnseen, type Report } from "./findings";
import {
  describeNode,
  isNull,
  type MapEntry,
  type MapNode,
  mayHoldReferences,
  quoteShort,
  type SourceNode,
} from "./tree";
import { isFreeKey, lifecycleKeys, openShape, type TypeIndex, unknownField } from "./type-index";
import { readPlain, readValue } from "./values";

/** `import: <uuid>`: the id of the live thing to take over. */
export function readImport(block: Block, context: ReadContext): DesiredResource["importId"] {
  const entry = block.meta.get("import");
  if (entry === undefined) return undefined;
  const { range } = entry.value;
  const location = {
    address: block.address,
    attribute: "import",
    noReference: "import takes an id, not a reference",
  };
  const id = readPlain(entry.value, location, context);
  if (id === undefined) return undefined;
  if (typeof id === "string" && uuidPattern.test(id)) return { id: id.toLowerCase(), range };
  context.report(
    error(
      "manifest.invalid_value",
      `import of ${block.address} takes the id (a UUID) of a live ${block.placed.type.type}`,
      {
        ...where(location),
        range,
      },
    ),
  );
  return undefined;
}

/** The `lifecycle` block; what is not written keeps its default. */
export function readLifecycle(block: Block, context: ReadContext): Lifecycle {
  const entry = block.meta.get("lifecycle");
  if (entry === undefined) return defaultLifecycle;
  const { value } = entry;
  if (value.kind !== "map") {
    if (value.kind !== "scalar" || value.value !== null)
      refuse(block, "lifecycle", "a mapping", value, context);
    return defaultLifecycle;
  }
  let lifecycle = defaultLifecycle;
  for (const item of value.entries.values()) lifecycle = { ...lifecycle, ...readItem(item, block, context) };
  return lifecycle;
}

function readItem(entry: MapEntry, block: Block, context: ReadContext): Partial<Lifecycle> {
  const { key } = entry;
  if (isFreeKey(key) || conditionKinds.some((kind) => kind === key)) return {};
  const value = filledIn(entry, block, context);
  if (value === undefined) return {};
  if (key === "preventDestroy") {
    if (value.kind === "scalar" && typeof value.value === "boolean") return { preventDestroy: value.value };
    refuse(block, "lifecycle.preventDestroy", "true or false", value, context);
    return {};
  }
  if (key === "onRemove") return readOnRemove(value, block, context);
  if (key === "ignoreChanges") return { ignoreChanges: readIgnored(value, block, context) };
  const hint = didYouMean(key, lifecycleKeys);
  context.report(
    error("manifest.unknown_key", `lifecycle of ${block.address} has no key ${quoteShort(key)}`, {
      address: block.address,
      range: entry.keyRange,
      ...(hint === undefined ? {} : { hint }),
    }),
  );
  return {};
}

/** The value with `${env.…}` filled in; undefined after a mistake, which is reported. */
function filledIn({ key, value }: MapEntry, block: Block, context: ReadContext): SourceNode | undefined {
  if (value.kind !== "scalar" || !mayHoldReferences(value.value)) return value;
  const attribute = `lifecycle.${key}`;
  const noReference = `${attribute} is read by rnv only and cannot hold a reference`;
  const text = readPlain(value, { address: block.address, attribute, noReference }, context);
  if (typeof text !== "string") return undefined;
  const flag = text === "true" || text === "false";
  return { kind: "scalar", value: flag ? text === "true" : text, range: value.range };
}

function readOnRemove(value: SourceNode, block: Block, context: ReadContext): Partial<Lifecycle> {
  const { type } = block.placed;
  const choices: readonly OnRemove[] = type.archives ? ["delete", "archive", "retain"] : ["delete", "retain"];
  const chosen = choices.find((choice) => value.kind === "scalar" && value.value === choice);
  if (chosen !== undefined) return { onRemove: chosen };
  refuse(block, "lifecycle.onRemove", choices.join(" or "), value, context);
  return {};
}

function readIgnored(value: SourceNode, block: Block, context: ReadContext): readonly string[] {
  const location: ValueLocation = { address: block.address, attribute: "lifecycle.ignoreChanges" };
  if (value.kind !== "list") {
    refuse(block, location.attribute, "a list of attributes", value, context);
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
      context.report(unknownField(block.address, further.path, item.range, meant));
      ignored.push(path);
      continue;
    }
    const hint = typeof path === "string" ? didYouMean(path, [...groups.keys(), ...paths.keys()]) : undefined;
    context.report(
      error("manifest.invalid_value", `${block.placed.type.type} has no attribute ${shown(path)} to ignore`, {
        ...where(location),
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
  context: ReadContext,
): void {
  context.report(
    error(
      "manifest.invalid_value",
      `${block.address}: ${attribute} must be ${expected}, not ${describeNode(found)}`,
      {
        address: block.address,
        attribute,
        range: found.range,
        ...(expected === "true or false" ? hintForFlag(found) : {}),
      },
    ),
  );
}

const ownKeys = ["version", "stages", "moved", "removed", "outputs"];

/** Checks the keys of one file's top level and its `version`, before files are merged. */
export function checkTopLevel(root: MapNode, index: TypeIndex, report: Report): void {
  const known = [...ownKeys, ...index.root.keys(), ...index.shared.keys()];
  let emptyPlace: string | undefined;
  let isStack = false;
  for (const entry of root.entries.values()) {
    if (isFreeKey(entry.key)) continue;
    if (known.includes(entry.key)) {
      emptyPlace = index.root.has(entry.key) && isNull(entry.value) ? entry.key : undefined;
      continue;
    }
    const ofStack = stackHint(entry.key);
    if (ofStack !== undefined && isStack) continue;
    isStack ||= ofStack !== undefined;
    const hint =
      hintForUnseen(entry.key) ??
      didYouMean(entry.key, known) ??
      (emptyPlace === undefined ? undefined : `indent it, if it belongs in ${emptyPlace}`) ??
      ofStack;
    report(
      error("manifest.unknown_key", `a manifest has no key ${quoteShort(entry.key)}`, {
        range: entry.keyRange,
        hint: hint ?? `the keys are ${known.join(", ")}`,
      }),
    );
  }
  const version = root.entries.get("version")?.value;
  if (version === undefined || (version.kind === "scalar" && version.value === 1)) return;
  report(
    error("manifest.version", `the only manifest version is 1, found ${describeNode(version)}`, {
      range: version.range,
      hint: "write version: 1, or leave it out",
    }),
  );
}

/** Keys of Terraform's JSON. */
const stackHint = (key: string): string | undefined =>
  ["terraform", "resource", "provider"].includes(key)
    ? "a synthesized stack is read from cdktf.out or a file named *.tf.json: -f cdktf.out"
    : undefined;

/** `outputs`: names to values; references are allowed, secrets are not. */
export function readOutputs(root: MapNode, context: ReadContext): Desired["outputs"] {
  const outputs = new Map<string, DesiredAttribute>();
  const node = root.entries.get("outputs")?.value;
  if (node === undefined || isNull(node)) return outputs;
  if (node.kind !== "map") {
    context.report(
      error("manifest.invalid_type", `outputs maps names to values, found ${describeNode(node)}`, {
        range: node.range,
      }),
    );
    return outputs;
  }
  for (const entry of node.entries.values()) {
    if (!isLogicalName(entry.key)) {
      context.report(
        error("manifest.invalid_name", `${quoteShort(entry.key)} cannot name an output`, {
          range: entry.keyRange,
        }),
      );
      continue;
    }
    const value = readValue(entry.value, { attribute: `outputs.${entry.key}` }, context);
    if (value !== undefined) outputs.set(entry.key, { value, range: entry.value.range });
  }
  return outputs;
}

/** `moved`: where a recorded resource is declared now. */
export function readMoved(root: MapNode, context: ReadContext): Desired["moved"] {
  const moved: { from: Address; to: Address; range: SourceNode["range"] }[] = [];
  const seen = new Set<string>();
  for (const item of listOf(root, "moved", context)) {
    const from = addressIn(item, "from", context);
    const to = addressIn(item, "to", context);
    if (item.kind === "map")
      for (const entry of item.entries.values())
        if (entry.key !== "from" && entry.key !== "to")
          refuseMove(`moved has no key ${quoteShort(entry.key)}`, entry.keyRange, context);
    if (from === undefined || to === undefined) continue;
    const range = item.range;
    if (typeOf(from) !== typeOf(to)) refuseMove(`${from} and ${to} are of different types`, range, context);
    else if (context.blocks.has(from)) refuseMove(`${from} is still declared`, range, context);
    else if (!context.blocks.has(to) && !context.isPartial)
      refuseMove(`${to} is not declared`, range, context);
    else if (seen.has(`from ${from}`) || seen.has(`to ${to}`))
      refuseMove(`${from} or ${to} is moved twice`, range, context);
    else moved.push({ from, to, range });
    seen.add(`from ${from}`).add(`to ${to}`);
  }
  return moved;
}

const refuseMove = (summary: string, range: SourceNode["range"], context: ReadContext): void =>
  context.report(error("manifest.moved", summary, { range }));

function addressIn(item: SourceNode, key: string, context: ReadContext): Address | undefined {
  const node = item.kind === "map" ? item.entries.get(key)?.value : undefined;
  const address = node?.kind === "scalar" ? knownAddress(node.value, context) : undefined;
  if (address !== undefined) return address;
  const summary =
    node === undefined ? `moved needs the key ${key}` : `${key} is an address, found ${describeNode(node)}`;
  context.report(
    error("manifest.moved", summary, {
      range: (node ?? item).range,
      hint: "moved: [{ from: service.shop.web, to: service.shop.api }]",
    }),
  );
  return undefined;
}

const knownAddress = (text: unknown, context: ReadContext): Address | undefined => {
  const address = typeof text === "string" ? parseAddress(text) : undefined;
  return address !== undefined && context.index.byType.has(typeOf(address)) ? address : undefined;
};

/** `removed`: deletions confirmed by name, in the text that is reviewed. */
export function readRemoved(root: MapNode, context: ReadContext): Desired["removed"] {
  const removed = new Map<Address, Desired["removed"][number]>();
  for (const item of listOf(root, "removed", context)) {
    const { range } = item;
    const { text, consumers = false } = removalIn(item) ?? {};
    const address = knownAddress(text, context);
    if (address === undefined)
      context.report(
        error("manifest.removed", `removed lists addresses, found ${describeNode(item)}`, {
          range,
          hint: `removed: [${item.kind === "map" ? "{ address: service.shop.worker, consumers: true }" : "service.shop.worker"}]`,
        }),
      );
    else if (context.blocks.has(address))
      context.report(
        error("manifest.removed", `${address} is declared and cannot be removed`, { address, range }),
      );
    else removed.set(address, { address, range, ...(consumers && { consumers }) });
  }
  return [...removed.values()];
}

/** Returns the parts of an entry of `removed`: an address, or `{ address, consumers: true }`. */
function removalIn(item: SourceNode): { readonly text: unknown; readonly consumers?: boolean } | undefined {
  if (item.kind === "scalar") return { text: item.value };
  const [address, consumers] = ["address", "consumers"].map((key) =>
    item.kind === "map" ? item.entries.get(key)?.value : undefined,
  );
  const isWhole = item.kind === "map" && item.entries.size === 2 && consumers?.kind === "scalar";
  if (!isWhole || consumers.value !== true || address?.kind !== "scalar") return undefined;
  return { text: address.value, consumers: true };
}

function listOf(root: MapNode, key: string, context: ReadContext): readonly SourceNode[] {
  const node = root.entries.get(key)?.value;
  if (node === undefined || isNull(node)) return [];
  if (node.kind === "list") return node.items;
  context.report(
    error("manifest.invalid_type", `${key} must be a list, not ${describeNode(node)}`, { range: node.range }),
  );
  return [];
}
