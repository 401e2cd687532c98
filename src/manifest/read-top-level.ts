import { error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { type Address, isLogicalName, parseAddress, typeOf } from "../model/address";
import type { Desired, DesiredAttribute } from "../model/desired";
import type { Report } from "./findings";
import { hintForUnseen } from "./form-hints";
import { readValue } from "./read-attribute";
import type { Reading } from "./reading";
import { describeNode, isNull, type MapNode, quoteShort, type SourceNode } from "./source-tree";
import type { TypeIndex } from "./type-index";

const ownKeys = ["version", "moved", "removed", "outputs"];

/** Checks the keys of one file's top level and its `version`, before files are merged. */
export function checkTopLevel(root: MapNode, index: TypeIndex, report: Report): void {
  const known = [...ownKeys, ...index.root.keys()];
  let emptyPlace: string | undefined;
  let isStack = false;
  for (const entry of root.entries.values()) {
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
      (emptyPlace === undefined ? undefined : `indent it, if it lies in ${emptyPlace}`) ??
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
export function readOutputs(root: MapNode, reading: Reading): Desired["outputs"] {
  const outputs = new Map<string, DesiredAttribute>();
  const node = root.entries.get("outputs")?.value;
  if (node === undefined || isNull(node)) return outputs;
  if (node.kind !== "map") {
    reading.report(
      error("manifest.invalid_type", `outputs maps names to values, found ${describeNode(node)}`, {
        range: node.range,
      }),
    );
    return outputs;
  }
  for (const entry of node.entries.values()) {
    if (!isLogicalName(entry.key)) {
      reading.report(
        error("manifest.invalid_name", `${quoteShort(entry.key)} cannot name an output`, {
          range: entry.keyRange,
        }),
      );
      continue;
    }
    const value = readValue(entry.value, { attribute: `outputs.${entry.key}` }, reading);
    if (value !== undefined) outputs.set(entry.key, { value, range: entry.value.range });
  }
  return outputs;
}

/** `moved`: where a recorded resource is declared now. */
export function readMoved(root: MapNode, reading: Reading): Desired["moved"] {
  const moved: { from: Address; to: Address; range: SourceNode["range"] }[] = [];
  const seen = new Set<string>();
  for (const item of listOf(root, "moved", reading)) {
    const from = addressIn(item, "from", reading);
    const to = addressIn(item, "to", reading);
    if (item.kind === "map")
      for (const entry of item.entries.values())
        if (entry.key !== "from" && entry.key !== "to")
          refuseMove(`moved has no key ${quoteShort(entry.key)}`, entry.keyRange, reading);
    if (from === undefined || to === undefined) continue;
    const range = item.range;
    if (typeOf(from) !== typeOf(to)) refuseMove(`${from} and ${to} are of different types`, range, reading);
    else if (reading.blocks.has(from)) refuseMove(`${from} is still declared`, range, reading);
    else if (!reading.blocks.has(to) && !reading.isPartial)
      refuseMove(`${to} is not declared`, range, reading);
    else if (seen.has(`from ${from}`) || seen.has(`to ${to}`))
      refuseMove(`${from} or ${to} is moved twice`, range, reading);
    else moved.push({ from, to, range });
    seen.add(`from ${from}`).add(`to ${to}`);
  }
  return moved;
}

const refuseMove = (summary: string, range: SourceNode["range"], reading: Reading): void =>
  reading.report(error("manifest.moved", summary, { range }));

function addressIn(item: SourceNode, key: string, reading: Reading): Address | undefined {
  const node = item.kind === "map" ? item.entries.get(key)?.value : undefined;
  const address = node?.kind === "scalar" ? knownAddress(node.value, reading) : undefined;
  if (address !== undefined) return address;
  const summary =
    node === undefined ? `moved needs the key ${key}` : `${key} is an address, found ${describeNode(node)}`;
  reading.report(
    error("manifest.moved", summary, {
      range: (node ?? item).range,
      hint: "moved: [{ from: service.shop.web, to: service.shop.api }]",
    }),
  );
  return undefined;
}

const knownAddress = (text: unknown, reading: Reading): Address | undefined => {
  const address = typeof text === "string" ? parseAddress(text) : undefined;
  return address !== undefined && reading.index.byType.has(typeOf(address)) ? address : undefined;
};

/** `removed`: deletions confirmed by name, in the text that is reviewed. */
export function readRemoved(root: MapNode, reading: Reading): Desired["removed"] {
  const removed = new Map<Address, { address: Address; range: SourceNode["range"] }>();
  for (const item of listOf(root, "removed", reading)) {
    const { range } = item;
    const address = item.kind === "scalar" ? knownAddress(item.value, reading) : undefined;
    if (address === undefined)
      reading.report(
        error("manifest.removed", `removed lists addresses, found ${describeNode(item)}`, {
          range,
          hint: "removed: [service.shop.worker]",
        }),
      );
    else if (reading.blocks.has(address))
      reading.report(
        error("manifest.removed", `${address} is declared and cannot be removed`, { address, range }),
      );
    else removed.set(address, { address, range });
  }
  return [...removed.values()];
}

function listOf(root: MapNode, key: string, reading: Reading): readonly SourceNode[] {
  const node = root.entries.get(key)?.value;
  if (node === undefined || isNull(node)) return [];
  if (node.kind === "list") return node.items;
  reading.report(
    error("manifest.invalid_type", `${key} is a list, found ${describeNode(node)}`, { range: node.range }),
  );
  return [];
}
