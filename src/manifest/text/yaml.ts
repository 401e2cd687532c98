import { parseEvents, YAMLException } from "js-yaml";
import type * as z from "zod";
import type { Report } from "../../declaration/findings";
import { maxTotalBytes, readSource } from "../../declaration/project-files";
import { judgeDocument } from "../../declaration/schema-issues";
import { holdsSecret } from "../../declaration/secret-texts";
import { type MapNode, mapNode, type SourceNode } from "../../declaration/tree";
import { type Diagnostic, error, SourceFile } from "../../diagnostics/diagnostic";
import { findFiles } from "../find-files";
import { pathText } from "./json";
import { maxDepth, readTree } from "./yaml-tree";

/** Lines, commas, colons and brackets of one file: they bound its values, and so the memory that it takes. */
const maxMarks = 450_000;

export interface ParsedYaml {
  /** Undefined for an empty file, or a file that cannot be read at all. */
  readonly root?: MapNode;
  readonly failed: boolean;
}

/** Reads the YAML 1.2 document (core schema) of a file as a tree. `hint` is for a document that is no mapping. */
export function parseYaml(source: SourceFile, text: string, report: Report, hint?: string): ParsedYaml {
  const refused = oversize(source, text) ?? otherDocument(source, text);
  const { root, diagnostics } = refused ? { diagnostics: [refused] } : parse(source, text, hint);
  diagnostics.forEach(report);
  const failed = diagnostics.length > 0;
  return root === undefined ? { failed } : { root, failed };
}

/** Reads a manifest that `manifestJson` wrote: mistakes in it name the path of their value. */
export function parseValue(source: SourceFile, json: string, report: Report): ParsedYaml {
  const read = parseYaml(source, json, report);
  source.placeAt = (offset) => {
    const path = pathText(stepsTo(read.root, offset));
    return path === "" ? source.path : `${source.path}: ${path}`;
  };
  return read;
}

function stepsTo(node: SourceNode | undefined, offset: number): readonly (string | number)[] {
  if (node === undefined || node.kind === "scalar") return [];
  const parts =
    node.kind === "list"
      ? node.items.map((value, step) => ({ step, value, start: value.range.start }))
      : [...node.entries.values()].map(({ key, keyRange: { start }, value }) => ({
          step: key,
          value,
          start,
        }));
  const part = parts.findLast(({ start, value }) => start <= offset && offset <= value.range.end);
  return part === undefined ? [] : [part.step, ...stepsTo(part.value, offset)];
}

function parse(source: SourceFile, text: string, hint?: string): ReturnType<typeof readTree> {
  try {
    return readTree(source, text, parseEvents(text, { maxDepth: maxDepth + 1 }), hint);
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const at = cause.mark?.position ?? 0;
    const isDeep = cause.reason.startsWith("nesting exceeded");
    return { diagnostics: [isDeep ? tooDeep(source, at) : explainSyntax(source, text, cause)] };
  }
}

