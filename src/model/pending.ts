/** How to find out when an accepted write has settled. Plain data: it survives a crash. */
export interface Pending {
  readonly kind: "deployment" | "operation";
  readonly serviceId?: string;
  /** Set for what becomes of a project: no route shows its operations, so the project itself is looked at. */
  readonly projectId?: string;
  /** Set for what becomes of a variable, which `serviceId` holds. */
  readonly variableId?: string;
  readonly id: string;
  /** Pinned commit that must be the one that serves in the end. */
  readonly commit?: string;
  /** When it was made, by the service: a list whose newest is older is behind. ISO 8601. */
  readonly madeAt?: string;
  /** The end of a deletion: once it is reached, the thing is no longer recorded. */
  readonly deletes?: true;
  /** When it was first recorded. What an earlier run left is waited for as its own timeout says, from then on. */
  readonly since?: string;
}
