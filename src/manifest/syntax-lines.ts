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
