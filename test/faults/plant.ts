import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { childrenOf, isNode, type Node, parseTypeScript } from "../support/syntax";

/** A change of one expression or statement of the sources: a bug planted on purpose. */
export interface Edit {
  /** The function, method or constant that holds it. */
  readonly within: string;
  readonly find: Find;
  readonly to: (found: Found) => string;
}

/** Describes a piece of syntax, so that it is found wherever it moves and however it is formatted. */
export interface Find {
  readonly matches: (node: Node, textOf: (node: Node) => string) => readonly unknown[];
  /** Texts that all occur in it. */
  readonly words: readonly string[];
}

export interface Found {
  readonly text: string;
  /** Texts of the arguments of a call, the elements of an array, the operands of a logical expression. */
  readonly parts: readonly string[];
}

/** A text of the sources that an edit replaces: a half-open range of character offsets. */
export interface Replacement {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Matches = Find["matches"];

const ofType =
  (type: string): Matches =>
  (node) =>
    node.type === type ? [node] : [];

/** Pieces of syntax by their kind; the first word of a call and of a property is its name. */
const matching = {
  call:
    (name: string): Matches =>
    (node, textOf) =>
      node.type === "CallExpression" && isNode(node.callee) && isNamed(textOf(node.callee), name)
        ? [node]
        : [],
  /** The value of a property of an object literal. */
  property:
    (name: string): Matches =>
    ({ type, key, value }, textOf) =>
      type === "KeyValueProperty" && isNode(key) && textOf(key) === name ? [value] : [],
  /** The condition of an `if`, a loop or a conditional expression. */
  condition:
    (): Matches =>
    ({ test }) => [test],
  /** An operand of `&&`, `||` or `??`. */
  operand: (): Matches => (node) => (isLogical(node) ? partsOf(node) : []),
  array: () => ofType("ArrayExpression"),
  choice: () => ofType("ConditionalExpression"),
  ifStatement: () => ofType("IfStatement"),
  /** The iterable of a `for … of`. */
  iterated:
    (): Matches =>
    ({ type, right }) =>
      type === "ForOfStatement" ? [right] : [],
  /** The initial value of a constant that is named by `within`. */
  initialValue:
    (): Matches =>
    ({ type, init }) =>
      type === "VariableDeclarator" ? [init] : [],
};

export type FindKind = keyof typeof matching;

/** A piece of syntax of a kind that holds these words. */
export const findOf = (kind: FindKind, words: readonly string[]): Find => ({
  matches: matching[kind](words[0] ?? ""),
  words: kind === "property" ? words.slice(1) : words,
});

const folder = resolve(__dirname, "../../src");
const isNamed = (callee: string, name: string): boolean => callee.split(/[.#?\s]+/).at(-1) === name;
const isLogical = (node: unknown): boolean =>
  isNode(node) && node.type === "BinaryExpression" && ["&&", "||", "??"].includes(String(node.operator));

/** Finds the only piece of the sources that an edit means, and its replacement. */
export function locate({ within, find, to }: Edit): Replacement {
  const word = new RegExp(`(?<![\\w$])${within}(?![\\w$])`);
  const found = [...sources()]
    .filter(([, text]) => word.test(text) && find.words.every((part) => text.includes(part)))
    .flatMap(([path, text]) => piecesIn(path, text, within, find));
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(
      `${found.length} pieces of ${within} hold ${find.words.join(", ")}: ${found.map((one) => one.path)}`,
    );
  const { path, start, end } = only;
  return { path, start, end, text: to(only) };
}

/** The path of the only source that holds a text. */
export function sourceWith(text: string): string {
  const found = [...sources()].filter(([, source]) => source.includes(text)).map(([path]) => path);
  if (found.length !== 1) throw new Error(`${found.length} sources hold: ${text}`);
  return String(found[0]);
}

let kept: ReadonlyMap<string, string> | undefined;

function sources(): ReadonlyMap<string, string> {
  kept ??= new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name))
      .map((path) => [path, readFileSync(path, "utf8")]),
  );
  return kept;
}

function piecesIn(path: string, text: string, within: string, find: Find) {
  const textOf = (node: Node): string => text.slice(node.start, node.end);
  const pieces = new Map<string, { readonly path: string; start: number; end: number } & Found>();
  const visit = (node: Node, isInside: boolean): void => {
    const inside = isInside || nameOf(node, textOf) === within;
    const found = inside ? find.matches(node, textOf).filter(isNode) : [];
    for (const piece of found.filter((one) => find.words.every((part) => textOf(one).includes(part))))
      pieces.set(`${piece.start} ${piece.end}`, {
        ...{ path, start: piece.start, end: piece.end, text: textOf(piece) },
        parts: partsOf(piece).map(textOf),
      });
    for (const child of childrenOf(node)) visit(child, inside);
  };
  const tree = treeOf(path, text);
  if (tree !== undefined) visit(tree, false);
  return [...pieces.values()];
}

const trees = new Map<string, Node | undefined>();

function treeOf(path: string, text: string): Node | undefined {
  if (!trees.has(path)) trees.set(path, parseTypeScript(text));
  return trees.get(path);
}

/** The name that a function, a method or a constant is declared with. */
function nameOf(node: Node, textOf: (node: Node) => string): string | undefined {
  const name = { FunctionDeclaration: "identifier", VariableDeclarator: "id" }[node.type] ?? "key";
  const named = node[name];
  const isMethod =
    node.type === "ClassMethod" || node.type === "PrivateMethod" || node.type === "MethodProperty";
  return isNode(named) && (name !== "key" || isMethod)
    ? textOf(named).replace(/^#/, "").replace(/:.*/s, "")
    : undefined;
}

function partsOf(node: Node): readonly Node[] {
  if (isLogical(node))
    return [node.left, node.right]
      .filter(isNode)
      .flatMap((part) => (isLogical(part) ? partsOf(part) : [part]));
  const list = node.arguments ?? node.elements;
  return Array.isArray(list) ? list.filter(isNode) : [];
}
