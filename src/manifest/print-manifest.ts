import { type Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { placeOf } from "./findings";
import { isValueOf } from "./merge-files";
import type { MapNode, SourceNode } from "./source-tree";
import { parseTemplate } from "./template";
import { type PlacedType, sourceKeys, type TypeIndex } from "./type-index";
import { plainText, yamlText } from "./write-manifest";

interface Printing {
  readonly index: TypeIndex;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * The YAML text of a merged manifest, `${…}` as written. A secret is shown as its source; where its text stands in the
 * manifest, an empty value stands for it with its place in a comment, which no reader takes for a value.
 */
export const printManifest = (root: MapNode, to: Printing): string =>
  yamlText(mapOf(root, (key, node) => placedNode(to.index.root.get(key), node, to)));

function placedNode(placed: PlacedType | undefined, node: SourceNode, to: Printing): Node {
  if (placed === undefined) return plainNode(node);
  if (placed.place.shape === "single" || node.kind !== "map") return blockNode(placed, node, to);
  return mapOf(node, (_, block) => blockNode(placed, block, to));
}

function blockNode(placed: PlacedType, node: SourceNode, to: Printing): Node {
  if (node.kind !== "map" || isValueOf(placed, node))
    return placed.shorthand?.secret === true ? secretNode(node, to) : plainNode(node);
  return mapOf(node, (key, value) =>
    placed.attributes.get(key)?.secret === true
      ? secretNode(value, to)
      : placedNode(placed.children.get(key), value, to),
  );
}

function secretNode(node: SourceNode, to: Printing): Node {
  const isShown =
    node.kind === "map" ? isSource(node) : node.kind === "scalar" && isReference(node.value, to);
  if (isShown) return plainNode(node);
  const hidden = new Scalar(null);
  hidden.source = "";
  const what = node.kind === "map" && node.entries.has("fromCommand") ? "fromCommand, its arguments" : "text";
  hidden.comment = ` (sensitive) ${what} at ${placeOf(node.range, to.texts)}`;
  return hidden;
}

/** It names a secret without telling it; the arguments of a command may tell it. */
const isSource = ({ entries }: MapNode): boolean =>
  [...entries].every(
    ([key, { value }]) =>
      sourceKeys.includes(key) && !(key === "fromCommand" && value.kind === "list" && value.items.length > 1),
  );

/** Nothing but `${…}`: names of values, not values. */
const isReference = (value: unknown, { index }: Printing): boolean =>
  typeof value === "string" &&
  value !== "" &&
  parseTemplate(value, (word) => index.byType.has(word)).every(
    (part) => part.kind === "reference" || (part.kind === "env" && part.fallback === undefined),
  );

function plainNode(node: SourceNode): Node {
  if (node.kind === "map") return mapOf(node, (_, value) => plainNode(value));
  if (node.kind === "scalar")
    return typeof node.value === "string" ? plainText(node.value) : new Scalar(node.value);
  const list = new YAMLSeq();
  list.items = node.items.map(plainNode);
  list.flow = list.items.every((item) => item instanceof Scalar);
  return list;
}

function mapOf(node: MapNode, nodeFor: (key: string, value: SourceNode) => Node): YAMLMap {
  const map = new YAMLMap();
  for (const { key, value } of node.entries.values())
    map.items.push(new Pair(plainText(key), nodeFor(key, value)));
  map.flow = map.items.length === 0;
  return map;
}
