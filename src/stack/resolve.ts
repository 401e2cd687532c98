import type { Diagnostic, SourceRange } from "../diagnostics/diagnostic";
import type { StackUnit } from "../manifest/context";
import type { MapEntry, SourceNode } from "../manifest/tree";
import { unlisted } from "../manifest/values";
import type { Address } from "../model/address";
import { crossStackData, dataSegments } from "../model/data-source";
import { camelCase, terraformPrefix } from "../model/text";
import { dataAttribute } from "./data-attributes";
import { isObject, type Json, type JsonLocation, type JsonObject } from "./document";
import { type Environment, evaluateText, objectOf } from "./language/evaluate";
import { parseText } from "./language/expression";
import {
  ExpressionProblem,
  isKnown,
  later,
  marked,
  text,
  tuple,
  type Value,
  whenKnown,
} from "./language/expression-value";
import { valueOfPlain } from "./language/json-functions";
import { addressOfResource, isDataSource, type StackType } from "./names";
import {
  commentOf,
  crossStackInput,
  problemAt,
  problemOf,
  rangeOf,
  type Scope,
  type Self,
  type Stack,
  type StackContext,
  type StackEntry,
  StackProblem,
  undeclared,
  unsupported,
} from "./stack";
import { convertTo, isMadeByApply, listNode, mapNode, nodeOf, referenceValue, valueOfType } from "./values";

/** Reads the values of a block and reports the problems of each. */
export interface BlockReader {
  readonly read: (value: Json, location: JsonLocation) => SourceNode | undefined;
  /** Reads a value as a whole, also where only a part of it is known later. */
  readonly readWhole: (value: Json, location: JsonLocation) => SourceNode | undefined;
  readonly refuse: (problem: StackProblem, range: SourceRange) => void;
  /** Reports a finding that keeps nothing from being read. */
  readonly note: (finding: Diagnostic) => void;
}

export function readerOf(
  stack: Stack,
  context: StackContext,
  owner: string,
  address?: Address,
  self?: Self,
): BlockReader {
  const refuse = (problem: StackProblem, range: SourceRange): void =>
    context.report(problemAt(problem, owner, range, address));
  const reader = { owner, ...(address !== undefined && { address }) };
  const reading =
    (read: (value: Json, scope: Scope) => SourceNode) =>
    (value: Json, location: JsonLocation): SourceNode | undefined => {
      try {
        return read(value, { context, stack, location, reader, source: "", busy: new Set(), self });
      } catch (cause) {
        if (!(cause instanceof StackProblem)) throw cause;
        refuse(cause, location);
        return undefined;
      }
    };
  return {
    refuse,
    note: (finding) => context.report({ ...finding, summary: `${owner}: ${finding.summary}` }),
    read: reading(readJson),
    readWhole: reading(readWhole),
  };
}

/** Levels of a value. */
const maxLevels = 64;

/** A JSON value with its expressions evaluated, as far as a plan can; throws `StackProblem`. */
function readJson(value: Json, scope: Scope, depth = 0): SourceNode {
  const { location } = scope;
  checkDepth(depth);
  if (typeof value === "string")
    return isExpression(value)
      ? toNode(valueOfText(value, scope), scope)
      : { kind: "scalar", value, range: location };
  if (value === null || typeof value !== "object") return { kind: "scalar", value, range: location };
  const read = (inner: Json, at: JsonLocation): SourceNode =>
    readJson(inner, { ...scope, location: at }, depth + 1);
  if (!isObject(value))
    return listNode(
      value.map((item, i) => read(item, location.at(i))),
      location,
    );
  // Keys are expressions too: by one that is known later the object is.
  if (Object.keys(value).some(isExpression)) return toNode(valueOfJson(value, scope), scope);
  const entries = new Map<string, MapEntry>();
  for (const [key, inner] of Object.entries(value)) {
    const at = location.at(key);
    entries.set(key, { key, keyRange: at.keyRange, value: read(inner, at) });
  }
  return mapNode(entries, location);
}

/** A value that may hold what is known later anywhere: then the whole is. */
function readWhole(value: Json, scope: Scope): SourceNode {
  const found = valueOfJson(value, scope);
  return toNode(isLater(found) ? whenKnown([found], "any", ([known]) => known as Value) : found, scope);
}

