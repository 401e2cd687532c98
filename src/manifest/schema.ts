import * as z from "zod";
import { importId, lifecycleSchemas, orderSchema } from "../declaration/lifecycle";
import { moveSchema, removalSchema } from "../declaration/moves";
import { sourceSchemas } from "../declaration/secret-sources";
import {
  type AttributeShape,
  type BlockType,
  freeKeys,
  indexTypes,
  logicalName,
  orderKey,
  sensitiveKey,
  type TypeIndex,
  unwrap,
} from "../declaration/type-index";
import { type Catalog, emptyCatalog } from "../model/catalog";
import type { ResourceType } from "../model/resource-type";
import { groupsSchema, itemsSchema } from "./groups";
import { stagesSchema } from "./stage-declarations";
import { outputsSchema, versionSchema } from "./top-level";

// An editor heads the hover of a field once where descriptions distinguish its alternatives.
const fromEnvironment = z.string().meta({
  pattern: "\\$\\{ *(env\\.[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?|stage\\.(name|id)) *\\}",
  description: "Filled in by the environment or the stage.",
});
const reference = z.string().meta({ pattern: "\\$\\{", description: "Filled in by ${…}." });

/**
 * The JSON Schema (draft-07) of a manifest, for editors. It derives from the schemas that `loadManifest` checks with;
 * references and addresses are checked by `loadManifest` alone. Editors offer the words of the catalog, and take any
 * text.
 */
export const manifestJsonSchema = (types: readonly ResourceType[], catalog = emptyCatalog): object =>
  jsonSchemaOf(
    manifestSchema(types, "base", catalog),
    "Manifest",
    "The desired state of a workspace of rnv.",
  );

/**
 * The JSON Schema (draft-07) of a manifest that overlays another (`-f rnv.yaml -f production.yaml`): everything is
 * optional, and `null` removes the value of the earlier file.
 */
export function overlayJsonSchema(types: readonly ResourceType[], catalog = emptyCatalog): object {
  const description = "What differs from an earlier manifest; null takes away what that one says.";
  return jsonSchemaOf(manifestSchema(types, "overlay", catalog), "Overlay", description);
}

interface SchemaContext {
  readonly catalog: Catalog;
  readonly index: TypeIndex;
  /** In an overlay every key and every block may be null, and none is required. */
  readonly isOverlay: boolean;
  readonly secret: z.ZodType;
  readonly lifecycles: { readonly archivable: z.ZodType; readonly other: z.ZodType };
  readonly blocks: Map<BlockType, z.ZodType>;
}

function manifestSchema(
  types: readonly ResourceType[],
  layer: "base" | "overlay",
  catalog: Catalog,
): z.ZodObject {
  const index = indexTypes(types);
  const isOverlay = layer === "overlay";
  const context: SchemaContext = {
    catalog,
    index,
    isOverlay,
    blocks: new Map(),
    secret: z
      .union([z.string(), ...sourceSchemas])
      .meta({ id: "secret", description: "The value of a variable: text, or where it comes from." }),
    lifecycles: {
      archivable: writtenLifecycle("archivable", layer).meta({ id: "archivableLifecycle" }),
      other: writtenLifecycle("other", layer).meta({ id: "lifecycle" }),
    },
  };
  const shared = [...index.shared].map(([key, blockType]) => [
    key,
    groupsSchema(
      blockType,
      z.record(logicalName, namedBlock(blockType, context)).describe(blockType.type.doc).nullable(),
    ).nullish(),
  ]);
  return z
    .strictObject({
      version: isOverlay ? versionSchema.nullish() : versionSchema.optional(),
      ...keysIn(index.root, context),
      ...Object.fromEntries(shared),
      stages: stagesSchema.nullish(),
      moved: z.array(moveSchema(index)).nullish().describe("Resources declared under a new address."),
      removed: z
        .array(removalSchema(index))
        .nullish()
        .describe(
          "Addresses whose deletion is confirmed; with `consumers`, although other services refer to them.",
        ),
      outputs: outputsSchema.nullish(),
    })
    .meta({ patternProperties: freeKeys });
}

/** `lifecycle` as it is written: the environment may fill in its choices. */
function writtenLifecycle(kind: keyof typeof lifecycleSchemas, layer: "base" | "overlay"): z.ZodType {
  const { shape } = lifecycleSchemas[kind];
  const filledIn = (choice: z.ZodOptional) =>
    z
      .union([choice.unwrap(), fromEnvironment])
      .optional()
      .describe(choice.description ?? "");
  const keys: Readonly<Record<string, z.ZodType>> = {
    ...shape,
    preventDestroy: filledIn(shape.preventDestroy),
    onRemove: filledIn(shape.onRemove),
  };
  const written = Object.entries(keys).map(([key, value]) => [
    key,
    layer === "overlay" ? orNull(value) : value,
  ]);
  const description = "Whether it may be destroyed, what becomes of it then, and which changes are ignored.";
  const block = z.strictObject(Object.fromEntries(written));
  return block.meta({ patternProperties: freeKeys, description });
}

function keysIn(types: ReadonlyMap<string, BlockType>, context: SchemaContext): Record<string, z.ZodType> {
  const entries = [...types].map(([key, blockType]) => {
    const block = namedBlock(blockType, context);
    const mayBeEmpty = context.isOverlay || !needsSomething(blockType);
    const at =
      blockType.form.shape === "single" ? block : z.record(logicalName, mayBeEmpty ? orNull(block) : block);
    return [key, at.nullish().describe(blockType.type.doc)];
  });
  return Object.fromEntries(entries);
}

