import { isDeepStrictEqual } from "node:util";
import { Decoder, Encoder, ExtData } from "@msgpack/msgpack";
import { isObject, type Plain } from "../model/value";
import type { Message } from "./protocol";

/** A type of Terraform in the JSON form that schemas carry: `"string"`, `["list","string"]`, `["object",{…}]`. */
export type TerraformType =
  | "string"
  | "bool"
  | "number"
  | "dynamic"
  | readonly ["map", TerraformType]
  | ListType
  | ObjectType;

type ListType = readonly ["list" | "set", TerraformType] | readonly ["tuple", readonly TerraformType[]];

export type ObjectType = readonly ["object", Readonly<Record<string, TerraformType>>];

export const listOf = (element: TerraformType): TerraformType => ["list", element];
export const mapOf = (element: TerraformType): TerraformType => ["map", element];
export const objectOf = (attributes: Readonly<Record<string, TerraformType>>): ObjectType => [
  "object",
  attributes,
];

class UnknownValue {
  readonly unknown = true;
}

/** A value not known before apply. There is one. */
export const unknown = Object.freeze(new UnknownValue());

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

export const holdsUnknown = (value: unknown): boolean =>
  isUnknown(value) ||
  (value !== null && typeof value === "object" && Object.values(value).some(holdsUnknown));

/** JSON of a value without unknowns: a fraction such as 1/3 is the nearest one, an integer too large becomes text. */
export function toPlain(value: TerraformValue): Plain {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof NumberText) {
    const nearest = Number(value.text);
    return Number.isInteger(nearest) || !Number.isFinite(nearest) ? value.text : nearest;
  }
  if (value instanceof DynamicValue) return toPlain(value.value);
  if (isUnknown(value)) throw new Error("an unknown value has no plain form");
  if (Array.isArray(value)) return value.map(toPlain);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toPlain(inner)]));
}

export const asObject = (value: TerraformValue | undefined): TerraformObject | undefined =>
  isObject(value) && Object.getPrototypeOf(value) === Object.prototype
    ? (value as TerraformObject)
    : undefined;

/** Names of blocks and attributes that lead to a value: `["configuration", "branch"]`. */
export type PathSteps = readonly string[];

/** A whole value whose attributes may be set. */
export type Draft = Record<string, TerraformValue>;

/** Returns the value at `steps` of a whole value; null where a block above it is missing, and for a null of any type. */
export function valueAt(whole: TerraformObject, steps: PathSteps): TerraformValue {
  const [first = "", ...within] = steps;
  let value = whole[first] ?? null;
  for (const step of within) value = asObject(value)?.[step] ?? null;
  return value;
}

/** Sets the value at `steps` of a draft; a block that is missing is made, unless for null. */
export function setValue(draft: Draft, steps: PathSteps, value: TerraformValue): void {
  let within = draft;
  for (const step of steps.slice(0, -1)) {
    if (value === null && (within[step] ?? null) === null) return;
    within[step] ??= {};
    within = within[step] as Draft;
  }
  within[steps.at(-1) ?? ""] = value;
}

export function textIn(state: TerraformObject, name: string): string | undefined {
  const value = state[name];
  return typeof value === "string" ? value : undefined;
}

export const isSameValue = (a: TerraformValue | undefined, b: TerraformValue | undefined): boolean =>
  isDeepStrictEqual(a, b);

/** The form of an unknown value for Terraform: any extension means unknown, this is the plainest. */
const unknownExtension = new ExtData(0, new Uint8Array([0]));

/** One of each for all calls: a new one brings a buffer of its own. */
const decoder = new Decoder({ useBigInt64: true });
const encoder = new Encoder();

/** Decodes a value of `type` from the msgpack form of the protocol; null where there is none. */
export const decodeValue = (type: TerraformType, bytes: Uint8Array | undefined): TerraformValue =>
  bytes === undefined || bytes.length === 0 ? null : fromWire(type, decoder.decode(bytes));

/** Decodes a whole value out of a message; undefined where it is null. */
export const decodeObject = (
  type: ObjectType,
  message: Message<"Value"> | null | undefined,
): TerraformObject | undefined => asObject(decodeValue(type, message?.msgpack));

/** Encodes a value as a message: every attribute present, null where there is none. */
export const encodeMessage = (type: TerraformType, value: TerraformValue) => ({
  msgpack: encoder.encode(toWire(type, value)),
});

const itemOf = (type: ListType, index: number): TerraformType =>
  type[0] === "tuple" ? (type[1][index] ?? "dynamic") : type[1];

function fromWire(type: TerraformType, wire: unknown): TerraformValue {
  if (wire === null || wire === undefined) return null;
  if (wire instanceof ExtData) return unknown;
  if (type === "dynamic") {
    const [typeBytes, inner] = wire as [Uint8Array, unknown];
    const actual = JSON.parse(Buffer.from(typeBytes).toString("utf8")) as TerraformType;
    const value = fromWire(actual, inner);
    // A null is left out: with a type of its own it would differ from every other null.
    return value === null ? null : new DynamicValue(actual, value);
  }
  if (type === "number") return numberFrom(wire);
  if (typeof type === "string") return wire as string | boolean;
  switch (type[0]) {
    case "map":
      return mapObject(wire as object, (item) => fromWire(type[1], item));
    case "object":
      return mapObject(type[1], (field, name) => fromWire(field, (wire as Record<string, unknown>)[name]));
    default:
      return (wire as unknown[]).map((item, index) => fromWire(itemOf(type, index), item));
  }
}

