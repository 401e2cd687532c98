import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from "js-yaml";
import { type Diagnostic, error, type SourceRange } from "../diagnostics/diagnostic";
import { slipOf, suggest } from "../diagnostics/suggest";
import { formatLocation, type Report, suggestedMisses } from "./findings";
import { isNull, type MapEntry, type MapNode, quoteShort, type ScalarNode, type SourceNode } from "./tree";
import {
  type Mask,
  maxDepth,
  readWithYaml,
  type ScalarEvent,
  tooDeep,
  tooLarge,
  type YamlEvent,
} from "./yaml-document";

/** Values that aliases may add in all: enough for defaults shared by thousands of services, not for a bomb. */
const maxAliased = 200_000;

/** Lines, commas, colons and brackets of one file: they bound its values, and so the memory that it takes. */
const maxMarks = 450_000;

/** Control characters are not allowed in YAML. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

export interface ParsedYaml {
  /** Undefined for an empty file, or one that cannot be read at all. */
  readonly root?: MapNode;
  /** A mistake was reported. */
  readonly failed: boolean;
}

interface Anchored {
  /** Undefined while the anchored value is still being read: an alias inside itself. */
  node?: SourceNode;
  values: number;
  height: number;
}

type AliasEvent = Extract<Event, { type: typeof EVENT_ID.ALIAS }>;
type CollectionEvent = Extract<Event, { type: typeof EVENT_ID.SEQUENCE | typeof EVENT_ID.MAPPING }>;
type NodeEvent = Exclude<YamlEvent, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>;

/** Turns the events of one document into a tree. */
interface Reader {
  readonly file: string;
  readonly text: string;
  readonly report: Report;
  readonly events: readonly YamlEvent[];
  /** The event that is read next. */
  next: number;
  /** The offset after the last token that was read. */
  end: number;
  readonly anchors: Map<string, Anchored>;
  /** Values so far, each alias counted in full. */
  values: number;
  aliased: number;
  deepest: number;
  /** Aliases that name no anchor. */
  misses: number;
  /** Text goes on behind a list: js-yaml takes it for the next key of the mapping around it. */
  hasRest: boolean;
  /** An alias stands for nothing: what follows from that is no mistake of its own. */
  isBroken: boolean;
}

/** Reads the YAML 1.2 document (core schema) of one file as a tree; mistakes go to `report`. */
export function parseYaml(file: string, text: string, report: Report, mask: Mask = () => ""): ParsedYaml {
  const refused = controlCharacter(file, text) ?? oversize(file, text);
  const { root, diagnostics } = refused
    ? { diagnostics: [refused] }
    : (readClear(file, text) ?? readDoubtful(file, text, mask));
  diagnostics.forEach(report);
  const failed = diagnostics.length > 0;
  return root === undefined ? { failed } : { root, failed };
}

