import type { Address } from "../model/address";
import type { Decision } from "./decision";
import type { PlanInput } from "./plan";
import type { ReferenceLookup } from "./resolve";
import type { ResourceInstance, ResourceInstances } from "./subject";

/** What every decision may look at. */
export interface DecisionContext {
  readonly input: PlanInput;
  readonly instances: ResourceInstances;
  readonly children: ReadonlyMap<Address, readonly ResourceInstance[]>;
  /** Everything decided so far: all that the instance at hand waits for. */
  readonly decisions: ReadonlyMap<Address, Decision>;
  readonly lookup: ReferenceLookup;
  /** Live ids that an address of this plan owns, by `type id`. */
  readonly owners: Map<string, Address>;
}
