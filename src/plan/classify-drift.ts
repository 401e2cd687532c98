import type { Address } from "../model/address";
import type { AttributeChange, Change, Plan } from "./plan";

export interface DriftedResource {
  readonly address: Address;
  /** Recorded value before, live value after. */
  readonly fields: readonly AttributeChange[];
}

export interface PendingResource {
  readonly address: Address;
  readonly action: Change["action"];
  /** Live value before, declared value after. */
  readonly fields: readonly AttributeChange[];
}

export interface DriftReport {
  /** Changed outside of rnv. */
  readonly drifted: readonly DriftedResource[];
  /** The manifest says something that was not applied yet. */
  readonly pending: readonly PendingResource[];
  /** Recorded, but no longer there. */
  readonly missing: readonly Address[];
  readonly unmanaged: Plan["unmanaged"];
  readonly unchecked: Plan["unchecked"];
  /**
   * Live and manifest differ: anything drifted, missing or pending. What is unmanaged or unchecked does not count, nor
   * does a deployment that would only run again.
   */
  readonly hasDrift: boolean;
}

/** Tells what happened behind our back from what was only not applied yet. */
export function driftReport(plan: Plan): DriftReport {
  const drifted = plan.changes
    .filter((change) => (change.drift ?? []).length > 0)
    .map(({ address, drift }) => ({ address, fields: drift ?? [] }));
  const missing = plan.changes.filter((change) => change.missing).map(({ address }) => address);
  const pending = plan.changes.flatMap(pendingOf);
  return {
    drifted,
    pending,
    missing,
    unmanaged: plan.unmanaged,
    // Drift of a value shows by its time: nobody needs its text.
    unchecked: plan.unchecked.filter(({ attribute }) => attribute === undefined),
    hasDrift: drifted.length > 0 || missing.length > 0 || pending.some(isDifference),
  };
}

const isDifference = ({ action, fields }: PendingResource): boolean =>
  action !== "update" || fields.length > 0;

function pendingOf({ address, action, attributes, missing, lifecycle = [] }: Change): PendingResource[] {
  if (action === "no-op" || missing) return [];
  const fields = [...attributes.filter(({ cause }) => cause !== "drift"), ...lifecycle];
  const isOnlyDrift = fields.length === 0 && attributes.length > 0;
  return isOnlyDrift ? [] : [{ address, action, fields }];
}
