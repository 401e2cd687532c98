import { error, SourceFile, type SourceRange } from "../diagnostics/diagnostic";
import type { Report } from "./findings";
import { star } from "./mask";
import { hasStrayDollar, type Substitution, splitSubstitutions } from "./substitution";
import type { MapEntry, ScalarNode, SourceNode, TemplatePart } from "./tree";

export type Dotenv = ReadonlyMap<string, MapEntry>;

interface DotenvReader {
  readonly source: SourceFile;
  readonly text: string;
  readonly entries: Map<string, MapEntry>;
  /** Ranges of values. */
  readonly hidden: [number, number][];
  at: number;
}

/** A mistake in the file; messages never quote what may be part of a value. */
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
 * `${NAME}` with defaults. Two rules are stricter: a name is looked for in the file first and then in the
 * environment, so that a machine changes nothing that the file says itself, and one that is in neither is a mistake, where
 * compose takes it for empty. Stops at the first mistake, which is reported.
 */
export function parseDotenv(file: string, text: string, report: Report): Dotenv {
  const source = new SourceFile(file);
  const reader: DotenvReader = { source, text, entries: new Map(), hidden: [], at: 0 };
  try {
    while (take(reader, blankOrComment) && reader.at < text.length) readStatement(reader);
  } catch (cause) {
    if (!(cause instanceof DotenvProblem)) throw cause;
    report(error("manifest.dotenv", cause.message, { range: cause.range, hint: cause.hint }));
    reader.hidden.push([reader.at, text.length]);
  }
  source.text = star(text, reader.hidden);
  return reader.entries;
}

/** Returns what a sticky pattern matches at the reader's offset, which moves behind it. */
function take(reader: DotenvReader, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found === null) return undefined;
  reader.at = pattern.lastIndex;
  return found;
}

