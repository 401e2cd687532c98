import { isDeepStrictEqual } from "node:util";
import {
  Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  type Node,
  parseDocument,
  type Range,
  Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { formatLocation } from "../declaration/findings";
import { onlyNames } from "../declaration/secret-texts";
import { escapeTemplate, type MapNode, partsOf, type ScalarNode, type SourceNode } from "../declaration/tree";
import { type BlockType, indexTypes, type TypeIndex } from "../declaration/type-index";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { isLogicalName } from "../model/address";
import { isOpenField, type ManifestForm, type ResourceType } from "../model/resource-type";
import { isReference, type Plain, Template } from "../model/value";
import { isSecretZone, type Zone, zonesOf } from "./mask";

/** Stands for a value that a comment names and nothing shows. */
export const omitted = Symbol("left out");

export interface ManifestBlock {
  readonly type: string;
  /** Logical names from the root down: `["shop", "api"]`; for a single block those of its parent. */
  readonly names: readonly string[];
  /** By attribute path, without the parent attribute and an implied name; templates hold references. */
  readonly attributes: ReadonlyMap<string, Plain | Template | typeof omitted>;
  /** Keys of rnv itself; each is written where the type allows it. */
  readonly meta?: Partial<Record<NonNullable<ManifestForm["meta"]>[number], Plain>>;
}

/**
 * The YAML text of resources, such that `loadManifest` of it gives the same attributes. Parents that are not in the
 * list are written as empty frames. The order is that of the types, then of the names.
 */
export function writeManifest(blocks: readonly ManifestBlock[], types: readonly ResourceType[]): string {
  const { byType } = indexTypes(types);
  const order = [...byType.keys()];
  // Parents come before their contents, and within a type the resources with a parent first.
  const sorted = [...blocks].sort(
    (a, b) =>
      order.indexOf(a.type) - order.indexOf(b.type) ||
      b.names.length - a.names.length ||
      (a.names.join("\0") < b.names.join("\0") ? -1 : 1),
  );
  const root: YamlTree = new Map();
  for (const block of sorted) {
    const content = contentOf(block, byType.get(block.type) as BlockType);
    if (content !== undefined) put(root, pathTo(block, byType), content);
  }
  for (const block of sorted)
    for (const key of byType.get(block.type)?.form.meta ?? []) {
      const value = block.meta?.[key];
      if (value !== undefined) put(root, [...pathTo(block, byType), key], dataOf(value));
    }
  return yamlText(root, {
    isFlowMap: ({ items }) =>
      items.length <= 1 && items.every(({ value }) => isScalar(value) && value.value === true),
  });
}

/** A mapping to be written; values are plain data, such mappings, and scalars with a comment. */
export type YamlTree = Map<string, unknown>;

export function put(root: YamlTree, path: readonly string[], value: unknown): void {
  let at = root;
  for (const key of path.slice(0, -1)) {
    const next = at.get(key) ?? new Map();
    at.set(key, next);
    at = next as YamlTree;
  }
  at.set(path.at(-1) as string, value);
}

interface FlowStyle {
  readonly isFlowMap: (map: YAMLMap<unknown, unknown>) => boolean;
}

const isShort = (value: unknown): boolean =>
  (isScalar(value) && !value.comment) ||
  (isMap(value) && value.items.length <= 1 && value.items.every((pair) => isShort(pair.value)));

/** Mappings with one key stand on one line. */
const shortStyle: FlowStyle = { isFlowMap: isShort };

/**
 * Returns the YAML text of plain data. It has no invisible characters, no line that a CI runner takes for a command,
 * and no line breaks besides those of its texts. `${…}` in a text stays as it is.
 */
function yamlText(content: YamlTree, style: FlowStyle): string {
  const document = new Document(content, { version: "1.2", schema: "core", aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string") scalar.type = typeOfText(scalar.value);
    },
    Map: (_, map) => {
      const hidden = map.items.filter(({ value }) => isScalar(value) && value.value === omitted);
      for (const { key } of hidden) map.delete(key);
      const notes = hidden.map(({ key }) => ` ${key} is left out: it holds the value of a variable`);
      map.comment = notes.join("\n") || null;
      map.flow = map.items.length === 0 || (map !== document.contents && style.isFlowMap(map));
    },
    Seq: (_, list) => {
      list.flow = list.items.length === 0;
    },
  });
  const lines = { lineWidth: 0, minContentWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER };
  return document.toString(lines).replace(escapes, escaped);
}

function pathTo(
  { type, names }: Pick<ManifestBlock, "type" | "names">,
  byType: ReadonlyMap<string, BlockType>,
): readonly string[] {
  const blockType = byType.get(type);
  const way = blockType && chainTo(blockType, names.length, byType);
  if (way === undefined)
    throw new Error(`a ${type} of the names ${names.join(".")} has no place in a manifest`);
  const rest = [...names];
  return way.flatMap(({ form }) => (form.shape === "map" ? [form.key, rest.shift() as string] : [form.key]));
}

