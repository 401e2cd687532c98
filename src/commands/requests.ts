/** The wishes of a plan: the options of the command line, and the fields of a request of the library. */
export interface PlanWishes {
  readonly mode: "apply" | "destroy" | "refresh-only";
  /** Addresses that the plan is narrowed to, with all that they need. */
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  /** Addresses of resources that are replaced. */
  readonly replace: readonly string[];
  /** Takes over live resources of the declared names. */
  readonly adopt: boolean;
  /** An empty manifest deletes everything. */
  readonly allowEmpty: boolean;
  /** Addresses whose deletion is confirmed. */
  readonly confirmedDeletes: readonly string[];
  /** Addresses whose deletion is confirmed although others refer to them. */
  readonly confirmedConsumers?: readonly string[];
  /** Reveals variables to compare their values: audited by the service. */
  readonly verifyValues?: boolean;
  /** Files and folders of policies, besides that beside the manifest; undefined: the plan is not judged. */
  readonly policies?: readonly string[];
  /** Overridable policies that may fail. */
  readonly overridePolicies?: readonly string[];
}
