import { error, type SourceRange } from "../diagnostics/diagnostic";
import type { Report } from "./findings";
import type { MapEntry, ScalarNode, SourceNode, TemplatePart } from "./tree";

export interface Dotenv {
  readonly entries: ReadonlyMap<string, MapEntry>;
  /** The text for code frames: offsets as they were, everything but keys and comments starred out. */
  readonly shown: string;
}

interface DotenvReader {
  readonly file: string;
  readonly text: string;
  readonly report: Report;
  readonly entries: Map<string, MapEntry>;
  /** The part of the text that may be shown. */
  readonly open: [number, number][];
  at: number;
}

/** A mistake at a place of the file; messages never quote what may be part of a value. */
class DotenvProblem extends Error {
  constructor(
    summary: string,
    readonly range: SourceRange,
    readonly hint: string,
  ) {
    super(summary);
  }
}

/**
 * Reads a dotenv file as docker compose does: comments, `export`, quotes, escapes, values of several lines, `KEY` alone,
 * `${NAME}` with defaults. Two things are stricter: a name is looked for in the file first and then in the
 * environment, so that a machine changes nothing that the file says itself, and one that is nowhere is a mistake, where
 * compose takes it for empty. Stops at the first mistake of the syntax, which is reported.
 */
export function parseDotenv(file: string, text: string, report: Report): Dotenv {
  const reader: DotenvReader = { file, text, report, entries: new Map(), open: [], at: 0 };
  try {
    while (skipToStatement(reader)) readStatement(reader);
  } catch (cause) {
    if (!(cause instanceof DotenvProblem)) throw cause;
    report(error("manifest.dotenv", cause.message, { range: cause.range, hint: cause.hint }));
  }
  return { entries: reader.entries, shown: starOut(text, reader.open) };
}

function starOut(text: string, open: readonly (readonly [number, number])[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of open) {
    pieces.push(text.slice(at, start).replace(/[^\s]/g, "*"), text.slice(start, end));
    at = end;
  }
  return [...pieces, text.slice(at).replace(/[^\s]/g, "*")].join("");
}

/** The match of a sticky pattern at the reader's place, which moves behind it. */
function take(reader: DotenvReader, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found === null) return undefined;
  reader.at = pattern.lastIndex;
  return found;
}

