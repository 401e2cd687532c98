import { type Node, type ParseError, parseTree } from "jsonc-parser";
import type { SourceRange } from "../diagnostics/diagnostic";
import { type Diagnostic, error } from "../diagnostics/diagnostic";

/** Any JSON value as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** The text of a stack, and its value. */
export interface StackDocument {
  readonly text: string;
  readonly root: JsonNode;
}

/** The range of one value of a JSON text, of its key, and of the values in it by key or index. */
interface JsonSpan {
  readonly start: number;
  readonly end: number;
  readonly key?: readonly [number, number];
  readonly members?: ReadonlyMap<string | number, JsonSpan>;
}

/** A value of a JSON text, with its range and the values in it. */
export class JsonNode implements SourceRange {
  readonly start: number;
  readonly end: number;
  // Private: what prints a range must not print the secrets of its text.
  readonly #value: Json | undefined;
  readonly #text: string;
  readonly #span: JsonSpan;

  constructor(
    readonly file: string,
    text: string,
    value: Json | undefined,
    span: JsonSpan,
  ) {
    this.start = span.start;
    this.end = span.end;
    this.#value = value;
    this.#text = text;
    this.#span = span;
  }

  /** Undefined where the text has no such value. */
  get value(): Json | undefined {
    return this.#value;
  }

  /** Returns true if the value is left out: absent, or null, as Terraform takes it. */
  get isAbsent(): boolean {
    return this.#value === undefined || this.#value === null;
  }

  /** Returns the value at `key`; one that is absent has the range of this one. */
  at(key: string | number): JsonNode {
    const value = this.#value;
    const inner = isContainer(value) && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
    return new JsonNode(this.file, this.#text, inner, this.#span.members?.get(key) ?? this.#span);
  }

  /** The keys of an object with their values, without its comment. */
  get entries(): readonly (readonly [key: string, value: JsonNode])[] {
    if (!isObject(this.#value)) return [];
    return Object.keys(this.#value).flatMap((key) => (key === "//" ? [] : [[key, this.at(key)]]));
  }

  /** Returns an object of these values in place of this one, where a block is read as several. */
  with(members: Readonly<Record<string, JsonNode>>): JsonNode {
    const all = Object.entries(members);
    const value = Object.fromEntries(all.map(([key, node]) => [key, node.value as Json]));
    const spans = new Map(all.map(([key, node]) => [key, node.#span] as const));
    return new JsonNode(this.file, this.#text, value, { ...this.#span, members: spans });
  }

  /** Returns another value that has the range of this one. */
  holding(value: Json): JsonNode {
    return new JsonNode(this.file, this.#text, value, { ...this.#span, members: new Map() });
  }

  /** The key that opens this value. */
  get keyRange(): SourceRange {
    const [start, end] = this.#span.key ?? [this.start, this.end];
    return { file: this.file, start, end };
  }

  /** Returns the range of `source` in this text value, or that of the value when it is written in another form. */
  within(source: string): SourceRange {
    const written = JSON.stringify(source).slice(1, -1);
    const at = this.#text.slice(this.start, this.end).indexOf(written);
    const start = this.start + at;
    return at === -1 ? this : { file: this.file, start, end: start + written.length };
  }
}

const isContainer = (value: Json | undefined): value is readonly Json[] | JsonObject =>
  value !== null && typeof value === "object";

export type ParsedStack =
  | { readonly document: StackDocument }
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
  const duplicates: Diagnostic[] = [];
  const span = spanOf(tree, (key) => duplicates.push(duplicateKey(file, key)));
  const [first] = duplicates;
  if (first?.range !== undefined) return { problems: duplicates, failedAt: first.range.start };
  return { document: { text, root: new JsonNode(file, text, JSON.parse(text) as Json, span) } };
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
