import { type Address, addressOf, isLogicalName } from "../model/address";
import type { PlacedType } from "./type-index";

/**
 * The address of a Terraform resource: `rnv_service.api` is `service.api`, and `__` stands for a dot, so that
 * `rnv_service.shop__api` is `service.shop.api`, as a manifest would call it. Two names never share an address.
 */
export function addressOfResource(placed: PlacedType, name: string): Address {
  if (!name.includes("__")) return addressOf(placed.type.type, name);
  const segments = name.split("__");
  return addressOf(placed.type.type, ...(segments.every(isLogicalName) ? segments : [name]));
}
