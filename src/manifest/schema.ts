import * as z from "zod";
import type { ResourceType } from "../model/resource-type";
import { lifecycleSchema, moveSchema, removalSchema } from "./meta";
import { orderSchema } from "./order";
import { sourceSchemas } from "./secrets";
import { stagesSchema } from "./stages";
import {
  type AttributeShape,
  freeKeys,
  indexTypes,
  orderKey,
  type PlacedType,
  sensitiveKey,
  type TypeIndex,
  unwrap,
} from "./type-index";

type SchemaJson = { readonly [key: string]: unknown };

const logicalName = "^[A-Za-z0-9_][A-Za-z0-9_-]*$";
const environmentPattern = "\\$\\{ *(env\\.[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?|stage\\.(name|id)) *\\}";
const nothing: SchemaJson = { type: "null" };

/**
 * The JSON Schema (draft-07) of a manifest, for editors. It derives from the same schemas that `loadManifest`
 * checks with; what only the whole manifest can tell (references, addresses) is left to `loadManifest`.
 * @example
 * const schema = JSON.stringify(manifestJsonSchema(resourceTypes));
 */
export function manifestJsonSchema(types: readonly ResourceType[]): object {
  const index = indexTypes(types);
  const definitions: Record<string, SchemaJson> = {
    secret: { anyOf: [{ type: "string" }, ...sourceSchemas.map(jsonOf)] },
    lifecycle: lifecycleJson(false),
  };
  for (const placed of index.byType.values()) {
    if (placed.type.archives) definitions.archivableLifecycle = lifecycleJson(true);
    definitions[placed.type.type] = blockSchema(placed, index);
  }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "rnv manifest",
    description: "The desired state of a workspace.",
    type: "object",
    properties: {
      version: { const: 1, description: "Version of the manifest format. Optional; 1 is the only one." },
      ...placesSchema(index.root),
      ...Object.fromEntries([...index.shared].map(([key, placed]) => [key, groupsSchema(placed)])),
      stages: jsonOf(stagesSchema.nullable()),
      moved: listJson(moveSchema(index), "Resources declared under a new address."),
      removed: listJson(
        removalSchema(index),
        "Addresses whose deletion is confirmed; with `consumers`, although other services refer to them.",
      ),
      outputs: {
        description: "Named values, often references, printed by `rnv output`.",
        type: ["object", "null"],
        propertyNames: { pattern: logicalName },
      },
    },
    patternProperties: freeKeys,
    additionalProperties: false,
    definitions,
  };
}

const groupsSchema = (placed: PlacedType): SchemaJson => ({
  description: `Named groups of ${placed.place.key}, which blocks take by ${placed.place.shared?.from}.`,
  type: ["object", "null"],
  propertyNames: { pattern: logicalName },
  additionalProperties: {
    type: ["object", "null"],
    propertyNames: { pattern: logicalName },
    additionalProperties: namedSchema(placed),
  },
});

/** Makes the schema of what blocks take from groups and dotenv files; later ones win, then those of the block itself. */
const itemsSchema = ({ place }: PlacedType): SchemaJson => ({
  description: `Groups and dotenv files whose ${place.key} it takes; later ones win, and its own ${place.key} over all.`,
  type: ["array", "null"],
  items: {
    anyOf: [
      itemSchema("group", {
        type: "string",
        pattern: logicalName,
        description: `A name of ${place.shared?.groups}.`,
      }),
      itemSchema("dotenv", {
        type: "string",
        minLength: 1,
        description: "Path of a dotenv file in the project, relative to the manifest file.",
      }),
    ],
  },
});

const itemSchema = (key: string, value: SchemaJson): SchemaJson => ({
  type: "object",
  properties: { [key]: value },
  required: [key],
  additionalProperties: false,
});

