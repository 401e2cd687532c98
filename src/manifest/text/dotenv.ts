import type { Report } from "../../declaration/findings";
import { dollarHint } from "../../declaration/read-value";
import { star } from "../../declaration/secret-texts";
import {
  type MapEntry,
  mapNode,
  type SourceNode,
  scalarNode,
  type TemplatePart,
} from "../../declaration/tree";
import { isOwnCredential } from "../../declaration/trust";
import { DiagnosticsError, failure, SourceFile, type SourceRange } from "../../diagnostics/diagnostic";

/** Makes the error of a mistake in the file, to be thrown; messages never quote a part of a value. */
const problem = (summary: string, range: SourceRange, hint: string): DiagnosticsError =>
  failure("manifest.dotenv", summary, { range, hint });

/**
 * Reads a dotenv file as docker compose does: comments, `export`, quotes, escapes, values of several lines, `KEY`
 * alone, `${NAME}` with defaults. Two rules are stricter:
 * - A name is looked for in the file first and then in the environment: no machine changes a value of the file.
 * - A name that is in neither is a mistake; compose reads it as empty.
 *
 * Stops at the first mistake, which is reported.
 */
export function parseDotenv(file: string, text: string, report: Report): ReadonlyMap<string, MapEntry> {
  const source = new SourceFile(file);
  const entries = new Map<string, MapEntry>();
  const hidden: [number, number][] = [];
  let at = 0;
  try {
    for (const found of text.matchAll(statement)) {
      at = found.index;
      const { before = "", key = "" } = found.groups ?? {};
      if (key === "") throw refusedLine(found, source);
      const start = at + before.length;
      at = start + key.length;
      const keyRange = source.range(start, at);
      if (isOwnCredential(key)) throw ownCredential(key, keyRange);
      const value = readValue(found, source, { entries, keyRange });
      if (value.kind === "scalar") hidden.push([value.range.start, value.range.end]);
      entries.delete(key);
      entries.set(key, { key, keyRange, value });
    }
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    cause.diagnostics.forEach(report);
    hidden.push([at, text.length]);
    // Lines before it may belong to the value that it ends, as those of a key in PEM form.
    entries.clear();
  }
  source.shown = star(text, hidden);
  return entries;
}

