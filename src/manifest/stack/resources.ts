import type { SourceRange } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import type { Address } from "../../model/address";
import { crossStackData, dataType, splitDataReference } from "../../model/data-source";
import type { DesiredAttribute, DesiredResource } from "../../model/desired";
import type { Parent } from "../../model/resource-type";
import {
  camelCase,
  snakeCase,
  terraformNameOf,
  terraformPrefix,
  timeoutNames,
  variablesResource,
} from "../../model/text";
import { parseDuration } from "../../model/time";
import { Template } from "../../model/value";
import type { Block, WrittenAttribute } from "../blocks";
import type { MapEntry, SourceNode } from "../tree";
import { type AttributeShape, openShape, schemaKinds, unknownField } from "../type-index";
import {
  bindingKeys,
  bindingProblems,
  groupAsValue,
  protectionOf,
  resourcesNamed,
  triggersProblem,
} from "./bindings";
import { isObject, type Json, type JsonLocation } from "./document";
import { BigNumber } from "./language/big-number";
import { type Expression, parseExpression } from "./language/expression";
import { addressOfResource, type StackGroup, type StackType } from "./names";
import { type BlockReader, readerOf, understood } from "./resolve";
import {
  commentOf,
  nestedBlocks,
  ownerOf,
  problemAt,
  type Stack,
  type StackContext,
  type StackEntry,
  StackProblem,
  type StackResource,
  unsupported,
} from "./stack";

/** A resource of a stack as a block, with what a manifest cannot express. */
export interface StackBlock {
  readonly block: Block;
  readonly owner: string;
  readonly constructPath: string | undefined;
  /** Edges of `depends_on`. */
  readonly dependsOn: readonly Address[];
  readonly parent: FoundParent;
  /** Addresses that it had in a manifest. */
  readonly movedFrom: readonly MapEntry[];
  /** Its provider refuses to delete it. */
  readonly isProtected: boolean;
  readonly timeouts: DesiredResource["timeouts"];
}

/** The parent of a resource: a declared block, or an id that no stack declares. */
export interface FoundParent {
  readonly block?: Block;
  readonly foreign?: { readonly attribute: string; readonly value: DesiredAttribute };
  /** The reference to a declared parent. */
  readonly range?: SourceRange;
}

/** Looks up the block of a resource, which may be declared further below. */
type FindBlock = (address: Address) => Block | undefined;

/** A resource that is being read. */
interface ResourceSource {
  readonly resource: StackResource;
  readonly type: StackType;
  readonly address: Address;
  readonly reader: BlockReader;
}

/** Keys that Terraform has and rnv does not. */
const terraformOnly = ["count", "for_each", "dynamic", "provisioner", "connection"];
const ownKeys = ["//", "lifecycle", "depends_on", "provider", "triggers", "timeouts"];

/** What a resource is read with. */
interface AroundResource {
  readonly findBlock: FindBlock;
  /** Ids to import by address. */
  readonly imports: ReadonlyMap<Address, MapEntry>;
  /** Configurations of the provider that refuse deletions. */
  readonly protecting: ReadonlySet<string>;
}

/** Reads a resource; undefined, after a report, when rnv has no such type. */
export function readResource(
  resource: StackResource,
  stack: Stack,
  context: StackContext,
  { findBlock, imports, protecting }: AroundResource,
): StackBlock | undefined {
  const { body, location } = resource;
  const owner = ownerOf(resource);
  const type = context.types.get(resource.terraformType);
  if (type === undefined) {
    context.report(problemAt(unknownType(resource, context), owner, location.keyRange));
    return undefined;
  }
  const address = addressOfResource(type, resource.name);
  const reader = readerOf(stack, context, owner, address);
  const source: ResourceSource = { resource, type, address, reader };
  refuseTerraformOnly(source, stack, context);
  const { removal, removedWithParent } = type.placed.type;
  const provider = readProvider({ value: body, location }, stack, reader);
  const isProtectable = removal === "delete" && !removedWithParent;
  const isKept = protectionOf(body, isProtectable, (problem, key) =>
    reader.refuse(problem, location.at(key)),
  );
  const { written, isReadable } = readAttributes(source);
  const parent = readParent(source, findBlock);
  const { meta, movedFrom } = readMeta(source, imports.get(address));
  if (type.nameKey !== undefined && body[type.nameKey] === undefined) refuseMissing(source, type.nameKey);
  const dependsOn = dependsOnOf({ value: body, location }, stack, context, reader);
  const names = address.split(".").slice(1);
  return {
    owner,
    constructPath: resource.constructPath,
    movedFrom,
    dependsOn,
    parent,
    isProtected: isKept || (protecting.has(provider) && isProtectable),
    timeouts: readTimeouts(source),
    block: {
      placed: type.placed,
      address,
      name: names.at(-1) ?? "",
      names,
      ...(parent.block !== undefined && { parent: parent.block }),
      range: location.keyRange,
      written,
      meta,
      misspelt: new Set(),
      isReadable,
    },
  };
}

