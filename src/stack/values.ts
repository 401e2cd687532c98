import { DiagnosticsError, error, type SourceRange } from "../diagnostics/diagnostic";
import type { AwaitedPart, MapEntry, SourceNode, TemplatePart } from "../manifest/tree";
import { sourceKeys } from "../manifest/type-index";
import type { Plain } from "../model/value";
import type { Json } from "./document";
import { convert } from "./language/conversion";
import { type Expression, parseExpression } from "./language/expression";
import {
  type Awaited,
  ExpressionProblem,
  isListLike,
  isMapLike,
  isSensitive,
  type LaterValue,
  later,
  type Value,
  type ValueType,
} from "./language/expression-value";
import { valueOfPlain } from "./language/json-functions";
import { problemOf, StackProblem, unsupported } from "./stack";

/** The same node, marked as secret: it must not be shown. */
const markSensitive = <Node extends SourceNode>(node: Node): Node => ({ ...node, isSensitive: true });

/** The same node, marked as secret when a node in it is. */
const withMarkOf = <Node extends SourceNode>(inner: Iterable<SourceNode>, node: Node): Node =>
  [...inner].some((one) => one.isSensitive) ? markSensitive(node) : node;

/** A list of nodes. */
export const listNode = (items: readonly SourceNode[], range: SourceRange): SourceNode =>
  withMarkOf(items, { kind: "list", items, range });

/** An object of nodes. */
export const mapNode = (entries: ReadonlyMap<string, MapEntry>, range: SourceRange): SourceNode =>
  withMarkOf(
    [...entries.values()].map(({ value }) => value),
    { kind: "map", entries, range },
  );

/** A reference to `segments`: an address, then an attribute. */
export const referenceValue = (
  segments: readonly string[],
  source: string,
  range: SourceRange,
  type: ValueType = "any",
): LaterValue => later({ kind: "reference", segments, source, range }, type);

/** Whether a value that is no secret holds a reference. */
export function isMadeByApply(node: SourceNode): boolean {
  if (node.isSensitive) return false;
  if (node.kind === "list") return node.items.some(isMadeByApply);
  if (node.kind === "map") return [...node.entries.values()].some(({ value }) => isMadeByApply(value));
  return node.parts?.some(isReferring) === true;
}

const isReferring = (part: TemplatePart): boolean =>
  part.kind === "reference" || (part.kind === "computed" && part.awaits.some(isReferring));

/** A known value as JSON. */
export function plainOf(value: Value): Plain {
  if (isListLike(value)) return value.items.map(plainOf);
  if (isMapLike(value))
    return Object.fromEntries([...value.entries].map(([key, inner]) => [key, plainOf(inner)]));
  if (value.kind === "later") throw new Error("a value that is not known was taken for one that is");
  if (value.kind === "null") return null;
  return value.value;
}

/** The construct and the attribute that a problem of a later value names. */
export interface Owner {
  readonly owner: string;
  readonly address?: string;
}

/** A value as a node of a manifest. Parts that come from a secret are marked. */
export function nodeOf(value: Value, source: string, range: SourceRange, owner: Owner): SourceNode {
  const node = bareNode(value, source, range, owner);
  return isSensitive(value) ? hidden(markSensitive(node)) : node;
}

/** A marked text without the copy of its parts that messages show. */
const hidden = (node: SourceNode): SourceNode =>
  node.kind === "scalar" && typeof node.value === "string" ? { ...node, value: "" } : node;

function bareNode(value: Value, source: string, range: SourceRange, owner: Owner): SourceNode {
  const inner = (one: Value): SourceNode => nodeOf(one, source, range, owner);
  if (isListLike(value)) return listNode(value.items.map(inner), range);
  if (isMapLike(value)) {
    const entries = [...value.entries].map(([key, one]): [string, MapEntry] => [
      key,
      { key, keyRange: range, value: inner(one) },
    ]);
    return mapNode(new Map(entries), range);
  }
  if (value.kind === "later") return laterNode(value, source, range, owner);
  if (value.kind === "null") return { kind: "scalar", value: null, range };
  if (value.kind === "number" || value.kind === "bool") return { kind: "scalar", value: value.value, range };
  // Nothing of it is a reference or an expression of a manifest.
  const parts = [{ kind: "text" as const, text: value.value }];
  return { kind: "scalar", value: value.value, parts, range };
}

