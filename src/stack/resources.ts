import { type BuiltResource, buildResource } from "../declaration/build-resource";
import type { Block } from "../declaration/declared-block";
import {
  entryNode,
  listNode,
  type MapEntry,
  mapNode,
  type SourceNode,
  scalarNode,
} from "../declaration/tree";
import { error, type SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import { crossStackData, dataType, splitDataReference } from "../model/data-source";
import type { DesiredAttribute, DesiredResource } from "../model/desired";
import type { Parent } from "../model/resource-type";
import {
  camelCase,
  protectionAttribute,
  terraformNameOf,
  terraformPrefix,
  timeoutNames,
  variablesResource,
} from "../model/terraform-names";
import { parseDuration } from "../model/time";
import { referredAddresses, Template } from "../model/value";
import {
  protectionOf,
  type ResourceSource,
  readAttributes,
  terraformOnly,
  unknownKey,
} from "./block-attributes";
import type { JsonNode } from "./document";
import { invalid, missingKey, StackProblem, unknownReference, unsupported } from "./language/problem";
import { addressOfResource, type StackType } from "./names";
import { type BlockReader, readerOf } from "./resolve";
import { commentOf, nestedBlocks, ownerOf, problemAt, type StackContext, type StackResource } from "./stack";
import { knownText } from "./values";

/** A resource of a stack as a block, plus facts that a manifest cannot express. */
export interface StackBlock {
  readonly block: Block;
  readonly source: ResourceSource;
  readonly link: ParentLink | undefined;
}

/** The attribute with the id of the parent: of a declared block, or of a resource that no stack declares. */
interface ParentLink {
  readonly attribute: string;
  readonly value: DesiredAttribute;
}

/** Reads a resource; undefined, after a report, when rnv has no such type. */
export function readResource(
  resource: StackResource,
  context: StackContext,
  imports: ReadonlyMap<Address, MapEntry>,
  protecting: ReadonlySet<string>,
): StackBlock | undefined {
  const { block, type, address } = resource;
  const owner = ownerOf(resource);
  if (type === undefined || address === undefined) {
    context.report(problemAt(unknownType(resource, context), { owner }, block.keyRange));
    return undefined;
  }
  const reader = readerOf(context, { owner, address });
  const source: ResourceSource = { resource, type, address, reader };
  for (const key of terraformOnly)
    if (!block.at(key).isAbsent) reader.refuse(withoutRepetition(key), block.at(key).keyRange);
  const { removal, removedWithParent } = type.blockType.type;
  const provider = readProvider(block, reader);
  const isProtectable = removal === "delete" && !removedWithParent;
  const isKept = protectionOf(block.at(protectionAttribute), isProtectable, reader);
  const { written, isReadable } = readAttributes(source);
  const link = readParent(source);
  const [parent] = referredAddresses(link?.value.value);
  const isProtected = isKept || (protecting.has(provider) && isProtectable);
  const meta = readMeta(source, imports.get(address), isProtected);
  if (type.nameKey !== undefined && block.at(type.nameKey).isAbsent) refuseMissing(source, type.nameKey);
  const names = address.split(".").slice(1);
  return {
    source,
    link,
    block: {
      blockType: type.blockType,
      address,
      name: names.at(-1) ?? "",
      names,
      parent: parent && context.reading.blocks.get(parent),
      range: block.keyRange,
      written,
      meta,
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

export const movedFrom = ({ resource: { block } }: ResourceSource): readonly SourceNode[] =>
  commentOf(block, terraformPrefix).at("moved_from").items.map(literal);

export function buildStackResource({ block, source, link }: StackBlock): BuiltResource {
  const { resource, reader } = source;
  const { reading } = reader.context;
  checkTriggers(source, block);
  const built = buildResource(block, reading);
  if (link !== undefined) built.attributes.set(link.attribute, link.value);
  const known = dependsOnOf(resource.block, block, reader).filter(
    (on) => !isImplied(block, reading.blocks.get(on)),
  );
  const referred = referredAddresses(link?.value.value);
  const timeouts = readTimeouts(source);
  const desired: DesiredResource = {
    ...built.resource,
    ...(resource.constructPath !== undefined && { constructPath: resource.constructPath }),
    ...(timeouts !== undefined && { timeouts }),
    dependsOn: [...new Set([...built.resource.dependsOn, ...known, ...referred])],
  };
  return { ...built, resource: desired };
}

/** Returns true if the order of two resources follows from their types: only Terraform has to be told. */
const isImplied = ({ blockType, parent }: Block, named: Block | undefined): boolean =>
  parent !== undefined &&
  named?.parent?.address === parent.address &&
  blockType.type.follows.includes(named.blockType.type.type);

/** Refuses `triggers` with a reason that rnv does not see by itself. Derived ones are for Terraform. */
function checkTriggers({ resource, type, reader }: ResourceSource, own: Block): void {
  const at = resource.block.at("triggers");
  const isDerived = commentOf(resource.block, terraformPrefix).at("triggers").value === "derived";
  if (at.isAbsent || isDerived) return;
  const { stack, reading } = reader.context;
  const isSeen = ({ value }: JsonNode): boolean => {
    const [, name = ""] = anyAttribute.exec(String(value)) ?? [];
    const [{ address = "" } = {}] = stack.named.get(name) ?? [];
    const named = reading.blocks.get(address as Address);
    return named !== undefined && (named === own.parent || isImplied(own, named));
  };
  const hint = `a ${type.blockType.type.type} of rnv follows what it belongs to, and what lies beside it, without any; for other reasons run the stack with Terraform`;
  const reasons = [...at.members.values()];
  if (reasons.length === 0 || !reasons.every(isSeen))
    reader.refuse(unsupported("triggers", hint), at.keyRange);
}

/** A value that is an attribute of a resource: `${rnv_service.api.url}`. */
const anyAttribute = /^\$\{(?:jsonencode\()?(rnv_\w+\.[\w-]+)\.[\w.]+\)?\}$/;

export const withoutRepetition = (key: string): StackProblem =>
  unsupported(key, key === "count" || key === "for_each" ? writeLoop : undefined);

const writeLoop =
  "write a loop in the program, which makes a construct for each; or run the stack with Terraform";

/** The configuration of the provider that a block names; an undeclared configuration is refused. */
export function readProvider(block: JsonNode, { context: { stack }, refuse }: BlockReader): string {
  const at = block.at("provider");
  const { value: written } = at;
  if (at.isAbsent || written === terraformPrefix) return terraformPrefix;
  if (typeof written === "string" && stack.providers.has(written)) return written;
  const summary = `the provider ${JSON.stringify(written)} is not declared`;
  const hint = `name one of rnv: new RnvProvider(stack, "eu", { alias: "eu" })`;
  refuse(unknownReference(summary, hint), at.range);
  return terraformPrefix;
}

function readTimeouts({ resource: { block }, reader }: ResourceSource): DesiredResource["timeouts"] {
  const timeouts: Partial<Record<(typeof timeoutNames)[number], number>> = {};
  for (const [key, at] of nestedBlocks(block, "timeouts").flatMap(({ entries }) => entries)) {
    const step = timeoutNames.find((name) => name === key);
    if (at.isAbsent) continue;
    if (step === undefined) {
      reader.refuse(unknownKey(`timeouts.${key}`, timeoutNames), at.keyRange);
      continue;
    }
    const node = reader.read(at);
    const text = node?.kind === "scalar" && typeof node.value === "string" ? node.value : "";
    const milliseconds = parseDuration(text);
    const wanted = `timeouts.${key}: expected a duration such as 30m, 90s or 1h30m`;
    if (milliseconds !== undefined) timeouts[step] = milliseconds;
    else if (node !== undefined) reader.refuse(invalid(wanted), at.range);
  }
  return Object.keys(timeouts).length === 0 ? undefined : timeouts;
}

const refuseMissing = ({ resource, reader }: ResourceSource, key: string): void =>
  reader.refuse(
    missingKey(`${resource.terraformType}.${resource.name} lacks ${key}`),
    resource.block.keyRange,
  );

/** Reads `project_id` or `service_id`: a reference to a declared parent, or an id that no stack declares. */
function readParent(source: ResourceSource): ParentLink | undefined {
  const { resource, type, reader } = source;
  for (const [key, link] of type.parents) {
    const at = resource.block.at(key);
    if (at.isAbsent) continue;
    const node = reader.read(at);
    const found = node && parentNamed(node, key, link, at.range, reader.context);
    if (!(found instanceof StackProblem)) return found;
    reader.refuse(found, at.range);
    return undefined;
  }
  const [first] = type.parents.keys();
  if (first !== undefined && !type.blockType.form.within.includes("root")) refuseMissing(source, first);
  return undefined;
}

/** Returns the link to the parent of a type that a value names, or the problem that it names none. */
function parentNamed(
  node: SourceNode,
  key: string,
  { type, attribute }: Parent,
  range: SourceRange,
  { reading }: StackContext,
): ParentLink | StackProblem {
  const noId = invalid(`${key} is the id of a ${type}`);
  const linkTo = (value: DesiredAttribute["value"]): ParentLink => ({ attribute, value: { value, range } });
  const segments = wholeReference(node);
  if (segments === undefined) {
    const isText = node.kind === "scalar" && typeof node.value === "string" && !node.isSensitive;
    const id = isText ? knownText(node) : undefined;
    return id ? linkTo(id) : noId;
  }
  if (segments[0] === dataType) {
    const reference = splitDataReference(segments);
    const named = reference.address.split(".").at(-2);
    // The name of an output of another stack does not reveal the type of its value.
    const isParent =
      named === crossStackData || (reference.attribute === "id" && named === terraformNameOf({ type }));
    return isParent ? linkTo(new Template([reference], false)) : noId;
  }
  const address = segments.slice(0, -1).join(".") as Address;
  const isId = segments[0] === type && segments.at(-1) === "id";
  if (!isId || !reading.blocks.has(address)) return unknownReference(`${key} refers to no declared ${type}`);
  return linkTo(new Template([{ address, attribute: "id" }], false));
}

function wholeReference(node: SourceNode): readonly string[] | undefined {
  const parts = node.kind === "scalar" ? (node.parts ?? []) : [];
  const [part] = parts;
  return parts.length === 1 && part?.kind === "reference" ? part.segments : undefined;
}

/** The addresses that `depends_on` names; an undeclared address is reported as an error of `from`. */
export function dependsOnOf(
  block: JsonNode,
  from: Pick<Block, "address" | "range">,
  reader: BlockReader,
): readonly Address[] {
  const { stack, reading } = reader.context;
  const { blocks, report } = reading;
  const at = block.at("depends_on");
  if (at.isAbsent) return [];
  if (!at.isList) {
    reader.refuse(invalid("depends_on is a list"), at.range);
    return [];
  }
  const named = at.items.flatMap((item) => {
    const name = String(item.value);
    // Data sources are read before anything changes: they are no reason to wait.
    if (name.startsWith("data.") && stack.data.has(name.slice("data.".length))) return [];
    const parts = (stack.named.get(name) ?? []).filter(({ partOf }) => partOf !== undefined);
    if (parts.length > 0) return parts.flatMap(({ address }) => address ?? []);
    return resourceNamed(item, reader) ?? [];
  });
  return named.filter((on) => {
    if (blocks.has(on)) return true;
    const summary = `depends_on names ${on}, which is not declared`;
    report(error("stack.reference_unknown", summary, { address: from.address, range: from.range }));
    return false;
  });
}

/** The address of `rnv_service.api`, as blocks name a resource; undefined after a report. */
export function resourceNamed(at: JsonNode, reader: BlockReader): Address | undefined {
  const text = typeof at.value === "string" ? at.value.replace(/^\$\{(.*)\}$/, "$1") : "";
  const [terraformType = "", name, ...rest] = text.split(".");
  const type = reader.context.types.get(terraformType);
  if (type !== undefined && name !== undefined && rest.length === 0) return addressOfResource(type, name);
  reader.refuse(unsupported(JSON.stringify(text)), at.range);
  return undefined;
}

/** Reads `lifecycle`, the id to import and the comment of rnv as entries of a manifest. */
function readMeta(
  { resource: { block }, type, reader }: ResourceSource,
  imported: MapEntry | undefined,
  isProtected: boolean,
): Block["meta"] {
  const lifecycle: (readonly [string, SourceNode, SourceRange])[] = [];
  const add = (key: string, node: SourceNode | undefined, { keyRange }: JsonNode): void => {
    if (node !== undefined) lifecycle.push([key, node, keyRange]);
  };
  for (const [key, at] of nestedBlocks(block, "lifecycle").flatMap(({ entries }) => entries)) {
    if (key === "prevent_destroy") add("preventDestroy", reader.read(at), at);
    else if (key === "ignore_changes") add("ignoreChanges", ignoredPaths(at, type), at);
    else if (key !== "create_before_destroy" || at.value !== false)
      reader.refuse(unsupported(`lifecycle.${key}`), at.keyRange);
  }
  if (isProtected) add("preventDestroy", scalarNode(true, block.range), block);
  const onRemove = commentOf(block, terraformPrefix).at("on_remove");
  if (!onRemove.isAbsent) add("onRemove", literal(onRemove), onRemove);
  const meta = new Map<string, MapEntry>();
  const at = block.at("lifecycle");
  if (lifecycle.length > 0)
    meta.set("lifecycle", entryNode("lifecycle", mapNode(lifecycle, at.range), at.keyRange));
  if (imported !== undefined) meta.set("import", imported);
  return meta;
}

/** A value that is taken as it is written, without expressions. */
const literal = (at: JsonNode): SourceNode =>
  at.isObject || at.isList ? listNode([], at.range) : scalarNode(at.value ?? null, at.range);

/** `configuration.health_check_path` in rnv's words; `all` names every attribute. */
function ignoredPaths(at: JsonNode, { blockType }: StackType): SourceNode {
  if (at.value === "all")
    return listNode(
      [...blockType.paths.keys()].map((path) => scalarNode(path, at.range)),
      at.range,
    );
  if (!at.isList) return literal(at);
  return listNode(
    at.items.map((item) =>
      typeof item.value === "string" ? scalarNode(camelCase(item.value), item.range) : literal(item),
    ),
    at.range,
  );
}
