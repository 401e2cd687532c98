import { type Node, type ParseError, parseTree } from "jsonc-parser";
import type { Report } from "../declaration/findings";
import { error, type SourceFile, type SourceRange } from "../diagnostics/diagnostic";

type Scalar = null | boolean | number | string;
type Content = Scalar | readonly JsonNode[] | ReadonlyMap<string, JsonNode>;

const noMembers: ReadonlyMap<string, JsonNode> = new Map();

export class JsonNode {
  // Private: printing a node must not print the secrets of its value.
  readonly #content: Content | undefined;

  constructor(
    readonly range: SourceRange,
    content: Content | undefined,
    readonly keyRange = range,
  ) {
    this.#content = content;
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

  /** Returns the value at `key`; an absent value has the range of this node. */
  at(key: string | number): JsonNode {
    const inner = typeof key === "number" && this.isList ? this.items[key] : this.members.get(String(key));
    return inner ?? this.holding(undefined);
  }

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

  /** Returns another value with the range of this node. */
  holding(content: Content | undefined): JsonNode {
    return new JsonNode(this.range, content, this.keyRange);
  }
}

/** Parses a stack's JSON; undefined, after a report, where it is not valid JSON or holds a key twice in one object. */
export function parseStackDocument(source: SourceFile, text: string, report: Report): JsonNode | undefined {
  const refuse = (code: "stack.too_large" | "stack.syntax", start: number, summary: string): undefined => {
    report(error(code, summary, { range: source.range(start, start + 1), hint }));
  };
  const deepAt = tooDeepAt(text);
  if (deepAt !== undefined)
    return refuse("stack.too_large", deepAt, `values are nested more than ${maxDepth} levels deep`);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const [wrong] = errors;
  if (tree === undefined || wrong !== undefined)
    return refuse("stack.syntax", wrong?.offset ?? 0, "the text is not valid JSON");
  const duplicates: SourceRange[] = [];
  const root = readTree(tree, source, duplicates);
  for (const range of duplicates) report(error("stack.duplicate", "duplicate key in one object", { range }));
  return duplicates.length > 0 ? undefined : root;
}

const hint = "a stack is JSON as the synthesis writes it: synthesize it again";

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
function readTree(tree: Node, source: SourceFile, duplicates: SourceRange[]): JsonNode {
  const rangeOf = ({ offset, length }: Node): SourceRange => source.range(offset, offset + length);
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
    const { type, children = [] } = node;
    let content: Content = node.value;
    if (type === "object") content = membersOf(children);
    if (type === "array") content = children.map((item) => read(item));
    return new JsonNode(rangeOf(node), content, key && rangeOf(key));
  };
  return read(tree);
}
