import type { Diagnostic, SourceRange } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import { dataSegments } from "../../model/data-source";
import { camelCase, snakeCase, terraformPrefix } from "../../model/terraform-name";
import type { MapEntry, ScalarNode, SourceNode } from "../source-tree";
import type { PlacedType } from "../type-index";
import { isObject, type Json, type JsonObject } from "./document";
import { type Expression, ExpressionProblem, parseText, type TextPart } from "./expression";
import { addressOfResource, dataAttributeSteps, isDataSource } from "./names";
import {
  commentOf,
  crossStackInput,
  type Entry,
  type Program,
  problemAt,
  type ReadJson,
  rangeOf,
  type Site,
  type Stack,
  StackProblem,
  type StackResource,
  undeclared,
  unsupported,
} from "./stack";
import { callFunction, joinNodes, markSensitive } from "./text";

/** `shop/api (rnv_service.api)`, or the name alone in JSON that no construct wrote. */
export function ownerOf({ terraformType, name, constructPath }: StackResource): string {
  const terraform = `${terraformType}.${name}`;
  return constructPath === undefined ? terraform : `${constructPath} (${terraform})`;
}

/** Reads values of one resource and reports what stops them. */
export interface Reader {
  readonly read: (value: Json, place: Site["place"]) => SourceNode | undefined;
  readonly refuse: (problem: StackProblem, range: SourceRange) => void;
  /** Reports what keeps nothing from being read. */
  readonly note: (finding: Diagnostic) => void;
}

const notBusy: Site["busy"] = new Set();

export function readerOf(stack: Stack, program: Program, owner: string, address?: Address): Reader {
  const refuse = (problem: StackProblem, range: SourceRange): void =>
    program.report(problemAt(problem, owner, range, address));
  return {
    refuse,
    note: (finding) => program.report({ ...finding, summary: `${owner}: ${finding.summary}` }),
    read: (value, place) => {
      try {
        return readJson(value, { stack, place, source: "", busy: notBusy }, program);
      } catch (cause) {
        if (!(cause instanceof StackProblem)) throw cause;
        refuse(cause, place);
        return undefined;
      }
    },
  };
}

const maxLevels = 64;

