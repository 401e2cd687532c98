/** Where one value of a JSON text stands, with what lies in it by key or index. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly key?: readonly [number, number];
  readonly members?: ReadonlyMap<string | number, Span>;
}

export interface Scan {
  readonly root?: Span;
  /** Where the text stops being JSON. */
  readonly failedAt?: number;
  /** Keys that stand in their object already. */
  readonly duplicates: readonly (readonly [number, number])[];
}

/** Levels that are told apart; what lies deeper has the place of what it lies in. */
const maxDepth = 100;

const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON text holds none of them
  /[ \t\r\n]*(?:([{}[\],:])|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![-+.\w]))/y;

interface Lexeme {
  readonly start: number;
  readonly end: number;
  readonly punctuation: string | undefined;
}

/** Finds the place of every value of a JSON text. */
export function scanJson(text: string): Scan {
  const duplicates: (readonly [number, number])[] = [];
  let failedAt: number | undefined;
  let at = 0;

  const next = (): Lexeme | undefined => {
    token.lastIndex = at;
    const found = token.exec(text);
    if (found === null) {
      failedAt ??= at + (text.slice(at).search(/[^ \t\r\n]|$/) ?? 0);
      return undefined;
    }
    at = token.lastIndex;
    const length = found[0].trimStart().length;
    return { start: at - length, end: at, punctuation: found[1] };
  };
  const fail = (lexeme: Lexeme | undefined): undefined => {
    failedAt ??= lexeme?.start;
    return undefined;
  };

  const value = (
    first: Lexeme | undefined,
    depth: number,
    key?: readonly [number, number],
  ): Span | undefined => {
    if (first === undefined) return undefined;
    const { start, end, punctuation } = first;
    if (punctuation === undefined) return { start, end, ...(key && { key }) };
    if (depth > maxDepth || (punctuation !== "{" && punctuation !== "[")) return fail(first);
    const members = new Map<string | number, Span>();
    const close = punctuation === "{" ? "}" : "]";
    let lexeme = next();
    while (lexeme !== undefined && !(lexeme.punctuation === close && members.size === 0)) {
      const member = punctuation === "{" ? pair(lexeme, depth, members) : item(lexeme, depth, members);
      if (!member) return undefined;
      lexeme = next();
      if (lexeme?.punctuation === close) break;
      if (lexeme?.punctuation !== ",") return fail(lexeme);
      lexeme = next();
    }
    return lexeme === undefined ? undefined : { start, end: lexeme.end, members, ...(key && { key }) };
  };
  const pair = (name: Lexeme, depth: number, members: Map<string | number, Span>): boolean => {
    const colon = text[name.start] === '"' ? next() : undefined;
    if (colon?.punctuation !== ":") return fail(colon ?? name) ?? false;
    const range = [name.start, name.end] as const;
    const found = value(next(), depth + 1, range);
    if (found === undefined) return false;
    const key = keyText(text.slice(name.start, name.end));
    if (members.has(key)) duplicates.push(range);
    else members.set(key, found);
    return true;
  };
  const item = (first: Lexeme, depth: number, members: Map<string | number, Span>): boolean => {
    const found = value(first, depth + 1);
    if (found !== undefined) members.set(members.size, found);
    return found !== undefined;
  };

  const root = value(next(), 0);
  return { ...(root && { root }), ...(failedAt === undefined ? {} : { failedAt }), duplicates };
}

function keyText(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}
