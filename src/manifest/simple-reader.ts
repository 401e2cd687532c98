import type { SourceRange } from "../diagnostics/diagnostic";
import type { KeyList } from "../model/alike-map";
import { plainValue } from "./plain-value";
import { Scalar, ScalarList } from "./simple-nodes";
import type { SourceNode } from "./source-tree";

/** Thrown where the text leaves the subset. */
export const doubt = Symbol("not simple YAML");

/** Indent after the last line. */
const ended = -1;

/** Where the fast parser stands in a text, and what it may expect there. */
export interface Reader {
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
export interface Before {
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

export const beforeOf = ({ before }: Reader, under: string, depth: number): Before | undefined =>
  before.get(under) ?? before.get(depth);

export function keepBefore({ before }: Reader, under: string, depth: number, known: Before): void {
  before.set(under, known);
  before.set(depth, known);
}

export const hasEnded = (reader: Reader): boolean => reader.indent === ended;

/** Goes to the next line with content. */
export function nextLine(reader: Reader): void {
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

/** The value of unquoted text, beyond doubt. */
export function plainIn(text: string): Scalar["value"] {
  const value = plainValue(text);
  if (value === undefined) throw doubt;
  return value;
}

export function skipSpaces({ text }: Reader, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 32) at += 1;
  return at;
}

/** The offset after what a sticky pattern matches at an offset. */
export function endOf(pattern: RegExp, { text }: Reader, at: number): number {
  pattern.lastIndex = at;
  if (!pattern.test(text)) throw doubt;
  return pattern.lastIndex;
}

/** It knows its offsets without a range, and can be moved. */
export const isFlat = (node: SourceNode): node is Scalar | ScalarList =>
  node instanceof Scalar || node instanceof ScalarList;

export const endOfNode = (node: SourceNode): number => (isFlat(node) ? node.end : node.range.end);

export const rangeIn = (reader: Reader, start: number, end: number): SourceRange => ({
  file: reader.file,
  start,
  end,
});
