/**
 * The name of one resource instance in a workspace: `project.shop`, `service.shop.api`, `service.docs`,
 * `variable.shop.api.LOG_LEVEL`, `deployment.shop.api`, `layout.shop`. Never an id of the service. The engine treats
 * the part after the type as opaque.
 */
export type Address = string & { readonly __address: unique symbol };

const segmentPattern = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;
const addressPattern = /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)+$/;

/** A logical name may stand in an address: letters, digits, `_`, `-`, not starting with `-`. */
export const isLogicalName = (name: string): boolean => segmentPattern.test(name);

export const addressOf = (type: string, ...names: readonly string[]): Address =>
  [type, ...names].join(".") as Address;

export const typeOf = (address: Address): string => address.slice(0, address.indexOf("."));

/** The address without its type: `shop.api`. */
export const nameOf = (address: Address): string => address.slice(address.indexOf(".") + 1);

/** Parses text a user typed (a flag, `moved`, `removed`); undefined when it is not an address. */
export function parseAddress(text: string): Address | undefined {
  return addressPattern.test(text) ? (text as Address) : undefined;
}

/** A UUID, in any case of letters. */
export const uuidPattern = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** Returns an id as the service writes it: a UUID in lower case. */
export const canonicalId = (id: string): string => (uuidPattern.test(id) ? id.toLowerCase() : id);

/** The beginning of an ID, after an address or its kind: `deployment 3fe7190e`. */
export const shortId = (id: string): string => id.slice(0, 8);
