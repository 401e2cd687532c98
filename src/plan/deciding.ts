import type { Address } from "../model/address";
import type { Decision } from "./decision";
import type { PlanInput } from "./plan";
import type { Lookup } from "./resolve";
import type { Subject, Subjects } from "./subject";

/** What every decision may look at. */
export interface Deciding {
  readonly input: PlanInput;
  readonly subjects: Subjects;
  readonly children: ReadonlyMap<Address, readonly Subject[]>;
  /** Everything decided so far: all that the subject at hand waits for. */
  readonly decisions: ReadonlyMap<Address, Decision>;
  readonly lookup: Lookup;
  /** Live ids that an address of this plan owns, by `type id`. */
  readonly owners: Map<string, Address>;
}
