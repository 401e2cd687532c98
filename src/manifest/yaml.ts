import { YAMLException } from "js-yaml";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { explainSyntax } from "./explain-syntax";
import type { Report } from "./findings";
import type { MapNode } from "./tree";
import { readEvents } from "./yaml-events";
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

/** The text of a file that does not parse with its secrets starred out, offsets as they were. */
export type Mask = (text: string) => string;

/** Reads the YAML 1.2 document (core schema) of one file as a tree; mistakes go to `report`. */
export function parseYaml(file: string, text: string, report: Report, mask: Mask = () => ""): ParsedYaml {
  const refused = controlCharacter(file, text) ?? oversize(file, text) ?? directive(file, text);
  const { root, diagnostics } = refused ? { diagnostics: [refused] } : parse(file, text, mask);
  diagnostics.forEach(report);
  const failed = diagnostics.length > 0;
  return root === undefined ? { failed } : { root, failed };
}

function parse(file: string, text: string, mask: Mask): ReturnType<typeof readTree> {
  try {
    const events = readEvents(text);
    const other = otherDocument(file, text);
    return other === undefined ? readTree(file, text, events) : { diagnostics: [other] };
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const at = cause.mark?.position ?? 0;
    const isDeep = cause.reason.startsWith("nesting exceeded");
    return { diagnostics: [isDeep ? tooDeep(file, at) : explainSyntax(file, text, mask(text), cause)] };
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
