/**
 * What a live thing does that no declared field says: its last deployment failed, an older release serves, its runtime
 * is suspended. Said, and repaired by nobody but people.
 */
export interface Standing {
  readonly code:
    | "held"
    | "awaiting_checkout"
    | "failed"
    | "cancelled"
    | "waiting"
    | "deploying"
    | "rolled_back"
    | "older_release"
    | "suspended";
  /** `pending`: what was asked for last has not been done. `running`: what runs is not what was deployed last. */
  readonly class: "pending" | "running";
  /** For people; may hold text of the service. */
  readonly summary: string;
  /** ISO 8601. */
  readonly since?: string;
}
