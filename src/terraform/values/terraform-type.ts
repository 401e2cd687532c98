/** A type of Terraform in the JSON form that schemas carry: `"string"`, `["list","string"]`, `["object",{…}]`. */
export type TerraformType =
  | "string"
  | "bool"
  | "number"
  | "dynamic"
  | readonly ["list" | "set" | "map", TerraformType]
  | readonly ["tuple", readonly TerraformType[]]
  | ObjectType;

export type ObjectType = readonly ["object", Readonly<Record<string, TerraformType>>];

export const listOf = (element: TerraformType): TerraformType => ["list", element];
export const setOf = (element: TerraformType): TerraformType => ["set", element];
export const mapOf = (element: TerraformType): TerraformType => ["map", element];
export const objectOf = (attributes: Readonly<Record<string, TerraformType>>): ObjectType => [
  "object",
  attributes,
];

/** A word for messages and reference pages: `list of string`. */
export function typeText(type: TerraformType): string {
  if (typeof type === "string") return type === "dynamic" ? "any" : type;
  if (type[0] === "object") {
    const fields = Object.entries(type[1]).map(([name, field]) => `${name}: ${typeText(field)}`);
    return `object({${fields.join(", ")}})`;
  }
  if (type[0] === "tuple") return `tuple([${type[1].map(typeText).join(", ")}])`;
  return `${type[0]}(${typeText(type[1])})`;
}
