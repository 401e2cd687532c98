import type { CrossValue, OtherStack } from "../declaration/load-request";
import type { SourceNode } from "../declaration/tree";
import type { Diagnostic, SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import { crossStackData, dataSegments, dataType } from "../model/data-source";
import { camelCase, generatedName, variablesResource, writeOnlyNameOf } from "../model/terraform-names";
import type { JsonNode } from "./json-node";
import { convert } from "./language/conversion";
import { evaluateText, objectOf } from "./language/evaluate";
import { parseText } from "./language/expression";
import {
  attempted,
  awaitedBy,
  isKnown,
  isMapLike,
  isSensitive,
  isValue,
  marked,
  nothing,
  object,
  text,
  tuple,
  type Value,
  type ValueType,
  valueOfPlain,
  whenKnown,
} from "./language/expression-value";
import { stepsInto } from "./language/operators";
import { refused, StackProblem, unknownReference, unsupported } from "./language/problem";
import { nodeOf, referenceValue } from "./source-nodes";
import {
  crossStackInput,
  type Owner,
  ownerOf,
  problemAt,
  type Scope,
  type StackContext,
  type StackResource,
  type Steps,
  undeclared,
} from "./stack";
import { addressOfResource, type DataType, type StackGroup, type StackType } from "./stack-types";
import { variableValue } from "./variables";

export interface BlockReader extends Owner {
  readonly context: StackContext;
  /** Reads a value, as one of `kinds` of schemas where it can be. */
  readonly read: (node: JsonNode, kinds?: readonly string[]) => SourceNode | undefined;
  /** Reads a value as a whole, also where only a part of it is known later. */
  readonly readWhole: (node: JsonNode) => SourceNode | undefined;
  readonly refuse: (problem: StackProblem, range: SourceRange) => void;
  /** Reports a finding that keeps nothing from being read. */
  readonly note: (finding: Diagnostic) => void;
}

export function readerOf(context: StackContext, of: Owner): BlockReader {
  const { stack } = context;
  if (of.address !== undefined) context.owners.set(of.address, of.owner);
  const refuse = (problem: StackProblem, range: SourceRange): void =>
    context.report(problemAt(problem, of, range));
  const readAs = (node: JsonNode, change: (value: Value) => Value): SourceNode | undefined => {
    try {
      const scope = { context, stack, node, reader: of, busy: new Set<string>() };
      return nodeOf(change(readValue(node, scope)), node, of);
    } catch (cause) {
      if (!(cause instanceof StackProblem)) throw cause;
      refuse(cause, node.range);
      return undefined;
    }
  };
  return {
    ...of,
    context,
    refuse,
    note: (finding) => context.report({ ...finding, summary: `${of.owner}: ${finding.summary}` }),
    read: (node, kinds = []) => readAs(node, (value) => inKind(value, kinds)),
    readWhole: (node) => readAs(node, postponed),
  };
}

export function refuseOthers(
  block: JsonNode,
  known: readonly string[],
  label: string,
  { refuse }: BlockReader,
): void {
  for (const [key, at] of block.entries)
    if (!at.isAbsent && !known.includes(key)) refuse(unsupported(`${label}.${key}`), at.keyRange);
}

const primitives: Readonly<Record<string, ValueType>> = {
  string: "string",
  number: "number",
  boolean: "bool",
};

/** Converts text to a number or a flag, or the reverse, as Terraform takes it. */
function inKind(value: Value, kinds: readonly string[]): Value {
  const types = kinds.flatMap((kind) => primitives[kind] ?? []);
  if (!["string", "number", "bool"].includes(value.kind) || types.includes(value.kind as ValueType))
    return value;
  return types.map((type) => attempted(() => convert(value, type))).find(isValue) ?? value;
}

const postponed = (value: Value): Value =>
  value.kind === "later" || isKnown(value) ? value : whenKnown([value], ([known]) => known as Value);

/** The value of JSON with its expressions evaluated, as far as a plan can; throws `StackProblem`. */
function readValue(node: JsonNode, scope: Scope): Value {
  spend(scope);
  const readText = (written: string): Value =>
    /[$%]\{/.test(written) ? valueOfText(written, { ...scope, node }) : text(written);
  if (node.isList) return tuple(node.items.map((item) => readValue(item, scope)));
  // Keys are expressions too: the object is known later if a key is.
  if (node.isObject)
    return objectOf([...node.members].map(([key, inner]) => [readText(key), readValue(inner, scope)]));
  const { value = null } = node;
  return typeof value === "string" ? readText(value) : valueOfPlain(value);
}

/** The value of a text with expressions. A name has one value, also where an expression is evaluated again. */
function valueOfText(written: string, scope: Scope): Value {
  const resolved = new Map<string, Value>();
  const resolve = (root: string, steps: Steps): Value => {
    const key = JSON.stringify([root, steps]);
    const value = resolved.get(key) ?? resolveRoot(root, steps, scope);
    resolved.set(key, value);
    return value;
  };
  try {
    return evaluateText(parseText(written), { spend: () => spend(scope), resolve });
  } catch (cause) {
    if (cause instanceof StackProblem) cause.at ??= scope.node.range;
    throw cause;
  }
}

/** Steps of a run: those of a large program, and an end of names that occur twice in each other. */
const maxSteps = 2_000_000;

function spend({ context: { spent } }: Scope): void {
  spent.steps += 1;
  if (spent.steps > maxSteps)
    throw new StackProblem("stack.too_large", `the expressions take more than ${maxSteps} steps`);
}

/** Looks up `var.x`, `local.x`, `rnv_service.api.url`, a data source or an output of another stack. */
function resolveRoot(root: string, steps: Steps, scope: Scope): Value {
  const { context, stack } = scope;
  const [name, ...rest] = steps;
  const type = context.types.get(root);
  if (type !== undefined) return resourceAttribute(type, steps, scope);
  if (root === "var" && typeof name === "string")
    return stepsInto(variableValue(name, scope, readEntry), rest);
  if (root === "local" && typeof name === "string") {
    const entry = stack.locals.get(name);
    if (entry === undefined) throw undeclared(`local.${name}`, name, stack.locals.keys(), context);
    return stepsInto(readEntry(`local.${name}`, entry, scope), rest);
  }
  if (root === dataType) return readDataRoot(steps, scope);
  if (root === variablesResource)
    throw unsupported(
      `a reference to ${variablesResource}.${name ?? ""}`,
      "use the value itself where it is needed, or declare that variable with addVariable",
    );
  if (/^[a-z0-9]+_\w+$/.test(root))
    throw unsupported(`a reference to ${root}, a resource of another provider`);
  throw unsupported(`${root}${name === undefined ? "" : `.${name}`}`);
}

const maxEntries = 50;

/** Evaluates a named value of a stack; throws a `StackProblem` when it occurs in its own value. */
function readEntry(label: string, node: JsonNode, scope: Scope): Value {
  const { context, stack, reader, busy } = scope;
  const key = `${stack.name} ${label}`;
  if (busy.has(key)) throw new StackProblem("stack.reference_cycle", `${label} refers to itself`);
  if (busy.size >= maxEntries)
    throw new StackProblem("stack.too_large", `${label} is nested in more than ${maxEntries} others`);
  busy.add(key);
  try {
    return readValue(node, { context, stack, node, reader, busy });
  } finally {
    busy.delete(key);
  }
}

/** A data source; or `data.terraform_remote_state.<input>.outputs.<output>`: how stacks refer to each other. */
function readDataRoot(steps: Steps, scope: Scope): Value {
  const { context } = scope;
  const [type, name, outputs, output, ...rest] = steps;
  if (typeof type === "string" && context.dataTypes.has(type))
    return dataAttribute(type, steps.slice(1), scope);
  if (type !== "terraform_remote_state" || typeof name !== "string" || !name.startsWith(crossStackInput))
    throw unsupported(`the data source ${[type, name].join(".")}`);
  if (outputs !== "outputs" || typeof output !== "string") throw unsupported(`data.${steps.join(".")}`);
  const wanted = name.slice(crossStackInput.length);
  const stack = context.others.find(({ constructPath }) => inputOf(constructPath) === wanted);
  const entry = stack?.outputs.get(output);
  if (stack === undefined || entry === undefined)
    throw unknownReference(
      `the stack that ${name} names is not among those that are read`,
      "read the stacks together: -f cdktf.out",
    );
  const found = readOutput(output, entry, { ...scope, stack });
  if (!awaitedBy(found).some(({ kind }) => kind === "reference")) return stepsInto(found, rest);
  const hint = "no state records a secret: refer to its parts, such as the URL of a service, instead";
  if (isSensitive(found)) throw refused(`the stack ${stack.name} makes this secret when it is applied`, hint);
  return crossValue([stack.name, output, ...rest], found, scope);
}

/** `data.rnv_service.api.url`: an attribute of a data source of the same stack. */
function dataAttribute(terraformType: string, steps: Steps, scope: Scope): Value {
  const { stack, context } = scope;
  const [name, ...path] = steps;
  const label = `${terraformType}.${name}`;
  if (typeof name !== "string" || path.length === 0)
    throw unsupported(`a reference to the data source ${label} as a whole`);
  if (!stack.data.has(label)) throw undeclared(`data.${label}`, label, stack.data.keys(), context);
  const attribute = dataPath(terraformType, path.map(String), context);
  const segments = [...dataSegments(stack.name, terraformType, name), ...attribute];
  return referenceValue(segments, `data.${terraformType}.${steps.join(".")}`, scope.node.range);
}

/** `configuration.health_check_path` in rnv's words. */
function dataPath(
  terraformType: string,
  path: readonly string[],
  { dataTypes }: StackContext,
): readonly string[] {
  const { type, shows } = dataTypes.get(terraformType) as DataType;
  const steps = type?.groups.has(path[0] ?? "") ? 2 : 1;
  const name = path.slice(0, steps).join(".");
  const found = shows.get(name);
  if (found !== undefined) return [...found.split("."), ...path.slice(steps)];
  throw unknownReference(
    `the data source ${terraformType} has no attribute "${name}"`,
    didYouMean(name, shows.keys()),
  );
}

/** The output of another stack, which may be left to Terraform. */
function readOutput(output: string, entry: JsonNode, scope: Scope): Value {
  try {
    return readEntry(`output.${output}`, entry.at("value"), scope);
  } catch (cause) {
    if (!(cause instanceof StackProblem)) throw cause;
    throw new StackProblem(
      cause.code,
      `the stack ${scope.stack.name} makes this value, which rnv cannot read: ${cause.message}`,
      "if that stack is left to Terraform, pass the value in a TerraformVariable: RNV_VAR_name sets it",
    );
  }
}

/** The path of a stack as the library names inputs from it: without characters that Terraform does not take. */
const inputOf = (constructPath: string): string =>
  constructPath.replaceAll("/", "--").replace(/[^A-Za-z0-9_-]/g, "");

/** An output of another stack that its apply makes, from the plan or the state of that stack. */
function crossValue(
  [stack, output, ...rest]: readonly [string, string, ...Steps],
  made: Value,
  scope: Scope,
): Value {
  const { unit } = scope.context;
  const found = unit?.crossValues?.get(stack)?.get(output) ?? recordedId(made, unit?.others?.get(stack)?.ids);
  if (found === undefined && unit?.needsValues === true)
    throw unknownReference(
      `the stack ${stack} has not made this value yet`,
      `apply ${stack} first, or take both and mend its errors: its state holds no ${output}`,
    );
  if (found?.kind === "value") return stepsInto(valueOfPlain(found.value), rest);
  const segments = [...dataSegments(stack, crossStackData, output), "value", ...rest.map(String)];
  return referenceValue(segments, [stack, output, ...rest].join("."), scope.node.range);
}

function recordedId(made: Value, ids: OtherStack["ids"] | undefined): CrossValue | undefined {
  const [part, ...others] = made.kind === "later" ? (made.parts ?? []) : [];
  if (typeof part !== "object" || part.kind !== "reference" || others.length > 0) return undefined;
  const id = part.segments.at(-1) === "id" && ids?.get(part.segments.slice(0, -1).join(".") as Address);
  return id ? { kind: "value", value: id } : undefined;
}

/** An attribute as the program declares it, or, if the service makes it, as a reference. */
function resourceAttribute(type: StackType, steps: Steps, scope: Scope): Value {
  const { stack, node } = scope;
  const [name, first, ...others] = steps;
  if (typeof name !== "string") throw unsupported("a reference without the name of a resource");
  if (typeof first !== "string") throw unsupported("a reference to a resource as a whole");
  const label = `${type.terraformType}.${name}`;
  const [resource] = stack.named.get(label) ?? [];
  const group = type.groups.get(first);
  const [second] = others;
  const field = group !== undefined && typeof second === "string" ? second : undefined;
  const further = field === undefined ? others : others.slice(1);
  const isDeclarable = group !== undefined || type.attributes.has(first) || type.parents.has(first);
  if (resource !== undefined && isDeclarable) {
    const written = declaredNode(resource.block, first, field);
    if (written !== undefined) {
      const path = field === undefined ? first : `${first}.${field}`;
      const value = readEntry(`${label}.${path}`, written, scope);
      const whole = group !== undefined && field === undefined ? wholeGroup(value, group) : value;
      return stepsInto(marked(whole, type.attributes.get(first)?.secret === true), further);
    }
    throw notDeclared(resource, steps);
  }
  if (further.length > 0) throw unsupported([first, ...others.map((step) => JSON.stringify(step))].join("."));
  const path = (field === undefined ? [first] : [first, field]).map(camelCase);
  const segments = [...addressOfResource(type, name).split("."), ...path];
  return referenceValue(segments, [type.terraformType, ...steps].join("."), node.range);
}

/** A group as one value: Terraform has null for the fields that are not declared. */
const wholeGroup = (value: Value, { fields }: StackGroup): Value =>
  isMapLike(value)
    ? object([...[...fields.keys()].map((key) => [key, nothing] as const), ...value.entries])
    : value;

/** The value that a block writes for an attribute, or for a field of a group; undefined where it writes none. */
function declaredNode(block: JsonNode, attribute: string, field: string | undefined): JsonNode | undefined {
  const written = field === undefined ? block.at(attribute) : block.at(attribute).at(field);
  if (!written.isAbsent) return written;
  const writeOnly = block.at(writeOnlyNameOf(attribute));
  return field !== undefined || writeOnly.isAbsent ? undefined : writeOnly;
}

function notDeclared(resource: StackResource, [, ...steps]: Steps): StackProblem {
  const owner = ownerOf(resource);
  const names = steps.map(String);
  if (!resource.block.at(generatedName).isAbsent)
    return refused(
      `${names.join(".")} of ${owner} is generated when it is created: no plan can hand it on`,
      "give both variables one source, fromEnv or fromFile",
    );
  const words = resource.constructPath === undefined ? names : names.map((name) => camelCase(name));
  const line = words.reduceRight(
    (inner, word) => (inner === "" ? `${word}: …` : `${word}: { ${inner} }`),
    "",
  );
  return unknownReference(
    `${owner} does not declare ${names.join(".")}: its value is not known while planning`,
    `declare it there: ${line}`,
  );
}
