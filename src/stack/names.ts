import type { AttributeShape, BlockType, TypeIndex } from "../declaration/type-index";
import { type Address, addressOf, isLogicalName } from "../model/address";
import { type Listing, listings } from "../model/listing-schemas";
import type { Parent } from "../model/resource-type";
import {
  generatedName,
  snakeCase,
  terraformNameOf,
  writeOnlyNameOf,
  writeOnlyVersionOf,
} from "../model/terraform-names";

/** A resource type by the names that it and its attributes have in Terraform. */
export interface StackType {
  readonly terraformType: string;
  readonly blockType: BlockType;
  /** Attributes outside of groups; a secret one also under the name by which Terraform keeps it out of its state. */
  readonly attributes: ReadonlyMap<string, AttributeShape>;
  /** Attributes that only tell Terraform when to send a write-only one again. */
  readonly versions: ReadonlySet<string>;
  /** The secret attribute that an attribute has made up. */
  readonly generated: ReadonlyMap<string, AttributeShape>;
  readonly groups: ReadonlyMap<string, StackGroup>;
  readonly parents: ReadonlyMap<string, Parent>;
  /** Computed attributes with their name in rnv. */
  readonly computed: ReadonlyMap<string, string>;
  readonly nameKey?: string;
}

/** A type of data sources, whose names in Terraform stand for those in rnv. */
export interface DataType {
  readonly type?: StackType;
  readonly listing?: Listing;
  /** The values that it is asked with. */
  readonly query: ReadonlyMap<string, string>;
  readonly shows: ReadonlyMap<string, string>;
}

export function indexDataTypes(types: ReadonlyMap<string, StackType>): ReadonlyMap<string, DataType> {
  // Resources with a name and a life of their own can be looked up.
  const named = [...types.values()].filter(
    ({ blockType: { type } }) => type.nameAttribute !== undefined && !type.removedWithParent,
  );
  return new Map<string, DataType>([
    ...named.map((type) => [type.terraformType, lookupOf(type)] as const),
    ...Object.entries(listings).map(([name, listing]) => [name, listingOf(listing)] as const),
  ]);
}

/** Shown are attributes that are declared and computed, without secrets and those that only rnv reads. */
function lookupOf(type: StackType): DataType {
  const { blockType, nameKey = "" } = type;
  const parents = [...type.parents].map(([key, { attribute }]) => [key, attribute] as const);
  const declared = [...type.attributes].filter(
    ([, { secret, path }]) => !secret && blockType.type.rules[path]?.change !== "local",
  );
  return {
    type,
    query: new Map([...parents, [nameKey, blockType.type.nameAttribute ?? nameKey], ["id", "id"]]),
    shows: new Map([
      ...declared.map(([key, { path }]) => [key, path] as const),
      ...[...type.groups].flatMap(([name, group]) => pathsOf(name, group)),
      ...parents,
      ...type.computed,
    ]),
  };
}

/** A group and its fields: `configuration.health_check_path` stands for `configuration.healthCheckPath`. */
const pathsOf = (name: string, { key, fields }: StackGroup): readonly (readonly [string, string])[] => {
  const shown = [...fields].filter(([, { secret }]) => !secret);
  return [[name, key], ...shown.map(([field, { path }]) => [`${name}.${field}`, path] as const)];
};

function listingOf(listing: Listing): DataType {
  const asked = Object.keys(listing.query);
  return {
    listing,
    query: bySnakeCase(asked.map((name) => [name, name])),
    shows: bySnakeCase([...asked, ...Object.keys(listing.shows)].map((name) => [name, snakeCase(name)])),
  };
}

export interface StackGroup {
  /** Its name in rnv. */
  readonly key: string;
  readonly fields: ReadonlyMap<string, AttributeShape>;
}

export const indexStackTypes = ({ byType }: TypeIndex): ReadonlyMap<string, StackType> =>
  new Map([...byType.values()].map((blockType) => [terraformNameOf(blockType.type), stackType(blockType)]));

function stackType(blockType: BlockType): StackType {
  const { nameAttribute, parents, computed } = blockType.type;
  const groups = [...blockType.groups].map(([key, fields]): readonly [string, StackGroup] => [
    snakeCase(key),
    { key, fields: bySnakeCase(fields) },
  ]);
  const attributes = bySnakeCase(blockType.attributes);
  const writeOnly = [...attributes].filter(([, { secret }]) => secret);
  return {
    terraformType: terraformNameOf(blockType.type),
    blockType,
    attributes: new Map([
      ...attributes,
      ...writeOnly.map(([name, shape]) => [writeOnlyNameOf(name), shape] as const),
    ]),
    versions: new Set(writeOnly.map(([name]) => writeOnlyVersionOf(name))),
    generated: new Map(writeOnly.map(([, shape]) => [generatedName, shape])),
    groups: new Map(groups),
    parents: bySnakeCase(parents.map((parent) => [parent.attribute, parent])),
    computed: bySnakeCase(Object.keys(computed).map((name) => [name, name])),
    ...(nameAttribute !== undefined && { nameKey: snakeCase(nameAttribute) }),
  };
}

const bySnakeCase = <Value>(entries: Iterable<readonly [string, Value]>): ReadonlyMap<string, Value> =>
  new Map([...entries].map(([name, value]) => [snakeCase(name), value]));

/**
 * The address of a Terraform resource: `rnv_service.api` is `service.api`, and `__` stands for a dot, so that
 * `rnv_service.shop__api` is `service.shop.api`, as in a manifest. Two names never share an address.
 */
export function addressOfResource({ blockType }: StackType, name: string): Address {
  if (!name.includes("__")) return addressOf(blockType.type.type, name);
  const segments = name.split("__");
  return addressOf(blockType.type.type, ...(segments.every(isLogicalName) ? segments : [name]));
}
