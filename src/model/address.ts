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
