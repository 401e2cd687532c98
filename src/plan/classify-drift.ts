import type { Address } from "../model/address";
import type { Standing } from "../model/standing";
import { type CauseOf, causesIn, isDrift, isMissing, isOnlyRepair } from "./find-causes";
import type { AttributeChange, Change, Plan, PlanStanding } from "./plan";
import type { UndeclaredField } from "./undeclared-fields";

/** Classes of which `--fail-on` speaks; the first two always count as drift (DESIGN section 4). */
export const driftClasses = ["drifted", "missing", "unmanaged", "pending"] as const;
export type DriftClass = (typeof driftClasses)[number];
const alwaysDrift: readonly DriftClass[] = ["drifted", "missing"];

export interface DriftedResource {
  readonly address: Address;
  /** Recorded value before, live value after. */
  readonly fields: readonly AttributeChange[];
}

/** A change that would not be made without the repair of what drifted or is missing. */
export interface Consequence {
  readonly address: Address;
  readonly action: Change["action"];
  readonly reason?: string;
  /** What drifted or is missing behind it, or another consequence. */
  readonly because: readonly Address[];
}

export interface PendingResource {
  readonly address: Address;
  readonly action: Change["action"];
  /** A `delete` that archives it. */
  readonly archives?: true;
  readonly previousAddress?: Address;
  readonly reason?: string;
  /** Live value before, declared value after; `released` where the field is let go. */
  readonly fields: readonly AttributeChange[];
  /** What its last deployment came to, where that is why. */
  readonly standing?: Standing;
}

export interface DriftReport {
  /** Changed outside of rnv. */
  readonly drifted: readonly DriftedResource[];
  /** Declared and recorded, but no longer there. */
  readonly missing: readonly Address[];
  /** What the repair of the two brings about, such as a deployment. */
  readonly consequences: readonly Consequence[];
  /** The manifest says something that was not applied yet, or a deployment that has failed or waits for a checkout. */
  readonly pending: readonly PendingResource[];
  /** A release older than the last deployment, a suspended runtime: said, never counted. */
  readonly running: readonly PlanStanding[];
  readonly unmanaged: Plan["unmanaged"];
  /** Fields of managed things that nobody declares and that are not at their default; empty unless asked for. */
  readonly undeclared: readonly UndeclaredField[];
  readonly unchecked: Plan["unchecked"];
  readonly revealed?: Plan["revealed"];
  /** The classes that count here. */
  readonly failOn: readonly DriftClass[];
  /** Something of a class that counts was found. */
  readonly hasDrift: boolean;
}

export interface DriftRequested {
  /** Counted besides `drifted` and `missing`. */
  readonly failOn?: readonly DriftClass[];
  /** What is there and not managed besides what the plan knows of. */
  readonly unmanaged?: Plan["unmanaged"];
  readonly undeclared?: readonly UndeclaredField[];
  /** What could not be looked at besides what the plan knows of. */
  readonly unchecked?: Plan["unchecked"];
}

/** Tells what happened behind our back from what was only not applied yet. */
export function driftReport(plan: Plan, requested: DriftRequested = {}): DriftReport {
  const causeOf = causesIn(plan);
  const drifted = plan.changes
    .map(({ address, drift }) => ({ address, fields: (drift ?? []).filter(isDrift) }))
    .filter(({ fields }) => fields.length > 0);
  const missing = plan.changes.filter(isMissing).map(({ address }) => address);
  const standing = new Map(
    plan.standing.filter((one) => one.class === "pending").map((one) => [one.address, one]),
  );
  const found = {
    drifted,
    missing,
    consequences: plan.changes.flatMap((change) => consequenceOf(change, causeOf)),
    pending: plan.changes.flatMap((change) =>
      pendingOf(change, causeOf, standing.get(change.address) ?? heldBack(change)),
    ),
    running: plan.standing.filter((one) => one.class === "running"),
    unmanaged: [...plan.unmanaged, ...(requested.unmanaged ?? [])],
    undeclared: requested.undeclared ?? [],
    // Drift of a value shows by its time: nobody needs its text.
    unchecked: [
      ...plan.unchecked.filter(({ attribute }) => attribute === undefined),
      ...(requested.unchecked ?? []),
    ],
    ...(plan.revealed && { revealed: plan.revealed }),
    failOn: driftClasses.filter((one) => alwaysDrift.includes(one) || requested.failOn?.includes(one)),
  };
  return { ...found, hasDrift: found.failOn.some((one) => countOf(found, one) > 0) };
}

/** How many of a class were found. */
export const countOf = (report: Pick<DriftReport, DriftClass | "undeclared">, counted: DriftClass): number =>
  report[counted].length + (counted === "unmanaged" ? report.undeclared.length : 0);

function consequenceOf({ address, action, reason }: Change, causeOf: CauseOf): Consequence[] {
  const cause = causeOf(address);
  if (!cause || cause.isRepair || cause.isPending || !isOnlyRepair(cause)) return [];
  return [{ address, action, because: cause.because, ...(reason !== undefined && { reason }) }];
}

/** What should run and cannot: what changed is saved, and an apply ends with exit 7 until it does. */
const heldBack = ({ held }: Change): Standing | undefined =>
  held === undefined ? undefined : { code: "held", class: "pending", summary: `cannot run: ${held}` };

function pendingOf(change: Change, causeOf: CauseOf, standing: Standing | undefined): PendingResource[] {
  const { address, action, previousAddress, reason, onRemove } = change;
  const cause = causeOf(address);
  if (!cause?.isPending && !standing) return [];
  if (!cause?.isPending) return [{ address, action: "no-op", fields: [], ...(standing && { standing }) }];
  return [
    {
      address,
      action,
      fields: cause.fields,
      ...(action === "delete" && onRemove === "archive" && { archives: true }),
      ...(previousAddress && { previousAddress }),
      ...(reason !== undefined && { reason }),
      ...(standing && { standing }),
    },
  ];
}
