import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import type { SourceRange } from "../diagnostics/diagnostic";
import { error } from "../diagnostics/diagnostic";
import { slipOf, suggest } from "../diagnostics/suggest";
import { placeOf, type Report, suggestedMisses } from "./findings";
import { isNull, type MapEntry, type MapNode, quoteShort, type SourceNode } from "./source-tree";

/** Levels of nesting; the deepest place of a manifest is the ninth. */
export const maxDepth = 64;

/** Values that aliases may add in all: enough for defaults shared by thousands of services, not for a bomb. */
const maxAliased = 200_000;

interface Anchored {
  /** Undefined while the anchored value is still being read: an alias inside itself. */
  node?: SourceNode;
  values: number;
  height: number;
}

interface Conversion {
  readonly file: string;
  readonly text: string;
  readonly report: Report;
  readonly anchors: Map<string, Anchored>;
  /** Values so far, each alias counted in full. */
  values: number;
  aliased: number;
  deepest: number;
  /** Aliases that name no anchor. */
  misses: number;
  /** An alias stands for nothing: what follows from that is no mistake of its own. */
  isBroken: boolean;
}

/** The parser's document as a source tree: aliases and `<<` resolved within limits, duplicate keys reported. */
export function convertDocument(
  file: string,
  text: string,
  document: Document.Parsed,
  report: Report,
): MapNode | undefined {
  const contents = document.contents as Node | null;
  if (contents === null) return undefined;
  const conversion: Conversion = {
    file,
    text,
    report,
    anchors: new Map(),
    values: 0,
    aliased: 0,
    deepest: 0,
    misses: 0,
    isBroken: false,
  };
  const root = convert(contents, 0, conversion);
  if (conversion.isBroken) return undefined;
  if (root.kind === "map") return root;
  if (!isNull(root))
    report(
      error("manifest.invalid_type", "a manifest is a mapping of keys to values", {
        range: root.range,
        hint: "begin with a line such as projects: or services:",
      }),
    );
  return undefined;
}

function convert(node: Node, depth: number, to: Conversion): SourceNode {
  to.values += 1;
  if (isAlias(node)) return convertAlias(node.source, rangeOf(node, to), depth, to);
  const outer = to.deepest;
  to.deepest = depth;
  const before = to.values;
  const anchor = "anchor" in node ? node.anchor : undefined;
  const anchored: Anchored = { values: 0, height: 0 };
  if (anchor !== undefined) to.anchors.set(anchor, anchored);
  const converted = convertPlain(node, depth, to);
  anchored.node = converted;
  anchored.values = to.values - before + 1;
  anchored.height = to.deepest - depth;
  to.deepest = Math.max(outer, to.deepest);
  return converted;
}

function convertPlain(node: Node, depth: number, to: Conversion): SourceNode {
  const range = rangeOf(node, to);
  if (isMap(node)) return convertMap(node, depth, to);
  if (isCollection(node)) {
    const items = (node.items as unknown[]).map((item) =>
      isPair(item) ? pairAsMap(item as Pair, range, depth, to) : convert(item as Node, depth + 1, to),
    );
    return { kind: "list", items, range };
  }
  return { kind: "scalar", value: scalarValue(isScalar(node) ? node.value : null, range, to), range };
}

/** `[a: 1]`: a pair inside a flow list is a mapping of one key. */
function pairAsMap(pair: Pair, range: SourceRange, depth: number, to: Conversion): SourceNode {
  const entries = new Map<string, MapEntry>();
  addPair(pair, entries, range, depth + 1, to);
  return { kind: "map", entries, range };
}

