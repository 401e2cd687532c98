import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from "js-yaml";
import { formatLocation, type Report } from "../../declaration/findings";
import {
  isNull,
  type MapEntry,
  type MapNode,
  quoteShort,
  type ScalarNode,
  type SourceNode,
} from "../../declaration/tree";
import { type Diagnostic, error, type SourceFile, type SourceRange } from "../../diagnostics/diagnostic";

/** Levels of nesting; the deepest value of a manifest is on the ninth. */
export const maxDepth = 64;

/** Values that aliases may add in all: enough for defaults shared by thousands of services, not for a bomb. */
const maxAliased = 200_000;

type AliasEvent = Extract<Event, { type: typeof EVENT_ID.ALIAS }>;
type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;
type CollectionEvent = Extract<Event, { type: typeof EVENT_ID.SEQUENCE | typeof EVENT_ID.MAPPING }>;
type NodeEvent = Exclude<Event, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>;

interface Reader {
  readonly source: SourceFile;
  readonly text: string;
  readonly report: Report;
  readonly events: readonly Event[];
  next: number;
  /** The offset after the last token that was read. */
  end: number;
  /** Values by their anchors; undefined while one is still being read: an alias inside itself. */
  readonly anchors: Map<string, Anchored | undefined>;
  /** Values that were read so far, each alias counted in full. */
  values: number;
  /** The deepest level that was read since an anchor began. */
  deepest: number;
  /** Values that aliases have added so far. */
  aliased: number;
  /** A mistake has changed the tree: later findings may only follow from it. */
  isBroken: boolean;
}

/** A value that aliases repeat, the values in it with itself, and its levels of nesting. */
interface Anchored {
  readonly node: SourceNode;
  readonly values: number;
  readonly height: number;
}

