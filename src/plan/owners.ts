import type { Address } from "../model/address";
import type { ResourceInstances } from "./subject";

export const ownerKey = (type: string, id: string): string => `${type} ${id}`;

/** Live ids that are recorded, by `type id`, and the address each is recorded under. */
export function recordedOwners(instances: ResourceInstances): Map<string, Address> {
  const owners = new Map<string, Address>();
  for (const { address, recorded, type } of instances.values())
    if (recorded) owners.set(ownerKey(type.type, recorded.id), address);
  return owners;
}
