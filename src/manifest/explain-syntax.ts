import type { YAMLException } from "js-yaml";
import { type Diagnostic, error } from "../diagnostics/diagnostic";

/** Explains why a text does not parse: what is wrong where, and what to write. */
interface Cause {
  readonly summary: string;
  readonly hint?: string | undefined;
  readonly start: number;
  readonly end: number;
}

/** A text, and where js-yaml stopped reading it. */
interface Situation {
  readonly text: string;
  /** The text without what may be secret; nothing is quoted that differs in it. */
  readonly shown: string;
  readonly reason: string;
  readonly at: number;
  readonly line: Line;
  /** The line above that holds more than a comment. */
  readonly above?: Line;
}

/** Finds its cause in a situation, or undefined. */
type FindCause = (situation: Situation) => Cause | undefined;

/** The one mistake of a text that does not parse; `shown` is the text with secrets starred out. */
export function explainSyntax(
  file: string,
  text: string,
  shown: string,
  { reason, mark }: YAMLException,
): Diagnostic {
  const at = mark?.position ?? 0;
  const line = lineAt(text, at);
  const above = lineAbove(text, line);
  const situation = { text, shown, reason, at, line, ...(above && { above }) };
  const found = causes.map((find) => find(situation)).find((cause) => cause !== undefined);
  const { summary, hint, start, end } = found ?? {
    // A reason may quote the text, and the text can hold a secret.
    summary: reason.replace(/(?:: | ").*$/s, ""),
    hint: hints.find(([part]) => reason.includes(part))?.[1],
    start: at,
    end: Math.min(at + 1, text.length),
  };
  return error("manifest.syntax", summary, {
    range: { file, start, end },
    hint: hint ?? "check the indentation and the quotes of this line and of the one above it",
  });
}

/** What to write, by a part of the reason of js-yaml. */
const hints: readonly (readonly [part: string, hint: string])[] = [
  ["a line break is expected", "the text of | and > begins on the line below them"],
  ["escape sequence", "write \\\\ for a backslash, or use single quotes: '…'"],
  ["hexadecimal", "write \\\\ for a backslash, or use single quotes: '…'"],
  ["found ','", "remove one of the commas"],
  ["anchor", "text that begins with & needs quotes"],
  ["alias", "text that begins with * needs quotes"],
  ["tag", "tags are not supported: text that begins with ! needs quotes"],
];

interface Span {
  readonly start: number;
  readonly end: number;
}

/** One line of a text, as far as it is known without parsing. */
interface Line extends Span {
  readonly text: string;
  /** Where its content begins. */
  readonly content: number;
  /** `branch` of `branch: main`, quotes included. */
  readonly key?: Span;
  /** `main`, without a comment; undefined where nothing follows the colon. */
  readonly value?: Span;
}

const keyed = /^(?:- +)*("[^"\n]*"|'[^'\n]*'|[^\s#'"[\]{},&*!|>%@`-][^:\n#]*?)[ \t]*:(?:[ \t]+|$)/;

/** Characters; what is longer is searched for no key. */
const longestLine = 2000;

function lineAt(text: string, offset: number): Line {
  const start = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  const newline = text.indexOf("\n", offset);
  const whole = text.slice(start, newline === -1 ? text.length : newline).trimEnd();
  const content = start + whole.search(/\S|$/);
  const line = { text: whole, start, end: start + whole.length, content };
  const searched = whole.length > longestLine ? "" : whole.slice(content - start);
  const [matched, name = ""] = keyed.exec(searched) ?? [];
  if (matched === undefined) return line;
  const keyStart = content + matched.indexOf(name);
  const valueStart = content + matched.length;
  const value = text.slice(valueStart, line.end).replace(/(?:^|[ \t]+)#.*$/, "");
  return {
    ...{ ...line, key: { start: keyStart, end: keyStart + name.length } },
    ...(value !== "" && { value: { start: valueStart, end: valueStart + value.length } }),
  };
}

/** The line above that holds more than a comment. */
function lineAbove(text: string, { start }: Span): Line | undefined {
  for (let end = start; end > 0; ) {
    const above = lineAt(text, end - 1);
    if (!/^\s*(?:#|$)/.test(above.text)) return above;
    end = above.start;
  }
  return undefined;
}

/** `1 space`, `2 spaces`. */
const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const longestShown = 80;

/** A part of the text, where it is short and no secret. */
function visible({ text, shown }: Situation, range: Span | undefined): string | undefined {
  if (range === undefined || range.end - range.start > longestShown) return undefined;
  const part = text.slice(range.start, range.end);
  return shown.slice(range.start, range.end) === part ? part : undefined;
}

/** `quote it: branch: "feat: x"`, without what may be secret. */
function quoteHint(situation: Situation): string {
  const key = visible(situation, situation.line.key);
  const value = visible(situation, situation.line.value);
  const quoted =
    value === undefined ? '"…"' : /["\\]/.test(value) ? `'${value.replaceAll("'", "''")}'` : `"${value}"`;
  return `quote it: ${key === undefined ? "" : `${key}: `}${quoted}`;
}

const conflict: FindCause = ({ text, at }) => {
  const found = /^<{7}(?: .*)?$/m.exec(text);
  if (found === null || found.index > at) return undefined;
  return {
    summary: "unresolved merge conflict",
    hint: "keep one side, and remove the lines <<<<<<<, ======= and >>>>>>>",
    start: found.index,
    end: found.index + found[0].length,
  };
};

const tab: FindCause = ({ text, line, at }) => {
  if (!text.slice(line.start, line.content).includes("\t") && text[at - 1] !== "\t") return undefined;
  const others = text.match(/^ *\t[\t ]*[^\s#]/gm)?.length ?? 0;
  return {
    summary: "a tab indents this line: YAML is indented by spaces",
    hint: `write spaces${others > 1 ? `; ${plural(others, "line")} of the file begin with a tab` : ""}`,
    start: line.start,
    end: line.content,
  };
};

/** A `[` or `{` before what does not belong into it. */
const openBracket: FindCause = ({ text, at, reason }) => {
  if (reason !== "deficient indentation" && !reason.endsWith("within a flow collection")) return undefined;
  let start = at - 1;
  for (let closed = 0; start >= 0; start -= 1) {
    if ("]}".includes(text[start] as string)) closed += 1;
    else if ("[{".includes(text[start] as string) && --closed < 0) break;
  }
  if (start < 0) return undefined;
  const close = text[start] === "[" ? "]" : "}";
  if (text[at] === close)
    return {
      summary: `the ${close} is indented less than the key of what it closes`,
      hint: "indent it as far as that key",
      start: at,
      end: at + 1,
    };
  return {
    summary: `the ${text[start]} that opens here is not closed`,
    hint: `write ${close} at its end`,
    start,
    end: start + 1,
  };
};

/** A quote that takes in the lines below it. */
const openQuote: FindCause = ({ text, line, above, reason }) => {
  const isQuoted = reason.includes("quoted scalar");
  if (!isQuoted && reason !== "deficient indentation") return undefined;
  for (let one = isQuoted ? line : above; one !== undefined; one = lineAbove(text, one)) {
    // Texts that close on the line are taken out, their length is kept.
    const left = one.text.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) => "x".repeat(quoted.length));
    const start = one.start + left.search(/(?<![^\s,:[{])["']/);
    if (start < one.start) continue;
    return {
      summary: "the quote that opens here is not closed on its line",
      hint: `write ${text[start]} where the text ends, or remove the first`,
      start,
      end: one.end,
    };
  }
  return undefined;
};

const textAfterQuote: FindCause = ({ text, at, line, reason }) => {
  if (!/["']\s*$/.test(text.slice(line.start, at)) || !/[^\s,:\]}#]/.test(text[at] ?? "")) return undefined;
  if (text[at - 1] === "'")
    return {
      summary: "the quote closes here, and text follows",
      hint: "inside '…' an apostrophe is written twice: ''; or use double quotes",
      start: at - 1,
      end: line.end,
    };
  if (reason.startsWith("missed comma")) return undefined;
  return {
    summary: "text goes on after its closing quote",
    hint: "put quotes around all of it, or around none",
    start: at,
    end: line.end,
  };
};

/** `{ a: ${x} }`, `{ a: b: c }` or `{ a: b c: d }` */
const missingComma: FindCause = ({ text, at, line, reason }) => {
  if (!reason.startsWith("missed comma")) return undefined;
  if (text[at] === "{" && text[at - 1] === "$")
    return {
      summary: "inside { } and [ ], text with ${…} needs quotes",
      hint: 'write "${…}"',
      start: at - 1,
      end: at + text.slice(at, line.end).search(/\}|$/) + 1,
    };
  if (text[at] === ":" && line.key?.end !== at)
    return {
      summary: 'inside { } and [ ], text with ": " needs quotes',
      hint: 'write "…"',
      start: at,
      end: line.end,
    };
  return {
    summary: "a comma is missing",
    hint: "put a comma between two entries of [ ] or { }",
    start: at,
    end: at + 1,
  };
};

const strayBracket: FindCause = ({ text, at }) =>
  text[at] === "}" || text[at] === "]"
    ? {
        summary: `the ${text[at]} closes nothing`,
        hint: "remove it, or quote the text",
        start: at,
        end: at + 1,
      }
    : undefined;

/** `branch: feat: x` */
const colonInValue: FindCause = (situation) => {
  const { text, at, line } = situation;
  if (text[at] !== ":" || line.value === undefined || at < line.value.start) return undefined;
  return {
    summary: 'the text holds ": ", which makes a mapping of it',
    hint: quoteHint(situation),
    ...line.value,
  };
};

/** A line below a value, deeper than its key. */
const deeperLine: FindCause = (situation) => {
  const { text, at, line, above } = situation;
  if (text[at] !== ":" || line.key === undefined || above?.key === undefined) return undefined;
  const key = visible(situation, above.key);
  return {
    summary: `this line is indented deeper than ${key ?? "the key"} above it, which has a value already`,
    hint: `indent it by ${plural(above.key.start - above.start, "space")}`,
    start: line.content,
    end: line.key.end,
  };
};

const missingColon: FindCause = (situation) => {
  const { text, at, reason } = situation;
  const line = reason.startsWith("expected ':'") ? situation.line : text[at] === ":" && situation.above;
  if (!line || line.key !== undefined) return undefined;
  const place = { start: line.content, end: line.end };
  const written = visible(situation, place) ?? "";
  const [, key, separator, value = ""] = /^((?:- +)?[\w.-]+)(:| *= *|$)(.*)$/.exec(written) ?? [];
  return {
    summary: separator === ":" ? "a space is missing after the colon" : "a colon is missing",
    hint: key === undefined ? "a line here is `key: value`" : `write ${`${key}: ${value}`.trim()}`,
    ...place,
  };
};

/** `startCommand: @org/start`, and text that begins with what opens an alias, an anchor or a list. */
const reservedStart: FindCause = (situation) => {
  const { text, at, line } = situation;
  const isReserved = "@`%".includes(text[at] ?? " ");
  const start = isReserved ? at : line.value?.start;
  if (start === undefined || at < start) return undefined;
  if (!isReserved && !/^(?:[*&]|- )/.test(text.slice(start, line.end))) return undefined;
  return {
    summary: `text that begins with ${visible(situation, { start, end: start + 1 }) ?? "this character"} needs quotes`,
    hint: quoteHint(situation),
    start,
    end: line.value?.end ?? line.end,
  };
};

const indentation: FindCause = ({ text, at, line, above }) => {
  const indent = line.content - line.start;
  const levels = levelsAbove(text, line);
  if (at !== line.content) return undefined;
  if (levels.includes(indent)) return above && besideItem(line, above);
  const below = levels.filter((level) => level < indent).at(-1);
  const fitting = [below, levels.find((level) => level > indent)].filter((level) => level !== undefined);
  return {
    summary: `the line is indented by ${plural(indent, "space")}, as no line above it`,
    ...(fitting.length > 0 && {
      hint: `indent it by ${fitting.join(" or ")} to go with the lines above`,
    }),
    start: line.content,
    end: line.key?.end ?? line.end,
  };
};

/** A key at the indentation of list items, or an item at that of keys. */
function besideItem(line: Line, above: Line): Cause | undefined {
  const isItem = (one: Line): boolean => /^- /.test(one.text.trimStart());
  if (isItem(line) === isItem(above)) return undefined;
  return {
    summary: isItem(line) ? "a list item follows a key of a mapping" : "a key follows an item of a list",
    hint: isItem(line)
      ? "indent it below the key of its list, or remove the -"
      : "indent it like the key of the list, or begin it with -",
    start: line.content,
    end: line.key?.end ?? line.end,
  };
}

/** The indentations that are open where a line begins, outermost first: those that it could have. */
function levelsAbove(text: string, line: Line): readonly number[] {
  const levels: number[] = [];
  for (const above of text.slice(0, line.start).split("\n")) {
    const content = above.trimStart();
    if (content === "" || content.startsWith("#")) continue;
    const indent = above.length - content.length;
    while ((levels.at(-1) ?? -1) > indent) levels.pop();
    if (levels.at(-1) !== indent) levels.push(indent);
    const inItem = indent + (/^(?:- +)+/.exec(content)?.[0].length ?? 0);
    if (inItem > indent) levels.push(inItem);
  }
  return levels;
}

const causes: readonly FindCause[] = [
  conflict,
  tab,
  openBracket,
  openQuote,
  textAfterQuote,
  missingComma,
  strayBracket,
  colonInValue,
  deeperLine,
  missingColon,
  reservedStart,
  indentation,
];