interface Tree {
  readonly root?: MapNode;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a text that js-yaml takes without doubt; undefined where the library `yaml` has to decide. */
function readClear(file: string, text: string): Tree | undefined {
  try {
    const events = parseEvents(text, { maxDepth: maxDepth + 1 });
    return doubtful.test(text) || events.some(isDoubtful) ? undefined : readTree(file, text, events);
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    if (!cause.reason.startsWith("nesting exceeded")) return undefined;
    return { diagnostics: [tooDeep(file, cause.mark?.position ?? 0)] };
  }
}

function readDoubtful(file: string, text: string, mask: Mask): Tree {
  const diagnostics: Diagnostic[] = [];
  const events = readWithYaml(file, text, (diagnostic) => diagnostics.push(diagnostic), mask);
  return (diagnostics.length > 0 ? undefined : readTree(file, text, events)) ?? { diagnostics };
}

/** The tree of one document; undefined where text goes on behind a list, which js-yaml takes for a key. */
function readTree(file: string, text: string, events: readonly YamlEvent[]): Tree | undefined {
  const diagnostics: Diagnostic[] = [];
  const counts = { next: 1, end: 0, values: 0, aliased: 0, deepest: 0, misses: 0 };
  const reader: Reader = {
    ...{ file, text, events, ...counts, hasRest: false, isBroken: false, anchors: new Map() },
    report: (diagnostic) => diagnostics.push(diagnostic),
  };
  const root = events.length < 2 ? undefined : readRoot(reader);
  if (reader.hasRest) return undefined;
  return root === undefined ? { diagnostics } : { root, diagnostics };
}

/**
 * Where js-yaml is less strict than the library `yaml`: tabs and document marks in indentation, directives, the end of
 * a document, a byte order mark within the text, an anchor before a bracket, an escape of no character.
 */
const doubtful = /^ *(?:\t|%)|^ +---|^\.\.\.|\ufeff|\s&[^\s,[\]{}]+[[{]|\\U(?!00(?:0|10))/m;

/** Whether an event is what a manifest must not hold: another document, or a tag. */
const isDoubtful = (event: Event, i: number): boolean =>
  event.type === EVENT_ID.DOCUMENT ? i > 0 : "tagStart" in event && event.tagStart !== -1;

function controlCharacter(file: string, text: string): Diagnostic | undefined {
  const at = text.search(forbidden);
  if (at === -1) return undefined;
  const shown = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
  return error("manifest.syntax", `the control character U+${shown} is not allowed in YAML`, {
    range: { file, start: at, end: at + 1 },
    hint: `write it as an escape in double quotes: "\\u${shown.toLowerCase()}"`,
  });
}

function oversize(file: string, text: string): Diagnostic | undefined {
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 44 || code === 58 || code === 91 || code === 123) marks += 1;
  }
  return marks > maxMarks ? tooLarge(file, `${maxMarks} lines and values`, 0) : undefined;
}

function readRoot(reader: Reader): MapNode | undefined {
  const root = readNode(reader, 0);
  if (reader.isBroken) return undefined;
  if (root.kind === "map") return root;
  if (!isNull(root))
    reader.report(
      error("manifest.invalid_type", "a manifest is a mapping of keys to values", {
        range: root.range,
        hint: "begin with a line such as projects: or services:",
      }),
    );
  return undefined;
}

/** Reads the next node; `indicator` stands before a value, also before one that is left out. */
function readNode(reader: Reader, depth: number, indicator = ""): SourceNode {
  const event = reader.events[reader.next] as NodeEvent;
  reader.next += 1;
  reader.values += 1;
  if (event.type === EVENT_ID.ALIAS) return readAlias(reader, event, depth);
  if (event.anchorStart === -1) return readContent(reader, event, depth, indicator);
  const outer = reader.deepest;
  reader.deepest = depth;
  const before = reader.values;
  const anchored: Anchored = { values: 0, height: 0 };
  reader.anchors.set(reader.text.slice(event.anchorStart, event.anchorEnd), anchored);
  reader.end = event.anchorEnd;
  anchored.node = readContent(reader, event, depth, "");
  anchored.values = reader.values - before + 1;
  anchored.height = reader.deepest - depth;
  reader.deepest = Math.max(outer, reader.deepest);
  return anchored.node;
}

function readContent(
  reader: Reader,
  event: ScalarEvent | CollectionEvent,
  depth: number,
  indicator: string,
): SourceNode {
  if (event.type === EVENT_ID.SCALAR) return readScalar(reader, event, indicator);
  reader.deepest = Math.max(reader.deepest, depth + 1);
  reader.end = event.start + ("[{".includes(reader.text[event.start] as string) ? 1 : 0);
  return event.type === EVENT_ID.MAPPING ? readMapping(reader, event, depth) : readList(reader, event, depth);
}

function readList(reader: Reader, event: CollectionEvent, depth: number): SourceNode {
  const items: SourceNode[] = [];
  while (hasMore(reader)) items.push(readNode(reader, depth + 1, "-"));
  if (event.style === COLLECTION_STYLE.BLOCK && skip(reader, restOfLine) === 0) reader.hasRest = true;
  return { kind: "list", items, range: collectionRange(reader, event, "]") };
}

/** Whether a node of the open collection follows; leaves the reader behind its end. */
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
  return { file: reader.file, start, end: reader.end };
}

