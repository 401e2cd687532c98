import type { SourceRange } from "../diagnostics/source-range";
import type { KeyList } from "../model/alike-map";
import { maxDepth } from "./convert-document";
import { isTextKey, plainValue } from "./plain-value";
import { Entries, Scalar, ScalarList } from "./simple-nodes";
import type { ListNode, MapNode, SourceNode } from "./source-tree";

/**
 * The YAML that most manifests are made of, ten times faster than the YAML parser: block mappings with plain or
 * quoted words, lists of them, and one-line `{ }` and `[ ]`. Whatever else it meets, or doubts, or finds wrong makes it
 * give up (undefined): the YAML parser then decides. It must never read a text differently than that parser does.
 */
export function parseSimpleYaml(file: string, text: string): MapNode | undefined {
  if (text.includes("\t") || text.includes("\r")) return undefined;
  const lineEnd = text.startsWith("---\n") ? 3 : -1;
  const reader: Reader = { file, text, lineStart: 0, lineEnd, indent: 0, before: new Map() };
  try {
    nextLine(reader);
    if (reader.indent !== 0) return undefined;
    const root = readMap(reader, "", 0, 1);
    return hasEnded(reader) ? root : undefined;
  } catch (cause) {
    if (cause === doubt) return undefined;
    throw cause;
  }
}

/** Thrown where the text leaves the subset. */
const doubt = Symbol("not simple YAML");

/** Indent after the last line. */
const ended = -1;

interface Reader {
  readonly file: string;
  readonly text: string;
  /** The line with content that is read next. */
  lineStart: number;
  lineEnd: number;
  /** Its leading spaces; `ended` after the last line. */
  indent: number;
  /** The mapping that last stood under a key, or at a depth: the next one is mostly alike. */
  readonly before: Map<string | number, Before>;
}

/** What is known of a mapping once it is read. */
interface Before {
  readonly keys: KeyList;
  /** Of its lines; on one line there is none. */
  readonly indent?: number;
  /** Its lines by place, where they may be repeated. */
  readonly lines: (Line | undefined)[];
}

/** A key with a value that ends on its line, from the key to the key of the next line. */
interface Line {
  readonly text: string;
  readonly key: string;
  readonly keyStart: number;
  readonly value: Scalar | ScalarList;
}

const beforeOf = ({ before }: Reader, under: string, depth: number): Before | undefined =>
  before.get(under) ?? before.get(depth);

function keepBefore({ before }: Reader, under: string, depth: number, known: Before): void {
  before.set(under, known);
  before.set(depth, known);
}

// Asked with `test`, which allocates nothing: a large manifest asks a hundred thousand times.
const keyAt = /[A-Za-z_][A-Za-z0-9_-]*:(?= |$)/my;
const itemAt = /- +(?=[^ ])/my;
const hash = 35;
const dash = 45;

/** By code: 1 for the characters given. */
function codesOf(characters: string): Uint8Array {
  const codes = new Uint8Array(128);
  for (const character of characters) codes[character.charCodeAt(0)] = 1;
  return codes;
}

const startsPlain = codesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/.$+");
const opensFlow = codesOf("{['\"");
/** What ends plain text, stands after it, or must not stand in it. */
const unplain = /[#:]| $/;
const quotedAt = /"[^"\\\n]*"|'[^'\n]*'/y;
const flowWordAt = /[A-Za-z0-9_/.$+][A-Za-z0-9_/.$+@%=-]*/y;
const flowKeyAt = /[A-Za-z_][A-Za-z0-9_-]*: /y;

const hasEnded = (reader: Reader): boolean => reader.indent === ended;

function nextLine(reader: Reader): void {
  const { text } = reader;
  for (let start = reader.lineEnd + 1; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    let at = start;
    while (at < end && text.charCodeAt(at) === 32) at += 1;
    if (at < end && text[at] !== "#") {
      reader.lineStart = at;
      reader.lineEnd = end;
      reader.indent = at - start;
      return;
    }
    start = end + 1;
  }
  reader.lineEnd = text.length;
  reader.indent = ended;
}

