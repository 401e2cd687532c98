import type { ErrorCode } from "yaml";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { enclosureCauses } from "./enclosure-causes";
import { scanSyntax } from "./scan-syntax";
import { type Cause, endOfLine, type FindCause, type Situation, visible } from "./syntax-cause";
import { lineAt, linesAbove, nextContent, plural } from "./syntax-lines";
import { syntaxMessages } from "./syntax-messages";

/** An error of the YAML parser. */
export interface ParserError {
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
    summary: "a merge conflict stands here unresolved",
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
  const isCurly = /^[“‘«]/.test(value);
  return {
    summary: isCurly
      ? `${value[0]} is no quote to YAML: this text begins without one`
      : 'the text holds ": ", which makes a mapping of it',
    hint: quoteHint(situation, isCurly ? value.slice(1).replace(/[”’»]$/, "") : value),
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
