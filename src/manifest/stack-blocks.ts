import type { SourceRange } from "../diagnostics/source-range";
import { didYouMean } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import { dataType, splitDataReference } from "../model/data-source";
import type { DesiredAttribute } from "../model/desired";
import type { Reference } from "../model/reference";
import type { Parent } from "../model/resource-type";
import { camelCase, snakeCase, terraformNameOf, terraformPrefix } from "../model/terraform-name";
import { Template } from "../model/value";
import type { MapEntry, SourceNode } from "./source-tree";
import { commentOf, type Program, type Site, type Stack, type StackResource } from "./stack";
import { isObject, type Json } from "./stack-document";
import { dependsOnOf, metaEntries } from "./stack-meta";
import { addressOfResource } from "./stack-names";
import { problemAt, StackProblem, unsupported } from "./stack-problem";
import { ownerOf, type Reader, readerOf } from "./stack-reader";
import { type AttributeShape, openShape, type PlacedType, unknownField } from "./type-index";
import type { Block, WrittenAttribute } from "./walk-blocks";

/** A resource of a stack on its way to the desired state: a block, and what a manifest has no words for. */
export interface StackBlock {
  readonly block: Block;
  readonly owner: string;
  /** Edges of `depends_on`. */
  readonly dependsOn: readonly Address[];
  /** The id of a project or service that no stack declares. */
  readonly foreignParent?: { readonly attribute: string; readonly value: DesiredAttribute };
  /** Where the reference to a declared parent stands. */
  readonly parentRange?: SourceRange;
  /** Addresses under which a manifest had it. */
  readonly movedFrom: readonly MapEntry[];
}

/** What Terraform has and rnv does not. */
const terraformOnly = ["count", "for_each", "dynamic", "provisioner", "connection", "timeouts"];
const ownKeys = ["//", "lifecycle", "depends_on", "provider", "triggers"];

/** The resource as a block; parents are filled in by `parentOf`, since they may stand further below. */
export function readResource(
  resource: StackResource,
  stack: Stack,
  program: Program,
  parentOf: (address: Address) => Block | undefined,
  imports: ReadonlyMap<Address, MapEntry>,
): StackBlock | undefined {
  const { terraformType, name, body, place } = resource;
  const owner = ownerOf(resource);
  const placed = program.types.get(terraformType);
  if (placed === undefined) {
    const problem = terraformType.startsWith(`${terraformPrefix}_`)
      ? new StackProblem(
          "manifest.unknown_key",
          `there is no resource type ${terraformType}`,
          didYouMean(terraformType, program.types.keys()),
        )
      : unsupported(`the resource ${terraformType}.${name} of another provider`);
    program.report(problemAt(problem, owner, place.keyPlace));
    return undefined;
  }
  const address = addressOfResource(placed, name);
  const reader = readerOf(stack, program, owner, address);
  for (const key of terraformOnly)
    if (body[key] !== undefined) reader.refuse(unsupported(key), place.at(key).keyPlace);
  if (body.provider !== undefined && body.provider !== terraformPrefix)
    reader.refuse(unsupported("a provider configuration with an alias"), place.at("provider"));
  // What the constructs derive is for Terraform: rnv sees these changes by itself.
  if (body.triggers !== undefined && commentOf(body, terraformPrefix)?.triggers !== "derived")
    reader.refuse(unsupported("triggers"), place.at("triggers").keyPlace);
  let isReadable = true;
  const unread = readAttributes(resource, placed, address, {
    ...reader,
    refuse: (problem, range) => {
      isReadable = false;
      reader.refuse(problem, range);
    },
    read: (value, at) => {
      const node = reader.read(value, at);
      isReadable &&= node !== undefined;
      return node;
    },
  });
  const parent = readParent(resource, placed, reader, parentOf);
  const { meta, movedFrom } = metaEntries(resource, placed, address, reader, imports);
  const logicalName = address.slice(address.lastIndexOf(".") + 1);
  const { nameKey } = namesOf(placed);
  if (nameKey !== undefined && body[nameKey] === undefined)
    reader.refuse(
      new StackProblem("manifest.missing_key", `${terraformType}.${name} lacks ${nameKey}`),
      place.keyPlace,
    );
  return {
    owner,
    movedFrom,
    dependsOn: dependsOnOf(resource, stack, program, reader),
    ...(parent.range === undefined ? {} : { parentRange: parent.range }),
    ...(parent.foreign === undefined ? {} : { foreignParent: parent.foreign }),
    block: {
      placed,
      address,
      name: logicalName,
      names: address.split(".").slice(1),
      ...(parent.block === undefined ? {} : { parent: parent.block }),
      range: place.keyPlace,
      attributes: new Map(),
      unread,
      meta,
      misspelt: new Set(),
      isReadable,
    },
  };
}

function readAttributes(
  { body, place }: StackResource,
  placed: PlacedType,
  address: Address,
  reader: Reader,
): readonly WrittenAttribute[] {
  const found: WrittenAttribute[] = [];
  const { attributes, groups, others } = namesOf(placed);
  for (const [key, value] of Object.entries(body)) {
    const at = place.at(key);
    const shape = attributes.get(key);
    const group = groups.get(key);
    // Terraform takes null for what is left out.
    if (value === null || others.has(key)) continue;
    if (shape !== undefined) add(shape, value, at, found, reader);
    else if (group !== undefined) readGroup({ name: key, group, placed, address }, value, at, found, reader);
    else reader.refuse(unknownKey(key, [...attributes.keys(), ...groups.keys(), ...others]), at.keyPlace);
  }
  return found;
}

interface OfGroup {
  readonly name: string;
  readonly group: ReadonlyMap<string, AttributeShape>;
  readonly placed: PlacedType;
  readonly address: Address;
}

