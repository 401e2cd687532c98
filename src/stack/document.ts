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

  /** Returns the value at `key`; one that is absent, or nested too deep, has the range of this one. */
  at(key: string | number): JsonNode {
    const value = this.#value;
    const inner = isContainer(value) && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
    return new JsonNode(this.file, this.#text, inner, this.#span.members?.get(key) ?? this.#span);
  }

  /** Returns true if the value at `key` has a range of its own. */
  hasRange(key: string | number): boolean {
    return this.#span.members?.has(key) === true;
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
    return new TextRange(this, this.#text, source);
  }
}

const isContainer = (value: Json | undefined): value is readonly Json[] | JsonObject =>
  value !== null && typeof value === "object";

/** A piece of a text value. It is searched for when its range is asked for: most are never reported. */
class TextRange implements SourceRange {
  readonly #whole: JsonNode;
  readonly #text: string;
  readonly #source: string;

  constructor(whole: JsonNode, text: string, source: string) {
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
  const root = new JsonNode(file, text, value, span ?? { start: 0, end: text.length });
  return { document: { text, root } };
}

/** The parser calls itself for each level. In a text with more levels every value has the range of the whole. */
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
  if ("}]".includes(found) && before.endsWith(",")) return "remove the comma before } or ]";
  if (found === "'") return 'keys and texts need double quotes: "…"';
  if (found === '"' && /["\dle}\]]$/.test(before)) return "a comma is missing before it";
  if (found === "<" || found === "=" || found === ">") return "is it an unresolved merge conflict?";
  return "a stack is JSON as the synthesis writes it: synthesize it again";
}
