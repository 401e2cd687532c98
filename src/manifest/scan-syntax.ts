import { Lexer } from "yaml";

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

/** What surrounds an offset of a text that does not parse: quotes and brackets. */
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
