import { createHash } from "node:crypto";
import { childrenOf, isNode, type Node, parseTypeScript } from "../support/syntax";

/** One small change of a source text that a test should notice. */
export interface Mutation {
  /** Half-open range of character offsets. */
  readonly start: number;
  readonly end: number;
  readonly to: string;
  readonly operator: string;
}

/** A mutation of one file, under a name that stays when lines above it move. */
export interface Mutant extends Mutation {
  /** Below `src`. */
  readonly file: string;
  readonly id: string;
  /** From 1. */
  readonly line: number;
  readonly from: string;
  /** Text before and after it in its line. */
  readonly around: readonly [string, string];
}

/** Returns every mutation of a TypeScript text that still parses, in the order of the text. */
function mutationsOf(text: string): readonly Mutation[] {
  const tree = parseTypeScript(text);
  if (tree === undefined) throw new Error("it does not parse");
  const found: Mutation[] = [];
  visit(tree, (node) => found.push(...mutationsAt(node, text)));
  // `a && b ?? c` is no expression.
  const parses = (mutation: Mutation): boolean =>
    !/^(&&|\|\|)/.test(mutation.to) ||
    !text.slice(Math.max(0, mutation.start - 300), mutation.end + 300).includes("??") ||
    parseTypeScript(mutate(text, mutation)) !== undefined;
  return found.filter(parses).sort((one, other) => one.start - other.start || one.end - other.end);
}

export const mutate = (text: string, { start, end, to }: Mutation): string =>
  text.slice(0, start) + to + text.slice(end);

/** Returns the mutants of a file, each under the digest of its line and its change, and of how many like it stand before it. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const seen = new Map<string, number>();
  return mutationsOf(text).map((mutation) => {
    const from = text.slice(mutation.start, mutation.end);
    const lines = text.slice(0, mutation.start).split("\n");
    const before = lines.at(-1)?.trimStart() ?? "";
    const after = text.slice(mutation.end).split("\n", 1)[0] ?? "";
    const key = JSON.stringify([file, before, mutation.operator, from, mutation.to, after]);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    const id = createHash("sha256").update(`${key}${times}`).digest("hex").slice(0, 8);
    return { ...mutation, file, id, line: lines.length, from, around: [before, after] };
  });
}

/** Types and imports change nothing that runs. */
const isSilent = ({ type, typeOnly }: Node): boolean =>
  typeOnly === true ||
  /^(Import|ExportAll|ExportNamed)/.test(type) ||
  (type.startsWith("Ts") && !/^Ts(As|NonNull|Satisfies|ConstAssertion|TypeAssertion)/.test(type));

function visit(node: Node, meet: (node: Node) => void): void {
  if (isSilent(node)) return;
  meet(node);
  for (const child of childrenOf(node)) {
    const isKey = child === node.key && child.type === "StringLiteral";
    if (!isKey) visit(child, meet);
  }
}

function mutationsAt(node: Node, text: string): readonly Mutation[] {
  return [
    ...operators(node, text),
    ...conditions(node),
    ...literals(node, text),
    ...removals(node, text),
    ...chains(node, text),
    ...methods(node, text),
  ];
}

const otherOperators: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "==": ["!="],
  "!=": ["=="],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "+=": ["-="],
  "-=": ["+="],
  "??=": ["&&="],
  "++": ["--"],
  "--": ["++"],
};

const isText = (value: unknown): boolean =>
  isNode(value) && (value.type === "StringLiteral" || value.type === "TemplateLiteral");

function operators(node: Node, text: string): readonly Mutation[] {
  const { type, operator, left, right, argument, prefix } = node;
  if (type === "UpdateExpression" && isNode(argument)) {
    const start = prefix === true ? node.start : argument.end;
    return replacements("operator", start, String(operator));
  }
  if (type === "UnaryExpression" && isNode(argument) && (operator === "!" || operator === "-"))
    return [{ start: node.start, end: node.start + 1, to: "", operator: "negation" }];
  if (type !== "BinaryExpression" && type !== "AssignmentExpression") return [];
  if (!isNode(left) || !isNode(right) || typeof operator !== "string") return [];
  if (operator === "+" && (isText(left) || isText(right))) return [];
  const at = text.slice(left.end, right.start).indexOf(operator);
  return at === -1 ? [] : replacements("operator", left.end + at, operator);
}

