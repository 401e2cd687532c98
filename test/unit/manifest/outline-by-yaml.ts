import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
} from "yaml";
import type { SourceNode } from "../../../src/declaration/tree";

/** Values, and the offsets of keys and scalars; where a block collection ends is of no interest. */
export function outline(node: SourceNode): unknown {
  const { start, end } = node.range;
  if (node.kind === "scalar") return [node.value, start, end];
  if (node.kind === "list") return [start, node.items.map(outline)];
  return [
    start,
    [...node.entries.values()].map(({ key, keyRange, value }) => [
      key,
      keyRange.start,
      keyRange.end,
      outline(value),
    ]),
  ];
}

/** The outline of a text as the library `yaml` reads it; undefined where it refuses the text, null for no content. */
export function outlineByYaml(text: string): unknown {
  const documents = parseAllDocuments(text, {
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    prettyErrors: false,
  }) as readonly Document.Parsed[];
  if (documents.some(({ errors }) => errors.length > 0) || documents.length > 1) return undefined;
  const [document] = documents;
  if (document === undefined || document.contents === null) return null;
  if (isScalar(document.contents) && document.contents.value === null) return null;
  return outlineOf(document.contents, text, new Map());
}

type Anchors = Map<string, unknown>;

function outlineOf(node: Node, text: string, anchors: Anchors): unknown {
  if (isAlias(node)) return anchors.get((node as Alias).source);
  const found = contentOf(node, text, anchors);
  if ("anchor" in node && node.anchor !== undefined) anchors.set(node.anchor, found);
  return found;
}

function contentOf(node: Node, text: string, anchors: Anchors): unknown {
  const [start, end] = placeOf(node, text);
  if (isMap(node)) return [start, entriesOf(node.items as Pair[], text, anchors)];
  if (isSeq(node)) return [start, node.items.map((item) => outlineOf(item as Node, text, anchors))];
  const value = isScalar(node) ? node.value : null;
  return [typeof value === "number" && !Number.isFinite(value) ? 0 : value, start, end];
}

/** Keys with their values, the first where a key is duplicated, and then what `<<` adds. */
function entriesOf(pairs: readonly Pair[], text: string, anchors: Anchors): unknown[] {
  const entries = new Map<unknown, unknown>();
  const merged: unknown[] = [];
  for (const { key, value } of pairs) {
    const range = placeOf(key as Node, text);
    const inner = value === null ? [null, range[1], range[1]] : outlineOf(value as Node, text, anchors);
    const name = isScalar(key) ? key.value : key;
    if (name === "<<" && isScalar(key) && key.type === "PLAIN") merged.push(inner);
    else if (!entries.has(name)) entries.set(name, [name, ...range, inner]);
  }
  for (const added of merged) addMerged(added, entries);
  return [...entries.values()];
}

/** Adds what `<<` merges; a manifest refuses it where that is no mapping. */
function addMerged(added: unknown, entries: Map<unknown, unknown>): void {
  if (!Array.isArray(added) || !Array.isArray(added[1])) return;
  const [, inner] = added as [number, unknown[]];
  for (const one of inner)
    if (typeof (one as unknown[])[0] === "string") {
      const [name] = one as [string];
      if (!entries.has(name)) entries.set(name, one);
    } else addMerged(one, entries);
}

function placeOf(node: Node, text: string): [number, number] {
  const range = node.range ?? [0, 0, 0];
  const isSpace = (at: number): boolean => " \t\r\n".includes(text[at] as string);
  let [start, end] = range;
  while (end > start && isSpace(end - 1)) end -= 1;
  // A value that is left out stands right after its key, not where the next token begins.
  if (start === end) while (start > 0 && isSpace(start - 1)) start -= 1;
  return [start, range[0] === end ? start : end];
}
