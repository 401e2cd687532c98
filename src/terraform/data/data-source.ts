import type { ZodType } from "zod";
import { type AttributeSchema, type BlockSchema, type Schema, typeOfBlock } from "../schema/block";
import { typeOf } from "../schema/type-of";
import type { Session } from "../session";
import type { ObjectType, TerraformType } from "../values/terraform-type";
import type { TerraformObject } from "../values/terraform-value";

/** Something that Terraform reads and never changes. */
export interface DataSource {
  /** `rnv_catalog`. */
  readonly name: string;
  readonly schema: Schema;
  readonly valueType: ObjectType;
  /** The computed attributes for a configuration whose values are all known. Throws `DiagnosticsError`. */
  readonly read: (session: Session, config: TerraformObject) => Promise<TerraformObject>;
}

export function dataSource(name: string, block: BlockSchema, read: DataSource["read"]): DataSource {
  return { name, schema: { version: 0, block }, valueType: typeOfBlock(block), read };
}

export const computedAttribute = (name: string, type: TerraformType, doc: string): AttributeSchema => ({
  name,
  type,
  doc,
  computed: true,
});

export const optionalText = (name: string, doc: string): AttributeSchema => ({
  name,
  type: "string",
  doc,
  optional: true,
});

/** One computed attribute for every field of an answer of the service. */
export function fieldsOf(
  answer: ZodType,
  docs: Readonly<Record<string, string>>,
): readonly AttributeSchema[] {
  const type = typeOf(answer);
  const fields = Array.isArray(type) && type[0] === "object" ? (type as ObjectType)[1] : {};
  return Object.entries(fields).map(([name, field]) => computedAttribute(name, field, docs[name] ?? ""));
}