const replacements = (name: string, start: number, from: string): readonly Mutation[] =>
  (otherOperators[from] ?? []).map((to) => ({ start, end: start + from.length, to, operator: name }));

/** A condition that always or never holds. A loop that never ends tells nothing. */
function conditions({ type, test }: Node): readonly Mutation[] {
  if (!isNode(test) || test.type === "BooleanLiteral") return [];
  const values = { IfStatement: ["true", "false"], ConditionalExpression: ["true", "false"] }[type];
  const loop = { WhileStatement: ["false"], ForStatement: ["false"] }[type];
  return (values ?? loop ?? []).map((to) => ({
    start: test.start,
    end: test.end,
    to,
    operator: "condition",
  }));
}

/** What is written for people to read has spaces; tests assert codes and not prose. */
const isProse = (text: string): boolean => /\s/.test(text);

function literals(node: Node, text: string): readonly Mutation[] {
  const { start, end, type } = node;
  const shown = text.slice(start, end);
  const as = (to: string, operator: string): readonly Mutation[] => [{ start, end, to, operator }];
  if (type === "BooleanLiteral") return as(shown === "true" ? "false" : "true", "boolean");
  if (type === "StringLiteral" && !isProse(shown)) return as(node.value === "" ? '"mutant"' : '""', "string");
  if (type === "TemplateLiteral" && shown.length > 2 && !isProse(quasisOf(node))) return as('""', "string");
  if (type === "ArrayExpression" && childrenOf(node).length > 0) return as("[]", "array");
  return [];
}

const quasisOf = ({ quasis }: Node): string =>
  Array.isArray(quasis) ? quasis.map(({ raw }) => String(raw)).join("") : "";

function removals(node: Node, text: string): readonly Mutation[] {
  const { start, end, type, expression } = node;
  if (type === "BlockStatement" || type === "FunctionBody")
    return childrenOf(node).length === 0 ? [] : [{ start, end, to: "{}", operator: "block" }];
  if (type !== "ExpressionStatement" || !isNode(expression)) return [];
  const inner = expression.type === "AwaitExpression" ? expression.argument : expression;
  const isCall = isNode(inner) && /^(CallExpression|OptionalChainingExpression)$/.test(inner.type);
  return isCall && text[start] !== "{" ? [{ start, end, to: ";", operator: "call" }] : [];
}

function chains(node: Node, text: string): readonly Mutation[] {
  const { type, base, optional } = node;
  if (type !== "OptionalChainingExpression" || optional !== true || !isNode(base)) return [];
  const from = isNode(base.object) ? base.object.end : isNode(base.callee) ? base.callee.end : undefined;
  const at = from === undefined ? -1 : text.indexOf("?.", from);
  if (at === -1 || at >= node.end) return [];
  const to = /[[(]/.test(text[at + 2] ?? "") ? "" : ".";
  return [{ start: at, end: at + 2, to, operator: "chain" }];
}

const otherMethods: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  min: "max",
  max: "min",
  toLowerCase: "toUpperCase",
  toUpperCase: "toLowerCase",
};

const droppedMethods: ReadonlySet<string> = new Set([
  "filter",
  "sort",
  "toSorted",
  "reverse",
  "slice",
  "trim",
]);

function methods(node: Node, text: string): readonly Mutation[] {
  const { type, callee } = node;
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return [];
  const { object, property } = callee;
  if (!isNode(object) || !isNode(property) || property.type !== "Identifier") return [];
  const { start, end } = property;
  const name = text.slice(start, end);
  // Not `toString`, which every object has.
  const other = Object.hasOwn(otherMethods, name) ? otherMethods[name] : undefined;
  if (other !== undefined) return [{ start, end, to: other, operator: "method" }];
  return droppedMethods.has(name) ? [{ start: object.end, end: node.end, to: "", operator: "method" }] : [];
}