function unknownType({ terraformType, name }: StackResource, { types }: StackContext): StackProblem {
  if (!terraformType.startsWith(`${terraformPrefix}_`))
    return unsupported(`the resource ${terraformType}.${name} of another provider`);
  if (terraformType === variablesResource)
    return unsupported("a map of variables whose names are in an expression");
  const hint = didYouMean(terraformType, types.keys());
  return new StackProblem("stack.unknown_key", `there is no resource type ${terraformType}`, hint);
}

function refuseTerraformOnly(
  { resource, type, reader }: ResourceSource,
  stack: Stack,
  context: StackContext,
): void {
  const { body, location } = resource;
  for (const key of terraformOnly)
    if (body[key] !== undefined) reader.refuse(withoutRepetition(key), location.at(key).keyRange);
  // Derived triggers are for Terraform: rnv sees these changes by itself.
  const isDerived = commentOf(body, terraformPrefix)?.triggers === "derived";
  const triggers = isDerived ? undefined : triggersProblem(resource, type, stack, context);
  if (triggers !== undefined) reader.refuse(triggers, location.at("triggers").keyRange);
  for (const [key, problem] of bindingProblems(body, type)) reader.refuse(problem, location.at(key).keyRange);
}

/** An argument that rnv does not have. */
export const withoutRepetition = (key: string): StackProblem =>
  key === "count" || key === "for_each"
    ? new StackProblem(
        "stack.unsupported",
        `${key} is not supported by rnv`,
        "write a loop in the program, which makes a construct for each; or run the stack with Terraform",
      )
    : unsupported(key);

/** The configuration of the provider that a block names; one that the stack does not declare is refused. */
export function readProvider(
  { value, location }: StackEntry,
  { providers }: Stack,
  reader: BlockReader,
): string {
  const written = isObject(value) ? value.provider : undefined;
  if (written === undefined || written === null || written === terraformPrefix) return terraformPrefix;
  if (typeof written === "string" && providers.has(written)) return written;
  const summary = `the provider ${JSON.stringify(written)} is not declared`;
  const hint = `name one of rnv: new RnvProvider(stack, "eu", { alias: "eu" })`;
  reader.refuse(new StackProblem("stack.reference_unknown", summary, hint), location.at("provider"));
  return terraformPrefix;
}

/** How long to wait for the service, in milliseconds by step. */
function readTimeouts({ resource: { body, location }, reader }: ResourceSource): DesiredResource["timeouts"] {
  const timeouts: Partial<Record<(typeof timeoutNames)[number], number>> = {};
  for (const { value, location: at } of nestedBlocks({ value: body, location }, "timeouts"))
    for (const [key, written] of Object.entries(value)) {
      const step = timeoutNames.find((name) => name === key);
      if (written === null || key === "//") continue;
      if (step === undefined) {
        reader.refuse(unknownKey(`timeouts.${key}`, timeoutNames), at.at(key).keyRange);
        continue;
      }
      const node = reader.read(written, at.at(key));
      const text = node?.kind === "scalar" && typeof node.value === "string" ? node.value : "";
      const milliseconds = parseDuration(text);
      if (milliseconds !== undefined) timeouts[step] = milliseconds;
      else if (node !== undefined)
        reader.refuse(
          new StackProblem(
            "stack.invalid_value",
            `timeouts.${key}: expected a duration such as 30m, 90s or 1h30m`,
          ),
          at.at(key),
        );
    }
  return Object.keys(timeouts).length === 0 ? undefined : timeouts;
}

function refuseMissing(
  { resource: { terraformType, name, location }, reader }: ResourceSource,
  key: string,
): void {
  const problem = new StackProblem("stack.missing_key", `${terraformType}.${name} lacks ${key}`);
  reader.refuse(problem, location.keyRange);
}

