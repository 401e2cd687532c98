/** How to find out when an accepted write has settled. Plain data: it survives a crash. */
export interface Pending {
  readonly kind: "deployment" | "operation";
  readonly serviceId?: string;
  readonly id: string;
  /** Pinned commit that must be the one that serves in the end. */
  readonly commit?: string;
}
