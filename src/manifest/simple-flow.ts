import { maxDepth } from "./convert-document";
import { isTextKey } from "./plain-value";
import { Entries, Scalar, ScalarList } from "./simple-nodes";
import {
  beforeOf,
  doubt,
  endOf,
  endOfNode,
  keepBefore,
  plainIn,
  type Reader,
  rangeIn,
  skipSpaces,
} from "./simple-reader";
import type { ListNode, MapNode, SourceNode } from "./source-tree";

const quotedAt = /"[^"\\\n]*"|'[^'\n]*'/y;
const flowWordAt = /[A-Za-z0-9_/.$+][A-Za-z0-9_/.$+@%=-]*/y;
const flowKeyAt = /[A-Za-z_][A-Za-z0-9_-]*: /y;

/** A quoted text, a word, or `{ }` or `[ ]` of these, on one line. */
export function readFlow(reader: Reader, under: string, at: number, depth: number): SourceNode {
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
