import { decode, Encoder, ExtData } from "@msgpack/msgpack";
import type { TerraformType } from "./terraform-type";
import {
  DynamicValue,
  isUnknown,
  NumberText,
  type TerraformObject,
  type TerraformValue,
  unknown,
} from "./terraform-value";

/** How Terraform writes a value that is not known: any extension counts as one, this is the plainest. */
const unknownExtension = new ExtData(0, new Uint8Array([0]));

/** Terraform sends the same state to several calls of a walk: what was decoded once is kept by its bytes. */
const recent = new WeakMap<object, Map<string, TerraformValue>>();
const mostRecent = 4096;

/** A value of that type from the msgpack form of the plugin protocol. Never changed by those who get it. */
export function decodeValue(type: TerraformType, bytes: Uint8Array | undefined): TerraformValue {
  if (bytes === undefined || bytes.length === 0) return null;
  if (typeof type === "string") return fromWire(type, decode(bytes, { useBigInt64: true }));
  const known = recent.get(type) ?? new Map<string, TerraformValue>();
  recent.set(type, known);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const kept = known.get(text);
  if (kept !== undefined) return kept;
  const value = fromWire(type, decode(bytes, { useBigInt64: true }));
  if (known.size >= mostRecent) known.clear();
  known.set(text, value);
  return value;
}

/** The msgpack form of a value: every attribute present, null where there is none. */
export function encodeValue(type: TerraformType, value: TerraformValue): Uint8Array {
  return new Encoder().encode(toWire(type, value));
}

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
  if (type === "number")
    return Number.isSafeInteger(value) || typeof value !== "number" ? value : decimalText(value);
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

const decimalText = (value: number): string => String(value);

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
  for (const [name, value] of Object.entries(object)) mapped[name] = change(value as From, name);
  return mapped;
}
