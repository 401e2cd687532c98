import { Decoder, Encoder, ExtData } from "@msgpack/msgpack";
import { snakeCase } from "../../model/text";
import type { Message } from "../protocol";
import {
  asObject,
  DynamicValue,
  isUnknown,
  NumberText,
  type ObjectType,
  type TerraformObject,
  type TerraformType,
  type TerraformValue,
  unknown,
} from "./terraform-value";

/** How Terraform writes a value that is not known: any extension counts as one, this is the plainest. */
const unknownExtension = new ExtData(0, new Uint8Array([0]));

/** One of each for all calls: a new one brings a buffer of its own. */
const decoder = new Decoder({ useBigInt64: true });
const encoder = new Encoder();

/** Decodes a value of `type` from the msgpack form of the protocol; null where there is none. */
export const decodeValue = (type: TerraformType, bytes: Uint8Array | undefined): TerraformValue =>
  bytes === undefined || bytes.length === 0 ? null : fromWire(type, decoder.decode(bytes));

/** Encodes a value in the msgpack form of the protocol: every attribute present, null where there is none. */
export const encodeValue = (type: TerraformType, value: TerraformValue): Uint8Array =>
  encoder.encode(toWire(type, value));

type ValueMessage = Message<"Value">;

/** The whole values of messages: several steps of one call look at the same message. */
const wholes = new WeakMap<
  ValueMessage,
  { readonly type: ObjectType; readonly whole: TerraformObject | undefined }
>();

/** Decodes a whole value out of a message; undefined where it is null. */
export function decodeObject(
  type: ObjectType,
  message: ValueMessage | null | undefined,
): TerraformObject | undefined {
  if (!message) return undefined;
  const known = wholes.get(message);
  if (known?.type === type) return known.whole;
  const whole = asObject(decodeValue(type, message.msgpack));
  wholes.set(message, { type, whole });
  return whole;
}

/** Encodes a value as a message. */
export function encodeMessage(type: TerraformType, value: TerraformValue): ValueMessage {
  const message = { msgpack: encodeValue(type, value) };
  if (typeof type !== "string" && type[0] === "object")
    wholes.set(message, { type: type as ObjectType, whole: asObject(value) });
  return message;
}

const nil = 0xc0;

/** Whether a message holds no value: told by its first byte. */
export const isNullMessage = (message: ValueMessage | null | undefined): boolean =>
  !message?.msgpack?.length || message.msgpack[0] === nil;

function fromWire(type: TerraformType, wire: unknown): TerraformValue {
  if (wire === null || wire === undefined) return null;
  if (wire instanceof ExtData) return unknown;
  if (type === "dynamic") {
    const [typeBytes, inner] = wire as [Uint8Array, unknown];
    const actual = JSON.parse(Buffer.from(typeBytes).toString("utf8")) as TerraformType;
    return new DynamicValue(actual, fromWire(actual, inner));
  }
  if (type === "number") return numberFrom(wire as number | bigint | string);
  if (typeof type === "string") return wire as string | boolean;
  switch (type[0]) {
    case "list":
    case "set":
      return (wire as unknown[]).map((item) => fromWire(type[1], item));
    case "tuple":
      return (wire as unknown[]).map((item, index) => fromWire(type[1][index] ?? "dynamic", item));
    case "map":
      return mapObject(wire as object, (item) => fromWire(type[1], item));
    case "object":
      return mapObject(type[1], (field, name) => fromWire(field, (wire as Record<string, unknown>)[name]));
  }
}

/** Core writes what a float cannot hold exactly as decimal text, and 1.1 too. */
function numberFrom(wire: number | bigint | string): TerraformValue {
  if (typeof wire === "bigint")
    return Number.isSafeInteger(Number(wire)) ? Number(wire) : new NumberText(wire.toString());
  if (typeof wire === "number") return wire;
  const value = Number(wire);
  return String(value) === wire && (!Number.isInteger(value) || Number.isSafeInteger(value))
    ? value
    : new NumberText(wire);
}

