import type { ErrorCode } from "yaml";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import {
  type Line,
  lineAt,
  linesAbove,
  nextContent,
  plural,
  type QuotedSpan,
  type Span,
  type SyntaxScan,
  scanSyntax,
} from "./scan-syntax";

/**
 * Own words for each error of the YAML parser. Its messages can quote the source, and the source can hold a secret.
 */
const syntaxMessages: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias can have neither an anchor nor a tag",
  BAD_ALIAS: "the alias names no anchor before it",
  BAD_COLLECTION_TYPE: "the tag does not fit the value",
  BAD_DIRECTIVE: "the directive is not valid YAML",
  BAD_DQ_ESCAPE: "the escape sequence is not valid in double quotes",
  BAD_INDENT: "the indentation does not fit the lines around it",
  BAD_PROP_ORDER: "anchors and tags come before the value, after its indicator",
  BAD_SCALAR_START: "text that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY: "a nested mapping cannot start on the line of its key",
  BLOCK_IN_FLOW: "an indented collection is not allowed in { } or [ ]",
  DUPLICATE_KEY: "duplicate key in one mapping",
  IMPOSSIBLE: "the text is not valid YAML",
  KEY_OVER_1024_CHARS: "a key may have at most 1024 characters",
  MISSING_CHAR: "a closing quote, a bracket, a comma or a colon is missing",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line; a quote or a bracket may be missing",
  MULTIPLE_ANCHORS: "a value can have one anchor only",
  MULTIPLE_DOCS: "a manifest holds one YAML document",
  MULTIPLE_TAGS: "a value can have one tag only",
  NON_STRING_KEY: "keys must be text",
  RESOURCE_EXHAUSTION: "the document is too large",
  TAB_AS_INDENT: "tabs cannot indent YAML: use spaces",
  TAG_RESOLVE_FAILED: "the tag is not supported",
  UNEXPECTED_TOKEN: "unexpected text: something before it may be unclosed, or it needs quotes",
};

/** Why a text does not parse, and what to write. */
interface Cause {
  readonly summary: string;
  readonly hint?: string;
  readonly start: number;
  readonly end: number;
}

/** A text and the mistake in it whose cause is looked for. */
interface Situation {
  readonly text: string;
  /** The text without what may be secret; nothing is quoted that differs in it. */
  readonly shown: string;
  readonly code: ErrorCode;
  /** Where the parser stumbled. */
  readonly at: number;
  readonly line: Line;
  readonly scan: SyntaxScan;
}

/** Finds its cause in a situation, or undefined. */
type FindCause = (situation: Situation) => Cause | undefined;

const longestShown = 80;

/** A part of the text, where it is short and no secret. */
function visible(text: string, shown: string, range: Span | undefined): string | undefined {
  if (range === undefined || range.end - range.start > longestShown) return undefined;
  const part = text.slice(range.start, range.end);
  return shown.slice(range.start, range.end) === part ? part : undefined;
}

/** The rest of a line. */
const endOfLine = (text: string, start: number): Span => ({
  start,
  end: lineAt(text, start).end,
});

/** A quote that swallows the lines after it, to the next quote or to the end. */
const openQuote: FindCause = ({ text, at, line, scan }) => {
  const found = scan.quoted.find((span) => span.end >= at - line.text.length && swallows(text, span));
  if (found === undefined) return undefined;
  const quote = text[found.start] as string;
  const { end } = endOfLine(text, found.start);
  return {
    summary: `the quote that opens here is not closed on its line`,
    hint: `write ${quote} where the text ends, or remove the first`,
    start: found.start,
    end: Math.max(end, found.start + 1),
  };
};

const swallows = (text: string, { start, end, isClosed }: QuotedSpan): boolean => {
  const [, ...more] = text.slice(start, end).split("\n");
  if (!isClosed) return true;
  return more.some((line) => /^\s*(?:- |[A-Za-z_][\w.-]*:(?:\s|$))/.test(line));
};

const textAfterQuote: FindCause = (situation) => {
  const { text, at, scan, code } = situation;
  if (code !== "UNEXPECTED_TOKEN" || !/[^\s,}\]#]/.test(text[at] ?? "")) return undefined;
  // Nothing but space may lie between, so it is the last before the place.
  const span = scan.quoted.findLast(({ end }) => end <= at);
  if (span === undefined || !span.isClosed || text.slice(span.end, at).trim() !== "") return undefined;
  const { end } = endOfLine(text, at);
  if (span.end === at && text[at - 1] === "'")
    return {
      summary: "the quote closes here, and text follows",
      hint: "inside '…' an apostrophe is written twice: ''; or use double quotes",
      start: at - 1,
      end,
    };
  return {
    summary: "text goes on after its closing quote",
    hint: "put quotes around all of it, or around none",
    start: at,
    end,
  };
};

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** `{ a: ${x} }`: the brace ends plain text inside `{ }`. */
const dollarBrace: FindCause = ({ text, at, scan, line }) => {
  const opened = scan.open[0];
  const dollar = text.lastIndexOf("${", at);
  if (opened === undefined || dollar < opened || dollar < line.start) return undefined;
  const close = text.indexOf("}", dollar);
  const { end } = endOfLine(text, dollar);
  return {
    summary: "inside { } and [ ], text with ${…} needs quotes",
    hint: 'write "${…}"',
    start: dollar,
    end: close === -1 || close > end ? end : close + 1,
  };
};

