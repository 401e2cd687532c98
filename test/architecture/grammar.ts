/** Counts three rules for comments: their first word, `one` and `what` as nouns, the length of their sentences. */

export interface Breach {
  readonly rule: (typeof rules)[number];
  readonly line: number;
  readonly text: string;
}

/** The order of the counts in a row of ceilings. */
export const rules = ["clause first", "one or what as a noun", "over 25 words"] as const;

interface Comment {
  /** The line where it begins, from 1. */
  readonly line: number;
  /** The text without its marks, line by line. */
  readonly lines: readonly string[];
}

const blockComment = /\/\*[\s\S]*?\*\//y;
const lineComments = /\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/y;
const quoted = /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'/y;
const regularExpression = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y;
const word = /[\w$]+/y;

/** Ends of code after which a slash begins a regular expression and not a division. */
const beforeExpression = /(?:^|[-(,=:[!&|?{};+*%<>~^]|\b(?:return|typeof|case|of|in|void|await|yield))\s*$/;

/** Returns the comments of a TypeScript source. Adjacent line comments are one comment. */
export function commentsIn(source: string): readonly Comment[] {
  const comments: Comment[] = [];
  // Code since the last comment or literal: it decides the meaning of a slash.
  let code = "";
  let at = 0;
  // For each open `${`, the number of its open braces.
  const depths: number[] = [];
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    at += text?.length ?? 0;
    return text;
  };
  const skipTemplate = (): void => {
    for (; at < source.length; at += 1) {
      if (source[at] === "\\") at += 1;
      else if (source[at] === "`") break;
      else if (source.startsWith("${", at)) {
        depths.push(0);
        at += 2;
        code = "(";
        return;
      }
    }
    at += 1;
    code = "x";
  };
  while (at < source.length) {
    const start = at;
    const comment = take(blockComment) ?? take(lineComments);
    if (comment !== undefined) {
      const line = source.slice(0, start).split("\n").length;
      const text = comment.replace(/^\/\*+|\*+\/$/g, "");
      comments.push({ line, lines: text.split("\n").map((row) => row.replace(/^\s*(?:\*|\/\/+)?\s*/, "")) });
      continue;
    }
    if (take(quoted) ?? (beforeExpression.test(code) ? take(regularExpression) : undefined)) {
      code = "x";
      continue;
    }
    const name = take(word);
    if (name !== undefined) {
      code = name;
      continue;
    }
    const character = source[at] ?? "";
    at += 1;
    const depth = depths.at(-1);
    if (character === "`" || (character === "}" && depth === 0)) {
      if (character === "}") depths.pop();
      skipTemplate();
      continue;
    }
    if (depth !== undefined && "{}".includes(character))
      depths[depths.length - 1] = depth + (character === "{" ? 1 : -1);
    if (character.trim() !== "") code = character;
  }
  return comments;
}

/** Applied to every line of a comment, as `grep` does. A comment without such a line has none at its beginning. */
const clause = /^(?:What|Whether|Of|Who|Where|That|How)\b/;
const noun = /\bwhat\b|\b(?:the|that|this|each|no|another|which) ones?\b|\bones? (?:that|which|of them)\b/gi;
/** A sentence may begin with the name of the program. */
const sentenceEnd = /(?<=[.!?]["')`]?)\s+(?=[A-Z"'(`]|rnv\b)/;
/** Lines that begin a text of their own: after an empty line, an item of a list, a tag. */
const ownText = /\n(?=\n|- |\d+\. |@)/;

const wordsOf = (sentence: string): number => sentence.split(/\s+/).filter((part) => /\w/.test(part)).length;

/** Returns every breach of the three rules in the comments of a source. A code span is a word. */
export function breachesIn(source: string): readonly Breach[] {
  return commentsIn(source).flatMap(({ line, lines }) => {
    const clauses = lines.flatMap((text, index): readonly Breach[] =>
      clause.test(text) ? [{ rule: "clause first", line: line + index, text }] : [],
    );
    const prose = lines
      .join("\n")
      .replace(/`[^`]*`/g, (span) => `\`${span.replace(/\s/g, "_").slice(1, -1)}\``);
    const sentences = prose
      .split(ownText)
      .filter((text) => !text.trim().startsWith("@example"))
      .flatMap((text) => text.replace(/\s+/g, " ").trim().split(sentenceEnd));
    const others = sentences.flatMap((text): readonly Breach[] => [
      ...[...text.replace(/`[^`]*`/g, "``").matchAll(noun)].map(
        () => ({ rule: "one or what as a noun", line, text }) as const,
      ),
      ...(wordsOf(text) > 25 ? [{ rule: "over 25 words", line, text } as const] : []),
    ]);
    return [...clauses, ...others];
  });
}
