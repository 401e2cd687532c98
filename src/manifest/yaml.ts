import { EVENT_ID, type Event, parseEvents, YAMLException } from "js-yaml";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { explainSyntax } from "./explain-syntax";
import type { Report } from "./findings";
import type { MapNode } from "./tree";
import { maxDepth, readTree } from "./yaml-tree";

/** Lines, commas, colons and brackets of one file: they bound its values, and so the memory that it takes. */
const maxMarks = 450_000;

/** Control characters are not allowed in YAML, nor is a byte order mark that begins a line below the first. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]|(?<=[\r\n])\ufeff/;

export interface ParsedYaml {
  /** Undefined for an empty file, or one that cannot be read at all. */
  readonly root?: MapNode;
  /** A mistake was reported. */
  readonly failed: boolean;
}

/** Reads the YAML 1.2 document (core schema) of one file as a tree; mistakes go to `report`. */
export function parseYaml(file: string, text: string, report: Report): ParsedYaml {
  const refused = controlCharacter(file, text) ?? oversize(file, text) ?? directive(file, text);
  const { root, diagnostics } = refused ? { diagnostics: [refused] } : parse(file, text);
  diagnostics.forEach(report);
  const failed = diagnostics.length > 0;
  return root === undefined ? { failed } : { root, failed };
}

function parse(file: string, text: string): ReturnType<typeof readTree> {
  try {
    const events = readEvents(text);
    const other = otherDocument(file, text);
    return other === undefined ? readTree(file, text, events) : { diagnostics: [other] };
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const at = cause.mark?.position ?? 0;
    const isDeep = cause.reason.startsWith("nesting exceeded");
    return { diagnostics: [isDeep ? tooDeep(file, at) : explainSyntax(file, text, cause)] };
  }
}

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
  if (marks <= maxMarks) return undefined;
  return error("manifest.too_large", `${file} holds more than ${maxMarks} lines and values`, {
    range: { file, start: 0, end: 0 },
    hint: "split it into several files of a folder",
  });
}

/** A line that holds more than a comment. */
const content = /^[ \t]*[^#\s]/m;

function directive(file: string, text: string): Diagnostic | undefined {
  const start = text.search(content);
  if (text[start] !== "%") return undefined;
  const end = start + (/^.*/.exec(text.slice(start))?.[0].length ?? 0);
  return error("manifest.unsupported", "YAML directives are not supported", {
    range: { file, start, end },
    hint: "remove this line",
  });
}

/**
 * A mark of documents at the start of a line: within a text it is a syntax error. js-yaml takes one on the first line
 * that is indented, too.
 */
const documentMark = /(?:^[ \t]+---|(?<![^\r\n])(?:---|\.\.\.))(?![^ \t\r\n])/g;

/** One document may be opened before its content and closed behind it. */
function otherDocument(file: string, text: string): Diagnostic | undefined {
  const first = text.search(content);
  for (const { 0: mark, index: start } of text.matchAll(documentMark)) {
    const end = start + mark.length;
    const isLast = !content.test(text.slice(end));
    if (mark === "---" ? start === first : isLast && start > first) continue;
    return error("manifest.unsupported", "a manifest holds one YAML document", {
      range: { file, start, end },
      hint: isLast ? "remove this line" : "put the second document into a file of its own",
    });
  }
  return undefined;
}

const tooDeep = (file: string, offset: number): Diagnostic =>
  error("manifest.too_deep", `values are nested more than ${maxDepth} levels deep`, {
    range: { file, start: offset, end: offset + 1 },
  });

/** Reads a text as events. Throws an `YAMLException` that knows the offset of the first mistake. */
function readEvents(text: string): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: maxDepth + 1 });
  } catch (cause) {
    const at = cause instanceof YAMLException ? cause.mark?.position : undefined;
    if (at === undefined || !/[\]}]/.test(text[at] ?? "")) throw cause;
    const closers = [...text.matchAll(lineOfCloser)].map((found) => found.index + found[0].length);
    const events = readShifted(text, closers);
    const outside = withoutScalars(closers, events);
    if (outside.length === closers.length) return events;
    const again = readShifted(text, outside);
    if (withoutScalars(outside, again).length < outside.length) throw cause;
    return again;
  }
}

/** A line that begins with a closing bracket. */
const lineOfCloser = /^[ ]*(?=[\]}])/gm;

/**
 * Reads a text whose brackets may close at the level of their key, which js-yaml refuses: a space goes before each of
 * them. The offsets of the events are those of the text without these spaces.
 */
function readShifted(text: string, closers: readonly number[]): readonly Event[] {
  const pieces = [...closers, text.length].map((end, i) => text.slice(closers[i - 1] ?? 0, end));
  const original = (shifted: number): number => shifted - countBelow(closers, shifted);
  try {
    const events = parseEvents(pieces.join(" "), { maxDepth: maxDepth + 1 });
    for (const event of events as readonly (Event & Partial<Record<Offset, number>>)[])
      for (const field of offsets) {
        const offset = event[field];
        if (offset !== undefined && offset > 0) event[field] = original(offset);
      }
    return events;
  } catch (cause) {
    if (cause instanceof YAMLException && cause.mark) cause.mark.position = original(cause.mark.position);
    throw cause;
  }
}

const offsets = [
  "start",
  "valueStart",
  "valueEnd",
  "anchorStart",
  "anchorEnd",
  "tagStart",
  "tagEnd",
] as const;
type Offset = (typeof offsets)[number];

/** Counts the spaces that lie before an offset of the shifted text. */
function countBelow(closers: readonly number[], shifted: number): number {
  let [low, high] = [0, closers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((closers[middle] as number) + middle < shifted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The offsets that lie in no scalar. */
function withoutScalars(closers: readonly number[], events: readonly Event[]): readonly number[] {
  const scalars = events.filter((event) => event.type === EVENT_ID.SCALAR);
  let next = 0;
  return closers.filter((at) => {
    while (next < scalars.length && (scalars[next]?.valueEnd ?? 0) <= at) next += 1;
    return (scalars[next]?.valueStart ?? Number.POSITIVE_INFINITY) > at;
  });
}
