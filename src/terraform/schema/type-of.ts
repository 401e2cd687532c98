import type { ZodType } from "zod";
import { snakeCase } from "../../model/terraform-name";
import { listOf, mapOf, objectOf, type TerraformType } from "../values/terraform-type";

/** The parts of a zod schema that its type in Terraform depends on. */
interface Definition {
  readonly type: string;
  readonly innerType?: ZodType;
  readonly element?: ZodType;
  readonly valueType?: ZodType;
  readonly options?: readonly ZodType[];
  readonly shape?: Readonly<Record<string, ZodType>>;
}

const definitionOf = (schema: ZodType): Definition => schema.def as unknown as Definition;

/** The type that a zod schema has in Terraform; `dynamic` where it admits several. Names become snake_case. */
export function typeOf(schema: ZodType): TerraformType {
  const { type, innerType, element, valueType, options = [], shape } = definitionOf(schema);
  if (innerType !== undefined) return typeOf(innerType);
  switch (type) {
    case "string":
    case "enum":
      return "string";
    case "number":
    case "int":
      return "number";
    case "boolean":
      return "bool";
    case "array":
      return listOf(typeOf(element as ZodType));
    case "record": {
      // A map holds one type; values of any type make it an object that is only known with its value.
      const inner = typeOf(valueType as ZodType);
      return inner === "dynamic" ? "dynamic" : mapOf(inner);
    }
    case "object":
      return objectOf(
        Object.fromEntries(
          Object.entries(shape ?? {}).map(([name, field]) => [snakeCase(name), typeOf(field)]),
        ),
      );
    // Text, or whatever else passes through: a collection holds one type, so that is its JSON text there.
    case "union":
      return options.some((option) => typeOf(option) === "string") ? "string" : "dynamic";
    default:
      return "dynamic";
  }
}

/** What is under `optional`, `nullable` and `default`. */
export function innermost(schema: ZodType): ZodType {
  const { innerType } = definitionOf(schema);
  return innerType === undefined ? schema : innermost(innerType);
}