/** Reads the attributes; `isReadable` is false when an attribute could not be read. */
function readAttributes(source: ResourceSource): Pick<Block, "written" | "isReadable"> {
  const written: WrittenAttribute[] = [];
  let isReadable = true;
  const { resource, type, reader } = source;
  const fail = (problem: StackProblem, range: SourceRange): void => {
    isReadable = false;
    reader.refuse(problem, range);
  };
  const add = (
    shape: AttributeShape,
    value: Json,
    location: JsonLocation,
    as: (node: SourceNode) => SourceNode = (node) => node,
  ): void => {
    const read = reader.read(value, location);
    const found = read && as(read);
    isReadable &&= found !== undefined;
    if (found === undefined) return;
    const node = inKind(found, schemaKinds(shape.schema));
    if (node.isSensitive && !shape.secret)
      fail(
        new StackProblem("stack.unsupported", `${shape.path} is shown in plans and cannot hold a secret`),
        location,
      );
    else written.push({ shape, entry: { key: shape.path, keyRange: location.keyRange, value: node } });
  };
  const others = [...ownKeys, ...terraformOnly, ...bindingKeys, ...type.parents.keys()];
  for (const [key, value] of Object.entries(resource.body)) {
    const at = resource.location.at(key);
    const generated = type.generated.get(key);
    const shape = type.attributes.get(key) ?? generated;
    const group = type.groups.get(key) ?? groupAsValue(key, type);
    // Terraform takes null for an attribute that is left out.
    if (value === null || others.includes(key) || type.versions.has(key)) continue;
    if (shape !== undefined && written.some((earlier) => earlier.shape === shape))
      fail(
        new StackProblem(
          "stack.unsupported",
          `${shape.path} is written twice: stored, write-only or made up`,
        ),
        at.keyRange,
      );
    else if (generated !== undefined)
      add(generated, value, at, (node) => ({
        ...{ kind: "map", range: at },
        entries: new Map([[key, entryAt(key, node, at)]]),
      }));
    else if (shape !== undefined) add(shape, value, at);
    else if (group === undefined)
      fail(unknownKey(key, [...type.attributes.keys(), ...type.groups.keys(), ...others]), at.keyRange);
    else if (isObject(value)) {
      for (const field of fieldsOf(value, at, group, source)) {
        if (field.shape === undefined)
          fail(unknownKey(field.key, group.fields.keys()), field.location.keyRange);
        else add(field.shape, field.value, field.location);
      }
    } else if (reader.read(value, at) === undefined) isReadable = false;
    else fail(new StackProblem("stack.invalid_value", `${key} is an object of fields`), at);
  }
  return { written, isReadable };
}

const textOf = (value: number | boolean): string =>
  typeof value === "number" ? BigNumber.of(value).toString() : String(value);

/** A number or a flag that is given as text, or text as one of them, as Terraform takes it. */
function inKind(node: SourceNode, kinds: readonly string[]): SourceNode {
  if (node.kind !== "scalar" || node.value === null || kinds.includes(typeof node.value)) return node;
  const { value, range } = node;
  if (typeof value !== "string")
    return kinds.includes("string") ? { kind: "scalar", value: textOf(value), range } : node;
  if (node.isSensitive || node.parts?.some(({ kind }) => kind !== "text")) return node;
  if (kinds.includes("boolean") && (value === "true" || value === "false"))
    return { kind: "scalar", value: value === "true", range };
  const parsed = kinds.includes("number") ? BigNumber.parse(value) : undefined;
  return parsed === undefined ? node : { kind: "scalar", value: parsed.toNumber(), range };
}

interface GroupField extends StackEntry {
  readonly key: string;
  /** Undefined for a field that the group does not have. */
  readonly shape: AttributeShape | undefined;
}

/** The fields that are written in a group; a further field of an open group is noted. */
function fieldsOf(
  body: { readonly [key: string]: Json },
  location: JsonLocation,
  { key: groupKey, fields }: StackGroup,
  { type, address, reader }: ResourceSource,
): readonly GroupField[] {
  return Object.entries(body).flatMap(([key, value]) => {
    if (value === null || key === "//") return [];
    const at = location.at(key);
    const known = fields.get(key);
    const further = known ?? openShape(type.placed, groupKey, camelCase(key));
    if (known === undefined && further !== undefined)
      reader.note(unknownField(address, further.path, at.keyRange, didYouMean(key, fields.keys()), key));
    return [{ key, value, location: at, shape: further }];
  });
}