const isLater = (value: Value): boolean => value.kind !== "later" && !isKnown(value);

const toNode = (value: Value, { location, reader }: Scope): SourceNode => nodeOf(value, "", location, reader);

function checkDepth(depth: number): void {
  if (depth > maxLevels)
    throw new StackProblem("stack.too_large", `values are nested more than ${maxLevels} levels deep`);
}

const isExpression = (text: string): boolean => text.includes("${") || text.includes("%{");

/** A JSON value as a value of an expression; throws `StackProblem`. */
function valueOfJson(value: Json, scope: Scope, depth = 0): Value {
  checkDepth(depth);
  if (typeof value === "string") return isExpression(value) ? valueOfText(value, scope) : text(value);
  if (value === null || typeof value !== "object") return valueOfPlain(value);
  const read = (inner: Json, at: JsonLocation): Value =>
    valueOfJson(inner, { ...scope, location: at }, depth + 1);
  if (!isObject(value)) return tuple(value.map((item, i) => read(item, scope.location.at(i))));
  const pairs = Object.entries(value).map(
    ([key, inner]) => [valueOfJson(key, scope), read(inner, scope.location.at(key))] as const,
  );
  return understood(() => objectOf(pairs));
}

/** The value of a text with expressions. */
const valueOfText = (written: string, scope: Scope): Value =>
  understood(
    () => evaluateText(parseText(written), environmentOf(written, scope)),
    (source) => scope.location.within(source),
  );

/** Steps of expressions of a run: those of a large program, and an end of what goes on for ever. */
const maxSteps = 5_000_000;

function environmentOf(written: string, scope: Scope): Environment {
  const { spent } = scope.context;
  return {
    text: written,
    spend: () => {
      spent.steps += 1;
      if (spent.steps > maxSteps)
        throw new StackProblem("stack.too_large", `the expressions take more than ${maxSteps} steps`);
    },
    resolve: (root, steps, source) => {
      const within = { ...scope, source };
      try {
        return resolveRoot(root, steps, within);
      } catch (cause) {
        if (!(cause instanceof StackProblem) || cause.range !== undefined) throw cause;
        throw new StackProblem(cause.code, cause.message, cause.hint, rangeOf(within));
      }
    },
  };
}

/** Runs what reads expressions; turns an `ExpressionProblem` into a `StackProblem`. */
export function understood<T>(read: () => T, locate?: (source: string) => SourceRange): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof ExpressionProblem)) throw cause;
    throw problemOf(cause, cause.source === undefined ? undefined : locate?.(cause.source));
  }
}

type TraversalSteps = readonly (string | number)[];

/** A value, and the steps that are still to be taken in it. */
interface Rooted {
  readonly value: Value;
  readonly rest: TraversalSteps;
}

/** Looks up `var.x`, `local.x`, `rnv_service.api.url`, a data source or an output of another stack. */
function resolveRoot(root: string, steps: TraversalSteps, scope: Scope): Rooted {
  const [name, ...rest] = steps;
  const type = scope.context.types.get(root);
  if (type !== undefined) return { value: resourceAttribute(type, steps, scope), rest: [] };
  if (root === "var" && typeof name === "string") return { value: readVariable(name, scope), rest };
  if (root === "local" && typeof name === "string") return { value: readLocal(name, scope), rest };
  if (root === "data") return readDataRoot(steps, scope);
  if (root === "self" && scope.self !== undefined)
    return { value: selfAttribute(scope.self, steps, scope), rest: [] };
  if (/^[a-z0-9]+_\w+$/.test(root))
    throw unsupported(`a reference to ${root}, a resource of another provider`);
  throw unsupported(`${root}${name === undefined ? "" : `.${name}`}`);
}

function readLocal(name: string, scope: Scope): Value {
  const { stack, context } = scope;
  const entry = stack.locals.get(name);
  if (entry === undefined) throw undeclared(`local.${name}`, name, stack.locals.keys(), context);
  return readEntry(`local.${name}`, entry, scope);
}

/** Named values, each in the one before it. */
const maxEntries = 50;

