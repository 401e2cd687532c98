import type { SourceRange } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import type { Address } from "../../model/address";
import { dataType, splitDataReference } from "../../model/data-source";
import type { DesiredAttribute } from "../../model/desired";
import type { Parent } from "../../model/resource-type";
import { camelCase, snakeCase, terraformNameOf, terraformPrefix } from "../../model/terraform-name";
import type { Reference } from "../../model/value";
import { Template } from "../../model/value";
import type { MapEntry, SourceNode } from "../source-tree";
import { type AttributeShape, openShape, type PlacedType, unknownField } from "../type-index";
import type { Block, WrittenAttribute } from "../walk-blocks";
import { isObject, type Json, type JsonObject, type Place } from "./document";
import { type Expression, parseExpression } from "./expression";
import { addressOfResource } from "./names";
import { ownerOf, type Reader, readerOf, understood } from "./resolve";
import {
  commentOf,
  type Program,
  problemAt,
  type Site,
  type Stack,
  StackProblem,
  type StackResource,
  unsupported,
} from "./stack";

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

interface Meta {
  /** `lifecycle` and `import`, in the words of a manifest. */
  readonly meta: ReadonlyMap<string, MapEntry>;
  readonly movedFrom: readonly MapEntry[];
}

const nothing: Meta = { meta: new Map(), movedFrom: [] };

/** What a resource says about its life: `lifecycle`, an `import` block that names it, and the comment of rnv. */
export function metaEntries(
  { body, place }: StackResource,
  placed: PlacedType,
  address: Address,
  reader: Reader,
  imports: ReadonlyMap<Address, MapEntry>,
): Meta {
  const comment = commentOf(body, terraformPrefix);
  const imported = imports.get(address);
  if (body.lifecycle === undefined && comment === undefined && imported === undefined) return nothing;
  const meta = new Map<string, MapEntry>();
  const lifecycle = new Map<string, MapEntry>();
  for (const { value, place: at } of blocksOf(body.lifecycle, place.at("lifecycle")))
    readLifecycle(value, at, placed, lifecycle, reader);
  const commentPlace = place.at("//").at(terraformPrefix);
  if (comment?.on_remove !== undefined) {
    const at = commentPlace.at("on_remove");
    lifecycle.set("onRemove", entry("onRemove", literal(comment.on_remove, at), at));
  }
  if (lifecycle.size > 0) {
    const at = place.at("lifecycle");
    meta.set("lifecycle", entry("lifecycle", { kind: "map", entries: lifecycle, range: at }, at));
  }
  if (imported !== undefined) meta.set("import", imported);
  const before = Array.isArray(comment?.moved_from) ? (comment.moved_from as readonly Json[]) : [];
  const movedFrom = before.map((from, i) => {
    const at = commentPlace.at("moved_from").at(i);
    return entry("from", literal(from, at), at);
  });
  return { meta, movedFrom };
}

/** A nested block stands alone or in a list. */
export const blocksOf = (
  value: Json | undefined,
  place: Place,
): readonly { value: JsonObject; place: Place }[] =>
  (Array.isArray(value)
    ? (value as readonly Json[]).map((item, i) => ({ item, at: place.at(i) }))
    : [{ item: value, at: place }]
  ).flatMap(({ item, at }) => (isObject(item) ? [{ value: item, place: at }] : []));

const entry = (key: string, value: SourceNode, place: Place): MapEntry => ({
  key,
  keyRange: place.keyPlace,
  value,
});

/** A value that is not worked out: what a comment holds. */
export const literal = (value: Json, range: Place): SourceNode =>
  value === null || typeof value !== "object"
    ? { kind: "scalar", value, range }
    : { kind: "list", items: [], range };

function readLifecycle(
  body: JsonObject,
  place: Place,
  placed: PlacedType,
  into: Map<string, MapEntry>,
  reader: Reader,
): void {
  for (const [key, value] of Object.entries(body)) {
    const at = place.at(key);
    if (key === "prevent_destroy") {
      const node = reader.read(value, at);
      if (node !== undefined) into.set("preventDestroy", entry("preventDestroy", node, at));
    } else if (key === "ignore_changes") {
      const node = ignoredPaths(value, at, placed);
      into.set("ignoreChanges", entry("ignoreChanges", node, at));
    } else if (key === "create_before_destroy" && value === false) continue;
    else if (key !== "//") reader.refuse(unsupported(`lifecycle.${key}`), at.keyPlace);
  }
}

/** `configuration.health_check_path` in the words of a manifest; `all` names every attribute. */
function ignoredPaths(value: Json, place: Place, placed: PlacedType): SourceNode {
  const all = [...placed.paths.keys()];
  if (value === "all")
    return {
      kind: "list",
      range: place,
      items: all.map((path) => ({ kind: "scalar", value: path, range: place })),
    };
  if (!Array.isArray(value)) return literal(value, place);
  const known = new Map(
    [...all, ...placed.groups.keys()].map((path) => [path.split(".").map(snakeCase).join("."), path]),
  );
  const items = value.map((item: Json, i): SourceNode => {
    const path = typeof item === "string" ? known.get(item) : undefined;
    // A further field of an open group is in no list.
    return literal(
      path ?? (typeof item === "string" && item.includes(".") ? camelCase(item) : item),
      place.at(i),
    );
  });
  return { kind: "list", items, range: place };
}

/** Addresses that `depends_on` names. */
export function dependsOnOf(
  { body, place }: Pick<StackResource, "body" | "place">,
  stack: Stack,
  program: Program,
  reader: Reader,
): readonly Address[] {
  const value = body.depends_on;
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    reader.refuse(new StackProblem("manifest.invalid_type", "depends_on is a list"), place.at("depends_on"));
    return [];
  }
  return value.flatMap((item: Json, i) => {
    // Data sources are read before anything changes.
    if (isDataName(item, stack)) return [];
    const address = resourceNamed(item, place.at("depends_on").at(i), program, reader);
    return address === undefined ? [] : [address];
  });
}

/** `data.rnv_service.api`, declared in this stack. */
const isDataName = (value: Json, { data }: Stack): boolean =>
  typeof value === "string" && value.startsWith("data.") && data.has(value.slice("data.".length));

/** `rnv_service.api`, as blocks name a resource. */
export function resourceNamed(
  value: Json,
  place: Place,
  program: Program,
  reader: Reader,
): Address | undefined {
  try {
    const text = typeof value === "string" ? value.replace(/^\$\{(.*)\}$/, "$1") : "";
    const found = understood(() => parseExpression(text));
    const [type, name, ...rest] = stepsOf(found);
    const placed = program.types.get(type ?? "");
    if (placed === undefined || name === undefined || rest.length > 0)
      throw unsupported(JSON.stringify(text));
    return addressOfResource(placed, name);
  } catch (cause) {
    if (!(cause instanceof StackProblem)) throw cause;
    reader.refuse(cause, place);
    return undefined;
  }
}

function stepsOf(expression: Expression): readonly string[] {
  if (expression.kind === "root") return [expression.name];
  if (expression.kind === "access" && expression.key.kind === "value")
    return [...stepsOf(expression.of), String(expression.key.value)];
  throw unsupported("that expression");
}
