import type { Diagnostic, SourceRange } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import { crossStackData, dataSegments } from "../../model/data-source";
import { camelCase, terraformPrefix } from "../../model/text";
import type { StackUnit } from "../context";
import type { MapEntry, ScalarNode, SourceNode } from "../tree";
import { dataAttribute, isDataSource } from "./data-attributes";
import { isObject, type Json, type JsonLocation, type JsonObject } from "./document";
import { type Expression, ExpressionProblem, parseText, type TextPart } from "./expression";
import { addressOfResource, type StackType } from "./names";
import {
  commentOf,
  crossStackInput,
  problemAt,
  rangeOf,
  type Scope,
  type Stack,
  type StackContext,
  type StackEntry,
  StackProblem,
  undeclared,
  unsupported,
} from "./stack";
import {
  callFunction,
  convertNode,
  hasUnknownPart,
  isMadeByApply,
  joinNodes,
  listNode,
  mapNode,
  markSensitive,
  plainNode,
  referenceNode,
  textNode,
  valueOfType,
} from "./values";

/** Reads the values of a block and reports the problems of each. */
export interface BlockReader {
  readonly read: (value: Json, location: JsonLocation) => SourceNode | undefined;
  readonly refuse: (problem: StackProblem, range: SourceRange) => void;
  /** Reports a finding that keeps nothing from being read. */
  readonly note: (finding: Diagnostic) => void;
}

export function readerOf(stack: Stack, context: StackContext, owner: string, address?: Address): BlockReader {
  const refuse = (problem: StackProblem, range: SourceRange): void =>
    context.report(problemAt(problem, owner, range, address));
  return {
    refuse,
    note: (finding) => context.report({ ...finding, summary: `${owner}: ${finding.summary}` }),
    read: (value, location) => {
      try {
        return readJson(value, { context, stack, location, source: "", busy: new Set() });
      } catch (cause) {
        if (!(cause instanceof StackProblem)) throw cause;
        refuse(cause, location);
        return undefined;
      }
    },
  };
}

/** Levels of a value, and of an expression. */
const maxLevels = 64;

/** A JSON value with its expressions evaluated, as far as a plan can; throws `StackProblem`. */
function readJson(value: Json, scope: Scope, depth = 0): SourceNode {
  const { location } = scope;
  if (depth > maxLevels)
    throw new StackProblem("manifest.too_deep", `values are nested more than ${maxLevels} levels deep`);
  if (typeof value === "string") return readText(value, scope);
  if (value === null || typeof value !== "object") return { kind: "scalar", value, range: location };
  const read = (inner: Json, at: JsonLocation): SourceNode =>
    readJson(inner, { ...scope, location: at }, depth + 1);
  if (!isObject(value))
    return listNode(
      value.map((item, i) => read(item, location.at(i))),
      location,
    );
  const entries = new Map<string, MapEntry>();
  for (const [key, inner] of Object.entries(value)) {
    if (key.includes("${")) throw unsupported("an expression in a key");
    const at = location.at(key);
    entries.set(key, { key, keyRange: at.keyRange, value: read(inner, at) });
  }
  return mapNode(entries, location);
}

function readText(text: string, scope: Scope): SourceNode {
  const range = scope.location;
  if (!text.includes("${") && !text.includes("%{")) return { kind: "scalar", value: text, range };
  const parts = understood(() => parseText(text));
  const [only] = parts;
  if (parts.length === 1 && typeof only === "object")
    return { ...evaluate(only.expression, { ...scope, source: only.source }, 0), range };
  return evaluateParts(parts, scope, 0);
}

/** Runs a parser of expressions; turns its `ExpressionProblem` into a `StackProblem`. */
export function understood<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (cause instanceof ExpressionProblem) throw unsupported(cause.message);
    throw cause;
  }
}

function evaluateParts(parts: readonly TextPart[], scope: Scope, depth: number): ScalarNode {
  const nodes = parts.map((part) =>
    typeof part === "string"
      ? textNode(part, scope.location)
      : evaluate(part.expression, { ...scope, source: part.source }, depth),
  );
  return joinNodes(nodes, "", scope.location);
}

