import { error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { addressOf } from "../model/address";
import { formatLocation, type Report, suggestedMisses } from "./findings";
import { isNull, type MapEntry, type MapNode, quoteShort, type SourceNode } from "./tree";
import { type PlacedType, sourceKeys, type TypeIndex } from "./type-index";

function combine(
  lower: MapNode,
  upper: MapNode,
  both: (below: MapEntry, above: MapEntry) => MapEntry,
): MapNode {
  const entries = new Map(lower.entries);
  for (const above of upper.entries.values()) {
    const below = entries.get(above.key);
    entries.set(above.key, below === undefined ? above : both(below, above));
  }
  return { kind: "map", entries, range: upper.range };
}

/** A mapping that is the value of the shorthand attribute: `{ fromEnv: NAME }`. */
export const isValueOf = (placed: PlacedType, node: MapNode): boolean =>
  placed.shorthand?.secret === true && namesSource(node);

/** It says where a secret comes from. */
const namesSource = ({ entries }: MapNode): boolean => sourceKeys.some((key) => entries.has(key));

interface Merging {
  readonly report: Report;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Merges two files of one folder: neither wins, so an address declared in both is an error. A block that
 * only holds other blocks declares nothing itself, so the services of a project may be spread over files.
 */
export function mergeFiles(
  first: MapNode,
  second: MapNode,
  index: TypeIndex,
  texts: ReadonlyMap<string, string>,
  report: Report,
): MapNode {
  const to = { report, texts };
  return combine(first, second, (a, b) => {
    const child = index.root.get(a.key);
    if (child !== undefined) return mergeContainers(a, b, child, [], to);
    if (a.key === "version") return a;
    if (a.value.kind === "list" && b.value.kind === "list")
      return { ...a, value: { ...a.value, items: [...a.value.items, ...b.value.items] } };
    if (a.value.kind === "map" && b.value.kind === "map")
      return {
        ...a,
        value: combine(a.value, b.value, (x, y) => reportTwice(x, y, `${a.key}.${x.key}`, to)),
      };
    return isNull(b.value) ? a : isNull(a.value) ? b : reportTwice(a, b, a.key, to);
  });
}

function mergeContainers(
  a: MapEntry,
  b: MapEntry,
  placed: PlacedType,
  names: readonly string[],
  to: Merging,
): MapEntry {
  if (placed.place.shape === "single") return mergeBlocks(a, b, placed, names, to);
  if (a.value.kind !== "map") return isNull(a.value) ? b : a;
  if (b.value.kind !== "map") return isNull(b.value) ? a : b;
  return {
    ...a,
    value: combine(a.value, b.value, (x, y) => mergeBlocks(x, y, placed, [...names, x.key], to)),
  };
}

function mergeBlocks(
  a: MapEntry,
  b: MapEntry,
  placed: PlacedType,
  names: readonly string[],
  to: Merging,
): MapEntry {
  const declared = declares(a.value, placed) && declares(b.value, placed);
  if (declared) return reportTwice(a, b, addressOf(placed.type.type, ...names), to);
  if (a.value.kind !== "map" || b.value.kind !== "map") return a.value.kind === "map" ? a : b;
  const value = combine(a.value, b.value, (x, y) => {
    const child = placed.children.get(x.key);
    return child === undefined ? x : mergeContainers(x, y, child, names, to);
  });
  return { ...(declares(a.value, placed) ? a : b), value };
}

/** More than a frame around other blocks. */
const declares = (node: SourceNode, placed: PlacedType): boolean =>
  node.kind !== "map" || node.entries.size === 0
    ? placed.children.size === 0 || !isNull(node)
    : [...node.entries.keys()].some((key) => !placed.children.has(key));

function reportTwice(a: MapEntry, b: MapEntry, what: string, to: Merging): MapEntry {
  to.report(
    error("manifest.duplicate_address", `${what} is declared twice`, {
      range: b.keyRange,
      detail: `It is declared at ${formatLocation(a.keyRange, to.texts)} as well.`,
      hint: "files of one folder add up; to override, give the second file with -f",
      ...(what.includes(".") ? { address: what } : {}),
    }),
  );
  return a;
}

/** How a key is spoken of: `branch` as `configuration.branch of service.shop.api`. */
type Speak = (key: string) => string;

interface Overlaying {
  readonly index: TypeIndex;
  readonly report: Report;
  /** Every earlier file was read: what is not there is in none of them. */
  readonly isWhole: boolean;
  /** Counts unknown names: past a few, no suggestion is looked for. */
  readonly misses: { count: number };
}

/**
 * Lays a later file over an earlier one: key by key, lists and secrets as a whole, a mapping replaces a scalar, and a written
 * `null` takes away the value of the file below (DESIGN section 3).
 */
export function overlay(lower: MapNode, upper: MapNode, to: Overlaying): MapNode {
  const speak: Speak = (key) => key;
  return overlayMap(lower, upper, speak, to, (below, above) => {
    const shared = to.index.shared.get(above.key);
    if (shared !== undefined)
      return bothMaps(below, above, (groups, over) =>
        overlayMap(groups, over, speak, to, (x, y) => overlayPlace(x, y, shared, [y.key], to)),
      );
    const placed = to.index.root.get(above.key);
    return placed === undefined
      ? overlayPlain(below, above, speak, to)
      : overlayPlace(below, above, placed, [], to);
  });
}

/** `services` over `services`, or `deploy` over `deploy`. */
function overlayPlace(
  below: MapEntry,
  above: MapEntry,
  placed: PlacedType,
  names: readonly string[],
  to: Overlaying,
  /** More blocks come from elsewhere. */
  hasMore = false,
): MapEntry {
  if (placed.place.shape === "single") return overlayBlock(below, above, placed, names, to);
  const speak: Speak = (key) => addressOf(placed.type.type, ...names, key);
  return bothMaps(below, above, (lower, upper) => {
    const both = (x: MapEntry, y: MapEntry): MapEntry => overlayBlock(x, y, placed, [...names, y.key], to);
    return overlayMap(lower, upper, speak, to, both, hasMore);
  });
}

/** A block takes blocks of a type from groups or files. */
const sharesFrom = ({ place }: PlacedType, { entries }: MapNode): boolean =>
  place.shared !== undefined && entries.has(place.shared.from);

function overlayBlock(
  below: MapEntry,
  above: MapEntry,
  placed: PlacedType,
  names: readonly string[],
  to: Overlaying,
): MapEntry {
  const address = addressOf(placed.type.type, ...names);
  const speak: Speak = (key) => `${key} of ${address}`;
  return bothMaps(below, above, (lower, upper) => {
    if (isValueOf(placed, lower) || isValueOf(placed, upper)) return upper;
    return overlayMap(lower, upper, speak, to, (x, y) => {
      const child = placed.children.get(y.key);
      if (child !== undefined)
        return overlayPlace(x, y, child, names, to, sharesFrom(child, lower) || sharesFrom(child, upper));
      if (placed.attributes.get(y.key)?.secret === true) return y;
      return overlayPlain(x, y, (key) => `${y.key}.${key} of ${address}`, to);
    });
  });
}

const overlayPlain = (below: MapEntry, above: MapEntry, speak: Speak, to: Overlaying): MapEntry =>
  bothMaps(below, above, (lower, upper) =>
    overlayMap(lower, upper, speak, to, (x, y) => overlayPlain(x, y, (key) => speak(`${y.key}.${key}`), to)),
  );

/** Makes one of two mappings; any other value replaces the one below it. */
const bothMaps = (
  below: MapEntry,
  above: MapEntry,
  both: (lower: MapNode, upper: MapNode) => MapNode,
): MapEntry =>
  below.value.kind === "map" && above.value.kind === "map"
    ? { ...above, value: both(below.value, above.value) }
    : above;

/**
 * Two mappings key by key; a null takes away, and is a mistake where there is nothing to take. Where more comes from
 * elsewhere it stays, to take away what that brings.
 */
function overlayMap(
  lower: MapNode,
  upper: MapNode,
  speak: Speak,
  to: Overlaying,
  both: (below: MapEntry, above: MapEntry) => MapEntry,
  keepsNull = false,
): MapNode {
  const entries = new Map(lower.entries);
  for (const above of upper.entries.values()) {
    const { key, value } = above;
    const below = lower.entries.get(key);
    if (below === undefined) {
      if (!isNull(value) || isEmpty(value) || keepsNull) entries.set(key, above);
      else if (to.isWhole) reportNothingToTake(above, lower, speak, to);
    } else if (!isNull(value)) entries.set(key, both(below, above));
    else if (!isEmpty(value) && keepsNull) entries.set(key, { ...above, hasTaken: true });
    else if (!isEmpty(value)) entries.delete(key);
    else if (!saysNothing(below.value)) reportEmpty(above, speak, to);
  }
  return { kind: "map", entries, range: upper.range };
}

/** A null that is not written: a key without a value. */
const isEmpty = ({ range }: SourceNode): boolean => range.start === range.end;

/** An empty block over another says nothing: lines that were commented out must delete nothing below them. */
const saysNothing = (below: SourceNode): boolean =>
  isNull(below) || (below.kind === "map" && !namesSource(below));

function reportEmpty({ key, keyRange }: MapEntry, speak: Speak, { report }: Overlaying): void {
  const hint = "write null to take away what an earlier file says, or remove this line to keep it";
  report(error("manifest.invalid_type", `${speak(key)} is empty`, { range: keyRange, hint }));
}

function reportNothingToTake(
  { key, keyRange }: MapEntry,
  { entries }: MapNode,
  speak: Speak,
  { report, misses }: Overlaying,
): void {
  misses.count += 1;
  const hint =
    (misses.count > suggestedMisses ? undefined : didYouMean(key, entries.keys())) ??
    "null takes away what an earlier file says: remove this line; to hold a default, write its value";
  const named = quoteShort(key).slice(1, -1);
  report(error("manifest.unknown_key", `no earlier file has ${speak(named)}`, { range: keyRange, hint }));
}