interface Tree {
  readonly root?: MapNode;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the events of one document as a tree; without one where a mistake may change the meaning of the rest. */
export function readTree(source: SourceFile, text: string, events: readonly Event[], hint?: string): Tree {
  const diagnostics: Diagnostic[] = [];
  const reader: Reader = {
    source,
    text,
    events,
    next: 1,
    end: 0,
    isBroken: false,
    anchors: new Map(),
    values: 0,
    deepest: 0,
    aliased: 0,
    report: (diagnostic) => diagnostics.push(diagnostic),
  };
  const root = events.length < 2 ? undefined : readRoot(reader, hint);
  return root === undefined ? { diagnostics } : { root, diagnostics };
}

/** Reports a construct that js-yaml reads, but YAML or rnv does not allow. */
function refuse(
  reader: Reader,
  [start, end]: readonly [number, number],
  summary: string,
  hint: string,
  code: "manifest.syntax" | "manifest.unsupported" = "manifest.syntax",
): void {
  reader.isBroken = true;
  reader.report(error(code, summary, { range: reader.source.range(start, end), hint }));
}

function readRoot(reader: Reader, hint?: string): MapNode | undefined {
  const root = readNode(reader, 0);
  if (reader.isBroken) return undefined;
  if (root.kind === "map") return root;
  const summary = "the file is not a mapping of keys to values";
  if (!isNull(root)) reader.report(error("manifest.invalid_type", summary, { range: root.range, hint }));
  return undefined;
}

/** Reads the next node; `indicator` is the character before its value, even if the value is missing. */
function readNode(reader: Reader, depth: number, indicator = ""): SourceNode {
  const event = reader.events[reader.next] as NodeEvent;
  reader.next += 1;
  if (event.type === EVENT_ID.ALIAS) return readAlias(reader, event, depth);
  reader.values += 1;
  reader.deepest = Math.max(reader.deepest, depth);
  if (event.tagStart !== -1) refuseTag(reader, event);
  if (event.anchorStart === -1) return readContent(reader, event, depth, indicator);
  if ("[{".includes(reader.text[event.anchorEnd] ?? " "))
    refuse(reader, [event.anchorStart - 1, event.anchorEnd], "a space is missing after the anchor", "add it");
  const name = reader.text.slice(event.anchorStart, event.anchorEnd);
  reader.anchors.set(name, undefined);
  reader.end = event.anchorEnd;
  const { values, deepest } = reader;
  reader.deepest = depth;
  const node = readContent(reader, event, depth, "");
  const height = reader.deepest - depth;
  reader.anchors.set(name, { node, values: reader.values - values + 1, height });
  reader.deepest = Math.max(reader.deepest, deepest);
  return node;
}

function refuseTag(reader: Reader, { tagStart, tagEnd }: ScalarEvent | CollectionEvent): void {
  const hint = "write the plain value; quotes make it text";
  refuse(reader, [tagStart, tagEnd], "YAML tags are not supported", hint, "manifest.unsupported");
}

function readContent(
  reader: Reader,
  event: ScalarEvent | CollectionEvent,
  depth: number,
  indicator: string,
): SourceNode {
  if (event.type === EVENT_ID.SCALAR) return readScalar(reader, event, indicator);
  reader.end = event.start + ("[{".includes(reader.text[event.start] as string) ? 1 : 0);
  return event.type === EVENT_ID.MAPPING ? readMapping(reader, event, depth) : readList(reader, event, depth);
}

function readList(reader: Reader, event: CollectionEvent, depth: number): SourceNode {
  const items: SourceNode[] = [];
  while (hasMore(reader)) items.push(readNode(reader, depth + 1, "-"));
  // js-yaml takes it for the next key of the mapping around the list.
  if (event.style === COLLECTION_STYLE.BLOCK && skip(reader, restOfLine) === 0)
    refuse(reader, [reader.end, reader.end + 1], "unexpected text after an item", "quote all of the item");
  return { kind: "list", items, range: collectionRange(reader, event, "]") };
}

/** Returns true if a node of the open collection follows; else moves the reader behind its end. */
function hasMore(reader: Reader): boolean {
  if (reader.events[reader.next]?.type !== EVENT_ID.POP) return true;
  reader.next += 1;
  return false;
}

function collectionRange(reader: Reader, { start, style }: CollectionEvent, close: string): SourceRange {
  if (style === COLLECTION_STYLE.FLOW) {
    const at = skip(reader, blankAndComma);
    if (reader.text[at] === close) reader.end = at + 1;
  }
  return reader.source.range(start, reader.end);
}

const restOfLine = /[ \t]*(?:[#\r\n]|$)/y;
const blank = /(?:[ \t\r\n]+|#[^\r\n]*)*/y;
const blankAndComma = /(?:[ \t\r\n]+|#[^\r\n]*)*,?(?:[ \t\r\n]+|#[^\r\n]*)*/y;
const beforeHeader = /(?:[ \t\r\n:?-]+|#[^\r\n]*)*/y;

/** Returns the offset after the text that a pattern matches behind the last token. */
function skip({ text, end }: Reader, pattern: RegExp): number {
  pattern.lastIndex = end;
  pattern.test(text);
  return pattern.lastIndex;
}

function readScalar(reader: Reader, event: ScalarEvent, indicator: string): ScalarNode {
  const range = scalarRange(reader, event, indicator);
  const text = getScalarValue(reader.text, event);
  const value = event.style === SCALAR_STYLE.PLAIN ? plainValue(text) : text;
  reader.end = range.end;
  if (typeof value !== "number" || Number.isFinite(value)) return { kind: "scalar", value, range };
  reader.report(
    error("manifest.invalid_value", "the number is not finite", { range, hint: "quote it if it is text" }),
  );
  return { kind: "scalar", value: 0, range };
}

/** Returns the range of a scalar with its quotes; a missing value is right after the indicator. */
function scalarRange(reader: Reader, event: ScalarEvent, indicator: string): SourceRange {
  const { source, text } = reader;
  const { valueStart, valueEnd, style } = event;
  if (valueStart === -1) {
    const at = skip(reader, blank);
    const end = indicator !== "" && text[at] === indicator ? at + 1 : reader.end;
    return source.range(end, end);
  }
  if (style === SCALAR_STYLE.PLAIN) return source.range(valueStart, valueEnd);
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED)
    return source.range(valueStart - 1, valueEnd + 1);
  const start = skip(reader, beforeHeader);
  return source.range(start, start + text.slice(start, valueEnd).replace(/[ \t\r\n]+$/, "").length);
}

const words = new Map<string, null | boolean>([
  ...["", "~", "null", "Null", "NULL"].map((word): [string, null] => [word, null]),
  ...["true", "True", "TRUE"].map((word): [string, boolean] => [word, true]),
  ...["false", "False", "FALSE"].map((word): [string, boolean] => [word, false]),
]);
const longestWord = 5;

const number = /^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)$/;
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** The value of unquoted text in the core schema. */
function plainValue(text: string): ScalarNode["value"] {
  const word = text.length <= longestWord ? words.get(text) : undefined;
  if (word !== undefined) return word;
  // Past the digits are the letters, which no number begins with.
  if (text.charCodeAt(0) > 57) return text;
  if (number.test(text)) return Number(text);
  return notFinite.test(text) ? Number.NaN : text;
}

function readMapping(reader: Reader, event: CollectionEvent, depth: number): MapNode {
  const entries = new Map<string, MapEntry>();
  const merged: SourceNode[] = [];
  while (hasMore(reader)) {
    const key = readKey(reader, depth + 1);
    const value = readNode(reader, depth + 1, ":");
    if (key?.isMerge) merged.push(value);
    else if (key !== undefined) addEntry(reader, entries, { key: key.text, keyRange: key.range, value });
  }
  for (const source of merged) merge(reader, source, entries);
  return { kind: "map", entries, range: collectionRange(reader, event, "}") };
}

interface Key {
  readonly text: string;
  readonly range: SourceRange;
  /** `<<` without quotes. */
  readonly isMerge: boolean;
}

function readKey(reader: Reader, depth: number): Key | undefined {
  const { events, report } = reader;
  const event = events[reader.next] as NodeEvent;
  reader.next += 1;
  if (event.type !== EVENT_ID.SCALAR) {
    const range =
      event.type === EVENT_ID.ALIAS ? aliasRange(reader, event) : readContent(reader, event, depth, "").range;
    report(error("manifest.invalid_type", "keys must be text", { range, hint: "quote the key" }));
    return undefined;
  }
  if (event.tagStart !== -1) refuseTag(reader, event);
  const range = scalarRange(reader, event, "");
  reader.end = range.end;
  const isPlain = event.style === SCALAR_STYLE.PLAIN;
  const key = getScalarValue(reader.text, event);
  if (isPlain && typeof plainValue(key) !== "string") {
    report(error("manifest.invalid_type", "keys must be text", { range, hint: "quote the key" }));
    return undefined;
  }
  if (key === "__proto__") {
    report(error("manifest.invalid_name", 'the key "__proto__" is reserved', { range }));
    return undefined;
  }
  if (event.anchorStart !== -1) report(error("manifest.unsupported", "a key cannot be an anchor", { range }));
  return { text: key, range, isMerge: isPlain && key === "<<" };
}

function addEntry({ text, report }: Reader, entries: Map<string, MapEntry>, entry: MapEntry): void {
  const { key, keyRange } = entry;
  const first = entries.get(key);
  if (first === undefined) {
    entries.set(key, entry);
    return;
  }
  const detail = `It is already set at ${formatLocation(first.keyRange, text)}.`;
  const about = { range: keyRange, detail, hint: "remove one of the two" };
  report(error("manifest.duplicate_key", `duplicate key ${quoteShort(key)}`, about));
}

/** `<<`: keys of the mapping itself win, then those of the first mapping merged. */
function merge(reader: Reader, source: SourceNode, entries: Map<string, MapEntry>): void {
  for (const node of source.kind === "list" ? source.items : [source]) {
    if (node.kind === "map") {
      for (const entry of node.entries.values()) if (!entries.has(entry.key)) entries.set(entry.key, entry);
    } else if (!reader.isBroken) {
      const { range } = node;
      reader.report(error("manifest.invalid_type", "<< merges a mapping or a list of mappings", { range }));
    }
  }
}

function readAlias(reader: Reader, event: AliasEvent, depth: number): SourceNode {
  const { text, anchors, report } = reader;
  const name = text.slice(event.anchorStart, event.anchorEnd);
  const range = aliasRange(reader, event);
  const nothing: SourceNode = { kind: "scalar", value: null, range };
  const anchored = anchors.get(name);
  if (anchored === undefined) {
    reader.isBroken = true;
    const hint = "write &name before the first such value; text that begins with * needs quotes";
    report(
      anchors.has(name)
        ? error("manifest.syntax", "the alias refers to itself", { range })
        : error("manifest.syntax", "the alias names no anchor before it", { range, hint }),
    );
    return nothing;
  }
  const { node, values, height } = anchored;
  reader.deepest = Math.max(reader.deepest, depth + height);
  if (depth + height > maxDepth) {
    report(error("manifest.too_deep", `aliases nest values more than ${maxDepth} levels deep`, { range }));
    return nothing;
  }
  reader.values += values;
  reader.aliased += values;
  if (reader.aliased <= maxAliased) return node;
  // Said once.
  const hint = "write the values out, or split the manifest";
  if (reader.aliased - values <= maxAliased)
    report(error("manifest.too_large", `aliases repeat more than ${maxAliased} values`, { range, hint }));
  return nothing;
}

function aliasRange(reader: Reader, { anchorStart, anchorEnd }: AliasEvent): SourceRange {
  reader.end = anchorEnd;
  return reader.source.range(anchorStart - 1, anchorEnd);
}