/** Core writes a number that a float cannot hold exactly as decimal text, and 1.1 too. */
function numberFrom(wire: unknown): number | NumberText {
  const value = Number(wire);
  const isExact = String(value) === String(wire) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return isExact ? value : new NumberText(String(wire));
}

function toWire(type: TerraformType, value: TerraformValue): unknown {
  if (value === null || value === undefined) return null;
  if (isUnknown(value)) return unknownExtension;
  if (type === "dynamic") {
    const { type: actual, value: inner } = value instanceof DynamicValue ? value : dynamicOf(value);
    return [Buffer.from(JSON.stringify(actual)), toWire(actual, inner)];
  }
  if (value instanceof NumberText) return value.text;
  // Terraform reads a text exactly as from its own state. An integer of the wire differs in its memory from that number:
  // every refresh would count as a change.
  if (type === "number") return typeof value === "number" ? String(value) : value;
  if (typeof type === "string") return value;
  switch (type[0]) {
    case "map":
      return mapObject(value as object, (item) => toWire(type[1], item as TerraformValue));
    case "object":
      return mapObject(type[1], (field, name) => toWire(field, (value as TerraformObject)[name] ?? null));
    default:
      return (value as readonly TerraformValue[]).map((item, index) => toWire(itemOf(type, index), item));
  }
}

/** The type that a value has by itself, as Terraform would work it out from JSON. */
export function dynamicOf(value: TerraformValue): DynamicValue {
  if (value instanceof DynamicValue) return value;
  if (value === null || isUnknown(value)) return new DynamicValue("dynamic", value);
  if (typeof value === "string") return new DynamicValue("string", value);
  if (typeof value === "boolean") return new DynamicValue("bool", value);
  if (typeof value === "number" || value instanceof NumberText) return new DynamicValue("number", value);
  if (Array.isArray(value)) {
    const items = value.map(dynamicOf);
    return new DynamicValue(
      ["tuple", items.map(({ type }) => type)],
      items.map((item) => item.value),
    );
  }
  const fields = mapObject(value as TerraformObject, (inner) => dynamicOf(inner));
  return new DynamicValue(
    ["object", mapObject(fields, ({ type }) => type)],
    mapObject(fields, (inner) => inner.value),
  );
}

function mapObject<From, To>(
  object: Readonly<Record<string, From>> | object,
  change: (value: From, name: string) => To,
): Record<string, To> {
  const mapped: Record<string, To> = {};
  // Not by entries: an array for each entry is most of the cost of decoding a state.
  for (const name of Object.keys(object))
    mapped[name] = change((object as Record<string, From>)[name] as From, name);
  return mapped;
}

/**
 * JSON in the words of Terraform as a value of a type. No key is renamed: a user may have written it. A missing or unfitting
 * value is null; fields that the type does not name are left out.
 */
export function fromJson(
  type: TerraformType,
  json: unknown,
  dynamic: (json: unknown) => TerraformValue = (one) => dynamicOf(one as TerraformValue),
): TerraformValue {
  if (json === null || json === undefined) return null;
  const within = (inner: TerraformType, one: unknown) => fromJson(inner, one, dynamic);
  // An object among texts is its JSON text.
  const item = (inner: TerraformType) => (one: unknown) =>
    inner === "string" && isObject(one) ? JSON.stringify(one) : within(inner, one);
  if (type === "dynamic") return dynamic(json);
  if (type === "string") return typeof json === "string" ? json.normalize("NFC") : null;
  if (type === "number") return typeof json === "number" && Number.isFinite(json) ? json : null;
  if (type === "bool") return typeof json === "boolean" ? json : null;
  switch (type[0]) {
    case "list":
      return Array.isArray(json) ? json.map(item(type[1])) : null;
    case "tuple":
      return Array.isArray(json) ? json.map((one, index) => within(type[1][index] ?? "dynamic", one)) : null;
    case "set":
      return Array.isArray(json) ? [...new Set(json.map(item(type[1])))] : null;
    case "map":
      return isObject(json) ? mapObject(json, (one) => within(type[1], one)) : null;
    case "object":
      return isObject(json) ? mapObject(type[1], (field, name) => within(field, json[name])) : null;
  }
}

/** Decodes the JSON of a stored state of any schema version: a missing or unfitting value is null. */
export const decodeState = (type: TerraformType, json: Uint8Array | undefined): TerraformValue =>
  fromState(type, JSON.parse(Buffer.from(json ?? "null").toString("utf8")));

/** Returns the JSON of a stored value as a value of a type; one of any type is stored with its own. */
const fromState = (type: TerraformType, json: unknown): TerraformValue =>
  fromJson(type, json, (stored) => {
    // Up to version 2 a list was a set of texts, without its type beside it.
    if (Array.isArray(stored)) return dynamicOf(stored);
    const { type: actual, value = null } = stored as Partial<DynamicValue>;
    return actual === undefined || value === null ? null : new DynamicValue(actual, fromState(actual, value));
  });
