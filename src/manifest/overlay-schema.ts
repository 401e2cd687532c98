import type { ResourceType } from "../model/resource-type";
import { manifestJsonSchema } from "./manifest-schema";

type Json = { readonly [key: string]: unknown };

/**
 * The JSON Schema (draft-07) of a manifest that overlays another one (`-f rnv.yaml -f production.yaml`): everything is
 * optional, and `null` takes away what the earlier file says.
 */
export function overlayJsonSchema(types: readonly ResourceType[]): object {
  const { definitions, ...top } = manifestJsonSchema(types) as { readonly definitions: Json };
  const loosened = Object.entries(definitions as Readonly<Record<string, Json>>).map(([name, definition]) => [
    name,
    name === "secret" ? definition : loosen(definition),
  ]);
  return {
    ...loosen(top),
    title: "rnv overlay",
    description: "What differs from an earlier manifest; null takes away what that one says.",
    definitions: Object.fromEntries(loosened),
  };
}

/** A block without what it must have; null in place of each of its keys and of each block in it. */
function loosen({ required: _, ...block }: Json): Json {
  const { properties, additionalProperties } = block;
  return {
    ...block,
    ...(isSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, one]) => [key, orNull(loosen(one as Json))]),
      ),
    }),
    ...(isSchema(additionalProperties) && { additionalProperties: orNull(additionalProperties) }),
  };
}

const isSchema = (value: unknown): value is Json => typeof value === "object" && value !== null;

const nothing: Json = { type: "null" };

function orNull(schema: Json): Json {
  const { description, ...rest } = schema;
  if (takesNull(schema)) return schema;
  const options = Array.isArray(rest.anyOf) && Object.keys(rest).length === 1 ? rest.anyOf : [rest];
  return { ...(description !== undefined && { description }), anyOf: [...options, nothing] };
}

const takesNull = ({ type, anyOf }: Json): boolean =>
  [type].flat().includes("null") || (Array.isArray(anyOf) && anyOf.some((one) => takesNull(one as Json)));