const needsSomething = ({ shorthand, paths }: BlockType): boolean =>
  shorthand?.secret === true || [...paths.values()].some(({ required, isName }) => required && !isName);

function namedBlock(blockType: BlockType, context: SchemaContext): z.ZodType {
  const { shorthand } = blockType;
  const block = blockSchema(blockType, context);
  if (shorthand === undefined) return block;
  if (shorthand.secret) return z.union([context.secret, block]);
  const bare = z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown())]);
  return z.union([z.intersection(bare, attributeSchema(shorthand, context)), block]);
}

function blockSchema(blockType: BlockType, context: SchemaContext): z.ZodType {
  const before = context.blocks.get(blockType);
  if (before !== undefined) return before;
  const { type, form, shorthand } = blockType;
  const keys: Record<string, z.ZodType> = {
    ...attributesIn(blockType.attributes, type, context),
    ...Object.fromEntries(
      [...blockType.groups].map(([key, group]) => [key, groupSchema(blockType, key, group, context)]),
    ),
    ...keysIn(blockType.children, context),
  };
  for (const child of blockType.children.values())
    if (child.form.shared !== undefined) keys[child.form.shared.from] = itemsSchema(child).nullish();
  if (form.meta !== undefined) {
    keys.lifecycle = context.lifecycles[type.archives ? "archivable" : "other"].nullish();
    keys.import = z
      .union([importId, fromEnvironment])
      .optional()
      .describe("Id of the live thing to take over.");
  }
  if (form.meta?.includes(orderKey)) keys[orderKey] = orderSchema(context.index, type.type).nullish();
  if (shorthand?.secret)
    keys[sensitiveKey] = z
      .boolean()
      .optional()
      .describe("False: the value is no secret. Plans, comments and the state show it.");
  const written = Object.entries(keys).map(([key, value]) => [
    key,
    context.isOverlay ? orNull(value) : value,
  ]);
  const block = z.strictObject(Object.fromEntries(written)).meta({
    id: type.type,
    description: type.doc,
    patternProperties: freeKeys,
    anyOf: shorthand?.secret && !context.isOverlay ? eitherOf(shorthand.path, type.preservedBy) : undefined,
  });
  context.blocks.set(blockType, block);
  return block;
}

/** A block needs its secret, unless it is preserved. */
const eitherOf = (secret: string, preservedBy = "") => [
  { required: [secret], properties: { [secret]: {} } },
  {
    required: [preservedBy],
    properties: { [preservedBy]: { anyOf: [{ const: true }, { type: "string" }] } },
  },
];

function groupSchema(
  { type }: BlockType,
  key: string,
  group: ReadonlyMap<string, AttributeShape>,
  context: SchemaContext,
): z.ZodType {
  const { description = "" } = type.schema.shape[key] as z.ZodType;
  const further = { description: "Not known to this version of rnv: rnv plan asks the platform's catalog." };
  return z
    .strictObject(attributesIn(group, type, context))
    .meta({ patternProperties: freeKeys, additionalProperties: type.open?.group === key ? further : false })
    .nullish()
    .describe(description);
}

function attributesIn(
  shapes: ReadonlyMap<string, AttributeShape>,
  type: ResourceType,
  context: SchemaContext,
): Record<string, z.ZodType> {
  const defaults = type.defaults(context.catalog);
  const wordsOf = ({ path, rule, isText }: AttributeShape): readonly unknown[] => {
    const [offered = [], usual] = [type.offeredWords?.(path, context.catalog), defaults.get(path)];
    const known = offered.length > 0 ? offered : (rule?.known ?? []);
    return isText ? [...new Set([...known, ...(usual ? [usual] : [])])] : [];
  };
  return Object.fromEntries(
    [...shapes].map(([key, shape]) => [key, attributeSchema(shape, context, wordsOf(shape))]),
  );
}

/** The attribute's own schema, or text that fills it in, or null where that resets it. */
function attributeSchema(
  shape: AttributeShape,
  { isOverlay, secret }: SchemaContext,
  examples: readonly unknown[] = [],
): z.ZodType {
  const { schema, rule, isName } = shape;
  const isNeeded = shape.required && !isName;
  const described = (value: z.ZodType): z.ZodType => {
    const description = schema.description ?? value.description;
    const about = value.meta({ description, examples: examples.length > 0 ? examples : undefined });
    return isNeeded && !isOverlay ? about : about.optional();
  };
  if (shape.secret) return described(secret);
  const own = unwrap(schema);
  const options = [own];
  const isFreeText = own instanceof z.ZodString && (own.def.checks ?? []).length === 0;
  // References fill in free text only; the environment fills in anything that is one value.
  if (!isFreeText)
    options.push(shape.isText && !isName && rule?.change !== "local" ? reference : fromEnvironment);
  if (isOverlay || (!shape.required && !isName)) options.push(z.null());
  return described(options.length === 1 ? own : z.union(options));
}

function orNull(schema: z.ZodType): z.ZodType {
  if (schema.safeParse(null).success) return schema;
  const either = z.union([schema, z.null()]).optional();
  return schema.description === undefined ? either : either.describe(schema.description);
}

/** The title is the name of the type that generators of types make of it. */
export function jsonSchemaOf(schema: z.ZodType, title: string, description: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      // Validators that are strict refuse a format that they do not know; the pattern says the same.
      if (jsonSchema.pattern !== undefined) delete jsonSchema.format;
      const { description: shared, anyOf: [own = {}, other, more] = [] } = jsonSchema;
      const isNullable = other?.type === "null" && more === undefined;
      if (shared && isNullable && !own.$ref && !/string|integer/.test(`${own.type}`))
        own.description ??= shared;
    },
  });
  return { $schema, title, description, ...rest };
}