function scalarValue(value: unknown, range: SourceRange, to: Conversion): null | boolean | number | string {
  if (typeof value === "number" && !Number.isFinite(value)) {
    to.report(
      error("manifest.invalid_value", "the number is not finite", { range, hint: "quote it if it is text" }),
    );
    return 0;
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return null;
}

function convertMap(map: YAMLMap, depth: number, to: Conversion): MapNode {
  const range = rangeOf(map, to);
  const entries = new Map<string, MapEntry>();
  const merged: SourceNode[] = [];
  to.deepest = Math.max(to.deepest, depth + 1);
  for (const pair of map.items) {
    const key = pair.key;
    if (isScalar(key) && key.value === "<<" && key.type === "PLAIN")
      merged.push(convert((pair.value ?? key) as Node, depth + 1, to));
    else addPair(pair, entries, range, depth, to);
  }
  for (const source of merged) merge(source, entries, to);
  return { kind: "map", entries, range };
}

function addPair(
  pair: Pair,
  entries: Map<string, MapEntry>,
  range: SourceRange,
  depth: number,
  to: Conversion,
) {
  const key = pair.key;
  const keyRange = key === null ? range : rangeOf(key as Node, to);
  if (!isScalar(key) || typeof key.value !== "string") {
    to.report(
      error("manifest.invalid_type", "keys must be text", { range: keyRange, hint: "quote the key" }),
    );
    return;
  }
  if (key.value === "__proto__") {
    to.report(error("manifest.invalid_name", 'the key "__proto__" is reserved', { range: keyRange }));
    return;
  }
  if (key.anchor !== undefined)
    to.report(error("manifest.unsupported", "a key cannot be an anchor", { range: keyRange }));
  const first = entries.get(key.value);
  if (first !== undefined)
    to.report(
      error("manifest.duplicate_key", `the key ${quoteShort(key.value)} stands twice in one mapping`, {
        range: keyRange,
        detail: `It stands at ${placeOf(first.keyRange, new Map([[to.file, to.text]]))} already.`,
        hint: "remove one of the two",
      }),
    );
  const end = keyRange.end;
  const value: SourceNode =
    pair.value === null
      ? { kind: "scalar", value: null, range: { file: to.file, start: end, end } }
      : convert(pair.value as Node, depth + 1, to);
  if (first === undefined) entries.set(key.value, { key: key.value, keyRange, value });
}

/** `<<`: keys of the mapping itself win, then those of the first mapping merged. */
function merge(source: SourceNode, entries: Map<string, MapEntry>, to: Conversion): void {
  if (source.kind === "list") {
    for (const item of source.items) {
      if (item.kind === "map") mergeMap(item, entries);
      else reportMerge(item, to);
    }
  } else if (source.kind === "map") mergeMap(source, entries);
  else reportMerge(source, to);
}

function mergeMap(source: MapNode, entries: Map<string, MapEntry>): void {
  for (const entry of source.entries.values()) if (!entries.has(entry.key)) entries.set(entry.key, entry);
}

function reportMerge({ range }: SourceNode, to: Conversion): void {
  if (to.isBroken) return;
  to.report(error("manifest.invalid_type", "<< merges a mapping or a list of mappings", { range }));
}

function convertAlias(name: string, range: SourceRange, depth: number, to: Conversion): SourceNode {
  const nothing: SourceNode = { kind: "scalar", value: null, range };
  const anchored = to.anchors.get(name);
  if (anchored?.node === undefined) {
    to.isBroken = true;
    to.misses += 1;
    const known = to.misses > suggestedMisses ? [] : [...to.anchors.keys()];
    const meant = suggest(name, known) ?? slipOf(name, known);
    const hint =
      meant === undefined
        ? "write &name before the first such value; text that begins with * needs quotes"
        : `did you mean "${meant}"?`;
    to.report(
      anchored === undefined
        ? error("manifest.syntax", "the alias names no anchor before it", { range, hint })
        : error("manifest.syntax", "the alias stands in its own anchor", { range }),
    );
    return nothing;
  }
  if (depth + anchored.height > maxDepth) {
    to.report(error("manifest.too_deep", `aliases nest values more than ${maxDepth} levels deep`, { range }));
    return nothing;
  }
  const already = to.aliased > maxAliased;
  to.aliased += anchored.values;
  if (to.aliased > maxAliased) {
    if (!already)
      to.report(
        error("manifest.too_large", `aliases repeat more than ${maxAliased} values`, {
          range,
          hint: "write the values out, or split the manifest",
        }),
      );
    return nothing;
  }
  to.values += anchored.values;
  to.deepest = Math.max(to.deepest, depth + anchored.height);
  return anchored.node;
}

function rangeOf(node: Node, to: Conversion): SourceRange {
  const range = node.range;
  if (range === undefined || range === null) return { file: to.file, start: 0, end: 0 };
  const isSpace = (at: number): boolean => " \t\r\n".includes(to.text[at] as string);
  let [start, end] = range;
  while (end > start && isSpace(end - 1)) end -= 1;
  // A value that is not there stands right after its key, not where the next token begins.
  if (start === end) while (start > 0 && isSpace(start - 1)) start -= 1;
  return { file: to.file, start, end: range[0] === end ? start : end };
}
