import { namesSource } from "../../declaration/declared-block";
import { formatLocation, hintForMiss, type Report } from "../../declaration/findings";
import { isNull, type MapEntry, type MapNode, quoteShort, type SourceNode } from "../../declaration/tree";
import type { BlockType, TypeIndex } from "../../declaration/type-index";
import { error } from "../../diagnostics/diagnostic";
import { addressOf } from "../../model/address";

type Combine = (below: MapEntry, above: MapEntry) => MapEntry;

function combine(lower: MapNode, upper: MapNode, both: Combine): MapNode {
  const entries = new Map(lower.entries);
  for (const above of upper.entries.values()) {
    const below = entries.get(above.key);
    entries.set(above.key, below === undefined ? above : both(below, above));
  }
  return { kind: "map", entries, range: upper.range };
}

/**
 * Merges two files of one folder: neither wins, so an address declared in both is an error. A block that
 * only holds other blocks declares nothing itself, so the services of a project may be spread over files.
 */
export function mergeFiles(first: MapNode, second: MapNode, index: TypeIndex, report: Report): MapNode {
  const refuse = (a: MapEntry, b: MapEntry, name: string): MapEntry => {
    const detail = `It is declared at ${formatLocation(a.keyRange)} as well.`;
    const hint = "files of one folder add up; to override, give the second file with -f";
    const about = { range: b.keyRange, detail, hint, address: name.includes(".") ? name : undefined };
    report(error("manifest.duplicate_address", `${name} is declared twice`, about));
    return a;
  };
  const mergePlaces = (a: MapEntry, b: MapEntry, blockType: BlockType, names: readonly string[]): MapEntry =>
    blockType.form.shape === "single"
      ? mergeBlocks(a, b, blockType, names)
      : mergeMaps(a, b, (x, y) => mergeBlocks(x, y, blockType, [...names, x.key]));
  const mergeBlocks = (
    a: MapEntry,
    b: MapEntry,
    blockType: BlockType,
    names: readonly string[],
  ): MapEntry => {
    const isDeclared = declares(a.value, blockType);
    if (isDeclared && declares(b.value, blockType))
      return refuse(a, b, addressOf(blockType.type.type, ...names));
    const { value } = mergeMaps(a, b, (x, y) => {
      const child = blockType.children.get(x.key);
      return child === undefined ? x : mergePlaces(x, y, child, names);
    });
    const declared = isDeclared ? a : b;
    return { ...declared, value };
  };
  return combine(first, second, (a, b) => {
    const child = index.root.get(a.key);
    if (child !== undefined) return mergePlaces(a, b, child, []);
    if (a.key === "version") return a;
    if (a.value.kind === "list" && b.value.kind === "list")
      return { ...a, value: { ...a.value, items: [...a.value.items, ...b.value.items] } };
    if (isNull(a.value) || isNull(b.value)) return isNull(b.value) ? a : b;
    if (a.value.kind !== "map" || b.value.kind !== "map") return refuse(a, b, a.key);
    return mergeMaps(a, b, (x, y) => refuse(x, y, `${a.key}.${x.key}`));
  });
}

function mergeMaps(a: MapEntry, b: MapEntry, both: Combine): MapEntry {
  if (a.value.kind === "map" && b.value.kind === "map")
    return { ...a, value: combine(a.value, b.value, both) };
  return isNull(b.value) || (a.value.kind !== "map" && !isNull(a.value)) ? a : b;
}

/** More than a frame around other blocks. */
const declares = (node: SourceNode, blockType: BlockType): boolean =>
  node.kind !== "map" || node.entries.size === 0
    ? blockType.children.size === 0 || !isNull(node)
    : [...node.entries.keys()].some((key) => !blockType.children.has(key));

interface Overlaying {
  readonly index: TypeIndex;
  readonly report: Report;
  /** Every earlier file was read: a key that is missing here is missing everywhere. */
  readonly isWhole: boolean;
  /** Counts unknown names: past a few, no suggestion is looked for. */
  readonly misses: { count: number };
}

/**
 * Lays a later file over an earlier file, key by key (DESIGN section 3). Lists and sources of secrets are replaced as a
 * whole, a mapping replaces a scalar, and a written `null` removes the value below. `path` holds the keys to both.
 */
export function overlay(
  lower: MapNode,
  upper: MapNode,
  to: Overlaying,
  path: readonly string[] = [],
  /** Keys that groups and files add later, which a null removes then. */
  added: "none" | "later" = "none",
): MapNode {
  const entries = new Map(lower.entries);
  for (const above of upper.entries.values()) {
    const { key, value } = above;
    const below = lower.entries.get(key);
    const isWritten = isNull(value) && !isEmpty(value);
    if (!isNull(value))
      entries.set(key, below === undefined ? above : overlayEntry(below, above, [lower, upper], to, path));
    else if (isWritten && added === "later")
      entries.set(key, below === undefined ? above : { ...above, hasRemoved: true });
    else if (isWritten && below === undefined) reportNothingToTake(above, lower, to, path);
    else if (isWritten) entries.delete(key);
    else if (below === undefined) entries.set(key, above);
    else if (!saysNothing(below.value)) reportEmpty(above, to, path);
  }
  return { kind: "map", entries, range: upper.range };
}

function overlayEntry(
  below: MapEntry,
  above: MapEntry,
  blocks: readonly MapNode[],
  to: Overlaying,
  path: readonly string[],
): MapEntry {
  const [lower, upper] = [below.value, above.value];
  if (lower.kind !== "map" || upper.kind !== "map" || namesSource(lower) || namesSource(upper)) return above;
  const hasMore = [...to.index.shared.values()].some(
    ({ form: { key, shared } }) =>
      key === above.key && blocks.some(({ entries }) => shared !== undefined && entries.has(shared.from)),
  );
  return { ...above, value: overlay(lower, upper, to, [...path, above.key], hasMore ? "later" : "none") };
}

/** A null that is not written: a key without a value. */
const isEmpty = ({ range }: SourceNode): boolean => range.start === range.end;

/** An empty block over another says nothing: lines that were commented out must delete nothing below them. */
const saysNothing = (below: SourceNode): boolean =>
  isNull(below) || (below.kind === "map" && !namesSource(below));

function reportEmpty({ key, keyRange }: MapEntry, { report }: Overlaying, path: readonly string[]): void {
  const hint = "write null to take away what an earlier file says, or remove this line to keep it";
  report(error("manifest.invalid_type", `${[...path, key].join(".")} is empty`, { range: keyRange, hint }));
}

function reportNothingToTake(
  { key, keyRange }: MapEntry,
  { entries }: MapNode,
  { report, misses, isWhole }: Overlaying,
  path: readonly string[],
): void {
  if (!isWhole) return;
  const hint =
    hintForMiss(misses, key, () => entries.keys()) ??
    "null takes away what an earlier file says: remove this line; to hold a default, write its value";
  const named = [...path, quoteShort(key).slice(1, -1)].join(".");
  report(error("manifest.unknown_key", `no earlier file has ${named}`, { range: keyRange, hint }));
}