/** `lifecycle`, whose choices the environment may fill in. */
function lifecycleJson(archives: boolean): SchemaJson {
  const json = jsonOf(lifecycleSchema(archives).nullable());
  const properties = json.properties as Readonly<Record<string, SchemaJson>>;
  const fromEnvironment = { type: "string", pattern: environmentPattern };
  const filledIn = (["preventDestroy", "onRemove"] as const).map((key) => {
    const { description, ...choice } = properties[key] as SchemaJson;
    return [key, { description, anyOf: [choice, fromEnvironment] }];
  });
  return { ...json, properties: { ...properties, ...Object.fromEntries(filledIn) } };
}

function placesSchema(places: ReadonlyMap<string, PlacedType>): Record<string, SchemaJson> {
  const properties: Record<string, SchemaJson> = {};
  for (const [key, placed] of places) {
    const block = namedSchema(placed);
    properties[key] =
      placed.place.shape === "single"
        ? { description: placed.type.doc, anyOf: [...block.anyOf, nothing] }
        : {
            description: placed.type.doc,
            type: ["object", "null"],
            propertyNames: { pattern: logicalName },
            additionalProperties: block,
          };
  }
  return properties;
}

const namedSchema = (placed: PlacedType) => ({
  anyOf: [...shorthandSchema(placed), { $ref: `#/definitions/${placed.type.type}` }],
});

function shorthandSchema({ shorthand }: PlacedType): readonly SchemaJson[] {
  if (shorthand === undefined) return [];
  if (shorthand.secret) return [{ $ref: "#/definitions/secret" }];
  return [{ type: ["string", "number", "boolean", "array"], allOf: [attributeSchema(shorthand)] }];
}

function blockSchema(placed: PlacedType, index: TypeIndex): SchemaJson {
  const properties: Record<string, SchemaJson> = {};
  for (const [key, shape] of placed.attributes) properties[key] = attributeSchema(shape);
  for (const [key, group] of placed.groups) properties[key] = groupSchema(placed, key, group);
  Object.assign(properties, placesSchema(placed.children));
  for (const child of placed.children.values())
    if (child.place.shared !== undefined) properties[child.place.shared.from] = itemsSchema(child);
  if (placed.place.meta !== undefined) {
    const lifecycle = placed.type.archives ? "archivableLifecycle" : "lifecycle";
    properties.lifecycle = { $ref: `#/definitions/${lifecycle}` };
    properties.import = { type: "string", description: "Id of the live thing to take over." };
  }
  if (placed.place.meta?.includes(orderKey))
    properties[orderKey] = jsonOf(orderSchema(index, placed.type.type).nullable());
  if (placed.shorthand?.secret)
    properties[sensitiveKey] = {
      type: "boolean",
      description: "False: the value is no secret. Plans, comments and the state show it.",
    };
  return {
    description: placed.type.doc,
    type: "object",
    properties,
    patternProperties: freeKeys,
    additionalProperties: false,
    ...required(placed.attributes),
  };
}

const groupSchema = (
  placed: PlacedType,
  key: string,
  group: ReadonlyMap<string, AttributeShape>,
): SchemaJson => ({
  ...description(placed.type.schema.shape[key] as z.ZodType),
  type: ["object", "null"],
  properties: Object.fromEntries([...group].map(([name, shape]) => [name, attributeSchema(shape)])),
  patternProperties: freeKeys,
  // An editor marks what only the catalog may know, and a validator takes it.
  additionalProperties:
    placed.type.open?.group === key
      ? { deprecationMessage: "not known to this version of rnv: rnv plan asks the service's catalog" }
      : false,
  ...required(group),
});

function required(shapes: ReadonlyMap<string, AttributeShape>): SchemaJson {
  const names = [...shapes].filter(([, shape]) => shape.required && !shape.isName).map(([name]) => name);
  return names.length === 0 ? {} : { required: names };
}