function oversize(source: SourceFile, text: string): Diagnostic | undefined {
  const marks = text.match(/[\n,:[{]/g) ?? [];
  if (marks.length <= maxMarks) return undefined;
  return error("manifest.too_large", `${source.path} holds more than ${maxMarks} lines and values`, {
    range: source.range(0, 0),
    hint: "split it into several files of a folder",
  });
}

const content = /^[ \t]*[^#\s]/m;

/** A mark of documents at the start of a line, or a directive. js-yaml accepts an indented mark on the first line. */
const documentMark = /(?:^[ \t]+---|(?<![^\r\n])(?:---|\.\.\.))(?![^ \t\r\n])|(?<![^\r\n])%[^\r\n]*/g;

/** One document may be opened before its content and closed behind it; directives stand before it. */
function otherDocument(source: SourceFile, text: string): Diagnostic | undefined {
  const first = text.search(content);
  for (const { 0: mark, index: start } of text.matchAll(documentMark)) {
    const end = start + mark.length;
    const isLast = !content.test(text.slice(end));
    const isDirective = mark.startsWith("%");
    if (mark === "---" ? start === first : isDirective ? start !== first : isLast && start > first) continue;
    return error("manifest.unsupported", "a manifest holds one YAML document, without directives", {
      range: source.range(start, end),
      hint: isLast || isDirective ? "remove this line" : "put the second document into a file of its own",
    });
  }
  return undefined;
}

const tooDeep = (source: SourceFile, offset: number): Diagnostic =>
  error("manifest.too_deep", `values are nested more than ${maxDepth} levels deep`, {
    range: source.range(offset, offset + 1),
  });

/** A mistake from an offset to the end of its line. It quotes nothing: a text can hold a secret. */
interface Cause {
  readonly summary: string;
  readonly hint: string;
  readonly start: number;
}

interface Situation {
  readonly text: string;
  readonly reason: string;
  readonly at: number;
  readonly line: SourceLine;
  /** The line above that holds more than a comment. */
  readonly above?: SourceLine | undefined;
}

interface SourceLine {
  readonly start: number;
  readonly end: number;
  readonly indent: number;
  readonly body: string;
}

type FindCause = (situation: Situation) => Cause | undefined;

/** Explains why a text does not parse: by the most frequent mistakes, else by the reason of js-yaml. */
function explainSyntax(source: SourceFile, text: string, { reason, mark }: YAMLException): Diagnostic {
  const at = mark?.position ?? 0;
  const line = lineAt(text, at);
  const situation = { text, reason, at, line, above: lineAbove(text, line) };
  const found = causes.map((find) => find(situation)).find((cause) => cause !== undefined);
  const { summary, hint, start } = found ?? plainCause(situation);
  const end = Math.max(lineAt(text, start).end, Math.min(start + 1, text.length));
  return error("manifest.syntax", summary, { range: source.range(start, end), hint });
}

function lineAt(text: string, offset: number): SourceLine {
  const start = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  const newline = text.indexOf("\n", offset);
  const whole = text.slice(start, newline === -1 ? text.length : newline).trimEnd();
  const body = whole.trimStart();
  return { start, end: start + whole.length, indent: whole.length - body.length, body };
}

function lineAbove(text: string, { start }: SourceLine): SourceLine | undefined {
  for (let end = start; end > 0; ) {
    const above = lineAt(text, end - 1);
    if (above.body !== "" && !above.body.startsWith("#")) return above;
    end = above.start;
  }
  return undefined;
}

/** The reason of js-yaml, without its quotations. */
function plainCause({ reason, at }: Situation): Cause {
  const [, summary, hint] = reasons.find(([part]) => reason.includes(part)) ?? [];
  return {
    summary: summary ?? reason.replace(/(?:: | ").*$/s, ""),
    hint: hint ?? "check the indentation and the quotes of this line and of the one above it",
    start: at,
  };
}

/** Messages in place of a reason of js-yaml that holds `part`; undefined: the reason itself. */
const reasons: readonly (readonly [part: string, summary: string | undefined, hint: string])[] = [
  [
    "missed comma",
    "a comma is missing between two entries, or text needs quotes",
    'inside { } and [ ], text with ": " or ${…} needs quotes',
  ],
  [
    "bad indentation",
    "this does not belong to the entry before it",
    "check the indentation, the quotes and the brackets of this line and of the one above it",
  ],
  [
    "deficient indentation",
    "this line is indented too little",
    "indent what is in brackets or quotes deeper than its key, and the closing bracket too",
  ],
  ["a line break is expected", undefined, "the text of | and > begins on the line below them"],
  ["escape sequence", undefined, "write \\\\ for a backslash, or use single quotes: '…'"],
];

const tab: FindCause = ({ text, line: { start, indent }, at }) =>
  text.slice(start, start + indent).includes("\t") || text[at - 1] === "\t"
    ? { summary: "a tab indents this line: YAML is indented by spaces", hint: "write spaces", start }
    : undefined;

/** Comments, and quoted texts that close on their line. */
const wholeTexts = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?<!\S)#.*/g;

/** A quote or a bracket that takes in the lines below it. */
const notClosed: FindCause = ({ text, line, above, reason }) => {
  const isDeficient = reason === "deficient indentation";
  if (!isDeficient && !reason.startsWith("unexpected end")) return undefined;
  for (const { start, indent, body } of [line, above].filter((candidate) => candidate !== undefined)) {
    // Texts that close on the line are taken out, their length is kept.
    const written = body
      .slice(0, longestSearched)
      .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) => "x".repeat(quoted.length));
    const left = written.replace(/(?<!\S)#.*/, "");
    const at = left.search(/(?<![^\s,:[{])["']|[[{](?=[^[\]{}]*$)/);
    const opened = left[at];
    if (opened === undefined) continue;
    const close = { "[": "]", "{": "}" }[opened] ?? opened;
    const after = text.slice(start + indent + at + 1).replace(wholeTexts, "");
    // With its end below, it is a mistake of the indentation.
    const count = (mark: string): number => after.split(mark).length - 1;
    if (isDeficient && count(close) > (close === opened ? 0 : count(opened))) continue;
    return {
      summary: `the ${opened} that opens here is not closed`,
      hint: written.includes(close, left.length)
        ? `# begins a comment, and ${close} is in it: put text that begins with # in quotes`
        : `write ${close} where it ends, or remove it`,
      start: start + indent + at,
    };
  }
  return undefined;
};

const afterQuote: FindCause = ({ text, at, line, reason }) =>
  /["'] *$/.test(text.slice(line.start, at)) && reason.startsWith("bad indentation")
    ? {
        summary: "unexpected text after the closing quote",
        hint: "put quotes around all of it; inside '…' an apostrophe is written twice: ''",
        start: at,
      }
    : undefined;

/** `branch: @x`, `branch: *`, `branch: - x` and `branch: feat: x` */
const needsQuotes: FindCause = ({ text, at, reason, line: { start, indent, body } }) => {
  if (reason.startsWith("missed comma")) return undefined;
  const value =
    start + indent + (/^(?:- +)*[^\s:][^:]*:[ \t]+/.exec(body.slice(0, longestSearched))?.[0].length ?? 0);
  const [first = ""] = text.slice(value).match(/^(?:[@`%*&]|- )/) ?? [];
  const isKey = value === start + indent;
  if (at < value || (isKey && !/[@`%*&]/.test(first)) || (first === "" && text[at] !== ":")) return undefined;
  const subject = first === "" ? 'text that holds ": "' : `text that begins with ${first.trim()}`;
  return { summary: `${subject} needs quotes`, hint: 'write it in quotes: key: "…"', start: value };
};

/** Characters of a line that are searched. */
const longestSearched = 2000;

const missingColon: FindCause = ({ text, at, line, above, reason }) => {
  const found = reason.startsWith("expected ':'") ? line : text[at] === ":" ? above : undefined;
  if (found === undefined || /:(?:\s|$)/.test(found.body)) return undefined;
  const start = found.start + found.indent;
  if (found.body.startsWith("<<<<<<< ")) {
    const hint = "keep one side, and remove the lines <<<<<<<, ======= and >>>>>>>";
    return { summary: "unresolved merge conflict", hint, start };
  }
  const hint = "a line is `key: value`, with a space after the colon";
  return { summary: "a colon is missing", hint, start };
};

const indentation: FindCause = ({ text, at, line, above, reason }) => {
  const start = line.start + line.indent;
  if (above === undefined || line.body === "" || !reason.startsWith("bad indentation")) return undefined;
  if (at !== start && text[at] !== ":") return undefined;
  if (line.indent === above.indent)
    return {
      summary: "list items and keys are mixed",
      hint: "indent the items of a list below its key, and begin each of them with -",
      start,
    };
  const summary = `this line is indented by ${line.indent} spaces, and the line above by ${above.indent}`;
  return { summary, hint: "indent the keys of one mapping, and the items of one list, alike", start };
};

const causes: readonly FindCause[] = [tab, notClosed, afterQuote, needsQuotes, missingColon, indentation];

/** `PASSWORD: x` */
const variable = /(?<=(?<![\w.-])[A-Z][A-Z0-9_]*["']?[ \t]*[:=]).*/;

const starred = (text: string): string => text.replace(/\S/g, "*");

/** Reads a file as a whole document, with its tree; undefined after a mistake. Its frames star out lines that hold a secret. */
export function readDocument<Document>(
  schema: z.ZodType<Document>,
  path: string,
  cwd: string,
  report: Report,
): { readonly root: MapNode; readonly document: Document; readonly text: string } | undefined {
  const [file] = findFiles([path], cwd, report)[0] ?? [];
  const text = file === undefined ? undefined : readSource(file, cwd, maxTotalBytes, report);
  if (file === undefined || text === undefined) return undefined;
  const shown = text.replace(/.+/g, (line) =>
    holdsSecret(line) ? starred(line) : line.replace(variable, starred),
  );
  const source = new SourceFile(file, shown);
  const parsed = parseYaml(source, text, report);
  const root = parsed.root ?? mapNode([], source.range(0, 0));
  const document = parsed.failed ? undefined : judgeDocument(schema, root, report);
  return document === undefined ? undefined : { root, document, text };
}