const unknownKey = (key: string, known: Iterable<string>): StackProblem =>
  new StackProblem(
    "stack.unknown_key",
    `there is no attribute ${JSON.stringify(key)}`,
    didYouMean(key, known),
  );

/** Reads `project_id` or `service_id`: a reference to a declared parent, or an id that no stack declares. */
function readParent(source: ResourceSource, findBlock: FindBlock): FoundParent {
  const { resource, type, reader } = source;
  for (const [key, link] of type.parents) {
    const value = resource.body[key];
    if (value === undefined || value === null) continue;
    const at = resource.location.at(key);
    const node = reader.read(value, at);
    const parent = node && linkedParent(node, link, at, findBlock);
    if (node !== undefined && parent === undefined) reader.refuse(noParent(node, key, link), at);
    return parent ?? {};
  }
  const [first] = type.parents.keys();
  if (first !== undefined && !type.placed.place.within.includes("root")) refuseMissing(source, first);
  return {};
}

/** Undefined when the value names no parent of the type. */
function linkedParent(
  node: SourceNode,
  link: Parent,
  range: SourceRange,
  findBlock: FindBlock,
): FoundParent | undefined {
  const segments = wholeReference(node);
  if (segments?.[0] === dataType) {
    const reference = splitDataReference(segments);
    const named = reference.address.split(".").at(-2);
    // What an output of another stack holds is not known by its name.
    const isParent =
      named === crossStackData || (reference.attribute === "id" && named === terraformNameOf(link));
    const value = { value: new Template([reference], false), range };
    return isParent ? { foreign: { attribute: link.attribute, value } } : undefined;
  }
  if (segments !== undefined) {
    const isId = segments[0] === link.type && segments.at(-1) === "id";
    const block = isId ? findBlock(segments.slice(0, -1).join(".") as Address) : undefined;
    return block && { block, range };
  }
  const isText =
    node.kind === "scalar" && !node.isSensitive && (node.parts ?? []).every(({ kind }) => kind === "text");
  return isText && typeof node.value === "string" && node.value !== ""
    ? { foreign: { attribute: link.attribute, value: { value: node.value, range } } }
    : undefined;
}

function noParent(node: SourceNode, key: string, { type }: Parent): StackProblem {
  const segments = wholeReference(node);
  return segments === undefined || segments[0] === dataType
    ? new StackProblem("stack.invalid_value", `${key} is the id of a ${type}`)
    : new StackProblem("stack.reference_unknown", `${key} refers to no declared ${type}`);
}

/** The segments of a value that is a reference and nothing else. */
function wholeReference(node: SourceNode): readonly string[] | undefined {
  const parts = node.kind === "scalar" ? (node.parts ?? []) : [];
  const [part] = parts;
  return parts.length === 1 && part?.kind === "reference" ? part.segments : undefined;
}

/** Reads `lifecycle`, the id to import and the comment of rnv as entries of a manifest. */
function readMeta(
  { resource: { body, location }, type, reader }: ResourceSource,
  imported: MapEntry | undefined,
): Pick<Block, "meta"> & Pick<StackBlock, "movedFrom"> {
  const comment = commentOf(body, terraformPrefix);
  const commentLocation = location.at("//").at(terraformPrefix);
  const lifecycle = new Map<string, MapEntry>();
  for (const block of nestedBlocks({ value: body, location }, "lifecycle"))
    readLifecycle(block, type, lifecycle, reader);
  if (comment?.on_remove !== undefined) {
    const at = commentLocation.at("on_remove");
    lifecycle.set("onRemove", entryAt("onRemove", literal(comment.on_remove, at), at));
  }
  const meta = new Map<string, MapEntry>();
  if (lifecycle.size > 0) {
    const at = location.at("lifecycle");
    meta.set("lifecycle", entryAt("lifecycle", { kind: "map", entries: lifecycle, range: at }, at));
  }
  if (imported !== undefined) meta.set("import", imported);
  const before = Array.isArray(comment?.moved_from) ? (comment.moved_from as readonly Json[]) : [];
  const movedFrom = before.map((from, i) => {
    const at = commentLocation.at("moved_from").at(i);
    return entryAt("from", literal(from, at), at);
  });
  return { meta, movedFrom };
}

