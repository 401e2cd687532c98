import type { SourceRange } from "../diagnostics/source-range";
import type { MapEntry, ScalarNode, SourceNode } from "./source-tree";
import { type Program, rangeOf, type Site } from "./stack";
import { callFunction } from "./stack-call";
import { isObject, type Json } from "./stack-document";
import { type Expression, ExpressionProblem, parseText, type TextPart } from "./stack-expression";
import { StackProblem, unsupported } from "./stack-problem";
import { resolveRoot } from "./stack-references";
import { joinNodes, markSensitive } from "./stack-text";

const maxDepth = 64;

/** A JSON value with its expressions worked out, as far as a plan can; throws `StackProblem`. */
export function readJson(value: Json, site: Site, program: Program, depth = 0): SourceNode {
  const { place } = site;
  if (depth > maxDepth)
    throw new StackProblem("manifest.too_deep", `values are nested more than ${maxDepth} levels deep`);
  if (value === null || typeof value === "boolean" || typeof value === "number")
    return { kind: "scalar", value, range: place };
  if (typeof value === "string") return readText(value, site, program);
  if (!isObject(value)) {
    const items = value.map((item, i) => readJson(item, { ...site, place: place.at(i) }, program, depth + 1));
    return withMarks({ kind: "list", items, range: place }, items);
  }
  const entries = new Map<string, MapEntry>();
  for (const [key, inner] of Object.entries(value)) {
    if (key.includes("${")) throw unsupported("an expression in a key");
    const at = place.at(key);
    entries.set(key, {
      key,
      keyRange: at.keyPlace,
      value: readJson(inner, { ...site, place: at }, program, depth + 1),
    });
  }
  return withMarks(
    { kind: "map", entries, range: place },
    [...entries.values()].map((entry) => entry.value),
  );
}

function withMarks(node: SourceNode, inner: readonly SourceNode[]): SourceNode {
  return inner.some((one) => one.isSensitive) ? markSensitive(node) : node;
}

function readText(text: string, site: Site, program: Program): SourceNode {
  if (!text.includes("${") && !text.includes("%{")) return { kind: "scalar", value: text, range: site.place };
  const parts = understood(() => parseText(text));
  const [only] = parts;
  if (parts.length === 1 && typeof only === "object")
    return {
      ...evaluate(only.expression, { ...site, source: only.source }, program, 0),
      range: site.place,
    } as SourceNode;
  return evaluateParts(parts, site, program, 0);
}

/** The parser's words for what it does not read, as a problem of the stack. */
export function understood<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (cause instanceof ExpressionProblem) throw unsupported(cause.message);
    throw cause;
  }
}

function evaluateParts(parts: readonly TextPart[], site: Site, program: Program, depth: number): ScalarNode {
  const nodes = parts.map((part): SourceNode => {
    if (typeof part === "string")
      return { kind: "scalar", value: part, parts: [{ kind: "text", text: part }], range: site.place };
    return evaluate(part.expression, { ...site, source: part.source }, program, depth);
  });
  return joinNodes(nodes, "", site.place);
}

/** The value of an expression. Locals and variables that hold secrets pass their mark on. */
export function evaluate(expression: Expression, site: Site, program: Program, depth: number): SourceNode {
  if (depth > maxDepth) throw unsupported(`an expression of more than ${maxDepth} levels`);
  const inner = (one: Expression): SourceNode => evaluate(one, site, program, depth + 1);
  const range = rangeOf(site);
  switch (expression.kind) {
    case "value":
      return scalar(expression.value, range);
    case "text":
      return evaluateParts(expression.parts, site, program, depth + 1);
    case "list": {
      const items = expression.items.map(inner);
      return withMarks({ kind: "list", items, range }, items);
    }
    case "object":
      return evaluateObject(expression.entries, inner, range);
    case "call":
      return callFunction(expression.name, expression.args.map(inner), range);
    default:
      return evaluateAccess(expression, site, program, depth);
  }
}

const scalar = (value: ScalarNode["value"], range: SourceRange): ScalarNode =>
  typeof value === "string"
    ? { kind: "scalar", value, parts: [{ kind: "text", text: value }], range }
    : { kind: "scalar", value, range };

function evaluateObject(
  pairs: readonly (readonly [Expression, Expression])[],
  inner: (one: Expression) => SourceNode,
  range: SourceRange,
): SourceNode {
  const entries = new Map<string, MapEntry>();
  for (const [name, one] of pairs) {
    const key = inner(name);
    if (key.kind !== "scalar" || key.parts?.some((part) => part.kind !== "text"))
      throw unsupported("a key that is not plain text");
    entries.set(String(key.value), { key: String(key.value), keyRange: range, value: inner(one) });
  }
  return withMarks(
    { kind: "map", entries, range },
    [...entries.values()].map((entry) => entry.value),
  );
}

/** `local.x.a[0]`: the root takes the steps that it knows, the others go into its value. */
function evaluateAccess(
  expression: Extract<Expression, { kind: "root" | "access" }>,
  site: Site,
  program: Program,
  depth: number,
): SourceNode {
  const steps: (string | number)[] = [];
  let at: Expression = expression;
  while (at.kind === "access") {
    const key = evaluate(at.key, site, program, depth + 1);
    if (key.kind !== "scalar" || (typeof key.value !== "string" && typeof key.value !== "number"))
      throw unsupported("an index that is neither text nor a number");
    if (key.parts?.some((part) => part.kind !== "text"))
      throw unsupported("an index that only apply can tell");
    steps.unshift(key.value);
    at = at.of;
  }
  const found =
    at.kind === "root"
      ? resolveRoot(at.name, steps, site, program, readJson)
      : { node: evaluate(at, site, program, depth + 1), rest: steps };
  let node = found.node;
  for (const step of found.rest) node = stepInto(node, step);
  return node;
}

function stepInto(node: SourceNode, step: string | number): SourceNode {
  const next =
    node.kind === "map"
      ? node.entries.get(String(step))?.value
      : node.kind === "list"
        ? node.items[Number(step)]
        : undefined;
  if (next === undefined)
    throw new StackProblem("manifest.reference_unknown", `there is no ${JSON.stringify(step)} in the value`);
  return node.isSensitive ? markSensitive(next) : next;
}