/** `{ a: b: c }` */
const colonInBrackets: FindCause = ({ text, at, scan, code, line }) =>
  code === "BLOCK_IN_FLOW" && scan.open.length > 0 && text.slice(at, line.end).includes(":")
    ? {
        summary: 'inside { } and [ ], text with ": " needs quotes',
        hint: 'write "…"',
        start: at,
        end: line.end,
      }
    : undefined;

const openBracket: FindCause = ({ text, at, scan, code }) => {
  const opened = scan.open.at(-1);
  if (opened === undefined) return undefined;
  const bracket = text[opened] as string;
  const close = closers[bracket] as string;
  const { end } = endOfLine(text, opened);
  if (text.slice(at, end).includes(close)) {
    if (code !== "MISSING_CHAR") return undefined;
    const hint = `put a comma between two entries of ${bracket} ${close}`;
    return { summary: "a comma or a colon is missing", hint, start: at, end: at + 1 };
  }
  return {
    summary: `the ${bracket} that opens here is not closed`,
    hint: `write ${close} at its end`,
    start: opened,
    end: opened + 1,
  };
};

const strayBracket: FindCause = ({ text, at, scan }) => {
  const found = text[at];
  if (scan.open.length > 0 || (found !== "}" && found !== "]")) return undefined;
  return {
    summary: `the ${found} closes nothing`,
    hint: "remove it, or quote the text",
    start: at,
    end: at + 1,
  };
};

/** Causes in quotes and brackets. */
const enclosureCauses: readonly FindCause[] = [
  openQuote,
  textAfterQuote,
  dollarBrace,
  colonInBrackets,
  openBracket,
  strayBracket,
];

/** An error of the YAML parser. */
interface ParserError {
  readonly code: ErrorCode;
  readonly pos: readonly [number, number];
}

/**
 * One finding for a text that does not parse: the first cause, where it is. The parser reports where it stumbled, once
 * for each consequence; `shown` is the text with secrets starred out.
 */
export function explainSyntax(
  file: string,
  text: string,
  shown: string,
  errors: readonly ParserError[],
): Diagnostic {
  const [first] = [...errors].sort((a, b) => a.pos[0] - b.pos[0]) as [ParserError];
  const [at, end] = first.pos;
  const situation = { text, shown, code: first.code, at, line: lineAt(text, at), scan: scanSyntax(text, at) };
  const cause: Cause = causes.map((find) => find(situation)).find((found) => found !== undefined) ?? {
    summary: syntaxMessages[first.code] ?? "the text is not valid YAML",
    start: at,
    end: Math.max(at, Math.min(end, text.length)),
  };
  const { summary, hint, ...range } = cause;
  return error("manifest.syntax", summary, {
    range: { file, ...range },
    ...(hint === undefined ? {} : { hint }),
  });
}

const conflictMark = /^(?:<{7}(?: .*)?|={7}|>{7}(?: .*)?)$/m;

const conflict: FindCause = ({ text, at }) => {
  const found = conflictMark.exec(text.replaceAll("\r", " "))?.index ?? -1;
  if (found === -1 || found > at) return undefined;
  return {
    summary: "unresolved merge conflict",
    hint: "keep one side, and remove the lines <<<<<<<, ======= and >>>>>>>",
    ...endOfLine(text, found),
  };
};

