import { error } from "../diagnostics/diagnostic";
import { addressOf } from "../model/address";
import { placeOf, type Report } from "./findings";
import { isNull, type MapEntry, type MapNode, type SourceNode } from "./source-tree";
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
export const namesSource = ({ entries }: MapNode): boolean => sourceKeys.some((key) => entries.has(key));

interface Union {
  readonly report: Report;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Two files of one folder side by side: neither wins, so an address declared in both is an error. A block that
 * only holds other blocks declares nothing itself, so the services of a project may be spread over files.
 */
export function unite(
  first: MapNode,
  second: MapNode,
  index: TypeIndex,
  texts: ReadonlyMap<string, string>,
  report: Report,
): MapNode {
  const union = { report, texts };
  return combine(first, second, (a, b) => {
    const child = index.root.get(a.key);
    if (child !== undefined) return uniteContainer(a, b, child, [], union);
    if (a.key === "version") return a;
    if (a.value.kind === "list" && b.value.kind === "list")
      return { ...a, value: { ...a.value, items: [...a.value.items, ...b.value.items] } };
    if (a.value.kind === "map" && b.value.kind === "map")
      return {
        ...a,
        value: combine(a.value, b.value, (x, y) => reportTwice(x, y, `${a.key}.${x.key}`, union)),
      };
    return isNull(b.value) ? a : isNull(a.value) ? b : reportTwice(a, b, a.key, union);
  });
}

function uniteContainer(
  a: MapEntry,
  b: MapEntry,
  placed: PlacedType,
  names: readonly string[],
  to: Union,
): MapEntry {
  if (placed.place.shape === "single") return uniteBlock(a, b, placed, names, to);
  if (a.value.kind !== "map") return isNull(a.value) ? b : a;
  if (b.value.kind !== "map") return isNull(b.value) ? a : b;
  return {
    ...a,
    value: combine(a.value, b.value, (x, y) => uniteBlock(x, y, placed, [...names, x.key], to)),
  };
}

function uniteBlock(
  a: MapEntry,
  b: MapEntry,
  placed: PlacedType,
  names: readonly string[],
  to: Union,
): MapEntry {
  const declared = declares(a.value, placed) && declares(b.value, placed);
  if (declared) return reportTwice(a, b, addressOf(placed.type.type, ...names), to);
  if (a.value.kind !== "map" || b.value.kind !== "map") return a.value.kind === "map" ? a : b;
  const value = combine(a.value, b.value, (x, y) => {
    const child = placed.children.get(x.key);
    return child === undefined ? x : uniteContainer(x, y, child, names, to);
  });
  return { ...(declares(a.value, placed) ? a : b), value };
}

/** More than a frame around other blocks. */
const declares = (node: SourceNode, placed: PlacedType): boolean =>
  node.kind !== "map" || node.entries.size === 0
    ? placed.children.size === 0 || !isNull(node)
    : [...node.entries.keys()].some((key) => !placed.children.has(key));

function reportTwice(a: MapEntry, b: MapEntry, what: string, to: Union): MapEntry {
  to.report(
    error("manifest.duplicate_address", `${what} is declared twice`, {
      range: b.keyRange,
      detail: `It is declared at ${placeOf(a.keyRange, to.texts)} as well.`,
      hint: "files of one folder add up; to override, give the second file with -f",
      ...(what.includes(".") ? { address: what } : {}),
    }),
  );
  return a;
}
