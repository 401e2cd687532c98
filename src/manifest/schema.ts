import * as z from "zod";
import { importId, lifecycleSchema, orderSchema } from "../declaration/lifecycle";
import { moveSchema, removalSchema } from "../declaration/moves";
import { sourceSchemas } from "../declaration/secrets";
import {
  type AttributeShape,
  freeKeys,
  indexTypes,
  logicalName,
  orderKey,
  type PlacedType,
  sensitiveKey,
  type TypeIndex,
  unwrap,
} from "../declaration/type-index";
import { type Catalog, emptyCatalog } from "../model/catalog";
import type { ResourceType } from "../model/resource-type";
import { groupsSchema, itemsSchema } from "./groups";
import { stagesSchema } from "./stages";
import { outputsSchema, versionSchema } from "./top-level";

// An editor heads the hover of a field once where descriptions distinguish its alternatives.
const fromEnvironment = z.string().meta({
  pattern: "\\$\\{ *(env\\.[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?|stage\\.(name|id)) *\\}",
  description: "Filled in by the environment or the stage.",
});
const reference = z.string().meta({ pattern: "\\$\\{", description: "Filled in by ${…}." });

/**
 * The JSON Schema (draft-07) of a manifest, for editors. It derives from the same schemas that `loadManifest`
 * checks with; what only the whole manifest can tell (references, addresses) is left to `loadManifest`. Editors offer the
 * words of the catalog, and take any text.
 */
export const manifestJsonSchema = (types: readonly ResourceType[], catalog = emptyCatalog): object =>
  jsonOf(manifestSchema(types, false, catalog), "Manifest", "The desired state of a workspace of rnv.");

/**
 * The JSON Schema (draft-07) of a manifest that overlays another one (`-f rnv.yaml -f production.yaml`): everything is
 * optional, and `null` takes away what the earlier file says.
 */
export function overlayJsonSchema(types: readonly ResourceType[], catalog = emptyCatalog): object {
  const description = "What differs from an earlier manifest; null takes away what that one says.";
  return jsonOf(manifestSchema(types, true, catalog), "Overlay", description);
}

interface Making {
  readonly catalog: Catalog;
  readonly index: TypeIndex;
  /** Null may stand in place of every key and of every block, and nothing must be there. */
  readonly isOverlay: boolean;
  readonly secret: z.ZodType;
  readonly lifecycles: { readonly archivable: z.ZodType; readonly other: z.ZodType };
  readonly blocks: Map<PlacedType, z.ZodType>;
}

function manifestSchema(types: readonly ResourceType[], isOverlay: boolean, catalog: Catalog): z.ZodObject {
  const index = indexTypes(types);
  const making: Making = {
    ...{ catalog, index, isOverlay, blocks: new Map() },
    secret: z
      .union([z.string(), ...sourceSchemas])
      .meta({ id: "secret", description: "The value of a variable: text, or where it comes from." }),
    lifecycles: {
      archivable: writtenLifecycle(true, isOverlay).meta({ id: "archivableLifecycle" }),
      other: writtenLifecycle(false, isOverlay).meta({ id: "lifecycle" }),
    },
  };
  const shared = [...index.shared].map(([key, placed]) => [
    key,
    groupsSchema(
      placed,
      z.record(logicalName, namedBlock(placed, making)).describe(placed.type.doc).nullable(),
    ).nullish(),
  ]);
  return z
    .strictObject({
      version: isOverlay ? versionSchema.nullish() : versionSchema.optional(),
      ...placesIn(index.root, making),
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
function writtenLifecycle(archives: boolean, isOverlay: boolean): z.ZodType {
  const { shape } = lifecycleSchema(archives);
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
  const written = Object.entries(keys).map(([key, one]) => [key, isOverlay ? orNull(one) : one]);
  const description = "Whether it may be destroyed, what becomes of it then, and which changes are ignored.";
  const block = z.strictObject(Object.fromEntries(written));
  return block.meta({ patternProperties: freeKeys, description });
}

function placesIn(places: ReadonlyMap<string, PlacedType>, making: Making): Record<string, z.ZodType> {
  const entries = [...places].map(([key, placed]) => {
    const block = namedBlock(placed, making);
    const mayBeEmpty = making.isOverlay || !needsSomething(placed);
    const at =
      placed.place.shape === "single" ? block : z.record(logicalName, mayBeEmpty ? orNull(block) : block);
    return [key, at.nullish().describe(placed.type.doc)];
  });
  return Object.fromEntries(entries);
}

const needsSomething = ({ shorthand, paths }: PlacedType): boolean =>
  shorthand?.secret === true || [...paths.values()].some(({ required, isName }) => required && !isName);

function namedBlock(placed: PlacedType, making: Making): z.ZodType {
  const { shorthand } = placed;
  const block = blockSchema(placed, making);
  if (shorthand === undefined) return block;
  if (shorthand.secret) return z.union([making.secret, block]);
  const bare = z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown())]);
  return z.union([z.intersection(bare, attributeSchema(shorthand, making)), block]);
}