const tab: FindCause = ({ text, line }) => {
  const next = nextContent(text, line);
  const found = [line, next].find((one) => one?.text.slice(0, one.indent).includes("\t"));
  if (found === undefined) return undefined;
  const others = (text.match(/^ *\t[\t ]*[^\s#]/gm) ?? []).length;
  return {
    summary: "a tab indents this line: YAML is indented by spaces",
    hint: `write spaces${others > 1 ? `; ${plural(others, "line")} of the file begin with a tab` : ""}`,
    start: found.start,
    end: found.start + found.indent,
  };
};

/** `branch: feat: x` */
const colonInValue: FindCause = (situation) => {
  const { text, line, code } = situation;
  if (code !== "BLOCK_AS_IMPLICIT_KEY" || line.value === undefined) return undefined;
  const { start, end } = line.value;
  const value = text.slice(start, end);
  if (!/:(?:\s|$)/.test(value)) return undefined;
  const isCurly = /^[\u201c\u2018\u00ab]/.test(value);
  return {
    summary: isCurly
      ? `${value[0]} is no quote to YAML: this text begins without one`
      : 'the text holds ": ", which makes a mapping of it',
    hint: quoteHint(situation, isCurly ? value.slice(1).replace(/[\u201d\u2019\u00bb]$/, "") : value),
    start,
    end,
  };
};

/** A line below a value, deeper than its key. */
const deeperLine: FindCause = ({ text, line, code, shown }) => {
  if (code !== "BLOCK_AS_IMPLICIT_KEY" && code !== "MULTILINE_IMPLICIT_KEY") return undefined;
  const next = nextContent(text, line);
  if (line.value === undefined || next === undefined || next.indent <= line.indent) return undefined;
  if (next.key === undefined) return undefined;
  const key = visible(text, shown, line.key);
  return {
    summary: `this line is indented deeper than ${key ?? "the key"} above it, which has a value already`,
    hint: `indent it by ${plural(line.indent, "space")}`,
    start: next.start + next.indent,
    end: next.key.end,
  };
};

const lineWithoutColon: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "MULTILINE_IMPLICIT_KEY",
  "MISSING_CHAR",
  "BLOCK_AS_IMPLICIT_KEY",
]);

const missingColon: FindCause = ({ text, line, code, shown }) => {
  if (!lineWithoutColon.has(code) || line.key !== undefined) return undefined;
  const start = line.start + line.indent;
  const content = visible(text, shown, { start, end: line.end });
  const tight = /^((?:- +)?[\w.-]+):(\S.*)$/.exec(line.text.slice(line.indent));
  const equals = /^([\w.-]+) *= *(.*)$/.exec(line.text.slice(line.indent));
  const hint = (text: string): string =>
    content === undefined ? "a line here is `key: value`" : `write ${text}`;
  const place = { start, end: line.end };
  if (tight)
    return {
      summary: "a space is missing after the colon",
      hint: hint(`${tight[1]}: ${tight[2]}`),
      ...place,
    };
  if (equals) return { summary: "a colon is missing", hint: hint(`${equals[1]}: ${equals[2]}`), ...place };
  const isName = /^[\w.-]+$/.test(line.text.trim());
  return {
    summary: "a colon is missing",
    hint: isName ? hint(`${line.text.trim()}:`) : "a line here is `key: value`",
    ...place,
  };
};

/** `startCommand: @org/start`, and text that begins with what opens an alias, an anchor or a list. */
const reservedStart: FindCause = (situation) => {
  const { text, shown, line, code, at } = situation;
  const isReserved = code === "BAD_SCALAR_START";
  const start = isReserved ? at : line.value?.start;
  if (start === undefined) return undefined;
  const value = text.slice(start, line.value?.end ?? line.end);
  if (!isReserved && !/^(?:[*&](?:[^\w-]|[\w-]+[ \t]*[^\w\s-])|- )/.test(value)) return undefined;
  if (!isReserved && at < start) return undefined;
  const first = visible(text, shown, { start, end: start + 1 });
  return {
    summary: `text that begins with ${first ?? "this character"} needs quotes`,
    hint: quoteHint(situation, value),
    start,
    end: line.value?.end ?? start + 1,
  };
};

/** `key: | text` */
const blockOnItsLine: FindCause = ({ text, line, at }) => {
  if (line.value === undefined || at < line.value.start) return undefined;
  const found = /^([|>])[-+0-9]*[ \t]+\S/.exec(text.slice(line.value.start, line.value.end));
  if (found === null) return undefined;
  return {
    summary: `the text of ${found[1]} begins on the line below it`,
    hint: `move it there, indented deeper than the key, or quote it`,
    start: line.value.start,
    end: line.value.end,
  };
};

const wrongEscape: FindCause = ({ code, at, text }) =>
  code === "BAD_DQ_ESCAPE"
    ? {
        summary: `\\ begins an escape inside "…", and none is written like this`,
        hint: "write \\\\ for a backslash, or use single quotes: '…'",
        start: at,
        end: Math.min(text.length, at + 2),
      }
    : undefined;

const indentation: FindCause = ({ code, text, line }) => {
  const isItem = /^\s*- /.test(line.text);
  if (code !== "BAD_INDENT" && !isItem) return undefined;
  const levels = linesAbove(text, line);
  if (code !== "BAD_INDENT" && levels.includes(line.indent)) return undefined;
  const below = levels.filter((level) => level < line.indent).at(-1);
  const above = levels.find((level) => level > line.indent);
  const fitting = [below, above].filter((level) => level !== undefined);
  const start = line.start + line.indent;
  return {
    summary: `the line is indented by ${plural(line.indent, "space")}, as no line above it`,
    ...(fitting.length === 0
      ? {}
      : { hint: `indent it by ${fitting.join(" or ")} to go with the lines above` }),
    start,
    end: line.key?.end ?? line.end,
  };
};

const causes: readonly FindCause[] = [
  conflict,
  tab,
  ...enclosureCauses,
  colonInValue,
  deeperLine,
  blockOnItsLine,
  reservedStart,
  indentation,
  missingColon,
  wrongEscape,
];

/** `quote it: branch: "feat: x"`, without what may be secret. */
function quoteHint({ text, shown, line }: Situation, value: string): string {
  const key = visible(text, shown, line.key);
  const isShown = line.value !== undefined && visible(text, shown, line.value) !== undefined;
  const quoted = !isShown ? '"…"' : /["\\]/.test(value) ? `'${value.replaceAll("'", "''")}'` : `"${value}"`;
  return `quote it: ${key === undefined ? "" : `${key}: `}${quoted}`;
}
