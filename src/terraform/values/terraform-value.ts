import type { Plain } from "../../model/value";

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
export const mapOf = (element: TerraformType): TerraformType => ["map", element];
export const objectOf = (attributes: Readonly<Record<string, TerraformType>>): ObjectType => [
  "object",
  attributes,
];

/** A value not known before apply. There is one. */
export const unknown = Object.freeze({ unknown: true as const });
type UnknownValue = typeof unknown;

/** A number that a JavaScript number cannot hold exactly; echoed as its decimal text. */
export class NumberText {
  constructor(readonly text: string) {}
}

/** A value of a `dynamic` attribute, with the type that it came with. */
export class DynamicValue {
  constructor(
    readonly type: TerraformType,
    readonly value: TerraformValue,
  ) {}
}

/** A value of Terraform as this adapter holds it. Objects and maps are plain objects, sets are arrays. */
export type TerraformValue =
  | null
  | boolean
  | number
  | string
  | UnknownValue
  | NumberText
  | DynamicValue
  | readonly TerraformValue[]
  | TerraformObject;

export interface TerraformObject {
  readonly [name: string]: TerraformValue;
}

export const isUnknown = (value: unknown): value is UnknownValue => value === unknown;

/** Returns true if a value, or anything in it, is not known yet. */
export function holdsUnknown(value: TerraformValue): boolean {
  if (value === null || typeof value !== "object" || value instanceof NumberText) return false;
  if (isUnknown(value)) return true;
  if (value instanceof DynamicValue) return holdsUnknown(value.value);
  return Object.values(value as object).some(holdsUnknown);
}

/** JSON of a value without unknowns: a fraction such as 1/3 is the nearest one, an integer too large becomes text. */
export function toPlain(value: TerraformValue): Plain {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof NumberText) return plainNumber(value);
  if (value instanceof DynamicValue) return toPlain(value.value);
  if (isUnknown(value)) throw new Error("an unknown value has no plain form");
  if (Array.isArray(value)) return value.map(toPlain);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toPlain(inner)]));
}

function plainNumber({ text }: NumberText): number | string {
  const nearest = Number(text);
  return Number.isInteger(nearest) || !Number.isFinite(nearest) ? text : nearest;
}

/** Returns an object or map; undefined of other values. */
export const asObject = (value: TerraformValue | undefined): TerraformObject | undefined =>
  value !== null &&
  typeof value === "object" &&
  !Array.isArray(value) &&
  !isUnknown(value) &&
  !(value instanceof NumberText) &&
  !(value instanceof DynamicValue)
    ? (value as TerraformObject)
    : undefined;

/** Returns true if two texts are one to Terraform, which composes what it is given. */
export const isSameText = (a: string, b: string): boolean => a.normalize("NFC") === b.normalize("NFC");

/** Returns true if two values are the same to Terraform; unknown is the same as unknown. */
export function isSameValue(a: TerraformValue | undefined, b: TerraformValue | undefined): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (a instanceof NumberText) return b instanceof NumberText && a.text === b.text;
  if (a instanceof DynamicValue)
    return (
      b instanceof DynamicValue &&
      JSON.stringify(a.type) === JSON.stringify(b.type) &&
      isSameValue(a.value, b.value)
    );
  if (b instanceof NumberText || b instanceof DynamicValue || isUnknown(a) || isUnknown(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as TerraformObject;
  const right = b as TerraformObject;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length && names.every((name) => isSameValue(left[name], right[name]))
  );
}
