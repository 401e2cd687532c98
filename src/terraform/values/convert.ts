import { dynamicOf } from "./codec";
import {
  asObject,
  DynamicValue,
  isUnknown,
  NumberText,
  type TerraformType,
  type TerraformValue,
} from "./terraform-value";

/** A value in the type that was wanted, or what was wanted in words. */
export type Converted = { readonly value: TerraformValue } | { readonly expected: string };

const words: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  bool: "true or false",
  list: "a list",
  set: "a list",
  tuple: "a list",
  map: "a map",
  object: "an object",
};

/** Converts a value that bears its own type, as Terraform converts what it assigns to an attribute of `type`. */
export function convertTo(type: TerraformType, value: TerraformValue): Converted {
  if (value instanceof DynamicValue) return convertTo(type, value.value);
  if (value === null || isUnknown(value)) return { value };
  if (type === "dynamic") return { value: dynamicOf(value) };
  const kind = typeof type === "string" ? type : type[0];
  const converted = typeof type === "string" ? scalarOf(type, value) : collectionOf(type, value);
  return converted ?? { expected: words[kind] ?? kind };
}

function scalarOf(type: string, value: TerraformValue): Converted | undefined {
  const isText = typeof value === "string";
  switch (type) {
    case "string":
      if (value instanceof NumberText) return { value: value.text };
      return typeof value === "object" ? undefined : { value: String(value) };
    case "number":
      if (typeof value === "number" || value instanceof NumberText) return { value };
      return isText && /^-?\d+(\.\d+)?$/.test(value) ? { value: Number(value) } : undefined;
    default:
      if (typeof value === "boolean") return { value };
      return value === "true" || value === "false" ? { value: value === "true" } : undefined;
  }
}

function collectionOf(type: Exclude<TerraformType, string>, value: TerraformValue): Converted | undefined {
  if (type[0] === "list" || type[0] === "set")
    return Array.isArray(value)
      ? all(
          value.map((item) => convertTo(type[1], item)),
          // A set holds nothing twice.
          (items) => (type[0] === "set" ? [...new Set(items)] : items),
        )
      : undefined;
  const object = asObject(value);
  if (object === undefined || type[0] === "tuple") return undefined;
  const fields =
    type[0] === "object" ? type[1] : Object.fromEntries(Object.keys(object).map((name) => [name, type[1]]));
  const names = Object.keys(fields);
  return all(
    names.map((name) => convertTo(fields[name] ?? "dynamic", object[name] ?? null)),
    (values) => Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
  );
}

function all(
  converted: readonly Converted[],
  combine: (values: readonly TerraformValue[]) => TerraformValue,
): Converted {
  const wrong = converted.find((one) => "expected" in one);
  if (wrong !== undefined) return wrong;
  return { value: combine(converted.map((one) => ("value" in one ? one.value : null))) };
}