/** Characters of named values, counted each time they are read: few names that occur twice in each other are a bomb. */
const maxCharacters = 32 * 1024 * 1024;

/** The characters that a read counts as, at least. */
const leastCharacters = 256;

/** Evaluates a named value of the stack; throws a `StackProblem` when it occurs in its own value. */
function readEntry(label: string, { value, location }: StackEntry, scope: Scope): Value {
  const { stack, busy, context, reader } = scope;
  const key = `${stack.name} ${label}`;
  if (busy.has(key)) throw new StackProblem("stack.reference_cycle", `${label} refers to itself`);
  if (busy.size >= maxEntries)
    throw new StackProblem("stack.too_large", `${label} stands in more than ${maxEntries} others`);
  context.spent.characters += Math.max(leastCharacters, location.end - location.start);
  if (context.spent.characters > maxCharacters)
    throw new StackProblem(
      "stack.too_large",
      `locals and outputs repeat more than ${maxCharacters} characters`,
    );
  return valueOfJson(value, { context, stack, location, reader, source: "", busy: new Set([...busy, key]) });
}

/** A data source; or `data.terraform_remote_state.<input>.outputs.<output>`: how stacks refer to each other. */
function readDataRoot(steps: TraversalSteps, scope: Scope): Rooted {
  const { context } = scope;
  const [type, name, outputs, output, ...rest] = steps;
  if (typeof type === "string" && isDataSource(type, context.types))
    return { value: dataAttribute(type, steps.slice(1), scope), rest: [] };
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
      "stack.reference_unknown",
      `the stack that ${name} stands for is not among those that are read`,
      "read the stacks together: -f cdktf.out",
    );
  const value = { value: entry.value.value ?? null, location: entry.location.at("value") };
  const found = readEntry(`output.${output}`, value, { ...scope, stack });
  return context.unit !== undefined && isMadeByApply(toNode(found, scope))
    ? crossValue(stack.name, output, rest, scope, context.unit)
    : { value: found, rest };
}

/** The path of a stack as the library names inputs from it: without characters that Terraform does not take. */
const inputOf = (constructPath: string): string =>
  constructPath.replaceAll("/", "--").replace(/[^A-Za-z0-9_-]/g, "");

/** An output of another stack that its apply makes, from the plan or the state of that stack. */
function crossValue(
  stack: string,
  output: string,
  rest: TraversalSteps,
  scope: Scope,
  { crossValues, needsValues }: StackUnit,
): Rooted {
  const found = crossValues.get(stack)?.get(output);
  if (found === undefined && needsValues)
    throw new StackProblem(
      "stack.reference_unknown",
      `the stack ${stack} has not made this value yet`,
      `apply ${stack} first, or take both: its state holds no ${output}`,
    );
  if (found?.kind === "value") return { value: valueOfPlain(found.value), rest };
  const segments = [...dataSegments(stack, crossStackData, output), "value", ...rest.map(String)];
  return { value: referenceValue(segments, scope.source, rangeOf(scope)), rest: [] };
}

/** `self.url`, as the block would be named from outside. */
function selfAttribute({ isData, terraformType, name }: Self, steps: TraversalSteps, scope: Scope): Value {
  const type = scope.context.types.get(terraformType);
  if (isData || type === undefined) return dataAttribute(terraformType, [name, ...steps], scope);
  return resourceAttribute(type, [name, ...steps], scope);
}

function resourceAttribute(type: StackType, steps: TraversalSteps, scope: Scope): Value {
  const [name, first, ...others] = steps;
  if (typeof name !== "string") throw unsupported("a reference without the name of a resource");
  if (typeof first !== "string") throw unsupported("a reference to a resource as a whole");
  if (type.parents.has(first) && others.length === 0) return parentAttribute(type, name, first, scope);
  const path = attributePath(type, first, others);
  if (path === undefined)
    throw unsupported(`${first}${others.map((step) => `[${JSON.stringify(step)}]`).join("")}`);
  const segments = [...addressOfResource(type, name).split("."), ...path.split(".")];
  return referenceValue(segments, scope.source || steps.join("."), rangeOf(scope));
}

