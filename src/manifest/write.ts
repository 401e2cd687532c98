import { Document, isMap, isScalar, type Node, Pair, parseDocument, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { isOpenField, type ResourceType } from "../model/resource-type";
import { isReference, type Plain, Template } from "../model/value";
import { formatLocation } from "./findings";
import { isValueOf } from "./merge";
import { escapeTemplate, type MapNode, parseTemplate, type SourceNode } from "./tree";
import {
  besideCommand,
  indexTypes,
  isFreeKey,
  type PlacedType,
  sensitiveKey,
  sourceKeys,
  type TypeIndex,
} from "./type-index";

/** One resource to be written down. */
export interface ManifestBlock {
  readonly type: string;
  /** Logical names from the root down: `["shop", "api"]`; for a single block those of its parent. */
  readonly names: readonly string[];
  /** By attribute path; templates hold references. The parent attribute is left out, as is a name equal to the logical one. */
  readonly attributes: ReadonlyMap<string, Plain | Template>;
  /** Written as `import:` where the type allows it. */
  readonly importId?: string;
}

/**
 * The YAML text of resources, such that `loadManifest` of it gives the same attributes. Parents that are not in the
 * list are written as empty frames. The order is that of the types, then of the names.
 */
export function writeManifest(blocks: readonly ManifestBlock[], types: readonly ResourceType[]): string {
  const { byType } = indexTypes(types);
  const order = [...byType.keys()];
  // A parent comes before what is in it, and of one type what has a parent before what has none.
  const sorted = [...blocks].sort(
    (a, b) =>
      order.indexOf(a.type) - order.indexOf(b.type) ||
      b.names.length - a.names.length ||
      (a.names.join(pathSeparator) < b.names.join(pathSeparator) ? -1 : 1),
  );
  const maps = new Map([["", new YAMLMap()]]);
  const mapAt = (path: readonly string[]): YAMLMap => {
    const found = maps.get(path.join(pathSeparator));
    return found ?? (put(path, new YAMLMap()) as YAMLMap);
  };
  const put = (path: readonly string[], node: Node): Node => {
    if (node instanceof YAMLMap) maps.set(path.join(pathSeparator), node);
    add(mapAt(path.slice(0, -1)), path.at(-1) as string, node);
    return node;
  };
  for (const block of sorted) {
    const path = pathTo(block, byType);
    const node = blockNode(block, byType.get(block.type) as PlacedType);
    if (node !== undefined) put(path, node);
  }
  // Behind what is in the block.
  for (const block of sorted)
    if (block.importId !== undefined && byType.get(block.type)?.place.meta)
      put([...pathTo(block, byType), "import"], textNode(block.importId));
  return yamlText(mapAt([]));
}

/** No name holds it. */
const pathSeparator = "\0";

/**
 * The text of a tree of nodes, without line breaks of the writer's own, without invisible characters, and without a
 * line that a CI runner takes for a command.
 */
function yamlText(root: YAMLMap): string {
  const document = new Document(undefined, { version: "1.2", schema: "core" });
  document.contents = root as never;
  const lines = { lineWidth: 0, minContentWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER };
  return document.toString(lines).replace(escapes, escaped);
}

/** The keys from the root down to a block of these names. */
function pathTo(
  { type, names }: Pick<ManifestBlock, "type" | "names">,
  byType: ReadonlyMap<string, PlacedType>,
): readonly string[] {
  const placed = byType.get(type);
  const way = placed && wayTo(placed, names.length, byType);
  if (way === undefined)
    throw new Error(`a ${type} of the names ${names.join(".")} has no place in a manifest`);
  const rest = [...names];
  return way.flatMap(({ place }) =>
    place.shape === "map" ? [place.key, rest.shift() as string] : [place.key],
  );
}

/** The types from the root down to a block that has so many names. */
function wayTo(
  placed: PlacedType,
  names: number,
  byType: ReadonlyMap<string, PlacedType>,
): readonly PlacedType[] | undefined {
  const above = placed.place.shape === "map" ? names - 1 : names;
  for (const within of placed.place.within) {
    if (within === "root") {
      if (above === 0) return [placed];
      continue;
    }
    const parent = byType.get(within);
    const way = parent === undefined || above <= 0 ? undefined : wayTo(parent, above, byType);
    if (way !== undefined) return [...way, placed];
  }
  return undefined;
}

/** A block without what is in it; undefined where it says nothing that is not so without it. */
function blockNode({ names, attributes, importId }: ManifestBlock, placed: PlacedType): Node | undefined {
  const { place, shorthand, type } = placed;
  const written = new Map(attributes);
  if (
    type.nameAttribute !== undefined &&
    place.shape === "map" &&
    written.get(type.nameAttribute) === names.at(-1)
  )
    written.delete(type.nameAttribute);
  const alone = shorthand === undefined || written.size !== 1 ? undefined : written.get(shorthand.path);
  const isBare =
    alone !== undefined &&
    alone !== null &&
    (typeof alone !== "object" || Array.isArray(alone) || alone instanceof Template);
  if (isBare && placed.children.size === 0 && importId === undefined) return valueNode(alone);
  const map = new YAMLMap();
  for (const path of placed.attributes.keys()) addAttribute(map, path, written.get(path));
  for (const [key, group] of placed.groups) {
    const inner = new YAMLMap();
    for (const [field, shape] of group) addAttribute(inner, field, written.get(shape.path));
    const prefix = `${key}.`;
    for (const [path, value] of written)
      if (path.startsWith(prefix) && isOpenField(type, path))
        addAttribute(inner, path.slice(prefix.length), value);
    if (inner.items.length > 0) add(map, key, inner);
  }
  if (map.items.length === 0 && place.implicit === true) return undefined;
  map.flow = map.items.length <= 1 && map.items.every((pair) => (pair.value as Scalar).value === true);
  return map;
}

function addAttribute(map: YAMLMap, key: string, value: Plain | Template | undefined): void {
  if (value !== undefined) add(map, key, valueNode(value));
}

const add = (map: YAMLMap, key: string, value: Node): void => {
  map.items.push(new Pair(plainText(key), value));
};

function valueNode(value: Plain | Template): Node {
  if (value instanceof Template) return plainText(value.parts.map(partText).join(""));
  if (typeof value === "string") return textNode(value);
  if (value === null || typeof value !== "object") return new Scalar(value);
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items = value.map(valueNode);
    list.flow = value.length === 0;
    return list;
  }
  const map = new YAMLMap();
  for (const [key, inner] of Object.entries(value)) add(map, key, valueNode(inner as Plain));
  map.flow = map.items.length === 0;
  return map;
}

