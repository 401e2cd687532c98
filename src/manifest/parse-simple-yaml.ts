import type { SourceRange } from "../diagnostics/source-range";
import type { KeyList } from "../model/alike-map";
import { maxDepth } from "./convert-document";
import { Entries, Scalar } from "./simple-nodes";
import type { ListNode, MapNode, SourceNode } from "./source-tree";

/**
 * The YAML that most manifests are made of, ten times faster than the YAML parser: block mappings with plain or
 * quoted words, lists of them, and one-line `{ }` and `[ ]`. Whatever else it meets, or doubts, or finds wrong makes it
 * give up (undefined): the YAML parser then decides. It must never read a text differently than that parser does.
 */
export function parseSimpleYaml(file: string, text: string): MapNode | undefined {
  if (text.includes("\t") || text.includes("\r")) return undefined;
  const lineEnd = text.startsWith("---\n") ? 3 : -1;
  const reader: Reader = { file, text, lineStart: 0, lineEnd, indent: 0, keys: new Map() };
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
  /** The keys of the mapping that last stood under a key, or at a depth: those of the next are mostly the same. */
  readonly keys: Map<string | number, KeyList>;
}

/** For a mapping that stands under a key: those that stood there before mostly had the same keys. */
const openEntries = ({ keys, file }: Reader, under: string, depth: number): Entries =>
  new Entries(keys.get(under) ?? keys.get(depth), file);

function closeEntries({ keys }: Reader, under: string, depth: number, entries: Entries): void {
  const { list } = entries;
  keys.set(under, list);
  keys.set(depth, list);
}

// Asked with `test`, which allocates nothing: a large manifest asks a hundred thousand times.
const keyAt = /[A-Za-z_][A-Za-z0-9_-]*:(?= |$)/my;
const itemAt = /- +(?=[^ ])/my;
const hash = 35;

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
  const entries = openEntries(reader, under, depth);
  const start = reader.lineStart;
  let keyEnd = start;
  let value: SourceNode | undefined;
  while (reader.indent === indent) {
    const keyStart = reader.lineStart;
    const { expected } = entries;
    const key = readKey(reader, expected);
    if (!entries.addKey(key, expected, keyStart)) throw doubt;
    keyEnd = keyStart + key.length;
    value = readValue(reader, key, keyEnd, indent, depth);
    entries.addValue(value);
  }
  if (reader.indent > indent) throw doubt;
  const end = value === undefined ? start : Math.max(keyEnd + 1, endOfNode(value));
  closeEntries(reader, under, depth, entries);
  return { kind: "map", entries, range: rangeIn(reader, start, end) };
}

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
  return new Scalar(plainValue(line), reader.file, at, at + line.length);
}

function readFlow(reader: Reader, under: string, at: number, depth: number): SourceNode {
  if (depth > maxDepth) throw doubt;
  const first = reader.text[at];
  if (first === "{") return readFlowMap(reader, under, at, depth);
  if (first === "[") return readFlowList(reader, under, at, depth);
  const isQuoted = first === '"' || first === "'";
  const end = endOf(isQuoted ? quotedAt : flowWordAt, reader, at);
  const value = isQuoted ? reader.text.slice(at + 1, end - 1) : plainValue(reader.text.slice(at, end));
  return new Scalar(value, reader.file, at, end);
}

function readFlowMap(reader: Reader, under: string, open: number, depth: number): MapNode {
  const entries = openEntries(reader, under, depth);
  const end = readFlowItems(reader, open, "}", (at) => {
    const key = reader.text.slice(at, endOf(flowKeyAt, reader, at) - 2);
    if (!isTextKey(key)) throw doubt;
    if (!entries.addKey(key, entries.expected, at)) throw doubt;
    const value = readFlow(reader, key, skipSpaces(reader, at + key.length + 1), depth + 1);
    entries.addValue(value);
    return endOfNode(value);
  });
  closeEntries(reader, under, depth, entries);
  return { kind: "map", entries, range: rangeIn(reader, open, end) };
}

function readFlowList(reader: Reader, under: string, open: number, depth: number): ListNode {
  const items: SourceNode[] = [];
  const end = readFlowItems(reader, open, "]", (at) => {
    const item = readFlow(reader, under, at, depth + 1);
    items.push(item);
    return endOfNode(item);
  });
  return { kind: "list", items, range: rangeIn(reader, open, end) };
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

const words = new Map<string, null | boolean>(
  ["null", "Null", "NULL"].map((word): [string, null] => [word, null]),
);
for (const word of ["true", "True", "TRUE"]) words.set(word, true);
for (const word of ["false", "False", "FALSE"]) words.set(word, false);

const longestWord = 5;

const wholeNumber = /^(?:0|[1-9][0-9]{0,14})$/;
/** A superset of the numbers of the core schema. */
const numberLike =
  /^[-+]?(?:0o[0-7]+|0x[0-9a-fA-F]+|(?:\.[0-9]+|[0-9]+\.?[0-9]*)(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF|nan|NaN|NAN))$/;

/** The core schema, for the cases that are beyond doubt. */
function plainValue(text: string): null | boolean | number | string {
  const word = text.length <= longestWord ? words.get(text) : undefined;
  if (word !== undefined) return word;
  // Past the digits are the letters, which no number begins with.
  if (text.charCodeAt(0) > 57) return text;
  if (wholeNumber.test(text)) return Number(text);
  if (numberLike.test(text)) throw doubt;
  return text;
}

const isTextKey = (key: string): boolean =>
  (key.length > longestWord || !words.has(key)) && key !== "__proto__";

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

const endOfNode = (node: SourceNode): number => (node instanceof Scalar ? node.end : node.range.end);

const rangeIn = (reader: Reader, start: number, end: number): SourceRange => ({
  file: reader.file,
  start,
  end,
});
