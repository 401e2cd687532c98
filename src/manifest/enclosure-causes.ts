import type { QuotedSpan } from "./scan-syntax";
import { endOfLine, type FindCause } from "./syntax-cause";

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
      summary: "the quote closes here, and text goes on",
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
    const hint = `between two entries of ${bracket} ${close} stands a comma`;
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

/** What is wrong with quotes and brackets. */
export const enclosureCauses: readonly FindCause[] = [
  openQuote,
  textAfterQuote,
  dollarBrace,
  colonInBrackets,
  openBracket,
  strayBracket,
];