const restOfLine = /[ \t]*(?:[#\r\n]|$)/y;
const blank = /(?:[ \t\r\n]+|#[^\r\n]*)*/y;
const blankAndComma = /(?:[ \t\r\n]+|#[^\r\n]*)*,?(?:[ \t\r\n]+|#[^\r\n]*)*/y;
const beforeHeader = /(?:[ \t\r\n:?-]+|#[^\r\n]*)*/y;

/** The offset after what a pattern matches behind the last token. */
function skip({ text, end }: Reader, pattern: RegExp): number {
  pattern.lastIndex = end;
  pattern.test(text);
  return pattern.lastIndex;
}

function readScalar(reader: Reader, event: ScalarEvent, indicator: string): ScalarNode {
  const range = scalarRange(reader, event, indicator);
  const text = event.decoded ?? getScalarValue(reader.text, event);
  const value = event.style === SCALAR_STYLE.PLAIN ? plainValue(text) : text;
  reader.end = range.end;
  if (typeof value !== "number" || Number.isFinite(value)) return { kind: "scalar", value, range };
  reader.report(
    error("manifest.invalid_value", "the number is not finite", { range, hint: "quote it if it is text" }),
  );
  return { kind: "scalar", value: 0, range };
}

/** Where a scalar stands, with its quotes; one that is left out stands right after the indicator. */
function scalarRange(reader: Reader, event: ScalarEvent, indicator: string): SourceRange {
  const { file, text } = reader;
  const { valueStart, valueEnd, style } = event;
  if (valueStart === -1) {
    const at = skip(reader, blank);
    const end = indicator !== "" && text[at] === indicator ? at + 1 : reader.end;
    return { file, start: end, end };
  }
  if (style === SCALAR_STYLE.PLAIN) return { file, start: valueStart, end: valueEnd };
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED)
    return { file, start: valueStart - 1, end: valueEnd + 1 };
  const start = skip(reader, beforeHeader);
  return { file, start, end: start + text.slice(start, valueEnd).replace(/[ \t\r\n]+$/, "").length };
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

/** Reads a key; undefined after a mistake. */
function readKey(reader: Reader, depth: number): Key | undefined {
  const { text, events, report } = reader;
  const event = events[reader.next] as NodeEvent;
  if (event.type !== EVENT_ID.SCALAR) {
    reader.next += 1;
    const range =
      event.type === EVENT_ID.ALIAS ? aliasRange(reader, event) : readContent(reader, event, depth, "").range;
    report(error("manifest.invalid_type", "keys must be text", { range, hint: "quote the key" }));
    return undefined;
  }
  reader.next += 1;
  const range = scalarRange(reader, event, "");
  reader.end = range.end;
  const isPlain = event.style === SCALAR_STYLE.PLAIN;
  const key = event.decoded ?? getScalarValue(text, event);
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

function addEntry({ file, text, report }: Reader, entries: Map<string, MapEntry>, entry: MapEntry): void {
  const { key, keyRange } = entry;
  const first = entries.get(key);
  if (first === undefined) {
    entries.set(key, entry);
    return;
  }
  report(
    error("manifest.duplicate_key", `duplicate key ${quoteShort(key)}`, {
      range: keyRange,
      detail: `It is already set at ${formatLocation(first.keyRange, new Map([[file, text]]))}.`,
      hint: "remove one of the two",
    }),
  );
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
  if (anchored?.node === undefined) {
    reader.isBroken = true;
    report(
      anchored === undefined
        ? error("manifest.syntax", "the alias names no anchor before it", {
            range,
            hint: aliasHint(reader, name),
          })
        : error("manifest.syntax", "the alias stands in its own anchor", { range }),
    );
    return nothing;
  }
  if (depth + anchored.height > maxDepth) {
    report(error("manifest.too_deep", `aliases nest values more than ${maxDepth} levels deep`, { range }));
    return nothing;
  }
  const already = reader.aliased > maxAliased;
  reader.aliased += anchored.values;
  if (reader.aliased > maxAliased) {
    if (!already)
      report(
        error("manifest.too_large", `aliases repeat more than ${maxAliased} values`, {
          range,
          hint: "write the values out, or split the manifest",
        }),
      );
    return nothing;
  }
  reader.values += anchored.values;
  reader.deepest = Math.max(reader.deepest, depth + anchored.height);
  return anchored.node;
}

function aliasHint(reader: Reader, name: string): string {
  reader.misses += 1;
  const known = reader.misses > suggestedMisses ? [] : [...reader.anchors.keys()];
  const meant = suggest(name, known) ?? slipOf(name, known);
  return meant === undefined
    ? "write &name before the first such value; text that begins with * needs quotes"
    : `did you mean "${meant}"?`;
}

function aliasRange(reader: Reader, { anchorStart, anchorEnd }: AliasEvent): SourceRange {
  reader.end = anchorEnd;
  return { file: reader.file, start: anchorStart - 1, end: anchorEnd };
}
