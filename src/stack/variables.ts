import type { ReadContext } from "../manifest/context";
import { unlisted } from "../manifest/values";
import { terraformPrefix } from "../model/text";
import type { Plain } from "../model/value";
import type { JsonNode } from "./document";
import { convert } from "./language/conversion";
import { type Expression, parseExpression } from "./language/expression";
import {
  later,
  marked,
  text,
  tupleType,
  type Value,
  type ValueType,
  valueOfPlain,
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
    return marked(later({ ...node, range: scope.node.range, isSensitive: true }));
  }
  const readDefault = (): Value => readEntry(label, entry.at("default"), scope);
  const isSensitive = entry.at("sensitive").value === true;
  const variable = variablesOf(name).find((one) => environment[one]);
  if (variable === undefined && !entry.has("default") && (context.fillIn || !isSensitive))
    throw withoutValue(name, environment);
  if (isSensitive) {
    if (variable === undefined && entry.has("default")) return marked(readDefault());
    // The text goes from the environment into a `Secret` without being a value here.
    const awaited = { kind: "env", name: variable ?? `RNV_VAR_${name}`, source: `\${${label}}` } as const;
    return marked(later({ ...awaited, range: scope.node.range }));
  }
  const type = typeOf(entry);
  if (variable === undefined) return converted(readDefault(), type, "the default");
  if (!trust.mayRead(variable)) {
    const { problem, hint } = unlisted(variable);
    throw new StackProblem("guard.untrusted", problem, hint);
  }
  return converted(valueOfText(environment[variable] as string, type, variable), type, variable);
}

/** A value of a variable in its type, as Terraform converts it. */
function converted(value: Value, type: string, origin: string): Value {
  try {
    return convert(value, typeNamed(parseExpression(type)));
  } catch (cause) {
    if (!(cause instanceof ExpressionProblem)) throw cause;
    throw invalid(`${origin} is not a ${type}: ${cause.message}`);
  }
}

/** The type that a variable declares, or that of its default. */
function typeOf(entry: JsonNode): string {
  const { value: written } = entry.at("type");
  if (typeof written === "string") return written;
  const kind = typeof entry.at("default").value;
  return kind === "number" ? kind : kind === "boolean" ? "bool" : "any";
}

function withoutValue(name: string, environment: ReadContext["environment"]): StackProblem {
  const empty = variablesOf(name).find((variable) => environment[variable] === "");
  const why = empty === undefined ? "" : `: ${empty} is empty`;
  const hint = `set RNV_VAR_${name} (or TF_VAR_${name})${empty === undefined ? "" : "; its default may be an empty text"}`;
  return new StackProblem("stack.variable_missing", `the variable ${name} has no value${why}`, hint);
}

const variablesOf = (name: string): readonly string[] => [`RNV_VAR_${name}`, `TF_VAR_${name}`];

/** Text of the environment, which is no template: JSON where the type of the variable has others in it. */
function valueOfText(given: string, type: string, origin: string): Value {
  if (!type.includes("(")) return text(given);
  try {
    return valueOfPlain(JSON.parse(given) as Plain);
  } catch {
    throw invalid(`${origin} does not hold JSON, as its type ${type} needs`);
  }
}

/** The type that `list(string)`, or another constraint, says. */
function typeNamed(expression: Expression): ValueType {
  if (expression.kind === "root" && ["string", "number", "bool", "any"].includes(expression.name))
    return expression.name as ValueType;
  const [of] = expression.kind === "call" ? expression.args : [];
  if (expression.kind === "call" && of !== undefined) {
    const { name } = expression;
    if (name === "list" || name === "set" || name === "map") return { kind: name, of: typeNamed(of) };
    if (name === "tuple" && of.kind === "list") return tupleType(of.items.map(typeNamed));
    // Attributes of objects may be optional, with defaults: they are taken as they are given.
    if (name === "object" || name === "tuple") return "any";
  }
  throw unsupported("the type of the variable");
}