function readGroup(
  { name, group, placed, address }: OfGroup,
  value: Json,
  place: Site["place"],
  found: WrittenAttribute[],
  reader: Reader,
): void {
  if (!isObject(value)) {
    const node = reader.read(value, place);
    if (node !== undefined)
      reader.refuse(new StackProblem("manifest.invalid_type", `${name} is an object of fields`), place);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (inner === null || key === "//") continue;
    const further = group.has(key) ? undefined : openShape(placed, camelCase(name), camelCase(key));
    if (further !== undefined) {
      reader.note(
        unknownField(address, further.path, place.at(key).keyPlace, didYouMean(key, group.keys()), key),
      );
    }
    const shape = group.get(key) ?? further;
    if (shape === undefined) reader.refuse(unknownKey(key, [...group.keys()]), place.at(key).keyPlace);
    else add(shape, inner, place.at(key), found, reader);
  }
}

function add(
  shape: AttributeShape,
  value: Json,
  place: Site["place"],
  found: WrittenAttribute[],
  reader: Reader,
): void {
  const node = reader.read(value, place);
  if (node === undefined) return;
  if (node.isSensitive && !shape.secret) {
    reader.refuse(
      new StackProblem("manifest.unsupported", `${shape.path} is shown in plans and cannot hold a secret`),
      place,
    );
    return;
  }
  found.push({ shape, entry: { key: shape.path, keyRange: place.keyPlace, value: node } });
}

const unknownKey = (key: string, known: readonly string[]): StackProblem =>
  new StackProblem(
    "manifest.unknown_key",
    `there is no attribute ${JSON.stringify(key)}`,
    didYouMean(key, known),
  );

interface SnakeNames {
  readonly attributes: ReadonlyMap<string, AttributeShape>;
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, AttributeShape>>;
  readonly others: ReadonlySet<string>;
  readonly parents: readonly { readonly key: string; readonly link: Parent }[];
  readonly nameKey: string | undefined;
}

const snakeNames = new WeakMap<PlacedType, SnakeNames>();

function namesOf(placed: PlacedType): SnakeNames {
  const known = snakeNames.get(placed);
  if (known !== undefined) return known;
  const snake = (shapes: ReadonlyMap<string, AttributeShape>): ReadonlyMap<string, AttributeShape> =>
    new Map([...shapes].map(([key, shape]) => [snakeCase(key), shape]));
  const { parents, nameAttribute } = placed.type;
  const links = parents.map((link) => ({ key: snakeCase(link.attribute), link }));
  const names: SnakeNames = {
    attributes: snake(placed.attributes),
    groups: new Map([...placed.groups].map(([key, group]) => [snakeCase(key), snake(group)])),
    others: new Set([...ownKeys, ...terraformOnly, ...links.map(({ key }) => key)]),
    parents: links,
    nameKey: nameAttribute === undefined ? undefined : snakeCase(nameAttribute),
  };
  snakeNames.set(placed, names);
  return names;
}

interface FoundParent {
  readonly block?: Block;
  readonly foreign?: StackBlock["foreignParent"];
  readonly range?: SourceRange;
}

/** The declared parent that `project_id` refers to, or the id of one that is declared nowhere. */
function readParent(
  { body, place, terraformType, name }: StackResource,
  placed: PlacedType,
  reader: Reader,
  parentOf: (address: Address) => Block | undefined,
): FoundParent {
  const { parents } = namesOf(placed);
  for (const { key, link } of parents) {
    const value = body[key];
    if (value === undefined || value === null) continue;
    const at = place.at(key);
    const node = reader.read(value, at);
    return node === undefined ? {} : linkedParent(node, link, at, key, reader, parentOf);
  }
  const [first] = parents;
  if (first !== undefined && !placed.place.within.includes("root"))
    reader.refuse(
      new StackProblem("manifest.missing_key", `${terraformType}.${name} lacks ${first.key}`),
      place.keyPlace,
    );
  return {};
}

function linkedParent(
  node: SourceNode,
  link: Parent,
  at: Site["place"],
  key: string,
  reader: Reader,
  parentOf: (address: Address) => Block | undefined,
): FoundParent {
  const parts = node.kind === "scalar" ? (node.parts ?? []) : [];
  const [part] = parts;
  if (part?.kind === "reference" && part.segments[0] === dataType && parts.length === 1)
    return foundParent(splitDataReference(part.segments), link, at, key, reader);
  if (node.kind === "scalar" && part?.kind === "reference" && parts.length === 1) {
    const address = part.segments.slice(0, -1).join(".") as Address;
    const block =
      part.segments[0] === link.type && part.segments.at(-1) === "id" ? parentOf(address) : undefined;
    if (block !== undefined) return { block, range: at };
    reader.refuse(
      new StackProblem("manifest.reference_unknown", `${key} refers to no declared ${link.type}`),
      at,
    );
    return {};
  }
  const text = node.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
  if (text === undefined || node.isSensitive || parts.some(({ kind }) => kind !== "text") || text === "") {
    reader.refuse(new StackProblem("manifest.invalid_value", `${key} is the id of a ${link.type}`), at);
    return {};
  }
  return { foreign: { attribute: link.attribute, value: { value: text, range: at } } };
}

/** A parent that a data source finds: the id of one of its type. */
function foundParent(
  reference: Reference,
  link: Parent,
  at: Site["place"],
  key: string,
  reader: Reader,
): FoundParent {
  const terraformType = reference.address.split(".").at(-2);
  if (reference.attribute === "id" && terraformType === terraformNameOf(link))
    return {
      foreign: { attribute: link.attribute, value: { value: new Template([reference], false), range: at } },
    };
  reader.refuse(new StackProblem("manifest.invalid_value", `${key} is the id of a ${link.type}`), at);
  return {};
}
