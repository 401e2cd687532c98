import { manifestJsonSchema } from "../manifest/manifest-schema";
import { eventsSchema, planSchema, stateSchema } from "../render/schemas";
import { resourceTypes } from "../resources";

const schemas = {
  manifest: () => manifestJsonSchema(resourceTypes),
  plan: planSchema,
  state: stateSchema,
  events: eventsSchema,
} as const;

export type SchemaName = keyof typeof schemas;

export const schemaNames = Object.keys(schemas) as readonly SchemaName[];

/** `rnv schema [name]`: a JSON Schema, draft-07, made from the same checks that reading and writing use. */
export const schema = (name: SchemaName): unknown => schemas[name]();