/** The value of an expression. Locals and variables that hold secrets pass their mark on. */
function evaluate(expression: Expression, scope: Scope, depth: number): SourceNode {
  if (depth > maxLevels) throw unsupported(`an expression of more than ${maxLevels} levels`);
  const inner = (part: Expression): SourceNode => evaluate(part, scope, depth + 1);
  const range = rangeOf(scope);
  switch (expression.kind) {
    case "value": {
      const { value } = expression;
      return typeof value === "string" ? textNode(value, range) : { kind: "scalar", value, range };
    }
    case "text":
      return evaluateParts(expression.parts, scope, depth + 1);
    case "list":
      return listNode(expression.items.map(inner), range);
    case "object":
      return evaluateObject(expression.entries, inner, range);
    case "call":
      return callFunction(expression.name, expression.args.map(inner), range);
    default:
      return evaluateAccess(expression, scope, depth);
  }
}

function evaluateObject(
  pairs: readonly (readonly [Expression, Expression])[],
  evaluateInner: (part: Expression) => SourceNode,
  range: SourceRange,
): SourceNode {
  const entries = new Map<string, MapEntry>();
  for (const [name, value] of pairs) {
    const found = evaluateInner(name);
    if (found.kind !== "scalar" || hasUnknownPart(found)) throw unsupported("a key that is not plain text");
    const key = String(found.value);
    entries.set(key, { key, keyRange: range, value: evaluateInner(value) });
  }
  return mapNode(entries, range);
}

type TraversalSteps = readonly (string | number)[];

/** A node, and the steps of a traversal that are still to be taken in it. */
interface Rooted {
  readonly node: SourceNode;
  readonly rest: TraversalSteps;
}

/** `local.x.a[0]`: the root takes the steps that it knows, the others go into its value. */
function evaluateAccess(
  expression: Extract<Expression, { kind: "root" | "access" }>,
  scope: Scope,
  depth: number,
): SourceNode {
  const steps: (string | number)[] = [];
  let at: Expression = expression;
  while (at.kind === "access") {
    const key = evaluate(at.key, scope, depth + 1);
    if (key.kind !== "scalar" || (typeof key.value !== "string" && typeof key.value !== "number"))
      throw unsupported("an index that is neither text nor a number");
    if (hasUnknownPart(key)) throw unsupported("an index that only apply can tell");
    steps.unshift(key.value);
    at = at.of;
  }
  const { node, rest }: Rooted =
    at.kind === "root"
      ? resolveRoot(at.name, steps, scope)
      : { node: evaluate(at, scope, depth + 1), rest: steps };
  return rest.reduce(stepInto, node);
}

function stepInto(node: SourceNode, step: string | number): SourceNode {
  const members = node.kind === "list" ? node.items : [];
  const next = node.kind === "map" ? node.entries.get(String(step))?.value : members[Number(step)];
  if (next === undefined)
    throw new StackProblem("manifest.reference_unknown", `there is no ${JSON.stringify(step)} in the value`);
  return node.isSensitive ? markSensitive(next) : next;
}

/** Looks up `var.x`, `local.x`, `rnv_service.api.url`, a data source or an output of another stack. */
function resolveRoot(root: string, steps: TraversalSteps, scope: Scope): Rooted {
  const [name, ...rest] = steps;
  const type = scope.context.types.get(root);
  if (type !== undefined) return { node: resourceAttribute(type, steps, scope), rest: [] };
  if (root === "var" && typeof name === "string") return { node: readVariable(name, scope), rest };
  if (root === "local" && typeof name === "string") return { node: readLocal(name, scope), rest };
  if (root === "data") return readDataRoot(steps, scope);
  if (/^[a-z0-9]+_\w+$/.test(root))
    throw unsupported(`a reference to ${root}, a resource of another provider`);
  throw unsupported(`${root}${name === undefined ? "" : `.${name}`}`);
}

function readLocal(name: string, scope: Scope): SourceNode {
  const { stack, context } = scope;
  const entry = stack.locals.get(name);
  if (entry === undefined) throw undeclared(`local.${name}`, name, stack.locals.keys(), context);
  return { ...readEntry(`local.${name}`, entry, scope), range: rangeOf(scope) };
}

/** Named values, each in the one before it. */
const maxEntries = 50;

/** Characters of named values, counted each time they are read: few names that occur twice in each other are a bomb. */
const maxCharacters = 32 * 1024 * 1024;

/** The characters that a read counts as, at least. */
const leastCharacters = 256;