/** The YAML text of plain values; `${…}` in a text stands as it is. */
export const writePlain = (value: Readonly<Record<string, unknown>>): string =>
  yamlText(rawNode(value) as YAMLMap);

function rawNode(value: unknown): Node {
  if (typeof value === "string") return plainText(value);
  if (typeof value !== "object" || value === null) return new Scalar(value);
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items = value.map(rawNode);
    list.flow = value.every((item) => typeof item !== "object") || value.length === 0;
    return list;
  }
  const map = new YAMLMap();
  for (const [key, inner] of Object.entries(value)) add(map, key, rawNode(inner));
  map.flow =
    map.items.length <= 1 &&
    map.items.every(({ value: one }) => one instanceof Scalar || (one as YAMLMap).flow === true);
  return map;
}

const partText = (part: Template["parts"][number]): string => {
  if (typeof part === "string") return escapeTemplate(part);
  // The text of a secret is never written; such a part says so where a value would stand.
  return isReference(part) ? `\${${part.address}.${part.attribute}}` : String(part);
};

const textNode = (text: string): Scalar => plainText(escapeTemplate(text));

/** Matches characters that are invisible or that YAML forbids: they stand in double quotes only, as escapes. */
const invisible = /[^\P{C}\n]|[\u2028\u2029]/gu;

/** What `##[group]` and `##vso[…]` begin with: runners obey them anywhere in a line. */
const runnerCommand = /#(?=#)/;
/** `::error::` at the beginning of a line. */
const workflowCommand = /^\s*::/m;
const escapes = new RegExp(`${invisible.source}|${runnerCommand.source}`, "gu");

const escaped = (character: string): string => {
  const code = (character.codePointAt(0) as number).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
};

/** Text that block style would fold or trim. */
const needsQuotes = /\n[ \t]|^\s|[ \t]\n|\s$/;

/** Text that reads back as itself, `${…}` included. */
function plainText(text: string): Scalar {
  const scalar = new Scalar(text);
  if (text === "<<" || [needsQuotes, workflowCommand, escapes].some((one) => text.search(one) !== -1))
    scalar.type = Scalar.QUOTE_DOUBLE;
  else if (text.includes("\n")) scalar.type = Scalar.BLOCK_LITERAL;
  return scalar;
}

/** An attribute to be written: that of a block, by the logical names from the root down. */
export interface AttributeEdit {
  readonly type: string;
  readonly names: readonly string[];
  readonly attribute: string;
  readonly value: Plain;
}

