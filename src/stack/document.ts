import { createScanner, type Node, parseTree, visit } from "jsonc-parser";
import type { SourceRange } from "../diagnostics/diagnostic";
import { type Diagnostic, error } from "../diagnostics/diagnostic";

/** Any JSON value as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** A stack's JSON: its value, and the location of every value in it. */
export interface StackDocument {
  readonly file: string;
  readonly text: string;
  readonly value: Json;
  readonly root: JsonLocation;
}

/** The range of one value of a JSON text, of its key, and of the values in it by key or index. */
interface JsonSpan {
  readonly start: number;
  readonly end: number;
  readonly key?: readonly [number, number];
  readonly members?: ReadonlyMap<string | number, JsonSpan>;
}

/** The location of a value in its file, with those of the values in it. */
export class JsonLocation implements SourceRange {
  readonly start: number;
  readonly end: number;
  // Private: what prints a location must not print the secrets of its text.
  readonly #text: string;
  readonly #span: JsonSpan;

  constructor(
    readonly file: string,
    text: string,
    span: JsonSpan,
  ) {
    this.start = span.start;
    this.end = span.end;
    this.#text = text;
    this.#span = span;
  }

  /** Returns the location of the value at `key`, or this location when the text has no such value. */
  at(key: string | number): JsonLocation {
    const member = this.#span.members?.get(key);
    return member === undefined ? this : new JsonLocation(this.file, this.#text, member);
  }

  /** Returns this location where `at` gives other locations for some keys, for a block that is read as several. */
  with(others: Readonly<Record<string, JsonLocation>>): JsonLocation {
    const moved = Object.entries(others).map(([key, location]) => [key, location.#span] as const);
    const members = new Map([...(this.#span.members ?? []), ...moved]);
    return new JsonLocation(this.file, this.#text, { ...this.#span, members });
  }

  /** The key that opens this value. */
  get keyRange(): SourceRange {
    const [start, end] = this.#span.key ?? [this.start, this.end];
    return { file: this.file, start, end };
  }

  /** Returns the location of `source` in this text value, or that of the value when it is written in another form. */
  within(source: string): SourceRange {
    return new TextLocation(this, this.#text, source);
  }
}

/** A piece of a text value. It is searched for when its location is asked for: most are never told. */
class TextLocation implements SourceRange {
  readonly #whole: JsonLocation;
  readonly #text: string;
  readonly #source: string;

  constructor(whole: JsonLocation, text: string, source: string) {
    this.#whole = whole;
    this.#text = text;
    this.#source = JSON.stringify(source).slice(1, -1);
  }

  get file(): string {
    return this.#whole.file;
  }

  get start(): number {
    return this.#whole.start + Math.max(0, this.#offset);
  }

  get end(): number {
    return this.#offset === -1 ? this.#whole.end : this.start + this.#source.length;
  }

  get #offset(): number {
    return this.#text.slice(this.#whole.start, this.#whole.end).indexOf(this.#source);
  }
}

export type ParsedStack =
  | { readonly document: StackDocument }
  /** `failedAt`: the offset up to which the text is JSON. */
  | { readonly problems: readonly Diagnostic[]; readonly failedAt: number };

/** Parses a stack's JSON; returns the problems when it is not valid JSON or holds a key twice in one object. */
export function parseStackDocument(file: string, text: string): ParsedStack {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return syntaxProblem(file, text);
  }
  const duplicates: Diagnostic[] = [];
  const tree = tooDeepAt(text) === undefined ? parseTree(text) : undefined;
  const span = tree && spanOf(tree, (key) => duplicates.push(duplicateKey(file, key)));
  const [first] = duplicates;
  if (first?.range !== undefined) return { problems: duplicates, failedAt: first.range.start };
  const root = new JsonLocation(file, text, span ?? { start: 0, end: text.length });
  return { document: { file, text, value, root } };
}

/** The parser calls itself for each level. In a text with more levels every value has the location of the whole. */
const maxDepth = 100;

/** The offset of the first value that is nested too deep; undefined when no value is. */
function tooDeepAt(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = text[scanner.getTokenOffset()];
    if (start === "{" || start === "[") depth += 1;
    if (start === "}" || start === "]") depth -= 1;
    if (depth > maxDepth) return scanner.getTokenOffset();
  }
  return undefined;
}

/** The ranges of a value and of all in it; `reportDuplicate` is given each key that its object holds already. */
function spanOf(
  { type, offset, length, children = [], parent }: Node,
  reportDuplicate: (key: Node) => void,
): JsonSpan {
  const [name] = parent?.type === "property" ? (parent.children ?? []) : [];
  const members = new Map<string | number, JsonSpan>();
  for (const child of children) {
    const [key, value] = type === "object" ? (child.children ?? []) : [undefined, child];
    const member = (key?.value as string | undefined) ?? members.size;
    if (key !== undefined && members.has(member)) reportDuplicate(key);
    else if (value !== undefined) members.set(member, spanOf(value, reportDuplicate));
  }
  return {
    start: offset,
    end: offset + length,
    ...(name && { key: [name.offset, name.offset + name.length] }),
    ...(members.size > 0 && { members }),
  };
}

const duplicateKey = (file: string, { offset, length }: Node): Diagnostic =>
  error("stack.duplicate", "duplicate key in one object", {
    range: { file, start: offset, end: offset + length },
  });

/** The location where a text stops being JSON. The engine's own words can quote the text, and the text can hold a secret. */
function syntaxProblem(file: string, text: string): ParsedStack {
  let failedAt: number | undefined;
  const onError = (_code: number, offset: number): void => {
    failedAt ??= offset;
  };
  visit(text.slice(0, tooDeepAt(text)), { onError }, { disallowComments: true });
  const at = failedAt ?? 0;
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
  if ("}]".includes(found) && before.endsWith(",")) return "no comma stands before } or ]";
  if (found === "'") return 'keys and texts stand in double quotes: "…"';
  if (found === '"' && /["\dle}\]]$/.test(before)) return "a comma is missing before it";
  if (found === "<" || found === "=" || found === ">") return "a merge conflict may stand here unresolved";
  return "a stack is JSON as the synthesis writes it: synthesize it again";
}
