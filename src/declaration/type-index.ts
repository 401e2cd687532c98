import * as z from "zod";
import { type Diagnostic, type DiagnosticCode, type SourceRange, warning } from "../diagnostics/diagnostic";
import { type Address, isLogicalName } from "../model/address";
import type { AttributeRule, ManifestPlace, ResourceType } from "../model/resource-type";
import { isOpenField } from "../model/resource-type";
import { quoteShort } from "./tree";

export interface AttributeShape {
  readonly path: string;
  readonly schema: z.ZodType;
  readonly required: boolean;
  readonly secret: boolean;
  readonly rule: AttributeRule | undefined;
  /** The attribute that holds the name: never null, never a reference. */
  readonly isName: boolean;
  /** Free text may stand there, so a reference may. */
  readonly isText: boolean;
}

export interface PlacedType {
  readonly type: ResourceType;
  readonly place: ManifestPlace;
  /** Keys of a block that are attributes, without the groups. */
  readonly attributes: ReadonlyMap<string, AttributeShape>;
  /** Keys of a block that are groups, with the attributes in them by their short name. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, AttributeShape>>;
  readonly paths: ReadonlyMap<string, AttributeShape>;
  /** Types whose blocks stand in a block of this one, by key. */
  readonly children: Map<string, PlacedType>;
  /** A bare value stands for this attribute. */
  readonly shorthand: AttributeShape | undefined;
}

export interface TypeIndex {
  readonly root: ReadonlyMap<string, PlacedType>;
  readonly byType: ReadonlyMap<string, PlacedType>;
  /** Types with groups of blocks at the top level, by the key of these. */
  readonly shared: ReadonlyMap<string, PlacedType>;
}

export function indexTypes(types: readonly ResourceType[]): TypeIndex {
  const byType = new Map(types.map((type) => [type.type, placeType(type)]));
  const root = new Map<string, PlacedType>();
  const shared = new Map<string, PlacedType>();
  for (const placed of byType.values()) {
    if (placed.place.shared !== undefined) shared.set(placed.place.shared.groups, placed);
    for (const within of placed.place.within) {
      if (within === "root") root.set(placed.place.key, placed);
      else byType.get(within)?.children.set(placed.place.key, placed);
    }
  }
  return { root, byType, shared };
}

function placeType(type: ResourceType): PlacedType {
  const attributes = new Map<string, AttributeShape>();
  const groups = new Map<string, ReadonlyMap<string, AttributeShape>>();
  const paths = new Map<string, AttributeShape>();
  const shape = (path: string, schema: z.ZodType): AttributeShape => {
    const rule = type.rules[path];
    const found = {
      path,
      schema,
      // What parsing `undefined` would tell, without making an error for each that may not be left out.
      required: schema._zod.optin !== "optional",
      secret: rule?.secret === true,
      rule,
      isName: type.nameAttribute === path,
      isText: isText(schema),
    };
    paths.set(path, found);
    return found;
  };
  for (const [key, schema] of Object.entries(type.schema.shape) as [string, z.ZodType][]) {
    const object = unwrap(schema);
    if (type.groups.includes(key) && "shape" in object) {
      const inner = Object.entries((object as z.ZodObject).shape) as [string, z.ZodType][];
      groups.set(key, new Map(inner.map(([name, field]) => [name, shape(`${key}.${name}`, field)])));
    } else {
      attributes.set(key, shape(key, schema));
    }
  }
  const shorthand = type.manifest.shorthand === undefined ? undefined : paths.get(type.manifest.shorthand);
  return {
    type,
    place: type.manifest,
    attributes,
    groups,
    paths,
    children: new Map(),
    shorthand,
  };
}

const anything = z.unknown();

/** A further field of an open group, as an attribute that takes any value; undefined where the group takes none. */
export function openShape({ type }: PlacedType, group: string, field: string): AttributeShape | undefined {
  const path = `${group}.${field}`;
  if (type.open?.group !== group || !isOpenField(type, path)) return undefined;
  return {
    ...{ path, schema: anything, required: false, secret: false, rule: type.open.rule },
    ...{ isName: false, isText: true },
  };
}

/** The finding about a further field of an open group, or a reference to one: it is for the catalog to decide. */
export function unknownField(
  address: Address,
  path: string,
  range: SourceRange,
  hint: string | undefined,
  {
    code = "manifest.unknown_field",
    name = path.slice(path.indexOf(".") + 1),
    owner = `${address}: ${path.slice(0, path.indexOf("."))}`,
  }: { readonly code?: DiagnosticCode; readonly name?: string; readonly owner?: string } = {},
): Diagnostic {
  const whoKnows = "rnv plan asks the platform's catalog";
  return warning(code, `${owner} has no attribute ${quoteShort(name)} that this version knows`, {
    ...{ address, attribute: path, range },
    hint: hint === undefined ? whoKnows : `${hint} (${whoKnows})`,
  });
}

const wrappers = new Set(["optional", "nullable", "default", "prefault", "readonly", "nonoptional", "catch"]);

export function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema;
  for (;;) {
    const definition = inner.def as { type: string; innerType?: z.ZodType; in?: z.ZodType };
    if (wrappers.has(definition.type) && definition.innerType !== undefined) inner = definition.innerType;
    else if (definition.type === "pipe" && definition.in !== undefined) inner = definition.in;
    else return inner;
  }
}

export function schemaKinds(schema: z.ZodType): readonly string[] {
  const definition = unwrap(schema).def as { type: string; options?: readonly z.ZodType[] };
  return definition.type === "union" && definition.options !== undefined
    ? definition.options.flatMap(schemaKinds)
    : [definition.type];
}

export const structures: ReadonlySet<string> = new Set(["array", "object", "record", "tuple", "map"]);

export const holdsOthers = (schema: z.ZodType): boolean =>
  schemaKinds(schema).some((kind) => structures.has(kind));

const isText = (schema: z.ZodType): boolean => schemaKinds(schema).includes("string");

/** Keys of a secret source; a mapping with one of them is a value, not a block. */
export const sourceKeys: readonly string[] = ["fromEnv", "fromFile", "fromCommand", "generate"];

/** Keys that may stand beside `fromCommand`: names and places, no values. */
export const besideCommand: readonly string[] = ["env", "json"];

export const isFreeKey = (key: string): boolean => key.startsWith("x-");

export const logicalName = z
  .string()
  .refine(isLogicalName, "names hold letters, digits, _ and -, and do not begin with -")
  .meta({ pattern: "^[A-Za-z0-9_][A-Za-z0-9_-]*$" });

export const freeKeys = { "^x-": {} };

export const orderKey = "dependsOn";

export const sensitiveKey = "sensitive";

export const lifecycleKeys: readonly string[] = [
  ...["preventDestroy", "ignoreChanges", "onRemove"],
  ...["precondition", "postcondition"],
];

/** Every key that a block of this type may have, for "did you mean". */
export const blockKeys = (placed: PlacedType): string[] => [
  ...placed.attributes.keys(),
  ...placed.groups.keys(),
  ...placed.children.keys(),
  ...[...placed.children.values()].flatMap(({ place }) => place.shared?.from ?? []),
  ...(placed.place.meta ?? []),
  ...(placed.shorthand?.secret === true ? [...sourceKeys, sensitiveKey] : []),
];