function readMap(reader: Reader, under: string, indent: number, depth: number): MapNode {
  if (depth > maxDepth) throw doubt;
  const before = beforeOf(reader, under, depth);
  const entries = new Entries(before?.keys, reader.file);
  // In another indentation the same text would say something else.
  const lines = before?.indent === indent ? before.lines : [];
  const start = reader.lineStart;
  let keyEnd = start;
  let value: SourceNode | undefined;
  while (reader.indent === indent) {
    readRepeated(reader, entries, lines);
    const keyStart = reader.lineStart;
    const { expected, size } = entries;
    const key = readKey(reader, expected);
    if (!entries.addKey(key, expected, keyStart)) throw doubt;
    keyEnd = keyStart + key.length;
    const { lineEnd } = reader;
    value = readValue(reader, key, keyEnd, indent, depth);
    entries.addValue(value);
    const { lineStart } = reader;
    const isFollowed = reader.indent === indent && lineStart === lineEnd + 1 + indent;
    lines[size] =
      isFollowed && isFlat(value)
        ? { text: reader.text.slice(keyStart, lineStart), key, keyStart, value }
        : undefined;
  }
  if (reader.indent > indent) throw doubt;
  const end = value === undefined ? start : Math.max(keyEnd + 1, endOfNode(value));
  keepBefore(reader, under, depth, { keys: entries.list, indent, lines });
  return { kind: "map", entries, range: rangeIn(reader, start, end) };
}

/**
 * Lines that are, to the last character, those of the mapping before, each followed by one of the same mapping: most
 * services say the same of most things. Leaves the reader at the first that is another, or the last of the mapping.
 */
function readRepeated(reader: Reader, entries: Entries, lines: Before["lines"]): void {
  const { text, lineStart } = reader;
  let at = lineStart;
  for (;;) {
    const line = lines[entries.size];
    if (line === undefined || !text.startsWith(line.text, at)) break;
    const next = at + line.text.length;
    if (!beginsKey(text.charCodeAt(next))) break;
    if (!entries.addKey(line.key, entries.expected, at)) throw doubt;
    entries.addValue(line.value.movedBy(at - line.keyStart));
    at = next;
  }
  if (at === lineStart) return;
  const newline = text.indexOf("\n", at);
  reader.lineStart = at;
  reader.lineEnd = newline === -1 ? text.length : newline;
}

/** Not a space, a line's end, a comment, an item, or the end of the text. */
const beginsKey = (code: number): boolean => code > hash && code !== dash;

/** The key of the line: the one that is expected there, or whichever it is. */
function readKey(reader: Reader, expected: string | undefined): string {
  const { text, lineStart } = reader;
  if (expected !== undefined && text.startsWith(expected, lineStart)) {
    const colon = lineStart + expected.length;
    const isKey =
      text.charCodeAt(colon) === 58 && (colon + 1 === reader.lineEnd || text.charCodeAt(colon + 1) === 32);
    if (isKey) return expected;
  }
  const key = text.slice(lineStart, endOf(keyAt, reader, lineStart) - 1);
  if (!isTextKey(key)) throw doubt;
  return key;
}

/** What follows `key:`, on its line or below it. Leaves the reader at the line after the value. */
function readValue(reader: Reader, key: string, keyEnd: number, indent: number, depth: number): SourceNode {
  const at = skipSpaces(reader, keyEnd + 1);
  if (at < reader.lineEnd && reader.text.charCodeAt(at) !== hash) {
    const value = readInline(reader, key, at, depth);
    nextLine(reader);
    if (reader.indent > indent) throw doubt;
    return value;
  }
  nextLine(reader);
  if (reader.indent >= indent && isItem(reader)) return readList(reader, key, reader.indent, depth + 1);
  if (reader.indent > indent) return readMap(reader, key, reader.indent, depth + 1);
  return new Scalar(null, reader.file, keyEnd + 1, keyEnd + 1);
}

function isItem(reader: Reader): boolean {
  return reader.text[reader.lineStart] === "-";
}

function readList(reader: Reader, under: string, indent: number, depth: number): ListNode {
  const items: SourceNode[] = [];
  const start = reader.lineStart;
  let end = start;
  while (reader.indent === indent && isItem(reader)) {
    const item = readInline(reader, under, endOf(itemAt, reader, reader.lineStart), depth);
    items.push(item);
    end = endOfNode(item);
    nextLine(reader);
  }
  if (reader.indent > indent) throw doubt;
  return { kind: "list", items, range: rangeIn(reader, start, end) };
}