/** A JSON value with its expressions worked out, as far as a plan can; throws `StackProblem`. */
export function readJson(value: Json, site: Site, program: Program, depth = 0): SourceNode {
  const { place } = site;
  if (depth > maxLevels)
    throw new StackProblem("manifest.too_deep", `values are nested more than ${maxLevels} levels deep`);
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
  if (depth > maxLevels) throw unsupported(`an expression of more than ${maxLevels} levels`);
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

/** What the first words of a traversal stand for, and the steps that are left to take in it. */
interface Rooted {
  readonly node: SourceNode;
  readonly rest: readonly (string | number)[];
}

/** Locals and outputs that name each other, one in the other. */
const maxDepth = 50;

/** Characters of locals and outputs, counted each time they are read: a few that name each other twice are a bomb. */
const maxCharacters = 32 * 1024 * 1024;
/** What a read costs at least, in characters. */
const leastCost = 256;

type Steps = readonly (string | number)[];

/** Looks up `var.x`, `local.x`, `rnv_service.api.url` or an output of another stack. */
export function resolveRoot(
  root: string,
  steps: Steps,
  site: Site,
  program: Program,
  read: ReadJson,
): Rooted {
  const [name, ...rest] = steps;
  const placed = program.types.get(root);
  if (placed !== undefined) return { node: resourceAttribute(placed, steps, site, program, read), rest: [] };
  if (root === "var" && typeof name === "string")
    return { node: readVariable(name, site, program, read), rest };
  if (root === "local" && typeof name === "string")
    return { node: readLocal(name, site, program, read), rest };
  if (root === "data") return readDataRoot(steps, site, program, read);
  if (/^[a-z0-9]+_\w+$/.test(root))
    throw unsupported(`a reference to ${root}, a resource of another provider`);
  throw unsupported(`${root}${name === undefined ? "" : `.${name}`}`);
}

function readLocal(name: string, site: Site, program: Program, read: ReadJson): SourceNode {
  const entry = site.stack.locals.get(name);
  if (entry === undefined) throw undeclared(`local.${name}`, name, site.stack.locals.keys(), program);
  return { ...readOnce(`local.${name}`, entry, site, program, read), range: rangeOf(site) } as SourceNode;
}

/** Reads a named value of a stack, unless it is being read already. */
function readOnce(
  what: string,
  { value, place }: Entry,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode {
  const key = `${site.stack.name} ${what}`;
  if (site.busy.has(key)) throw new StackProblem("manifest.reference_cycle", `${what} refers to itself`);
  if (site.busy.size >= maxDepth)
    throw new StackProblem("manifest.too_deep", `${what} stands in more than ${maxDepth} others`);
  program.spent.characters += Math.max(leastCost, place.end - place.start);
  if (program.spent.characters > maxCharacters)
    throw new StackProblem(
      "manifest.too_large",
      `locals and outputs repeat more than ${maxCharacters} characters`,
    );
  const busy = new Set([...site.busy, key]);
  return read(value, { stack: site.stack, place, source: "", busy }, program);
}

/** A data source; or `data.terraform_remote_state.<input>.outputs.<output>`: how stacks refer to each other. */
function readDataRoot(steps: Steps, site: Site, program: Program, read: ReadJson): Rooted {
  const [type, name, outputs, output, ...rest] = steps;
  if (typeof type === "string" && isDataSource(type, program))
    return { node: dataAttribute(type, steps.slice(1), site, program), rest: [] };
  if (type !== "terraform_remote_state" || typeof name !== "string" || !name.startsWith(crossStackInput))
    throw unsupported(`the data source ${[type, name].join(".")}`);
  if (outputs !== "outputs" || typeof output !== "string") throw unsupported(`data.${steps.join(".")}`);
  const stack = stackNamed(name.slice(crossStackInput.length), program);
  const entry = stack?.outputs.get(output);
  if (stack === undefined || entry === undefined || !isObject(entry.value))
    throw new StackProblem(
      "manifest.reference_unknown",
      `the stack that ${name} stands for is not among those that are read`,
      "read the stacks together: -f cdktf.out",
    );
  const value = { value: entry.value.value ?? null, place: entry.place.at("value") };
  const node = readOnce(`output.${output}`, value, { ...site, stack }, program, read);
  return { node, rest };
}

/** `data.rnv_service.api.url`: what a data source of the same stack shows. */
function dataAttribute(type: string, steps: Steps, site: Site, program: Program): SourceNode {
  const [name, ...path] = steps;
  const label = `${type}.${name}`;
  if (typeof name !== "string" || path.length === 0)
    throw unsupported(`a reference to the data source ${label} as a whole`);
  if (!site.stack.data.has(label)) throw undeclared(`data.${label}`, label, site.stack.data.keys(), program);
  const attribute = dataAttributeSteps(type, path, program);
  const segments = [...dataSegments(site.stack.name, type, name), ...attribute];
  const range = rangeOf(site);
  const source = site.source === "" ? `data.${steps.join(".")}` : site.source;
  return { kind: "scalar", value: source, parts: [{ kind: "reference", segments, source, range }], range };
}

/** The library leaves characters out of names that Terraform does not take. */
const stackNamed = (name: string, { stacks }: Program): Stack | undefined =>
  stacks.find((stack) => stack.name.replace(/[^A-Za-z0-9_-]/g, "") === name);

function resourceAttribute(
  placed: PlacedType,
  steps: Steps,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode {
  const [name, first, ...others] = steps;
  if (typeof name !== "string") throw unsupported("a reference without the name of a resource");
  if (typeof first !== "string") throw unsupported("a reference to a resource as a whole");
  const { parents } = pathsOf(placed);
  if (parents.has(first) && others.length === 0)
    return parentAttribute(placed, name, first, site, program, read);
  const path = attributePath(placed, first, others);
  if (path === undefined)
    throw unsupported(`${first}${others.map((step) => `[${JSON.stringify(step)}]`).join("")}`);
  const segments = [...addressOfResource(placed, name).split("."), ...path.split(".")];
  const range = rangeOf(site);
  const source = site.source === "" ? steps.join(".") : site.source;
  return { kind: "scalar", value: source, parts: [{ kind: "reference", segments, source, range }], range };
}

/** The id of a parent is not an attribute that can be looked up: what stands there is taken instead. */
function parentAttribute(
  placed: PlacedType,
  name: string,
  attribute: string,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode {
  const terraformType = [...program.types].find(([, one]) => one === placed)?.[0];
  const found = site.stack.resources.find((one) => one.terraformType === terraformType && one.name === name);
  const value = found?.body[attribute];
  if (found === undefined || value === undefined)
    throw new StackProblem("manifest.reference_unknown", `${terraformType}.${name} has no ${attribute}`);
  return readOnce(
    `${terraformType}.${name}.${attribute}`,
    { value, place: found.place.at(attribute) },
    site,
    program,
    read,
  );
}

/** `health_check_path` in `configuration`: the path of the attribute, in the words of a manifest. */
function attributePath(placed: PlacedType, first: string, others: Steps): string | undefined {
  const { groups, attributes } = pathsOf(placed);
  const [second, ...deeper] = others;
  const group = groups.get(first);
  if (group !== undefined && typeof second === "string" && deeper.length === 0)
    return `${group.key}.${group.fields.get(second) ?? camelCase(second)}`;
  return others.length > 0 ? undefined : (attributes.get(first) ?? first);
}

/** Names in Terraform, with what they are in a manifest. */
interface Paths {
  readonly parents: ReadonlySet<string>;
  readonly groups: ReadonlyMap<
    string,
    { readonly key: string; readonly fields: ReadonlyMap<string, string> }
  >;
  readonly attributes: ReadonlyMap<string, string>;
}

const knownPaths = new WeakMap<PlacedType, Paths>();

function pathsOf(placed: PlacedType): Paths {
  const known = knownPaths.get(placed);
  if (known !== undefined) return known;
  const bySnake = (names: Iterable<string>) => new Map([...names].map((name) => [snakeCase(name), name]));
  const { type } = placed;
  const paths: Paths = {
    parents: new Set(type.parents.map(({ attribute }) => snakeCase(attribute))),
    groups: new Map(
      [...placed.groups].map(([key, group]) => [snakeCase(key), { key, fields: bySnake(group.keys()) }]),
    ),
    attributes: bySnake([...Object.keys(type.computed), ...placed.attributes.keys()]),
  };
  knownPaths.set(placed, paths);
  return paths;
}

/**
 * The value of `var.name`: the source in its comment, RNV_VAR_name, TF_VAR_name, or its default. An empty variable of the
 * environment is none: CI makes one of every setting that nobody made.
 */
export function readVariable(name: string, site: Site, program: Program, read: ReadJson): SourceNode {
  const entry = site.stack.variables.get(name);
  if (entry === undefined) throw undeclared(`var.${name}`, name, site.stack.variables.keys(), program);
  const body = isObject(entry.value) ? entry.value : {};
  const source = commentOf(body, terraformPrefix)?.source;
  if (isObject(source)) return secretSource(source, entry, site, program, read);
  return body.sensitive === true
    ? markSensitive(sensitiveValue(name, body, entry, site, program, read))
    : { ...plainValue(name, body, entry, site, program, read), range: rangeOf(site) };
}

/** The source as a manifest would write it: `{ fromEnv: NAME }`. */
function secretSource(
  source: JsonObject,
  { place }: Entry,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode {
  const at = place.at("//").at(terraformPrefix).at("source");
  const node = read(source, { ...site, place: at, source: "" }, program);
  return markSensitive({ ...node, range: rangeOf(site) });
}

/** Its text goes straight from the environment into a Secret, by way of no value of ours. */
function sensitiveValue(
  name: string,
  body: JsonObject,
  entry: Entry,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode {
  const range = rangeOf(site);
  const variable =
    environmentName(name, program) ?? (body.default === undefined ? `RNV_VAR_${name}` : undefined);
  if (variable === undefined) return { ...readDefault(body, entry, site, program, read), range };
  if (program.fillIn && isUnset(program.environment[variable])) throw withoutValue(name, program);
  const part = { kind: "env" as const, name: variable, source: `\${var.${name}}`, range };
  return { kind: "scalar", value: "", parts: [part], range };
}

function plainValue(
  name: string,
  body: JsonObject,
  entry: Entry,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode {
  const variable = environmentName(name, program);
  const type = typeof body.type === "string" ? body.type : impliedType(body.default);
  if (variable !== undefined) {
    const value = fromText(program.environment[variable] as string, type, variable);
    // Text of the environment is no template.
    const literal =
      typeof value === "string" ? value.replaceAll("${", () => "$${").replaceAll("%{", "%%{") : value;
    return convert(read(literal, { ...site, source: "" }, program), type);
  }
  if (body.default === undefined) throw withoutValue(name, program);
  return convert(readDefault(body, entry, site, program, read), type);
}

const impliedType = (value: Json | undefined): string =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "bool" : "any";

const readDefault = (
  body: JsonObject,
  { place }: Entry,
  site: Site,
  program: Program,
  read: ReadJson,
): SourceNode => read(body.default ?? null, { ...site, place: place.at("default"), source: "" }, program);

function withoutValue(name: string, { environment }: Program): StackProblem {
  const empty = environmentNames(name).find((variable) => environment[variable] === "");
  const why = empty === undefined ? "" : `: ${empty} is empty`;
  const hint = `set RNV_VAR_${name} (or TF_VAR_${name})${empty === undefined ? "" : "; its default may be an empty text"}`;
  return new StackProblem("manifest.env_missing", `the variable ${name} has no value${why}`, hint);
}

const environmentNames = (name: string): readonly string[] => [`RNV_VAR_${name}`, `TF_VAR_${name}`];

const isUnset = (text: string | undefined): boolean => text === undefined || text === "";

const environmentName = (name: string, { environment }: Program): string | undefined =>
  environmentNames(name).find((variable) => !isUnset(environment[variable]));

function fromText(text: string, type: string, variable: string): Json {
  if (type === "string" || type === "any") return text;
  if (type === "bool" && (text === "true" || text === "false")) return text === "true";
  if (type === "number" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return Number(text);
  if (type !== "bool" && type !== "number") {
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw new StackProblem(
        "manifest.invalid_value",
        `${variable} does not hold JSON, as its type ${type} needs`,
      );
    }
  }
  throw new StackProblem("manifest.invalid_value", `${variable} is not a ${type}`);
}

/** A default of another simple type is converted, as Terraform does. */
function convert(node: SourceNode, type: string): SourceNode {
  if (node.kind !== "scalar" || node.value === null) return node;
  const { value } = node;
  if (type === "string" && typeof value !== "string")
    return { ...node, value: String(value) } satisfies ScalarNode;
  if (type !== "number" && type !== "bool") return node;
  if (typeof value !== "string") return node;
  if (node.parts?.some((part) => part.kind !== "text"))
    throw unsupported(`a reference in a variable of type ${type}`);
  return {
    kind: "scalar",
    value: fromText(value, type, "the default") as ScalarNode["value"],
    range: node.range,
  };
}