const blanks = /[^\S\n]*/.source;
const lineEnd = /(?![^\n])/.source;
const keyPattern = /[\p{L}\p{N}_.[\]-]+/u.source;
const quoted = /(?<quoted>"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*')/.source;
const comment = /(?:#[^\n]*)?/.source;

/** Matches `KEY`, `KEY=value` with a value in quotes or to the end of the line, and lines that are no comment. */
const statement = new RegExp(
  `(?<![^\n])(?<before>${blanks}(?![\\s#])(?:export[^\\S\n]+)?)(?:(?<key>${keyPattern})` +
    `(?:${blanks}${lineEnd}|(?<mark>${blanks}[=:]${blanks})(?:${quoted}${blanks}${comment}${lineEnd}|(?<plain>[^\n]*)))|[^\n]+)`,
  "gu",
);

const ownCredential = (key: string, range: SourceRange): DiagnosticsError =>
  problem(
    `${key} is a credential of rnv, not a value of a service`,
    range,
    `remove it; a service that needs its own: variables: { ${key}: { fromEnv: OTHER_NAME } }`,
  );

function refusedLine({ index, 0: line }: RegExpExecArray, source: SourceFile): DiagnosticsError {
  const start = index + line.length - line.trimStart().length;
  const hasSpace = new RegExp(`^\\s*${keyPattern}[^\\S\n]+${keyPattern}${blanks}[=:]`, "u").test(line);
  return problem(
    hasSpace ? "a name cannot hold a space" : "this line is neither KEY=value nor a comment",
    source.range(start, index + line.trimEnd().length),
    "quote values that span lines",
  );
}

/** `KEY` alone: the variable of the environment with this name. */
const environmentValue = (key: string, range: SourceRange): SourceNode =>
  mapNode([["fromEnv", scalarNode(key, range)]], range);

/** The value of a key, which a shell would expand unless it is in single quotes. */
function readValue(found: RegExpExecArray, source: SourceFile, of: Expansion): SourceNode {
  const { mark = "", quoted: whole, plain } = found.groups ?? {};
  const start = of.keyRange.end + mark.length;
  if (whole !== undefined) {
    const quote = whole.charAt(0);
    const text = whole.slice(1, -1).replaceAll(`\\${quote}`, quote);
    const parts = quote === "'" ? [{ kind: "text" as const, text }] : expand(withoutEscapes(text), of);
    const range = source.range(start, start + whole.length);
    return { kind: "scalar", value: "", source: "dotenv", parts, range };
  }
  if (plain === undefined) return environmentValue(found.groups?.key ?? "", of.keyRange);
  const quote = /^["']/.exec(plain)?.[0];
  const closeHint = `close it, or write \\${quote} for a quote in the value`;
  if (quote !== undefined)
    throw problem(`the value does not end with its quote ${quote}`, of.keyRange, closeHint);
  const isComment = plain.startsWith("#") && /\s$/.test(mark);
  const text = isComment ? "" : plain.replace(/ #.*$/su, "").trimEnd();
  const range = source.range(start, start + text.length);
  return { kind: "scalar", value: "", source: "dotenv", parts: expand(text, of), range };
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  $: "$$",
  '"': '"',
  "\\": "\\",
};

/** The escapes of a shell; any other backslash stays. `\$` becomes `$$`, which stands for a dollar afterwards. */
const withoutEscapes = (text: string): string =>
  text.replace(/\\(?:([abfnrtv$"\\])|0([0-3][0-7]{2}))/g, (_, letter: string | undefined, octal: string) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(octal, 8)) : (escapes[letter] as string),
  );

/** Characters and names of one value: a line that names others twice each doubles it. */
const mostParts = 262_144;

interface Expansion {
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly keyRange: SourceRange;
}

/** Text in which braces are closed, two deep: the default of a default. */
const balanced = /(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*/.source;
const nameIn = (group: string): string => `(?<${group}>[A-Za-z_][A-Za-z0-9_]*)`;

/** Matches text, `$$`, a variable, and a `$` that belongs to none. */
const piece = new RegExp(
  `(?<text>[^$]+|\\$\\$)|\\$(?:${nameIn("bare")}|\\{${nameIn("braced")}(?:(?<colon>:?)(?<operator>[-?+])(?<operand>${balanced}))?\\})?`,
  "g",
);

/** Splits text at `$NAME` and `${NAME…}`, and fills in the values of earlier lines; `$$` is a literal `$`. */
function expand(text: string, of: Expansion): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let size = 0;
  for (const { 0: whole, groups = {} } of text.matchAll(piece)) {
    if (whole === "$") throw problem("a $ in the value names no variable", of.keyRange, dollarHint);
    const literal = whole === "$$" ? "$" : groups.text;
    const added = literal === undefined ? substitute(groups, of) : [{ kind: "text" as const, text: literal }];
    for (const part of added) size += part.kind === "text" ? part.text.length : 1;
    if (size > mostParts)
      throw problem(`the value holds more than ${mostParts} characters`, of.keyRange, "shorten it");
    parts.push(...added);
  }
  return parts;
}

/**
 * Returns the value that an earlier line of the file gives a name, else that of the environment. After a colon, an
 * empty variable counts as unset.
 */
function substitute(found: Readonly<Record<string, string>>, of: Expansion): TemplatePart[] {
  const { bare, braced, colon = "", operator, operand = "" } = found;
  const name = bare ?? braced ?? "";
  const { entries, keyRange } = of;
  if (operator === "+")
    throw problem(`\${NAME${colon}+text} is not supported`, keyRange, "write the text that is meant");
  const earlier = entries.get(name)?.value;
  if (earlier?.kind === "scalar") {
    const parts = [...(earlier.parts ?? [])];
    if (colon === "" || plainText(parts) !== "") return parts;
    if (operator === "-") return expand(operand, of);
    throw problem(`${name} is empty`, keyRange, "give it a value in a line before this one");
  }
  const part = { kind: "env" as const, isGuess: true as const, name, source: `\${${name}}` };
  // A line `KEY` alone stands for the variable of the environment.
  if (operator !== "-" || earlier !== undefined) return [part];
  const fallback = plainText(expand(operand, of));
  const hint = "a default is plain text, or a name of this file";
  if (fallback === undefined)
    throw problem("a default in it names a variable of the environment", keyRange, hint);
  return [colon === "" ? { ...part, fallback, mayBeEmpty: true } : { ...part, fallback }];
}

/** Undefined where the environment has a part of it. */
const plainText = (parts: readonly TemplatePart[]): string | undefined =>
  parts.every((part) => part.kind === "text") ? parts.map(({ text }) => text).join("") : undefined;