const blankOrComment = /(?:\s+|#[^\n]*)*/y;

/** Leaves the reader at the next statement; false at the end of the file. */
function skipToStatement(reader: DotenvReader): boolean {
  const start = reader.at;
  take(reader, blankOrComment);
  reader.open.push([start, reader.at]);
  return reader.at < reader.text.length;
}

const exported = /export[^\S\n]+/y;
const keyAndMark = /([\p{L}\p{N}_.[\]-]+)[^\S\n]*(=|:|\n|$)/uy;
const blanks = /[^\S\n]*/y;

function readStatement(reader: DotenvReader): void {
  const { file, text } = reader;
  const start = reader.at;
  take(reader, exported);
  const keyStart = reader.at;
  const [, key = "", mark = ""] = take(reader, keyAndMark) ?? noStatement(reader, start);
  reader.open.push([start, reader.at]);
  const keyRange = { file, start: keyStart, end: keyStart + key.length };
  if (mark !== "=" && mark !== ":") {
    add(reader, { key, keyRange, value: inherited(key, keyRange) });
    return;
  }
  const before = reader.at;
  take(reader, blanks);
  const quote = text[reader.at];
  const isSeparate = reader.at > before;
  const value =
    quote === '"' || quote === "'" ? readQuoted(reader, keyRange) : readPlain(reader, keyRange, isSeparate);
  add(reader, { key, keyRange, value });
}

/** Of a key that is set twice the last value counts. */
function add({ entries }: DotenvReader, entry: MapEntry): void {
  entries.delete(entry.key);
  entries.set(entry.key, entry);
}

function noStatement({ file, text }: DotenvReader, start: number): never {
  const newline = text.indexOf("\n", start);
  const line = text.slice(start, newline === -1 ? text.length : newline);
  const hasSpace = /^[\p{L}\p{N}_.[\]-]+[^\S\n]+[\p{L}\p{N}_.[\]-]+[^\S\n]*[=:]/u.test(line);
  throw new DotenvProblem(
    hasSpace ? "a name cannot hold a space" : "this line is neither KEY=value nor a comment",
    { file, start, end: start + line.trimEnd().length },
    "a value of several lines stands in quotes",
  );
}

/** `KEY` alone: the variable of the environment with this name. */
const inherited = (key: string, range: SourceRange): SourceNode => ({
  kind: "map",
  entries: new Map([
    ["fromEnv", { key: "fromEnv", keyRange: range, value: { kind: "scalar", value: key, range } }],
  ]),
  range,
});

const scalar = (parts: readonly TemplatePart[], range: SourceRange): ScalarNode => ({
  kind: "scalar",
  value: "",
  parts,
  range,
});

/** Text to the end of the line, or to a # with a blank before it. */
function readPlain(reader: DotenvReader, keyRange: SourceRange, isSeparate: boolean): ScalarNode {
  const { file, text, at: start } = reader;
  const newline = text.indexOf("\n", start);
  const line = text.slice(start, newline === -1 ? text.length : newline);
  const comment = isSeparate && line.startsWith("#") ? 0 : line.indexOf(" #");
  const value = (comment === -1 ? line : line.slice(0, comment)).trimEnd();
  reader.at = start + (comment === -1 ? line.length : comment);
  const range = { file, start, end: start + value.length };
  return scalar(expand(value, reader, range, keyRange), range);
}

/** Text in quotes, over as many lines as it takes; only double quotes have escapes and `${NAME}`. */
function readQuoted(reader: DotenvReader, keyRange: SourceRange): ScalarNode {
  const { file, text, at: start } = reader;
  const quote = text[start] as string;
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  if (at >= text.length)
    throw new DotenvProblem(
      `the quote ${quote} is not closed`,
      keyRange,
      `close it, or write \\${quote} in it`,
    );
  reader.at = at + 1;
  const range = { file, start, end: at + 1 };
  const rest = /[^\S\n]*(?:#|\n|$)/y;
  rest.lastIndex = reader.at;
  if (!rest.test(text))
    throw new DotenvProblem(
      "text goes on behind the closing quote",
      keyRange,
      `write \\${quote} for a quote in the value`,
    );
  const written = text.slice(start + 1, at).replaceAll(`\\${quote}`, quote);
  const parts: readonly TemplatePart[] =
    quote === "'"
      ? [{ kind: "text", text: written }]
      : expand(withoutEscapes(written), reader, range, keyRange);
  return scalar(parts, range);
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: "\u0007", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
  ...{ $: "$$", '"': '"', "\\": "\\" },
};

/** The escapes of a shell; any other backslash stays. `\$` becomes `$$`, which stands for a dollar afterwards. */
const withoutEscapes = (text: string): string =>
  text.replace(/\\(?:([abfnrtv$"\\])|0([0-3][0-7]{2}))/g, (_, letter: string | undefined, octal: string) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(octal, 8)) : (escapes[letter] as string),
  );

/** Characters and names of one value: a line that names others twice each doubles it. */
const mostParts = 262_144;

const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const braced = /^([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-?+])([\s\S]*))?$/;

/** Splits text at `$NAME` and `${NAME…}`; `$$` stands for a dollar. */
function expand(
  text: string,
  reader: DotenvReader,
  range: SourceRange,
  keyRange: SourceRange,
): TemplatePart[] {
  const parts: TemplatePart[] = [];
  const wrong = (summary: string, hint: string): never => {
    throw new DotenvProblem(summary, keyRange, hint);
  };
  let size = 0;
  const add = (added: readonly TemplatePart[]): void => {
    for (const part of added) {
      size += part.kind === "text" ? part.text.length : 1;
      if (size > mostParts) wrong(`the value holds more than ${mostParts} characters`, "shorten it");
      const last = parts[parts.length - 1];
      if (part.kind === "text" && last?.kind === "text")
        parts[parts.length - 1] = { kind: "text", text: last.text + part.text };
      else parts.push(part);
    }
  };
  const addText = (added: string): void => add(added === "" ? [] : [{ kind: "text", text: added }]);
  let at = 0;
  for (;;) {
    const dollar = text.indexOf("$", at);
    if (dollar === -1) break;
    addText(text.slice(at, dollar));
    const next = text[dollar + 1];
    name.lastIndex = dollar + 1;
    const plain = name.exec(text)?.[0];
    if (next === "$") {
      addText("$");
      at = dollar + 2;
    } else if (next === "{") {
      const close = closingBrace(text, dollar + 2);
      const found = close === -1 ? null : braced.exec(text.slice(dollar + 2, close));
      if (found === null) return wrong("${…} in the value names no variable", dollarHint);
      const [, variable = "", operator = "", operand = ""] = found;
      add(substitute({ variable, operator, operand }, reader, range, keyRange));
      at = close + 1;
    } else if (plain !== undefined) {
      add(substitute({ variable: plain, operator: "", operand: "" }, reader, range, keyRange));
      at = name.lastIndex;
    } else return wrong("a $ in the value names no variable", dollarHint);
  }
  addText(text.slice(at));
  return parts;
}

const dollarHint = "write $$ for a dollar, or put the value into single quotes";

function closingBrace(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "{" && text[at - 1] === "$") depth += 1;
    else if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

interface Substitution {
  readonly variable: string;
  /** `:-`, `-`, `:?`, `?`, `:+`, `+`, or nothing. */
  readonly operator: string;
  readonly operand: string;
}

/** Returns the value that an earlier line of the file gives a name, else that of the environment. */
function substitute(
  { variable, operator, operand }: Substitution,
  reader: DotenvReader,
  range: SourceRange,
  keyRange: SourceRange,
): readonly TemplatePart[] {
  const kind = operator.replace(":", "");
  const earlier = partsOf(reader.entries.get(variable)?.value);
  const text = earlier === undefined ? undefined : plainText(earlier);
  const otherwise = (): TemplatePart[] => expand(operand, reader, range, keyRange);
  if (earlier !== undefined && (kind === "" || text !== "")) {
    if (kind !== "+") return earlier;
    return text === undefined ? refuseOperator(operator, keyRange) : otherwise();
  }
  // It stands in the file, as an empty text.
  if (earlier !== undefined) {
    if (operator.startsWith(":")) {
      if (kind === "-") return otherwise();
      if (kind === "+") return [];
      throw new DotenvProblem(`${variable} is empty`, keyRange, "give it a value in a line before this one");
    }
    return kind === "+" ? otherwise() : [];
  }
  if (kind === "+") return refuseOperator(operator, keyRange);
  const part = { kind: "env" as const, name: variable, source: `\${${variable}}`, range };
  if (kind !== "-") return [part];
  const fallback = plainText(otherwise());
  if (fallback === undefined)
    throw new DotenvProblem(
      `the default of ${variable} names a variable of the environment`,
      keyRange,
      "a default is plain text, or a name of this file",
    );
  return [operator === "-" ? { ...part, fallback, mayBeEmpty: true } : { ...part, fallback }];
}

function refuseOperator(operator: string, range: SourceRange): never {
  throw new DotenvProblem(
    `\${NAME${operator}text} is read for names of this file only`,
    range,
    `set NAME in a line before it, or use \${NAME:-text}`,
  );
}

/** A line `KEY` alone is what the environment has. */
function partsOf(node: SourceNode | undefined): readonly TemplatePart[] | undefined {
  if (node?.kind === "scalar") return node.parts;
  const from = node?.kind === "map" ? node.entries.get("fromEnv")?.value : undefined;
  if (from?.kind !== "scalar") return undefined;
  const variable = String(from.value);
  return [{ kind: "env", name: variable, source: `\${${variable}}`, range: from.range }];
}

/** Undefined where the environment has a part of it. */
function plainText(parts: readonly TemplatePart[]): string | undefined {
  let text = "";
  for (const part of parts) {
    if (part.kind !== "text") return undefined;
    text += part.text;
  }
  return text;
}