function toWire(type: TerraformType, value: TerraformValue): unknown {
  if (value === null || value === undefined) return null;
  if (isUnknown(value)) return unknownExtension;
  if (type === "dynamic") {
    const { type: actual, value: inner } = value instanceof DynamicValue ? value : dynamicOf(value);
    return [Buffer.from(JSON.stringify(actual)), toWire(actual, inner)];
  }
  if (value instanceof NumberText) return value.text;
  // As text Terraform reads it as exactly as from its own state: in its memory the same number as an integer of the
  // wire differs from that, and a refresh that found nothing would count as one that did.
  if (type === "number") return typeof value === "number" ? String(value) : value;
  if (typeof type === "string") return value;
  switch (type[0]) {
    case "list":
    case "set":
      return (value as readonly TerraformValue[]).map((item) => toWire(type[1], item));
    case "tuple":
      return (value as readonly TerraformValue[]).map((item, index) =>
        toWire(type[1][index] ?? "dynamic", item),
      );
    case "map":
      return mapObject(value as object, (item) => toWire(type[1], item as TerraformValue));
    case "object":
      return mapObject(type[1], (field, name) => toWire(field, (value as TerraformObject)[name] ?? null));
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
  // Not by entries: an array for each of them is most of what a decoded state costs.
  for (const name of Object.keys(object))
    mapped[name] = change((object as Record<string, From>)[name] as From, name);
  return mapped;
}

type StateJson = unknown;

/**
 * JSON of the service as a value of a type: fields of objects are looked up in camelCase, what is not there or does
 * not fit is null, and what the type does not name is left out.
 */
export function fromJson(type: TerraformType, json: StateJson): TerraformValue {
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
const itemFrom = (type: TerraformType, json: StateJson): TerraformValue =>
  type === "string" && isRecord(json) ? JSON.stringify(json) : fromJson(type, json);

function objectFrom(
  fields: Readonly<Record<string, TerraformType>>,
  json: Readonly<Record<string, StateJson>>,
): TerraformValue {
  const bySnakeName = new Map(Object.entries(json).map(([name, value]) => [snakeCase(name), value]));
  return Object.fromEntries(
    Object.entries(fields).map(([name, type]) => [name, fromJson(type, bySnakeName.get(name))]),
  );
}

const isRecord = (json: StateJson): json is Readonly<Record<string, StateJson>> =>
  json !== null && typeof json === "object" && !Array.isArray(json);

/** Decodes the JSON of a stored state, whatever schema wrote it: what is missing or does not fit is null. */
export const decodeState = (type: TerraformType, json: Uint8Array | undefined): TerraformValue =>
  fromState(type, parseState(json));

/** Parses the JSON of a stored state. */
export const parseState = (json: Uint8Array | undefined): unknown =>
  JSON.parse(Buffer.from(json ?? "null").toString("utf8"));

export function fromState(type: TerraformType, json: unknown): TerraformValue {
  if (json === null || json === undefined) return null;
  if (type === "dynamic") {
    // Up to version 2 a list was a set of texts, without its type beside it.
    if (Array.isArray(json)) return dynamicOf(json);
    const { type: actual, value } = json as { readonly type?: TerraformType; readonly value?: unknown };
    return actual === undefined ? null : new DynamicValue(actual, fromState(actual, value));
  }
  if (Array.isArray(type) && type[0] === "object") {
    if (typeof json !== "object") return null;
    const fields = type[1] as Readonly<Record<string, TerraformType>>;
    const stored = json as Readonly<Record<string, unknown>>;
    return mapObject(fields, (field, name) => fromState(field, stored[name]));
  }
  // Up to version 2 a list of ids had its type beside it.
  return fromJson(type, isRecord(json) && Array.isArray(type) && type[0] === "list" ? json.value : json);
}
