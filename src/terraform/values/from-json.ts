import { snakeCase } from "../../model/terraform-name";
import { dynamicOf } from "./codec";
import type { TerraformType } from "./terraform-type";
import type { TerraformValue } from "./terraform-value";

type Json = unknown;

/**
 * JSON of the service as a value of a type: fields of objects are looked up in camelCase, what is not there or does
 * not fit is null, and what the type does not name is left out.
 */
export function fromJson(type: TerraformType, json: Json): TerraformValue {
  if (json === null || json === undefined) return null;
  if (type === "dynamic") return dynamicOf(json as TerraformValue);
  if (type === "string") return typeof json === "string" ? json.normalize("NFC") : null;
  if (type === "number") return typeof json === "number" && Number.isFinite(json) ? json : null;
  if (type === "bool") return typeof json === "boolean" ? json : null;
  switch (type[0]) {
    case "list":
      return Array.isArray(json) ? json.map((item) => itemFrom(type[1], item)) : null;
    case "tuple":
      return Array.isArray(json)
        ? json.map((item, index) => fromJson(type[1][index] ?? "dynamic", item))
        : null;
    case "set":
      return Array.isArray(json) ? [...new Set(json.map((item) => itemFrom(type[1], item)))] : null;
    case "map":
      return isRecord(json)
        ? Object.fromEntries(Object.entries(json).map(([name, item]) => [name, fromJson(type[1], item)]))
        : null;
    case "object":
      return isRecord(json) ? objectFrom(type[1], json) : null;
  }
}

/** An object among texts is its JSON text. */
const itemFrom = (type: TerraformType, json: Json): TerraformValue =>
  type === "string" && isRecord(json) ? JSON.stringify(json) : fromJson(type, json);

function objectFrom(
  fields: Readonly<Record<string, TerraformType>>,
  json: Readonly<Record<string, Json>>,
): TerraformValue {
  const bySnakeName = new Map(Object.entries(json).map(([name, value]) => [snakeCase(name), value]));
  return Object.fromEntries(
    Object.entries(fields).map(([name, type]) => [name, fromJson(type, bySnakeName.get(name))]),
  );
}

const isRecord = (json: Json): json is Readonly<Record<string, Json>> =>
  json !== null && typeof json === "object" && !Array.isArray(json);
