import type { Address } from "../model/address";
import type { ResourceType } from "../model/resource-type";
import type { ResourceInstance } from "../plan/subject";

/** What this process was asked for by id, and whether it was found. Terraform asks for one thing after another. */
export interface Sightings {
  readonly byId: Map<Address, ResourceInstance>;
  /** The plan has failed already: what seems gone stays, and is not reported once more. */
  isDoubted: boolean;
}

export const noSightings = (): Sightings => ({ byId: new Map(), isDoubted: false });

/** Stands for an address, which a provider is not told. Ids alone do not do: a layout bears that of its project. */
export const addressOfId = ({ type }: Pick<ResourceType, "type">, id: string): Address =>
  `${type}.${id}` as Address;