function chainTo(
  blockType: BlockType,
  names: number,
  byType: ReadonlyMap<string, BlockType>,
): readonly BlockType[] | undefined {
  const above = blockType.form.shape === "map" ? names - 1 : names;
  for (const within of blockType.form.within) {
    if (within === "root") {
      if (above === 0) return [blockType];
      continue;
    }
    const parent = byType.get(within);
    const way = parent === undefined || above <= 0 ? undefined : chainTo(parent, above, byType);
    if (way !== undefined) return [...way, blockType];
  }
  return undefined;
}

function contentOf({ names, attributes }: ManifestBlock, blockType: BlockType): unknown {
  const { form, shorthand, type } = blockType;
  const written = new Map([...attributes].map(([path, value]) => [path, dataOf(value)] as const));
  const { nameAttribute } = type;
  if (nameAttribute !== undefined && form.shape === "map" && attributes.get(nameAttribute) === names.at(-1))
    written.delete(nameAttribute);
  const alone = shorthand === undefined || written.size !== 1 ? undefined : written.get(shorthand.path);
  const isBare = alone !== undefined && alone !== null && (typeof alone !== "object" || Array.isArray(alone));
  if (isBare && blockType.children.size === 0) return alone;
  const keep = (paths: Iterable<readonly [key: string, path: string]>): YamlTree =>
    new Map(
      [...paths].filter(([, path]) => written.has(path)).map(([key, path]) => [key, written.get(path)]),
    );
  const content = keep([...blockType.attributes.keys()].map((path) => [path, path]));
  for (const [key, group] of blockType.groups) {
    const further = [...written.keys()].filter(
      (path) => path.startsWith(`${key}.`) && isOpenField(type, path),
    );
    const inner = keep([
      ...[...group].map(([field, { path }]) => [field, path] as const),
      ...further.map((path) => [path.slice(key.length + 1), path] as const),
    ]);
    if (inner.size > 0) content.set(key, inner);
  }
  return content.size === 0 && form.implicit === true ? undefined : content;
}