const entryAt = (key: string, value: SourceNode, { keyRange }: JsonLocation): MapEntry => ({
  key,
  keyRange,
  value,
});

/** A value that is taken as it is written, without expressions. */
const literal = (value: Json, range: SourceRange): SourceNode =>
  value === null || typeof value !== "object"
    ? { kind: "scalar", value, range }
    : { kind: "list", items: [], range };

function readLifecycle(
  { value: body, location }: ReturnType<typeof nestedBlocks>[number],
  type: StackType,
  lifecycle: Map<string, MapEntry>,
  reader: BlockReader,
): void {
  for (const [key, value] of Object.entries(body)) {
    const at = location.at(key);
    if (key === "prevent_destroy") {
      const node = reader.read(value, at);
      if (node !== undefined) lifecycle.set("preventDestroy", entryAt("preventDestroy", node, at));
    } else if (key === "ignore_changes")
      lifecycle.set("ignoreChanges", entryAt("ignoreChanges", ignoredPaths(value, at, type), at));
    else if (key !== "//" && !(key === "create_before_destroy" && value === false))
      reader.refuse(unsupported(`lifecycle.${key}`), at.keyRange);
  }
}

/** `configuration.health_check_path` in rnv's words; `all` names every attribute. */
function ignoredPaths(value: Json, range: JsonLocation, { placed }: StackType): SourceNode {
  const all = [...placed.paths.keys()];
  if (value === "all") return { kind: "list", range, items: all.map((path) => literal(path, range)) };
  if (!Array.isArray(value)) return literal(value, range);
  const known = new Map(
    [...all, ...placed.groups.keys()].map((path) => [path.split(".").map(snakeCase).join("."), path]),
  );
  // A further field of an open group is in no list.
  const nameOf = (item: Json): Json =>
    typeof item === "string" ? (known.get(item) ?? (item.includes(".") ? camelCase(item) : item)) : item;
  return { kind: "list", items: value.map((item: Json, i) => literal(nameOf(item), range.at(i))), range };
}

/** Addresses that `depends_on` of a resource or a data source names. */
export function dependsOnOf(
  { value: body, location }: StackEntry,
  stack: Stack,
  context: StackContext,
  reader: BlockReader,
): readonly Address[] {
  const value = isObject(body) ? body.depends_on : undefined;
  const at = location.at("depends_on");
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    reader.refuse(new StackProblem("stack.invalid_value", "depends_on is a list"), at);
    return [];
  }
  return value.flatMap((item: Json, i) => {
    // Data sources are read before anything changes: they are no reason to wait.
    const isData = typeof item === "string" && item.startsWith("data.") && stack.data.has(item.slice(5));
    const parts = typeof item === "string" ? resourcesNamed(stack, item).filter(({ partOf }) => partOf) : [];
    if (parts.length > 0) return parts.flatMap((part) => addressesOf(part, context));
    const address = isData ? undefined : resourceNamed(item, at.at(i), context, reader);
    return address === undefined ? [] : [address];
  });
}

const addressesOf = ({ terraformType, name }: StackResource, { types }: StackContext): readonly Address[] => {
  const type = types.get(terraformType);
  return type === undefined ? [] : [addressOfResource(type, name)];
};

/** The address of `rnv_service.api`, as blocks name a resource; undefined after a report. */
export function resourceNamed(
  value: Json,
  location: JsonLocation,
  { types }: StackContext,
  reader: BlockReader,
): Address | undefined {
  try {
    const text = typeof value === "string" ? value.replace(/^\$\{(.*)\}$/, "$1") : "";
    const [terraformType = "", name, ...rest] = stepsOf(understood(() => parseExpression(text)));
    const type = types.get(terraformType);
    if (type === undefined || name === undefined || rest.length > 0) throw unsupported(JSON.stringify(text));
    return addressOfResource(type, name);
  } catch (cause) {
    if (!(cause instanceof StackProblem)) throw cause;
    reader.refuse(cause, location);
    return undefined;
  }
}

function stepsOf(expression: Expression): readonly string[] {
  if (expression.kind === "root") return [expression.name];
  if (expression.kind === "access" && expression.key.kind === "value")
    return [...stepsOf(expression.of), String(expression.key.value)];
  throw unsupported("that expression");
}