/** The attribute's own schema, or text that fills it in, or null where that resets it. */
function attributeSchema(shape: AttributeShape): SchemaJson {
  const about = description(shape.schema);
  if (shape.secret) return { ...about, allOf: [{ $ref: "#/definitions/secret" }] };
  const options: SchemaJson[] = [valueSchema(shape.schema)];
  if (!isFreeText(options[0] as SchemaJson))
    options.push({ type: "string", pattern: templatePattern(shape) });
  if (!shape.required && !shape.isName) options.push(nothing);
  return options.length === 1 ? { ...options[0], ...about } : { ...about, anyOf: options };
}

/** References fill in free text only; the environment fills in anything that is one value. */
function templatePattern(shape: AttributeShape): string {
  const mayRefer = shape.isText && !shape.isName && shape.rule?.change !== "local";
  return mayRefer ? "\\$\\{" : environmentPattern;
}

const isFreeText = (schema: SchemaJson): boolean =>
  schema.type === "string" && Object.keys(schema).length === 1;

function valueSchema(schema: z.ZodType): SchemaJson {
  const { description: _, ...json } = jsonOf(unwrap(schema));
  return json;
}

const listJson = (item: z.ZodType, description: string): SchemaJson =>
  jsonOf(z.array(item).nullable().describe(description));

function jsonOf(schema: z.ZodType): SchemaJson {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    ...{ target: "draft-7", io: "input", unrepresentable: "any" },
    override: ({ jsonSchema }) => typesWithNull(jsonSchema),
  });
  return json;
}

/** Writes `object or null` as a list of types. */
function typesWithNull(json: z.core.JSONSchema.BaseSchema): void {
  const [option, nothing, more] = json.anyOf ?? [];
  if (option?.type === undefined || nothing?.type !== "null" || more !== undefined) return;
  const { anyOf: _, ...about } = json;
  delete json.anyOf;
  Object.assign(json, option, about, { type: [option.type, "null"] });
}

const description = (schema: z.ZodType): SchemaJson =>
  schema.description === undefined ? {} : { description: schema.description };

/**
 * The JSON Schema (draft-07) of a manifest that overlays another one (`-f rnv.yaml -f production.yaml`): everything is
 * optional, and `null` takes away what the earlier file says.
 * @example
 * const schema = JSON.stringify(overlayJsonSchema(resourceTypes));
 */
export function overlayJsonSchema(types: readonly ResourceType[]): object {
  const { definitions, ...top } = manifestJsonSchema(types) as { readonly definitions: SchemaJson };
  const loosened = Object.entries(definitions as Readonly<Record<string, SchemaJson>>).map(
    ([name, definition]) => [name, name === "secret" ? definition : loosen(definition)],
  );
  return {
    ...loosen(top),
    title: "rnv overlay",
    description: "What differs from an earlier manifest; null takes away what that one says.",
    definitions: Object.fromEntries(loosened),
  };
}

/** A block without what it must have; null in place of each of its keys and of each block in it. */
function loosen({ required: _, ...block }: SchemaJson): SchemaJson {
  const { properties, additionalProperties } = block;
  return {
    ...block,
    ...(isSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, one]) => [key, orNull(loosen(one as SchemaJson))]),
      ),
    }),
    ...(isSchema(additionalProperties) && { additionalProperties: orNull(additionalProperties) }),
  };
}

const isSchema = (value: unknown): value is SchemaJson => typeof value === "object" && value !== null;

function orNull(schema: SchemaJson): SchemaJson {
  const { description, ...rest } = schema;
  if (takesNull(schema)) return schema;
  const options = Array.isArray(rest.anyOf) && Object.keys(rest).length === 1 ? rest.anyOf : [rest];
  return { ...(description !== undefined && { description }), anyOf: [...options, nothing] };
}

const takesNull = ({ type, anyOf }: SchemaJson): boolean =>
  [type].flat().includes("null") ||
  (Array.isArray(anyOf) && anyOf.some((one) => takesNull(one as SchemaJson)));
