import { type ObjectType, objectOf, type TerraformType } from "../values/terraform-type";

/** One attribute as Terraform is told of it. Exactly one of required, optional, computed or the last two holds. */
export interface AttributeSchema {
  readonly name: string;
  readonly type: TerraformType;
  readonly doc: string;
  readonly required?: true;
  readonly optional?: true;
  readonly computed?: true;
  readonly sensitive?: true;
  readonly writeOnly?: true;
}

/** A nested block. A `group` is always there, and what is not written in it is null; a `single` one may be missing. */
export interface GroupSchema {
  readonly name: string;
  readonly nesting: "group" | "single";
  readonly block: BlockSchema;
}

export interface BlockSchema {
  readonly doc: string;
  readonly attributes: readonly AttributeSchema[];
  readonly groups: readonly GroupSchema[];
}

export interface Schema {
  readonly version: number;
  readonly block: BlockSchema;
}

/** The type of a whole value of a block: every attribute and every group. */
export function typeOfBlock(block: BlockSchema): ObjectType {
  return objectOf({
    ...Object.fromEntries(block.attributes.map(({ name, type }) => [name, type])),
    ...Object.fromEntries(block.groups.map((group) => [group.name, typeOfBlock(group.block)])),
  });
}

const nestings = { single: 1, group: 5 } as const;
const markdown = 1;

const typeBytes = (type: TerraformType): Buffer => Buffer.from(JSON.stringify(type));

/** The message of a block. */
const blockMessage = ({ doc, attributes, groups }: BlockSchema): object => ({
  description: doc,
  descriptionKind: markdown,
  attributes: attributes.map(({ doc: description, type, ...flags }) => ({
    ...flags,
    type: typeBytes(type),
    description,
    descriptionKind: markdown,
  })),
  blockTypes: groups.map(({ name, nesting, block }) => ({
    typeName: name,
    nesting: nestings[nesting],
    block: blockMessage(block),
  })),
});

/** The message of a schema (`Schema` of the protocol). */
export const schemaMessage = ({ version, block }: Schema): object => ({
  version,
  block: blockMessage(block),
});