/** Returns the text of a manifest with attributes set; its comments stay, and so does all else. */
export function editManifest(
  text: string,
  edits: readonly AttributeEdit[],
  types: readonly ResourceType[],
): { readonly text: string } | { readonly problem: Diagnostic } {
  const { byType } = indexTypes(types);
  const document = parseDocument(text, { version: "1.2", schema: "core" });
  for (const { type, names, attribute, value } of edits) {
    const path = pathTo({ type, names }, byType);
    const whole = [...path, attribute];
    openEmptyBlocks(document, path);
    try {
      document.setIn(whole, value);
    } catch {
      const summary = `cannot set ${whole.join(".")}: a part of it is no mapping`;
      const hint = "write it by hand, or write out the alias";
      return { problem: error("manifest.unsupported", summary, { hint }) };
    }
  }
  return { text: document.toString({ lineWidth: 0, flowCollectionPadding: true }) };
}

/** Makes a block of what is empty on the way: of nothing, or of `{}`. */
function openEmptyBlocks(document: Document, path: readonly string[]): void {
  for (let length = 1; length <= path.length; length += 1) {
    const way = path.slice(0, length);
    const found = document.getIn(way, true);
    if (isScalar(found) && found.value === null) document.setIn(way, document.createNode({}));
    else if (isMap(found) && found.items.length === 0) found.flow = false;
  }
}

interface Printing {
  readonly index: TypeIndex;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * The YAML text of a merged manifest, `${…}` as written. A secret is shown as its source; where its text stands in the
 * manifest, an empty value stands for it with its place in a comment, which no reader takes for a value.
 */
export const printManifest = (root: MapNode, to: Printing): string =>
  yamlText(mapOf(withoutFreeKeys(root), (key, node) => placedNode(to.index.root.get(key), node, to)));

/** The content of a free key is used where an alias names it, and shown there. */
const withoutFreeKeys = (node: MapNode): MapNode => ({
  ...node,
  entries: new Map([...node.entries].filter(([key]) => !isFreeKey(key))),
});

function placedNode(placed: PlacedType | undefined, node: SourceNode, to: Printing): Node {
  if (placed === undefined) return shownNode(node);
  if (placed.place.shape === "single" || node.kind !== "map") return shownBlock(placed, node, to);
  return mapOf(node, (_, block) => shownBlock(placed, block, to));
}

function shownBlock(placed: PlacedType, node: SourceNode, to: Printing): Node {
  if (node.kind !== "map" || isValueOf(placed, node))
    return placed.shorthand?.secret === true ? secretNode(node, to) : shownNode(node);
  return mapOf(withoutFreeKeys(node), (key, value) => {
    if (placed.attributes.get(key)?.secret === true && !isOpenBlock(node)) return secretNode(value, to);
    if (placed.groups.has(key) && value.kind === "map") return shownNode(withoutFreeKeys(value));
    return placedNode(placed.children.get(key), value, to);
  });
}

/** Its value is no secret: `sensitive: false`. */
function isOpenBlock({ entries }: MapNode): boolean {
  const sensitive = entries.get(sensitiveKey)?.value;
  return sensitive?.kind === "scalar" && sensitive.value === false;
}

function secretNode(node: SourceNode, to: Printing): Node {
  const isShown =
    node.kind === "map" ? isSource(node) : node.kind === "scalar" && onlyNamesValues(node.value, to);
  if (isShown) return shownNode(node);
  const hidden = new Scalar(null);
  hidden.source = "";
  const what = node.kind === "map" && node.entries.has("fromCommand") ? "fromCommand, its arguments" : "text";
  hidden.comment = ` (sensitive) ${what} at ${formatLocation(node.range, to.texts)}`;
  return hidden;
}

/** It names a secret without telling it; the arguments of a command may tell it. */
const isSource = ({ entries }: MapNode): boolean =>
  [...entries].every(
    ([key, { value }]) =>
      [...sourceKeys, ...besideCommand].includes(key) &&
      !(key === "fromCommand" && value.kind === "list" && value.items.length > 1),
  );

/** Nothing but `${…}`: names of values, not values. */
const onlyNamesValues = (value: unknown, { index }: Printing): boolean =>
  typeof value === "string" &&
  value !== "" &&
  parseTemplate(value, (word) => index.byType.has(word)).every(
    (part) => part.kind === "reference" || (part.kind === "env" && part.fallback === undefined),
  );

function shownNode(node: SourceNode): Node {
  if (node.kind === "map") return mapOf(node, (_, value) => shownNode(value));
  if (node.kind === "scalar")
    return typeof node.value === "string" ? plainText(node.value) : new Scalar(node.value);
  const list = new YAMLSeq();
  list.items = node.items.map(shownNode);
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