/** A value that ends on its line. */
function readInline(reader: Reader, under: string, at: number, depth: number): SourceNode {
  const first = reader.text.charCodeAt(at);
  if (opensFlow[first] === 1) {
    const value = readFlow(reader, under, at, depth + 1);
    const end = endOfNode(value);
    const rest = skipSpaces(reader, end);
    if (rest < reader.lineEnd && (reader.text[rest] !== "#" || rest === end)) throw doubt;
    return value;
  }
  if (startsPlain[first] !== 1) throw doubt;
  let line = reader.text.slice(at, reader.lineEnd);
  if (unplain.test(line)) {
    const comment = line.indexOf(" #");
    if (comment !== -1) line = line.slice(0, comment);
    if (line.endsWith(" ")) line = line.replace(/ +$/, "");
    if (line.includes(": ") || line.endsWith(":")) throw doubt;
  }
  return new Scalar(plainIn(line), reader.file, at, at + line.length);
}

function readFlow(reader: Reader, under: string, at: number, depth: number): SourceNode {
  if (depth > maxDepth) throw doubt;
  const first = reader.text[at];
  if (first === "{") return readFlowMap(reader, under, at, depth);
  if (first === "[") return readFlowList(reader, under, at, depth);
  const isQuoted = first === '"' || first === "'";
  const end = endOf(isQuoted ? quotedAt : flowWordAt, reader, at);
  const value = isQuoted ? reader.text.slice(at + 1, end - 1) : plainIn(reader.text.slice(at, end));
  return new Scalar(value, reader.file, at, end);
}

function readFlowMap(reader: Reader, under: string, open: number, depth: number): MapNode {
  const before = beforeOf(reader, under, depth);
  const entries = new Entries(before?.keys, reader.file);
  const end = readFlowItems(reader, open, "}", (at) => {
    const key = reader.text.slice(at, endOf(flowKeyAt, reader, at) - 2);
    if (!isTextKey(key)) throw doubt;
    if (!entries.addKey(key, entries.expected, at)) throw doubt;
    const value = readFlow(reader, key, skipSpaces(reader, at + key.length + 1), depth + 1);
    entries.addValue(value);
    return endOfNode(value);
  });
  keepBefore(reader, under, depth, { keys: entries.list, lines: [] });
  return { kind: "map", entries, range: rangeIn(reader, open, end) };
}

function readFlowList(reader: Reader, under: string, open: number, depth: number): ListNode {
  const items: SourceNode[] = [];
  const end = readFlowItems(reader, open, "]", (at) => {
    const item = readFlow(reader, under, at, depth + 1);
    items.push(item);
    return endOfNode(item);
  });
  return items.every((item): item is Scalar => item instanceof Scalar)
    ? new ScalarList(
        items.map(({ value }) => value),
        items,
        0,
        reader.file,
        open,
        end,
      )
    : { kind: "list", items, range: rangeIn(reader, open, end) };
}

/** Items between brackets on one line, with a comma between every two; gives the offset after the bracket. */
function readFlowItems(reader: Reader, open: number, close: string, item: (at: number) => number): number {
  let at = skipSpaces(reader, open + 1);
  if (reader.text[at] === close) return at + 1;
  for (;;) {
    at = skipSpaces(reader, item(at));
    const mark = reader.text[at];
    if (mark === close) return at + 1;
    if (mark !== ",") throw doubt;
    at = skipSpaces(reader, at + 1);
  }
}

function plainIn(text: string): Scalar["value"] {
  const value = plainValue(text);
  if (value === undefined) throw doubt;
  return value;
}

function skipSpaces({ text }: Reader, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 32) at += 1;
  return at;
}

/** The offset after what a sticky pattern matches at an offset. */
function endOf(pattern: RegExp, { text }: Reader, at: number): number {
  pattern.lastIndex = at;
  if (!pattern.test(text)) throw doubt;
  return pattern.lastIndex;
}

const isFlat = (node: SourceNode): node is Scalar | ScalarList =>
  node instanceof Scalar || node instanceof ScalarList;

const endOfNode = (node: SourceNode): number => (isFlat(node) ? node.end : node.range.end);

const rangeIn = (reader: Reader, start: number, end: number): SourceRange => ({
  file: reader.file,
  start,
  end,
});
