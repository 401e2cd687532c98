import { dataSegments } from "../model/data-source";
import { camelCase, snakeCase } from "../model/terraform-name";
import type { SourceNode } from "./source-tree";
import {
  crossStackInput,
  type Entry,
  type Program,
  type ReadJson,
  rangeOf,
  type Site,
  type Stack,
} from "./stack";
import { dataAttributeSteps, isDataSource } from "./stack-data-shape";
import { isObject } from "./stack-document";
import { addressOfResource } from "./stack-names";
import { StackProblem, undeclared, unsupported } from "./stack-problem";
import { readVariable } from "./stack-variable";
import type { PlacedType } from "./type-index";

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
  if (root === "data") return readData(steps, site, program, read);
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
function readData(steps: Steps, site: Site, program: Program, read: ReadJson): Rooted {
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
