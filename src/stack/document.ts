import { type Node, type ParseError, parseTree } from "jsonc-parser";
import { type Diagnostic, error, type SourceRange } from "../diagnostics/diagnostic";

type Scalar = null | boolean | number | string;
type Content = Scalar | readonly JsonNode[] | ReadonlyMap<string, JsonNode>;

const noMembers: ReadonlyMap<string, JsonNode> = new Map();

/** A value of a JSON text, with its range and the values in it. */
export class JsonNode implements SourceRange {
  // Private: what prints a range must not print the secrets of its text.
  readonly #text: string;
  readonly #content: Content | undefined;
  readonly #keyRange: SourceRange | undefined;

  constructor(
    readonly file: string,
    readonly start: number,
    readonly end: number,
    text: string,
    content: Content | undefined,
    keyRange?: SourceRange,
  ) {
    this.#text = text;
    this.#content = content;
    this.#keyRange = keyRange;
  }

  /** A value that holds no others; undefined where the text has no such value. */
  get value(): Scalar | undefined {
    return this.isObject || this.isList ? undefined : (this.#content as Scalar | undefined);
  }

  get isObject(): boolean {
    return this.#content instanceof Map;
  }

  get isList(): boolean {
    return Array.isArray(this.#content);
  }

  /** Returns true if the value is left out: absent, or null, as Terraform takes it. */
  get isAbsent(): boolean {
    return this.#content === undefined || this.#content === null;
  }

  /** Returns true if the text has a value at `key`, which may be null. */
  has(key: string): boolean {
    return this.members.has(key);
  }

  /** Returns the value at `key`; one that is absent has the range of this one. */
  at(key: string | number): JsonNode {
    const inner = typeof key === "number" && this.isList ? this.items[key] : this.members.get(String(key));
    return inner ?? this.holding(undefined);
  }

  /** The values of an object by key. */
  get members(): ReadonlyMap<string, JsonNode> {
    return this.isObject ? (this.#content as ReadonlyMap<string, JsonNode>) : noMembers;
  }

  /** The keys of an object with their values, without its comment. */
  get entries(): readonly (readonly [key: string, value: JsonNode])[] {
    return [...this.members].filter(([key]) => key !== "//");
  }

  /** The items of a list; a value alone is its only item. */
  get items(): readonly JsonNode[] {
    if (this.isList) return this.#content as readonly JsonNode[];
    return this.isAbsent ? [] : [this];
  }

  /** Returns another value that has the range of this one. */
  holding(content: Content | undefined): JsonNode {
    return new JsonNode(this.file, this.start, this.end, this.#text, content, this.#keyRange);
  }

  /** The key that opens this value. */
  get keyRange(): SourceRange {
    return this.#keyRange ?? { file: this.file, start: this.start, end: this.end };
  }

  /** Returns the range of `source` in this text value, or that of the value when it is written in another form. */
  within(source: string): SourceRange {
    const written = JSON.stringify(source).slice(1, -1);
    const at = this.#text.slice(this.start, this.end).indexOf(written);
    const start = this.start + at;
    return at === -1 ? this : { file: this.file, start, end: start + written.length };
  }
}

export type ParsedStack =
  | { readonly root: JsonNode }
  /** `failedAt`: the offset up to which the text is JSON. */
  | { readonly problems: readonly Diagnostic[]; readonly failedAt: number };

/** Parses a stack's JSON; returns the problems when it is not valid JSON or holds a key twice in one object. */
export function parseStackDocument(file: string, text: string): ParsedStack {
  const deepAt = tooDeepAt(text);
  if (deepAt !== undefined) {
    const summary = `values are nested more than ${maxDepth} levels deep`;
    const range = { file, start: deepAt, end: deepAt + 1 };
    return { problems: [error("stack.too_large", summary, { range })], failedAt: deepAt };
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const [wrong] = errors;
  if (tree === undefined || wrong !== undefined) return syntaxProblem(file, text, wrong?.offset ?? 0);
  const duplicates: SourceRange[] = [];
  const root = readTree(tree, file, text, duplicates);
  const [first] = duplicates;
  if (first === undefined) return { root };
  const problems = duplicates.map((range) =>
    error("stack.duplicate", "duplicate key in one object", { range }),
  );
  return { problems, failedAt: first.start };
}

/** Levels of a text: the parser calls itself for each. */
const maxDepth = 100;

/** The offset of the first value that is nested too deep; undefined when no value is. */
function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (found === "{" || found === "[") depth += 1;
    else if (found === "}" || found === "]") depth -= 1;
    if (depth > maxDepth) return index;
  }
  return undefined;
}

/** Reads a value and all in it; adds the range of each key that its object holds already to `duplicates`. */
function readTree(tree: Node, file: string, text: string, duplicates: SourceRange[]): JsonNode {
  const rangeOf = ({ offset, length }: Node): SourceRange => ({ file, start: offset, end: offset + length });
  const membersOf = (properties: readonly Node[]): ReadonlyMap<string, JsonNode> => {
    const members = new Map<string, JsonNode>();
    for (const { children: [key, value] = [] } of properties) {
      if (key === undefined || value === undefined) continue;
      if (members.has(key.value)) duplicates.push(rangeOf(key));
      else members.set(key.value, read(value, key));
    }
    return members;
  };
  const read = (node: Node, key?: Node): JsonNode => {
    const { type, offset, length, children = [] } = node;
    let content: Content = node.value;
    if (type === "object") content = membersOf(children);
    if (type === "array") content = children.map((item) => read(item));
    return new JsonNode(file, offset, offset + length, text, content, key && rangeOf(key));
  };
  return read(tree);
}

/** The problem of a text that is not JSON from `at` on. It quotes nothing: the text can hold a secret. */
function syntaxProblem(file: string, text: string, at: number): ParsedStack {
  const problem = error("stack.syntax", "the text is not valid JSON", {
    range: { file, start: at, end: at + 1 },
    hint: jsonHint(text, at),
  });
  return { problems: [problem], failedAt: at };
}

/** A hint for the offset where JSON breaks off. It quotes nothing of the text. */
function jsonHint(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 100), at).trimEnd();
  const found = text[at] ?? "";
  if (text.trim() === "") return "the file is empty: synthesize the stack again";
  if (text.slice(at).trim() === "") return "the text ends early: a } or ] is missing";
  if ("}]".includes(found) && before.endsWith(",")) return "remove the comma before } or ]";
  if (found === "'") return 'keys and texts need double quotes: "…"';
  if (found === '"' && /["\dle}\]]$/.test(before)) return "a comma is missing before it";
  if (found === "<" || found === "=" || found === ">") return "is it an unresolved merge conflict?";
  return "a stack is JSON as the synthesis writes it: synthesize it again";
}