/** Evaluates a named value of the stack; throws a `StackProblem` when it occurs in its own value. */
function readEntry(label: string, { value, location }: StackEntry, scope: Scope): SourceNode {
  const { stack, busy, context } = scope;
  const key = `${stack.name} ${label}`;
  if (busy.has(key)) throw new StackProblem("manifest.reference_cycle", `${label} refers to itself`);
  if (busy.size >= maxEntries)
    throw new StackProblem("manifest.too_deep", `${label} stands in more than ${maxEntries} others`);
  context.spent.characters += Math.max(leastCharacters, location.end - location.start);
  if (context.spent.characters > maxCharacters)
    throw new StackProblem(
      "manifest.too_large",
      `locals and outputs repeat more than ${maxCharacters} characters`,
    );
  return readJson(value, { context, stack, location, source: "", busy: new Set([...busy, key]) });
}

/** A data source; or `data.terraform_remote_state.<input>.outputs.<output>`: how stacks refer to each other. */
function readDataRoot(steps: TraversalSteps, scope: Scope): Rooted {
  const { context } = scope;
  const [type, name, outputs, output, ...rest] = steps;
  if (typeof type === "string" && isDataSource(type, context.types))
    return { node: dataAttribute(type, steps.slice(1), scope), rest: [] };
  if (type !== "terraform_remote_state" || typeof name !== "string" || !name.startsWith(crossStackInput))
    throw unsupported(`the data source ${[type, name].join(".")}`);
  if (outputs !== "outputs" || typeof output !== "string") throw unsupported(`data.${steps.join(".")}`);
  const wanted = name.slice(crossStackInput.length);
  const stack = [...context.stacks, ...context.others].find(
    ({ constructPath }) => inputOf(constructPath) === wanted,
  );
  const entry = stack?.outputs.get(output);
  if (stack === undefined || entry === undefined || !isObject(entry.value))
    throw new StackProblem(
      "manifest.reference_unknown",
      `the stack that ${name} stands for is not among those that are read`,
      "read the stacks together: -f cdktf.out",
    );
  const value = { value: entry.value.value ?? null, location: entry.location.at("value") };
  const node = readEntry(`output.${output}`, value, { ...scope, stack });
  return context.unit !== undefined && isMadeByApply(node)
    ? { node: crossNode(stack.name, output, rest, scope, context.unit), rest: [] }
    : { node, rest };
}

/** The path of a stack as the library names inputs from it: without characters that Terraform does not take. */
const inputOf = (constructPath: string): string =>
  constructPath.replaceAll("/", "--").replace(/[^A-Za-z0-9_-]/g, "");

/** An output of another stack that its apply makes, from the plan or the state of that stack. */
function crossNode(
  stack: string,
  output: string,
  rest: TraversalSteps,
  scope: Scope,
  { crossValues, needsValues }: StackUnit,
): SourceNode {
  const found = crossValues.get(stack)?.get(output);
  if (found === undefined && needsValues)
    throw new StackProblem(
      "manifest.reference_unknown",
      `the stack ${stack} has not made this value yet`,
      `apply ${stack} first, or take both: its state holds no ${output}`,
    );
  if (found?.kind === "value") return rest.reduce(stepInto, plainNode(found.value, rangeOf(scope)));
  const segments = [...dataSegments(stack, crossStackData, output), "value", ...rest.map(String)];
  return referenceNode(segments, scope.source, rangeOf(scope));
}

function resourceAttribute(type: StackType, steps: TraversalSteps, scope: Scope): SourceNode {
  const [name, first, ...others] = steps;
  if (typeof name !== "string") throw unsupported("a reference without the name of a resource");
  if (typeof first !== "string") throw unsupported("a reference to a resource as a whole");
  if (type.parents.has(first) && others.length === 0) return parentAttribute(type, name, first, scope);
  const path = attributePath(type, first, others);
  if (path === undefined)
    throw unsupported(`${first}${others.map((step) => `[${JSON.stringify(step)}]`).join("")}`);
  const segments = [...addressOfResource(type, name).split("."), ...path.split(".")];
  return referenceNode(segments, scope.source || steps.join("."), rangeOf(scope));
}

/** The id of a parent cannot be looked up as an attribute: the value that is written for it is taken instead. */
function parentAttribute(
  { terraformType }: StackType,
  name: string,
  attribute: string,
  scope: Scope,
): SourceNode {
  const found = scope.stack.resources.find(
    (resource) => resource.terraformType === terraformType && resource.name === name,
  );
  const value = found?.body[attribute];
  if (found === undefined || value === undefined)
    throw new StackProblem("manifest.reference_unknown", `${terraformType}.${name} has no ${attribute}`);
  const entry = { value, location: found.location.at(attribute) };
  return readEntry(`${terraformType}.${name}.${attribute}`, entry, scope);
}

