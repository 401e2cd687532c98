import * as z from "zod";
import { type Diagnostic, type DiagnosticCode, type SourceRange, warning } from "../diagnostics/diagnostic";
import { type Address, isLogicalName } from "../model/address";
import type { AttributeRule, ManifestForm, ResourceType } from "../model/resource-type";
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

export interface BlockType {
  readonly type: ResourceType;
  readonly form: ManifestForm;
  /** Keys of a block that are attributes, without the groups. */
  readonly attributes: ReadonlyMap<string, AttributeShape>;
  /** Keys of a block that are groups, with the attributes in them by their short name. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, AttributeShape>>;
  readonly paths: ReadonlyMap<string, AttributeShape>;
  /** Types whose blocks are in a block of this type, by key. */
  readonly children: Map<string, BlockType>;
  /** A bare value stands for this attribute. */
  readonly shorthand: AttributeShape | undefined;
}

export interface TypeIndex {
  readonly root: ReadonlyMap<string, BlockType>;
  readonly byType: ReadonlyMap<string, BlockType>;
  /** Types with groups of blocks at the top level, by the key of these. */
  readonly shared: ReadonlyMap<string, BlockType>;
}

export function indexTypes(types: readonly ResourceType[]): TypeIndex {
  const byType = new Map(types.map((type) => [type.type, indexType(type)]));
  const root = new Map<string, BlockType>();
  const shared = new Map<string, BlockType>();
  for (const blockType of byType.values()) {
    if (blockType.form.shared !== undefined) shared.set(blockType.form.shared.groups, blockType);
    for (const within of blockType.form.within) {
      if (within === "root") root.set(blockType.form.key, blockType);
      else byType.get(within)?.children.set(blockType.form.key, blockType);
    }
  }
  return { root, byType, shared };
}

function indexType(type: ResourceType): BlockType {
  const attributes = new Map<string, AttributeShape>();
  const groups = new Map<string, ReadonlyMap<string, AttributeShape>>();
  const paths = new Map<string, AttributeShape>();
  const shape = (path: string, schema: z.ZodType): AttributeShape => {
    const rule = type.rules[path];
    const found = {
      path,
      schema,
      // Parsing `undefined` says the same, and makes an error for each required attribute.
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
    form: type.manifest,
    attributes,
    groups,
    paths,
    children: new Map(),
    shorthand,
  };
}

const anything = z.unknown();

/** A further field of an open group, as an attribute that takes any value; undefined where the group takes none. */
export function openShape({ type }: BlockType, group: string, field: string): AttributeShape | undefined {
  const path = `${group}.${field}`;
  if (type.open?.group !== group || !isOpenField(type, path)) return undefined;
  return {
    path,
    schema: anything,
    required: false,
    secret: false,
    rule: type.open.rule,
    isName: false,
    isText: true,
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
  const catalogHint = "rnv plan asks the platform's catalog";
  return warning(code, `${owner} has no attribute ${quoteShort(name)} that this version knows`, {
    address,
    attribute: path,
    range,
    hint: hint === undefined ? catalogHint : `${hint} (${catalogHint})`,
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

/** Keys of a secret source; a mapping that has such a key is a value, not a block. */
export const sourceKeys: readonly string[] = ["fromEnv", "fromFile", "fromCommand", "generate"];

/** Keys that are allowed beside `fromCommand`: names and locations, no values. */
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
  "preventDestroy",
  "ignoreChanges",
  "onRemove",
  "precondition",
  "postcondition",
];

/** Every key that a block of this type may have, for "did you mean". */
export const blockKeys = (blockType: BlockType): string[] => [
  ...blockType.attributes.keys(),
  ...blockType.groups.keys(),
  ...blockType.children.keys(),
  ...[...blockType.children.values()].flatMap(({ form }) => form.shared?.from ?? []),
  ...(blockType.form.meta ?? []),
  ...(blockType.shorthand?.secret === true ? [...sourceKeys, sensitiveKey] : []),
];
