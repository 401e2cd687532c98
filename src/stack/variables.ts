import type { LoadContext } from "../declaration/load-context";
import { unlistedVariable } from "../declaration/read-value";
import { terraformPrefix } from "../model/terraform-names";
import type { JsonNode } from "./document";
import { convert, textOf } from "./language/conversion";
import { type Evaluation, evaluate } from "./language/evaluate";
import { type Expression, parseExpression } from "./language/expression";
import {
  jsonDecode,
  later,
  marked,
  nothing,
  text,
  tupleType,
  type Value,
  type ValueType,
  whenKnown,
} from "./language/expression-value";
import { ExpressionProblem, invalid, StackProblem, unsupported } from "./language/problem";
import { commentOf, type Scope, undeclared } from "./stack";
import { nodeOf } from "./values";

/** Evaluates a named value; `label` names it in an error. */
type ReadEntry = (label: string, node: JsonNode, scope: Scope) => Value;

/**
 * The value of `var.name`: the source in its comment, RNV_VAR_name, TF_VAR_name, or its default. A variable of the
 * environment that is empty counts as unset: CI defines an empty one for each setting that does not exist.
 */
export function variableValue(name: string, scope: Scope, readEntry: ReadEntry): Value {
  const { stack, context } = scope;
  const { environment, trust } = context.reading;
  const label = `var.${name}`;
  const entry = stack.variables.get(name);
  if (entry === undefined) throw undeclared(label, name, stack.variables.keys(), context);
  const source = commentOf(entry, terraformPrefix).at("source");
  if (source.isObject) {
    // The source as a manifest would write it: `{ fromEnv: NAME }`.
    const node = nodeOf(readEntry(label, source, scope), scope.node, scope.reader);
    return marked(ofText(later({ ...node, range: scope.node.range, isSensitive: true }), entry, label));
  }
  const isSensitive = entry.at("sensitive").value === true;
  const variable = variablesOf(name).find((one) => environment[one]);
  if (variable === undefined && entry.has("default")) {
    const read = (): Value => readEntry(label, entry.at("default"), scope);
    return marked(converted(read, typeOf(entry), `the default of ${label}`), isSensitive);
  }
  if (variable === undefined && (context.reading.reach === "resolve" || !isSensitive))
    throw withoutValue(name, environment);
  const origin = variable ?? `RNV_VAR_${name}`;
  if (isSensitive) {
    // The text goes from the environment into a `Secret` without being a value here.
    const awaited = { kind: "env", name: origin, source: `\${${label}}` } as const;
    return marked(ofText(later({ ...awaited, range: scope.node.range }), entry, origin));
  }
  if (!trust.mayRead(origin)) {
    const { problem, hint } = unlistedVariable(origin);
    throw new StackProblem("guard.untrusted", problem, hint);
  }
  return ofText(text(environment[origin] as string), entry, origin);
}

/** The value that `read` returns in the type of a variable, as Terraform converts it. */
function converted(read: () => Value, type: ValueType, origin: string): Value {
  try {
    return convert(read(), type);
  } catch (cause) {
    if (!(cause instanceof ExpressionProblem)) throw cause;
    throw invalid(`${origin} does not have the type of the variable: ${cause.message}`);
  }
}

/** Text from outside, which is no template, as the value of a variable: JSON, unless its type is that of one scalar. */
function ofText(given: Value, entry: JsonNode, origin: string): Value {
  const type = typeOf(entry);
  // Text is not converted: a secret can be joined to other text.
  if (type === "string" || !entry.has("type")) return given;
  const read = (known: Value): Value =>
    type === "number" || type === "bool" ? known : jsonDecode(textOf(known));
  return whenKnown([given], ([known]) => converted(() => read(known as Value), type, origin));
}

function typeOf(entry: JsonNode): ValueType {
  const { value: written } = entry.at("type");
  return typeof written === "string" ? typeNamed(parseExpression(written)) : "any";
}

function withoutValue(name: string, environment: LoadContext["environment"]): StackProblem {
  const empty = variablesOf(name).find((variable) => environment[variable] === "");
  const why = empty === undefined ? "" : `: ${empty} is empty`;
  const hint = `set RNV_VAR_${name} (or TF_VAR_${name})${empty === undefined ? "" : "; its default may be an empty text"}`;
  return new StackProblem("stack.variable_missing", `the variable ${name} has no value${why}`, hint);
}

const variablesOf = (name: string): readonly string[] => [`RNV_VAR_${name}`, `TF_VAR_${name}`];

/** The type that `list(string)`, or another constraint, says. */
function typeNamed(expression: Expression): ValueType {
  if (expression.kind === "root" && ["string", "number", "bool", "any"].includes(expression.name))
    return expression.name as ValueType;
  const [of] = expression.kind === "call" ? expression.args : [];
  if (expression.kind === "call" && of !== undefined) {
    const { name } = expression;
    if (name === "list" || name === "set" || name === "map") return { kind: name, of: typeNamed(of) };
    if (name === "tuple" && of.kind === "list") return tupleType(of.items.map(typeNamed));
    if (name === "object" && of.kind === "object") return objectType(of.entries);
  }
  throw unsupported("the type of the variable");
}

/** The type of an object; an attribute of it may be `optional(type)` or `optional(type, default)`. */
function objectType(attributes: readonly (readonly [Expression, Expression])[]): ValueType {
  const entries = new Map<string, ValueType>();
  const optional = new Map<string, Value>();
  for (const [key, written] of attributes) {
    if (key.kind !== "value") throw unsupported("the type of the variable");
    const name = String(key.value);
    const isOptional = written.kind === "call" && written.name === "optional";
    const [type = written, fallback] = isOptional ? written.args : [];
    entries.set(name, typeNamed(type));
    if (isOptional) optional.set(name, fallback === undefined ? nothing : evaluate(fallback, literals));
  }
  return { kind: "object", entries, optional };
}

const literals: Evaluation = {
  resolve: () => {
    throw unsupported("a reference in the type of a variable");
  },
  spend: () => {},
};
