import type { Subject } from "../plan/subject";

/** What this process was asked for by id, and whether it was found. Terraform asks for one thing after another. */
export interface Sightings {
  readonly byId: Map<string, Subject>;
  /** The plan has failed already: what seems gone stays, and is not reported once more. */
  isDoubted: boolean;
}

export const noSightings = (): Sightings => ({ byId: new Map(), isDoubted: false });