/** The path of `first`, or of a field of the group `first`, in rnv's words; undefined for a step into a value. */
function attributePath(
  { groups, attributes, computed }: StackType,
  first: string,
  others: TraversalSteps,
): string | undefined {
  const [second, ...deeper] = others;
  const group = groups.get(first);
  if (group !== undefined && typeof second === "string" && deeper.length === 0)
    return group.fields.get(second)?.path ?? `${group.key}.${camelCase(second)}`;
  return others.length > 0 ? undefined : (attributes.get(first)?.path ?? computed.get(first) ?? first);
}

/**
 * The value of `var.name`: the source in its comment, RNV_VAR_name, TF_VAR_name, or its default. A variable of the
 * environment that is empty counts as unset: CI defines an empty one for each setting that does not exist.
 */
function readVariable(name: string, scope: Scope): SourceNode {
  const { stack, context } = scope;
  const entry = stack.variables.get(name);
  if (entry === undefined) throw undeclared(`var.${name}`, name, stack.variables.keys(), context);
  const body = isObject(entry.value) ? entry.value : {};
  const range = rangeOf(scope);
  const source = commentOf(body, terraformPrefix)?.source;
  if (isObject(source)) {
    const location = entry.location.at("//").at(terraformPrefix).at("source");
    // The source as a manifest would write it: `{ fromEnv: NAME }`.
    return markSensitive({ ...readEntry(`var.${name}`, { value: source, location }, scope), range });
  }
  return body.sensitive === true
    ? markSensitive({ ...sensitiveValue(name, entry, body, scope), range })
    : { ...plainValue(name, entry, body, scope), range };
}

/** The text goes from the environment into a `Secret` without being a value here. */
function sensitiveValue(name: string, entry: StackEntry, body: JsonObject, scope: Scope): SourceNode {
  const { environment, fillIn } = scope.context;
  const variable =
    setVariable(name, environment) ?? (body.default === undefined ? `RNV_VAR_${name}` : undefined);
  if (variable === undefined) return readDefault(name, entry, body, scope);
  if (fillIn && !environment[variable]) throw withoutValue(name, environment);
  const source = `\${var.${name}}`;
  const part = { kind: "env" as const, name: variable, source, range: rangeOf(scope) };
  return { kind: "scalar", value: "", parts: [part], range: part.range };
}

function plainValue(name: string, entry: StackEntry, body: JsonObject, scope: Scope): SourceNode {
  const { environment } = scope.context;
  const variable = setVariable(name, environment);
  const type = typeof body.type === "string" ? body.type : impliedType(body.default);
  if (variable !== undefined) {
    const value = valueOfType(environment[variable] as string, type, variable);
    // Text of the environment is no template.
    const literal =
      typeof value === "string" ? value.replaceAll("${", () => "$${").replaceAll("%{", "%%{") : value;
    return convertNode(readJson(literal, { ...scope, source: "" }), type);
  }
  if (body.default === undefined) throw withoutValue(name, environment);
  return convertNode(readDefault(name, entry, body, scope), type);
}

const readDefault = (name: string, { location }: StackEntry, body: JsonObject, scope: Scope): SourceNode =>
  readEntry(`var.${name}`, { value: body.default ?? null, location: location.at("default") }, scope);

const impliedType = (value: Json | undefined): string =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "bool" : "any";

function withoutValue(name: string, environment: StackContext["environment"]): StackProblem {
  const empty = variablesOf(name).find((variable) => environment[variable] === "");
  const why = empty === undefined ? "" : `: ${empty} is empty`;
  const hint = `set RNV_VAR_${name} (or TF_VAR_${name})${empty === undefined ? "" : "; its default may be an empty text"}`;
  return new StackProblem("manifest.env_missing", `the variable ${name} has no value${why}`, hint);
}

const variablesOf = (name: string): readonly string[] => [`RNV_VAR_${name}`, `TF_VAR_${name}`];

/** The variable of the environment that sets a variable of the stack. */
const setVariable = (name: string, environment: StackContext["environment"]): string | undefined =>
  variablesOf(name).find((variable) => environment[variable]);
