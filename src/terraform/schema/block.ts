import { randomBytes } from "node:crypto";
import * as z from "zod";
import { unwrap } from "../../declaration/type-index";
import { snakeCase } from "../../model/terraform-names";
import { durationPattern } from "../../model/time";
import { generatedText, isGeneratedLength } from "../../model/value";
import type { Message } from "../protocol";
import {
  asObject,
  type Draft,
  listOf,
  mapOf,
  type ObjectType,
  objectOf,
  type TerraformType,
  type TerraformValue,
} from "../values";

/** One attribute as Terraform gets it. Exactly one of required, optional, computed or the last two holds. */
export interface AttributeSchema {
  readonly name: string;
  readonly type: TerraformType;
  readonly doc: string;
  readonly required?: true;
  readonly optional?: true;
  readonly computed?: true;
  readonly sensitive?: true;
  /** Neither shown nor stored; not `sensitive` besides: Terraform takes another order of a state's sensitive paths for a difference. */
  readonly writeOnly?: true;
  /** Judges a value; that of an ID is a UUID unless given. */
  readonly check?: z.ZodType;
}

type Flags = Pick<AttributeSchema, "sensitive" | "writeOnly" | "check">;

export const durationCheck = z
  .string()
  .regex(durationPattern, "expected a duration such as 30m, 90s or 1h30m");

export const countCheck = (from: number, to: number): z.ZodType =>
  z.custom<number>(
    (count) => Number.isInteger(count) && Number(count) >= from && Number(count) <= to,
    `expected a whole number from ${from} to ${to}`,
  );

/** Makes a value up as `{ length = 32 }` asks for it; null where it asks for none. */
export function madeUp(asked: TerraformValue | undefined): string | null {
  const length = asObject(asked)?.length;
  return isGeneratedLength(length) ? generatedText(randomBytes, length) : null;
}

const attributeOf =
  (kind: "required" | "optional" | "computed") =>
  (name: string, type: TerraformType, doc: string, flags: Flags = {}): AttributeSchema => ({
    ...{ name, type, doc },
    [kind]: true,
    ...flags,
  });

export const required = attributeOf("required");

export const optional = attributeOf("optional");

export const computed = attributeOf("computed");

export interface BlockSchema {
  readonly doc: string;
  readonly attributes: readonly AttributeSchema[];
  /**
   * Nested blocks that may be missing. None is a `group`, which would always be there: the generators of bindings
   * (`cdktf get`, `cdktn get`) know no such nesting.
   */
  readonly groups?: readonly { readonly name: string; readonly block: BlockSchema }[];
}

export interface Schema {
  readonly name: string;
  readonly block: BlockSchema;
  readonly valueType: ObjectType;
}

export const schemaOf = (name: string, block: BlockSchema): Schema => ({
  ...{ name, block },
  valueType: typeOfBlock(block),
});

const typeOfBlock = ({ attributes, groups = [] }: BlockSchema): ObjectType =>
  objectOf({
    ...Object.fromEntries(attributes.map(({ name, type }) => [name, type])),
    ...Object.fromEntries(groups.map(({ name, block }) => [name, typeOfBlock(block)])),
  });

export const emptyValue = ({ block: { attributes, groups = [] } }: Pick<Schema, "block">): Draft =>
  Object.fromEntries([...attributes, ...groups].map(({ name }) => [name, null]));

/** `DescriptionKind` of the protocol. */
export const markdown = 1;

export const typeBytes = (type: TerraformType): Buffer => Buffer.from(JSON.stringify(type));

const blockMessage = ({ doc, attributes, groups = [] }: BlockSchema): Message<"Block"> => ({
  description: doc,
  descriptionKind: markdown,
  attributes: attributes.map(({ doc: description, type, check: _check, ...flags }) => ({
    ...flags,
    type: typeBytes(type),
    description,
    descriptionKind: markdown,
  })),
  blockTypes: groups.map(({ name, block }) => ({
    typeName: name,
    // `NestedBlock.NestingMode.SINGLE` of the protocol.
    nesting: 1,
    block: blockMessage(block),
  })),
});

export const schemaMessage = ({ block }: Schema): Message<"Schema"> => ({
  // The third: a list that may hold objects has a type of its own with each value.
  version: 3,
  block: blockMessage(block),
});

/** The parts of a zod schema that its type in Terraform depends on. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}

const definitionOf = (schema: z.ZodType): Definition => schema.def as unknown as Definition;

/** Returns the type that a zod schema has in Terraform; `dynamic` where it admits several. Names become snake_case. */
export function typeOf(schema: z.ZodType): TerraformType {
  const { type, innerType, element, valueType, options = [], shape = {} } = definitionOf(schema);
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
      return listOf(typeOf(element as z.ZodType));
    case "record": {
      // A map holds one type; values of any type make it an object that is only known with its value.
      const inner = typeOf(valueType as z.ZodType);
      return inner === "dynamic" ? "dynamic" : mapOf(inner);
    }
    case "object":
      return objectOf(
        Object.fromEntries(Object.entries(shape).map(([name, field]) => [snakeCase(name), typeOf(field)])),
      );
    // A collection holds one type: a text, or a value that passes through, becomes its JSON text there.
    case "union":
      return options.some((option) => typeOf(option) === "string") ? "string" : "dynamic";
    default:
      return "dynamic";
  }
}

/** Returns true if a list may hold both texts and objects: no collection of Terraform does, so a resource has it as `dynamic`. */
export function isMixedList(schema: z.ZodType): boolean {
  const { type, element } = definitionOf(unwrap(schema));
  return type === "array" && definitionOf(element as z.ZodType).type === "union";
}
