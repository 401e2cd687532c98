import type { Address } from "../model/address";
import { isReference, plainEqual, Template } from "../model/value";
import type { Decision } from "./decision";
import type { AttributeChange } from "./plan";

/**
 * The changes of a decision, each `edit` that nobody made in the manifest with what it comes from: what it refers to
 * (`service.shop.api.url`) is recorded with another value than the service shows now.
 */
export function withOrigins(
  { attributes, instance: { desired } }: Pick<Decision, "attributes" | "instance">,
  decisions: ReadonlyMap<Address, Decision>,
): readonly AttributeChange[] {
  if (!attributes.some(({ cause }) => cause === "edit")) return attributes;
  return attributes.map((change) => {
    const value = desired?.attributes.get(change.path)?.value;
    if (change.cause !== "edit" || !(value instanceof Template)) return change;
    const from = value.parts.flatMap((part) => {
      if (!isReference(part)) return [];
      const { live, recorded } = decisions.get(part.address)?.instance ?? {};
      const before = recorded?.computed[part.attribute];
      const now = live?.computed.get(part.attribute);
      const hasMoved = before !== undefined && now !== undefined && !plainEqual(before, now);
      return hasMoved ? [`${part.address}.${part.attribute}`] : [];
    });
    return from.length === 0 ? change : { ...change, from: [...new Set(from)].sort() };
  });
}
