import type { ReadContext } from "../manifest/context";
import { unlisted } from "../manifest/values";
import { terraformPrefix } from "../model/text";
import type { Plain } from "../model/value";
import type { JsonNode } from "./document";
import { convert } from "./language/conversion";
import { type Expression, parseExpression } from "./language/expression";
import { later, marked, text, type Value, type ValueType } from "./language/expression-value";
import { valueOfPlain } from "./language/json-functions";
import { ExpressionProblem, invalid, StackProblem, unsupported } from "./language/problem";
import { commentOf, rangeOf, type Scope, undeclared } from "./stack";
import { nodeOf } from "./values";

/** Evaluates a named value; `label` names it in an error. */
type ReadEntry = (label: string, node: JsonNode, scope: Scope) => Value;

type Environment = ReadContext["environment"];

/** A variable that is being read. */
interface Variable {
  readonly name: string;
  readonly entry: JsonNode;
  readonly scope: Scope;
  readonly readDefault: () => Value;
}

/**
 * The value of `var.name`: the source in its comment, RNV_VAR_name, TF_VAR_name, or its default. A variable of the
 * environment that is empty counts as unset: CI defines an empty one for each setting that does not exist.
 */
export function variableValue(name: string, scope: Scope, readEntry: ReadEntry): Value {
  const { stack, context } = scope;
  const entry = stack.variables.get(name);
  if (entry === undefined) throw undeclared(`var.${name}`, name, stack.variables.keys(), context);
  const variable = {
    name,
    entry,
    scope,
    readDefault: () => readEntry(`var.${name}`, entry.at("default"), scope),
  };
  const source = commentOf(entry, terraformPrefix).at("source");
  if (source.isObject) {
    // The source as a manifest would write it: `{ fromEnv: NAME }`.
    const node = nodeOf(readEntry(`var.${name}`, source, scope), scope.node, scope.reader);
    return marked(later({ ...node, range: rangeOf(scope), isSensitive: true }, "string"));
  }
  return entry.at("sensitive").value === true ? marked(sensitiveValue(variable)) : plainValue(variable);
}

/** The text goes from the environment into a `Secret` without being a value here. */
function sensitiveValue({ name, entry, scope, readDefault }: Variable): Value {
  const { fillIn, reading } = scope.context;
  const { environment } = reading;
  const variable = setVariable(name, environment) ?? (entry.has("default") ? undefined : `RNV_VAR_${name}`);
  if (variable === undefined) return readDefault();
  if (fillIn && !environment[variable]) throw withoutValue(name, environment);
  const source = `\${var.${name}}`;
  return later({ kind: "env", name: variable, source, range: rangeOf(scope) }, "string");
}

function plainValue({ name, entry, scope, readDefault }: Variable): Value {
  const { environment, trust } = scope.context.reading;
  const variable = setVariable(name, environment);
  if (variable !== undefined && !trust.mayRead(variable)) {
    const { problem, hint } = unlisted(variable);
    throw new StackProblem("guard.untrusted", problem, hint);
  }
  const { value: fallback } = entry.at("default");
  const { value: written } = entry.at("type");
  const type = typeof written === "string" ? written : impliedType(fallback);
  if (variable !== undefined)
    return converted(valueOfText(environment[variable] as string, type, variable), type, variable);
  if (!entry.has("default")) throw withoutValue(name, environment);
  return converted(readDefault(), type, "the default");
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

const impliedType = (value: JsonNode["value"]): string =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "bool" : "any";

function withoutValue(name: string, environment: Environment): StackProblem {
  const empty = variablesOf(name).find((variable) => environment[variable] === "");
  const why = empty === undefined ? "" : `: ${empty} is empty`;
  const hint = `set RNV_VAR_${name} (or TF_VAR_${name})${empty === undefined ? "" : "; its default may be an empty text"}`;
  return new StackProblem("stack.variable_missing", `the variable ${name} has no value${why}`, hint);
}

const variablesOf = (name: string): readonly string[] => [`RNV_VAR_${name}`, `TF_VAR_${name}`];

/** The variable of the environment that sets a variable of the stack. */
const setVariable = (name: string, environment: Environment): string | undefined =>
  variablesOf(name).find((variable) => environment[variable]);

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
    if (name === "tuple" && of.kind === "list") return { kind: "tuple", items: of.items.map(typeNamed) };
    // Attributes of objects may be optional, with defaults: they are taken as they are given.
    if (name === "object" || name === "tuple") return "any";
  }
  throw unsupported("the type of the variable");
}
