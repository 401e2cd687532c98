import { Lexer } from "yaml";

/** A range of offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One line of a text, as far as it can be told without parsing. */
export interface Line extends Span {
  /** Without the line break and spaces before it; `end` is its end. */
  readonly text: string;
  /** Characters of white space that it begins with. */
  readonly indent: number;
  /** `branch` of `branch: main`, quotes included. */
  readonly key?: Span;
  /** `main`, without a comment; undefined where nothing follows the colon. */
  readonly value?: Span;
}

const keyed = /^(?:- +)*("[^"\n]*"|'[^'\n]*'|[^\s#'"[\]{},&*!|>%@`-][^:\n#]*?)[ \t]*:(?:[ \t]+|$)/;

/** Characters; what is longer is looked at no further. */
const longestLine = 2000;

/** The line that holds an offset. */
export function lineAt(text: string, offset: number): Line {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const newline = text.indexOf("\n", offset);
  const whole = text.slice(start, newline === -1 ? text.length : newline).trimEnd();
  const indent = whole.length - whole.trimStart().length;
  const found = whole.length > longestLine ? null : keyed.exec(whole.slice(indent));
  const end = start + whole.length;
  if (found === null) return { text: whole, start, end, indent };
  const [matched, name] = found as unknown as [string, string];
  const keyStart = start + indent + matched.indexOf(name);
  const key = { start: keyStart, end: keyStart + name.length };
  const rest = whole.slice(indent + matched.length);
  const comment = rest.search(/(?:^|[ \t])#/);
  const value = (comment === -1 ? rest : rest.slice(0, comment)).trimEnd();
  const valueStart = start + indent + matched.length;
  return {
    ...{ text: whole, start, end, indent, key },
    ...(value === "" ? {} : { value: { start: valueStart, end: valueStart + value.length } }),
  };
}

/** The next line that holds more than a comment. */
export function nextContent(text: string, line: Line): Line | undefined {
  for (let at = text.indexOf("\n", line.end); at !== -1; at = text.indexOf("\n", at + 1)) {
    const next = lineAt(text, at + 1);
    if (next.text.trim() !== "" && !next.text.trimStart().startsWith("#")) return next;
  }
  return undefined;
}

/** The indentations that are open where a line begins, outermost first: those that it could have. */
export function linesAbove(text: string, line: Line): readonly number[] {
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

/** `1 space`, `2 spaces`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A quoted text as the lexer of YAML takes it; one that is never closed ends where the lexer gives up. */
export interface QuotedSpan {
  readonly start: number;
  readonly end: number;
  readonly isClosed: boolean;
}

export interface SyntaxScan {
  /** Quoted texts that begin at or before the offset, in the order of the text. */
  readonly quoted: readonly QuotedSpan[];
  /** Where each `{` and `[` stands that is open at the offset, outermost first. */
  readonly open: readonly number[];
}

/** Marks of the lexer that stand for no character of the text. */
const marks = new Set(["\u0002", "\u0018", "\u001f"]);
const scalarMark = "\u001f";

/** Finds the quotes and brackets around an offset of a text that does not parse. */
export function scanSyntax(text: string, upTo: number): SyntaxScan {
  const quoted: QuotedSpan[] = [];
  const open: number[] = [];
  let offset = 0;
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (offset > upTo) break;
    if (marks.has(lexeme) && !isScalar) {
      isScalar = lexeme === scalarMark;
      continue;
    }
    const first = lexeme[0];
    if (!isScalar && (first === '"' || first === "'")) quoted.push(spanOf(lexeme, offset));
    else if (!isScalar && offset < upTo && (lexeme === "{" || lexeme === "[")) open.push(offset);
    else if (!isScalar && offset < upTo && (lexeme === "}" || lexeme === "]")) open.pop();
    isScalar = false;
    offset += lexeme.length;
  }
  return { quoted, open };
}

function spanOf(lexeme: string, start: number): QuotedSpan {
  const quote = lexeme[0] as string;
  const isEscaped = quote === '"' && /(?<!\\)(?:\\\\)*\\"$/.test(lexeme);
  return {
    start,
    end: start + lexeme.length,
    isClosed: lexeme.length > 1 && lexeme.endsWith(quote) && !isEscaped,
  };
}