/** A value as data whose texts stand as they are: a literal `${` is escaped, a reference is written out. */
function dataOf(value: Plain | Template | typeof omitted): unknown {
  if (value instanceof Template) return value.parts.map(partText).join("");
  if (typeof value === "string") return escapeTemplate(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(dataOf);
  return new Map(Object.entries(value).map(([key, inner]) => [key, dataOf(inner as Plain)]));
}

export const writePlain = (value: YamlTree): string => yamlText(value, shortStyle);

const partText = (part: Template["parts"][number]): string => {
  if (typeof part === "string") return escapeTemplate(part);
  // The text of a secret is never written; such a part says so where a value would stand.
  return isReference(part) ? `\${${part.address}.${part.attribute}}` : String(part);
};

/** Matches characters that are invisible or that YAML forbids: they stand in double quotes only, as escapes. */
const invisible = /[^\P{C}\n]|[\u2028\u2029]/gu;

/** The start of `##[group]` and `##vso[…]`: runners obey them anywhere in a line. */
const runnerCommand = /#(?=#)/;
/** `::error::` at the beginning of a line. */
const workflowCommand = /^\s*::/m;
const escapes = new RegExp(`${invisible.source}|${runnerCommand.source}`, "gu");

const escaped = (character: string): string => {
  const code = (character.codePointAt(0) as number).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
};

const needsQuotes = /\n[ \t]|^\s|[ \t]\n|\s$/;

function typeOfText(text: string): Scalar.Type {
  if (text === "<<" || [needsQuotes, workflowCommand, escapes].some((pattern) => text.search(pattern) !== -1))
    return Scalar.QUOTE_DOUBLE;
  return text.includes("\n") ? Scalar.BLOCK_LITERAL : Scalar.PLAIN;
}

/** An attribute to be written: that of a block, by the logical names from the root down. */
export interface AttributeEdit extends Pick<ManifestBlock, "type" | "names"> {
  readonly attribute: string;
  readonly value: Plain;
}

/** Returns the text of a manifest with attributes set, by offsets: no other line of it changes. */
export function editManifest(
  text: string,
  edits: readonly AttributeEdit[],
  types: readonly ResourceType[],
): { readonly text: string } | { readonly problem: Diagnostic } {
  const { byType } = indexTypes(types);
  let edited = text;
  for (const { type, names, attribute, value } of edits) {
    const path = [...pathTo({ type, names }, byType), attribute];
    const next = withValue(edited, path, value);
    if (next === undefined) {
      const summary = `cannot set ${path.join(".")}: a part of it is no mapping, or has an anchor`;
      const hint = "write it by hand, or write out the alias";
      return { problem: error("manifest.unsupported", summary, { hint }) };
    }
    edited = next;
  }
  return { text: edited };
}

const readYaml = (text: string) => parseDocument(text, { version: "1.2", schema: "core" });

/** Returns the text with a value at a path; undefined where it would say anything else, too. */
function withValue(text: string, path: readonly string[], value: Plain): string | undefined {
  const document = readYaml(text);
  const way = [document.contents];
  for (const key of path) {
    const at = way.at(-1);
    if (!isMap(at) || !at.has(key)) break;
    way.push(at.get(key, true) as typeof document.contents);
  }
  if (way.some((node) => node && "anchor" in node && node.anchor)) return undefined;
  const edited = editAt(text, way.at(-1), path.slice(way.length - 1), value);
  try {
    const expected: YamlTree = document.toJS({ mapAsMap: true }) ?? new Map();
    put(expected, path, value);
    return isDeepStrictEqual(readYaml(edited).toJS({ mapAsMap: true }), expected) ? edited : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a scalar, or adds the rest of the path at the end of a mapping. */
function editAt(text: string, at: unknown, rest: readonly string[], value: Plain): string {
  const put = (from: number, to: number, inserted: string) => text.slice(0, from) + inserted + text.slice(to);
  const scalar = new Scalar(value);
  if (isScalar(at) && rest.length === 0 && at.type?.startsWith("QUOTE")) scalar.type = at.type;
  const written = new Document(scalar).toString({ lineWidth: 0 }).trimEnd();
  const entry = rest.reduceRight(
    (inner, key, i) => `${i > 0 ? "{ " : ""}${key}: ${inner}${i > 0 ? " }" : ""}`,
    written,
  );
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  if (!isNode(at)) return `${text}${/(^|\n)$/.test(text) ? "" : line}${entry}${line}`;
  const [start, end] = at.range as Range;
  if (isScalar(at)) {
    const inserted = rest.length === 0 ? written : `{ ${entry} }`;
    const from = text.slice(0, start).trimEnd().length;
    return start === end
      ? put(from, from, ` ${inserted}`)
      : put(start, start + text.slice(start, end).trimEnd().length, inserted);
  }
  if (text[start] === "{") {
    const from = text.slice(0, end - 1).trimEnd().length;
    const isFirst = text[from - 1] === "{";
    return put(from, from, `${isFirst ? " " : ", "}${entry}${isFirst && from === end - 1 ? " " : ""}`);
  }
  let last: unknown = at;
  while (isCollection(last) && !last.flow) {
    const item: unknown = last.items.at(-1);
    last = isPair(item) ? (item.value ?? item.key) : item;
  }
  const [, after] = (last as Node).range as Range;
  const indent = " ".repeat(start - text.lastIndexOf("\n", start) - 1);
  if (text[after - 1] === "\n") return put(after, after, `${indent}${entry}${line}`);
  const from = after + (/^[^\r\n]*/.exec(text.slice(after))?.[0].length ?? 0);
  return put(from, from, `${line}${indent}${entry}`);
}

/**
 * Returns the YAML text of a merged manifest, `${…}` as written. A secret is shown as its source. A secret text is
 * shown as an empty value, with its location in a comment.
 */
export function printManifest(root: MapNode, index: TypeIndex): string {
  const { zoneIn } = zonesOf(index);
  const printed = (node: SourceNode, zone: Zone): unknown => {
    if (node.kind === "scalar")
      return isSecretZone(zone) && !onlyNames.test(String(node.value)) ? withheld(node) : node.value;
    // The content of a free key is used where an alias names it, and shown there.
    const parts = partsOf(node).flatMap(([key, part]) => {
      const inner = zoneIn(node, zone, key, part);
      return inner === "free" ? [] : [[key, printed(part, inner)] as const];
    });
    return node.kind === "list" ? parts.map(([, part]) => part) : new Map(parts);
  };
  return yamlText(printed(root, "open") as YamlTree, shortStyle);
}

function withheld({ range }: ScalarNode): Scalar {
  const scalar = new Scalar(null);
  scalar.source = "";
  scalar.comment = ` (sensitive) text at ${formatLocation(range)}`;
  return scalar;
}

/** Logical names of one manifest, made of names from elsewhere: no two in a mapping are the same. */
export class LogicalNames {
  readonly #used = new Set<string>();

  /** Chooses a path in a mapping: a valid and unused name stays as it is, `Online shop` becomes `online-shop`. */
  pathIn(mapping: readonly string[], name: string, fallback = "service"): readonly string[] {
    const words = name.normalize("NFKD").toLowerCase().match(/\w+/g) ?? [fallback];
    const made = isLogicalName(name) ? name : words.join("-");
    // A key that no manifest may have.
    const wanted = [...mapping, made === "__proto__" ? "proto" : made].join("/");
    let path = wanted;
    for (let n = 2; this.#used.has(path); n += 1) path = `${wanted}-${n}`;
    this.#used.add(path);
    return path.split("/");
  }
}