/** The id of a parent cannot be looked up as an attribute: the value that is written for it is taken instead. */
function parentAttribute({ terraformType }: StackType, name: string, attribute: string, scope: Scope): Value {
  const found = scope.stack.resources.find(
    (resource) => resource.terraformType === terraformType && resource.name === name,
  );
  const value = found?.body[attribute];
  if (found === undefined || value === undefined)
    throw new StackProblem("stack.reference_unknown", `${terraformType}.${name} has no ${attribute}`);
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
function readVariable(name: string, scope: Scope): Value {
  const { stack, context } = scope;
  const entry = stack.variables.get(name);
  if (entry === undefined) throw undeclared(`var.${name}`, name, stack.variables.keys(), context);
  const body = isObject(entry.value) ? entry.value : {};
  const range = rangeOf(scope);
  const source = commentOf(body, terraformPrefix)?.source;
  if (isObject(source)) {
    const location = entry.location.at("//").at(terraformPrefix).at("source");
    // The source as a manifest would write it: `{ fromEnv: NAME }`.
    const node = nodeOf(
      readEntry(`var.${name}`, { value: source, location }, scope),
      "",
      range,
      scope.reader,
    );
    return marked(later({ ...node, isSensitive: true }, "string"));
  }
  return body.sensitive === true
    ? marked(sensitiveValue(name, entry, body, scope))
    : plainValue(name, entry, body, scope);
}

/** The text goes from the environment into a `Secret` without being a value here. */
function sensitiveValue(name: string, entry: StackEntry, body: JsonObject, scope: Scope): Value {
  const { environment, fillIn } = scope.context;
  const variable =
    setVariable(name, environment) ?? (body.default === undefined ? `RNV_VAR_${name}` : undefined);
  if (variable === undefined) return readDefault(name, entry, body, scope);
  if (fillIn && !environment[variable]) throw withoutValue(name, environment);
  const source = `\${var.${name}}`;
  return later({ kind: "env", name: variable, source, range: rangeOf(scope) }, "string");
}

function plainValue(name: string, entry: StackEntry, body: JsonObject, scope: Scope): Value {
  const { environment, trust } = scope.context;
  const variable = setVariable(name, environment);
  if (variable !== undefined && !trust.mayRead(variable)) {
    const { problem, hint } = unlisted(variable);
    throw new StackProblem("guard.untrusted", problem, hint);
  }
  const type = typeof body.type === "string" ? body.type : impliedType(body.default);
  // Text of the environment is no template.
  if (variable !== undefined)
    return converted(
      valueOfPlain(valueOfType(environment[variable] as string, type, variable)),
      type,
      variable,
    );
  if (body.default === undefined) throw withoutValue(name, environment);
  return converted(readDefault(name, entry, body, scope), type, "the default");
}

function converted(value: Value, type: string, origin: string): Value {
  try {
    return convertTo(value, type);
  } catch (cause) {
    if (!(cause instanceof ExpressionProblem) || cause.kind !== "invalid") throw cause;
    throw new StackProblem("stack.invalid_value", `${origin} is not a ${type}: ${cause.message}`);
  }
}

const readDefault = (name: string, { location }: StackEntry, body: JsonObject, scope: Scope): Value =>
  readEntry(`var.${name}`, { value: body.default ?? null, location: location.at("default") }, scope);

const impliedType = (value: Json | undefined): string =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "bool" : "any";

function withoutValue(name: string, environment: StackContext["environment"]): StackProblem {
  const empty = variablesOf(name).find((variable) => environment[variable] === "");
  const why = empty === undefined ? "" : `: ${empty} is empty`;
  const hint = `set RNV_VAR_${name} (or TF_VAR_${name})${empty === undefined ? "" : "; its default may be an empty text"}`;
  return new StackProblem("stack.variable_missing", `the variable ${name} has no value${why}`, hint);
}

const variablesOf = (name: string): readonly string[] => [`RNV_VAR_${name}`, `TF_VAR_${name}`];

/** The variable of the environment that sets a variable of the stack. */
const setVariable = (name: string, environment: StackContext["environment"]): string | undefined =>
  variablesOf(name).find((variable) => environment[variable]);