function blockSchema(placed: PlacedType, making: Making): z.ZodType {
  const before = making.blocks.get(placed);
  if (before !== undefined) return before;
  const { type, place, shorthand } = placed;
  const keys: Record<string, z.ZodType> = {
    ...attributesIn(placed.attributes, type, making),
    ...Object.fromEntries(
      [...placed.groups].map(([key, group]) => [key, groupSchema(placed, key, group, making)]),
    ),
    ...placesIn(placed.children, making),
  };
  for (const child of placed.children.values())
    if (child.place.shared !== undefined) keys[child.place.shared.from] = itemsSchema(child).nullish();
  if (place.meta !== undefined) {
    keys.lifecycle = making.lifecycles[type.archives ? "archivable" : "other"].nullish();
    keys.import = z
      .union([importId, fromEnvironment])
      .optional()
      .describe("Id of the live thing to take over.");
  }
  if (place.meta?.includes(orderKey)) keys[orderKey] = orderSchema(making.index, type.type).nullish();
  if (shorthand?.secret)
    keys[sensitiveKey] = z
      .boolean()
      .optional()
      .describe("False: the value is no secret. Plans, comments and the state show it.");
  const written = Object.entries(keys).map(([key, one]) => [key, making.isOverlay ? orNull(one) : one]);
  const block = z.strictObject(Object.fromEntries(written)).meta({
    ...{ id: type.type, description: type.doc, patternProperties: freeKeys },
    ...(shorthand?.secret && !making.isOverlay && eitherOf(shorthand.path, type.preservedBy)),
  });
  making.blocks.set(placed, block);
  return block;
}

/** A block needs its secret, unless it is preserved. */
const eitherOf = (secret: string, preservedBy = "") => ({
  anyOf: [
    { required: [secret], properties: { [secret]: {} } },
    {
      required: [preservedBy],
      properties: { [preservedBy]: { anyOf: [{ const: true }, { type: "string" }] } },
    },
  ],
});

function groupSchema(
  { type }: PlacedType,
  key: string,
  group: ReadonlyMap<string, AttributeShape>,
  making: Making,
): z.ZodType {
  const { description = "" } = type.schema.shape[key] as z.ZodType;
  const further = { description: "Not known to this version of rnv: rnv plan asks the platform's catalog." };
  return z
    .strictObject(attributesIn(group, type, making))
    .meta({ patternProperties: freeKeys, ...(type.open?.group === key && { additionalProperties: further }) })
    .nullish()
    .describe(description);
}

function attributesIn(
  shapes: ReadonlyMap<string, AttributeShape>,
  type: ResourceType,
  making: Making,
): Record<string, z.ZodType> {
  const defaults = type.defaults(making.catalog);
  const wordsOf = ({ path, rule, isText }: AttributeShape): readonly unknown[] => {
    const [offered = [], usual] = [type.offeredWords?.(path, making.catalog), defaults.get(path)];
    const known = offered.length > 0 ? offered : (rule?.known ?? []);
    return isText ? [...new Set([...known, ...(usual ? [usual] : [])])] : [];
  };
  return Object.fromEntries(
    [...shapes].map(([key, shape]) => [key, attributeSchema(shape, making, wordsOf(shape))]),
  );
}

/** The attribute's own schema, or text that fills it in, or null where that resets it. */
function attributeSchema(
  shape: AttributeShape,
  { isOverlay, secret }: Making,
  examples: readonly unknown[] = [],
): z.ZodType {
  const { schema, rule, isName } = shape;
  const isNeeded = shape.required && !isName;
  const described = (one: z.ZodType): z.ZodType => {
    const { description } = schema;
    const about = one.meta({ ...(description && { description }), ...(examples.length > 0 && { examples }) });
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
export function jsonOf(schema: z.ZodType, title: string, description: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    ...{ target: "draft-7", io: "input", unrepresentable: "any" },
    override: ({ jsonSchema }) => {
      // Validators that are strict refuse a format that they do not know; the pattern says the same.
      if (jsonSchema.pattern !== undefined) delete jsonSchema.format;
      const { description: told, anyOf: [own = {}, other, more] = [] } = jsonSchema;
      const isNullable = other?.type === "null" && more === undefined;
      if (told && isNullable && !own.$ref && !/string|integer/.test(`${own.type}`)) own.description ??= told;
    },
  });
  return { $schema, title, description, ...rest };
}
