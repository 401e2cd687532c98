import type { Address } from "../model/address";
import type { DesiredResource } from "../model/desired";
import type { AppliableValue } from "../model/resource-operations";
import { Secret } from "../model/secret";
import { type DesiredValue, GeneratedSecret, type Plain, Template, UnreadSecret } from "../model/value";

/** What a reference resolves to once its target is done; undefined while the service has not told it. */
export type AttributeLookup = (address: Address, attribute: string) => Plain | undefined;

export class UnknownReference extends Error {
  constructor(
    readonly address: Address,
    readonly attribute: string,
  ) {
    super(`${address}.${attribute} is not known`);
    this.name = "UnknownReference";
  }
}

/** A declared value with every reference filled in. Throws `UnknownReference`. */
export function knownValue(
  value: DesiredValue,
  lookup: AttributeLookup,
  generate: (length: number) => Secret,
): AppliableValue {
  if (value instanceof GeneratedSecret) return generate(value.length);
  if (value instanceof UnreadSecret) throw new Error("a plan that sends values was made without them");
  if (!(value instanceof Template)) return value;
  const [only, ...others] = value.parts;
  const parts = value.parts.map((part) =>
    typeof part === "string" || part instanceof Secret
      ? part
      : referredValue(part.address, part.attribute, lookup),
  );
  if (others.length === 0 && only && !value.secret) return parts[0] as AppliableValue;
  const texts = parts.map((part) => (part instanceof Secret ? part : String(part)));
  return value.secret ? Secret.join(texts) : texts.join("");
}

function referredValue(address: Address, attribute: string, lookup: AttributeLookup): Plain {
  const found = lookup(address, attribute);
  if (found === undefined || found === null) throw new UnknownReference(address, attribute);
  return found;
}

/** Every declared attribute of a resource, ready to send. */
export function knownAttributes(
  desired: DesiredResource,
  lookup: AttributeLookup,
  generate: (length: number) => Secret,
): Map<string, AppliableValue> {
  const known = new Map<string, AppliableValue>();
  for (const [path, { value }] of desired.attributes) known.set(path, knownValue(value, lookup, generate));
  return known;
}