function laterNode(value: LaterValue, source: string, range: SourceRange, owner: Owner): SourceNode {
  const [only] = value.parts ?? [];
  if (value.parts?.length === 1 && typeof only === "object" && isNode(only)) return { ...only, range };
  const parts = value.parts?.map(
    (part): TemplatePart => (typeof part === "string" ? { kind: "text", text: part } : awaitedPart(part)),
  );
  if (parts !== undefined) return { kind: "scalar", value: shownText(parts), parts, range };
  const compute = (values: readonly Plain[]): Plain => {
    const found = new Map(value.awaits.map((one, i) => [one, valueOfPlain(values[i] as Plain)]));
    try {
      return plainOf(value.compute((awaited) => found.get(awaited) as Value));
    } catch (cause) {
      if (!(cause instanceof ExpressionProblem)) throw cause;
      throw new DiagnosticsError([laterProblem(cause, range, owner)]);
    }
  };
  const awaits = value.awaits.map(awaitedPart);
  return {
    kind: "scalar",
    value: source,
    parts: [{ kind: "computed", awaits, compute, source, range }],
    range,
  };
}

function laterProblem(cause: ExpressionProblem, range: SourceRange, { owner, address }: Owner) {
  const { code, message, hint } = problemOf(cause);
  return error(code, `${owner}: ${message}`, {
    range,
    ...(address !== undefined && { address }),
    ...(hint !== undefined && { hint }),
  });
}

const shownText = (parts: readonly TemplatePart[]): string =>
  parts.map((part) => (part.kind === "text" ? part.text : part.source)).join("");

const isNode = (awaited: Awaited): awaited is SourceNode =>
  awaited.kind === "scalar" || awaited.kind === "list" || awaited.kind === "map";

/** A secret by its source as a part of a text: only one of the environment can be one. */
function awaitedPart(awaited: Awaited): AwaitedPart {
  if (!isNode(awaited)) return awaited;
  const [entry] = awaited.kind === "map" ? [...awaited.entries.values()] : [];
  if (entry === undefined || !sourceKeys.includes(entry.key))
    throw new StackProblem("stack.invalid_value", "a list or an object is not allowed inside text");
  if (entry.key !== "fromEnv" || entry.value.kind !== "scalar")
    throw unsupported(`text or a function around a secret that comes from ${entry.key}`);
  const name = String(entry.value.value);
  return { kind: "env", name, source: `\${env.${name}}`, range: awaited.range };
}

/** Text of the environment as a value of a variable's type; throws `StackProblem` for another text. */
export function valueOfType(given: string, type: string, origin: string): Json {
  if (type === "string" || type === "any") return given;
  if (type === "bool" && (given === "true" || given === "false")) return given === "true";
  if (type === "number" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(given)) return Number(given);
  if (type === "bool" || type === "number")
    throw new StackProblem("stack.invalid_value", `${origin} is not a ${type}`);
  try {
    return JSON.parse(given) as Json;
  } catch {
    throw new StackProblem("stack.invalid_value", `${origin} does not hold JSON, as its type ${type} needs`);
  }
}

/** A value of a variable in its type, as Terraform converts it. */
export const convertTo = (value: Value, type: string): Value =>
  convert(value, typeNamed(parseExpression(type)));

/** The type that `list(string)`, or another constraint, says. */
function typeNamed(expression: Expression): ValueType {
  if (expression.kind === "root" && ["string", "number", "bool", "any"].includes(expression.name))
    return expression.name as ValueType;
  const [of] = expression.kind === "call" ? expression.args : [];
  if (expression.kind === "call" && of !== undefined) {
    const { name } = expression;
    if (name === "list" || name === "set" || name === "map") return { kind: name, of: typeNamed(of) };
    if (name === "tuple" && of.kind === "list") return { kind: "tuple", items: of.items.map(typeNamed) };
    // Attributes of objects may be optional, with defaults: they are taken as they are given.
    if (name === "object" || name === "tuple") return "any";
  }
  throw new ExpressionProblem("the type of the variable is none that Terraform has", "unsupported");
}
