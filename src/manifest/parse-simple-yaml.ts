import { maxDepth } from "./convert-document";
import { isTextKey } from "./plain-value";
import { readFlow } from "./simple-flow";
import { Entries, Scalar } from "./simple-nodes";
import {
  type Before,
  beforeOf,
  doubt,
  endOf,
  endOfNode,
  hasEnded,
  isFlat,
  keepBefore,
  nextLine,
  plainIn,
  type Reader,
  rangeIn,
  skipSpaces,
} from "./simple-reader";
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