const blankOrComment = /(?:\s+|#[^\n]*)*/y;
const keyAndMark = /(?:export[^\S\n]+)?([\p{L}\p{N}_.[\]-]+)[^\S\n]*(=|:|(?=\n|$))/uy;
const blanks = /[^\S\n]*/y;

function readStatement(reader: DotenvReader): void {
  const { source, at, entries } = reader;
  const [found, key = "", mark] = take(reader, keyAndMark) ?? refuseLine(reader);
  const start = at + found.lastIndexOf(key);
  const keyRange = source.range(start, start + key.length);
  const value = mark === "" ? inherited(key, keyRange) : readValue(reader, keyRange);
  // Of a key that is set twice the last value counts.
  entries.delete(key);
  entries.set(key, { key, keyRange, value });
}

function refuseLine({ source, text, at: start }: DotenvReader): never {
  const line = lineFrom(text, start);
  const hasSpace = /^[\p{L}\p{N}_.[\]-]+[^\S\n]+[\p{L}\p{N}_.[\]-]+[^\S\n]*[=:]/u.test(line);
  throw new DotenvProblem(
    hasSpace ? "a name cannot hold a space" : "this line is neither KEY=value nor a comment",
    source.range(start, start + line.trimEnd().length),
    "a value of several lines stands in quotes",
  );
}

function lineFrom(text: string, start: number): string {
  const newline = text.indexOf("\n", start);
  return text.slice(start, newline === -1 ? text.length : newline);
}

/** `KEY` alone: the variable of the environment with this name. */
const inherited = (key: string, range: SourceRange): SourceNode => ({
  kind: "map",
  entries: new Map([
    ["fromEnv", { key: "fromEnv", keyRange: range, value: { kind: "scalar", value: key, range } }],
  ]),
  range,
});

function readValue(reader: DotenvReader, keyRange: SourceRange): ScalarNode {
  const { source, text, entries, hidden } = reader;
  const [space = ""] = take(reader, blanks) ?? [];
  const start = reader.at;
  const quote = text[start] === '"' || text[start] === "'" ? text[start] : undefined;
  const line = lineFrom(text, start);
  const comment = space !== "" && line.startsWith("#") ? 0 : line.indexOf(" #");
  const end =
    quote === undefined
      ? start + (comment === -1 ? line : line.slice(0, comment)).trimEnd().length
      : endOfQuoted(text, start, quote, keyRange);
  const range = source.range(start, end);
  const written =
    quote === undefined
      ? text.slice(start, end)
      : text.slice(start + 1, end - 1).replaceAll(`\\${quote}`, quote);
  const parts: readonly TemplatePart[] =
    quote === "'"
      ? [{ kind: "text", text: written }]
      : expand(quote === undefined ? written : withoutEscapes(written), { entries, keyRange });
  hidden.push([start, end]);
  reader.at = quote === undefined ? start + (comment === -1 ? line.length : comment) : end;
  return { kind: "scalar", value: "", parts, range };
}

/** The offset behind the quote that closes a value, which may have several lines. */
function endOfQuoted(text: string, start: number, quote: string, keyRange: SourceRange): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  if (at >= text.length)
    throw new DotenvProblem(
      `the quote ${quote} is not closed`,
      keyRange,
      `close it, or write \\${quote} in it`,
    );
  if (!/^\s*(?:#|$)/.test(lineFrom(text, at + 1)))
    throw new DotenvProblem(
      "text goes on behind the closing quote",
      keyRange,
      `write \\${quote} for a quote in the value`,
    );
  return at + 1;
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

interface Expansion {
  /** The lines before. */
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly keyRange: SourceRange;
}

/** Splits text at `$NAME` and `${NAME…}`, with what earlier lines say in place of their names. */
function expand(text: string, of: Expansion): TemplatePart[] {
  const tooLong = new DotenvProblem(
    `the value holds more than ${mostParts} characters`,
    of.keyRange,
    "shorten it",
  );
  if (text.length > mostParts) throw tooLong;
  if (hasStrayDollar(text))
    throw new DotenvProblem(
      "a $ in the value names no variable",
      of.keyRange,
      "write $$ for a dollar, or put the value into single quotes",
    );
  const parts: TemplatePart[] = [];
  let size = 0;
  for (const piece of splitSubstitutions(text)) {
    const added =
      typeof piece === "string" ? [{ kind: "text" as const, text: piece }] : substitute(piece, of);
    for (const part of added) size += part.kind === "text" ? part.text.length : 1;
    if (size > mostParts) throw tooLong;
    parts.push(...added);
  }
  return parts;
}

/** Returns the value that an earlier line of the file gives a name, else that of the environment. */
function substitute({ name, operator, isEmptyUnset, operand }: Substitution, of: Expansion): TemplatePart[] {
  const { entries, keyRange } = of;
  if (operator === "+")
    throw new DotenvProblem(
      `\${NAME${isEmptyUnset ? ":" : ""}+text} is not supported`,
      keyRange,
      "write the text that is meant",
    );
  const earlier = entries.get(name)?.value;
  if (earlier?.kind === "scalar") {
    const parts = [...(earlier.parts ?? [])];
    if (!isEmptyUnset || plainText(parts) !== "") return parts;
    if (operator === "-") return expand(operand, of);
    throw new DotenvProblem(`${name} is empty`, keyRange, "give it a value in a line before this one");
  }
  const part = { kind: "env" as const, name, source: `\${${name}}` };
  // A line `KEY` alone is what the environment has.
  if (operator !== "-" || earlier !== undefined) return [part];
  const fallback = plainText(expand(operand, of));
  if (fallback === undefined)
    throw new DotenvProblem(
      `the default of ${name} names a variable of the environment`,
      keyRange,
      "a default is plain text, or a name of this file",
    );
  return [isEmptyUnset ? { ...part, fallback } : { ...part, fallback, mayBeEmpty: true }];
}

/** Undefined where the environment has a part of it. */
const plainText = (parts: readonly TemplatePart[]): string | undefined =>
  parts.every((part) => part.kind === "text") ? parts.map(({ text }) => text).join("") : undefined;
