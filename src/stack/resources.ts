import type { SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Block } from "../manifest/blocks";
import type { MapEntry, SourceNode } from "../manifest/tree";
import type { Address } from "../model/address";
import { crossStackData, dataType, splitDataReference } from "../model/data-source";
import type { DesiredAttribute, DesiredResource } from "../model/desired";
import type { Parent } from "../model/resource-type";
import { terraformNameOf, terraformPrefix, timeoutNames, variablesResource } from "../model/text";
import { parseDuration } from "../model/time";
import { Template } from "../model/value";
import { protectionOf, resourcesNamed, triggersProblem } from "./bindings";
import { type ResourceSource, readAttributes, terraformOnly, unknownKey } from "./block-attributes";
import { type FoundCondition, readConditions } from "./conditions";
import { isObject, type Json, type JsonLocation } from "./document";
import { type Expression, parseExpression } from "./language/expression";
import { readMeta } from "./lifecycle";
import { addressOfResource } from "./names";
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
  readonly conditions: readonly FoundCondition[];
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

/** The environment in which a resource is read. */
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
    conditions: readConditions(
      { value: body, location },
      { address, owner },
      {
        precondition: reader,
        postcondition: readerOf(stack, context, owner, address, { ...resource, isData: false }),
      },
    ),
    block: {
      placed: type.placed,
      address,
      name: names.at(-1) ?? "",
      names,
      ...(parent.block !== undefined && { parent: parent.block }),
      range: location.keyRange,
      written,
      meta,
      misspelt: new Map(),
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
