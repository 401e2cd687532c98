import type { Acceptance } from "../model/acceptance";
import type { Address } from "../model/address";
import type { Standing } from "../model/live";
import { Unknown } from "../model/value";
import type { UndeclaredField } from "./diff";
import type { AttributeChange, Change, Plan, PlanStanding } from "./plan";

/** Classes of which `--fail-on` speaks; the first two always count as drift (DESIGN section 4). */
export const driftClasses = ["drifted", "missing", "unmanaged", "pending"] as const;
export type DriftClass = (typeof driftClasses)[number];
const alwaysDrift: readonly DriftClass[] = ["drifted", "missing"];

/** A finding that an entry of a reviewed file accepts. */
export interface AcceptedDrift extends Pick<Acceptance, "until" | "reason"> {
  readonly class: DriftClass;
  /** Its address; of what is not managed the type and the name. */
  readonly address: string;
  readonly attribute?: string;
}

interface DriftedResource {
  readonly address: Address;
  /** Recorded value before, live value after. */
  readonly fields: readonly AttributeChange[];
  /** Who deployed its service since the last run, where others did. */
  readonly deployed?: string | undefined;
}

/** A change that is made only because drifted or missing resources are repaired. */
export interface Consequence {
  readonly address: Address;
  readonly action: Change["action"];
  readonly reason?: string;
  /** The drifted or missing resources behind it, or another consequence. */
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
  /** The outcome of its last deployment, where that is why. */
  readonly standing?: Standing;
}

export interface DriftReport {
  /** Changed outside of rnv. */
  readonly drifted: readonly DriftedResource[];
  /** Declared and recorded, but no longer there. */
  readonly missing: readonly Address[];
  /** Changes that the repair of the two brings about, such as a deployment. */
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
  /** Drift that a reviewed file accepts; it is in none of the lists above. */
  readonly accepted?: readonly AcceptedDrift[];
  /** Entries of that file that have come to their end. */
  readonly expired?: readonly Acceptance[];
  /** The classes that count here. */
  readonly failOn: readonly DriftClass[];
  /** Something of a class that counts was found. */
  readonly hasDrift: boolean;
}

interface DriftRequested {
  /** Counted besides `drifted` and `missing`. */
  readonly failOn?: readonly DriftClass[];
  /** Unmanaged resources besides those that the plan knows. */
  readonly unmanaged?: Plan["unmanaged"];
  readonly undeclared?: readonly UndeclaredField[];
  /** Unchecked resources besides those that the plan knows. */
  readonly unchecked?: Plan["unchecked"];
}

/** Tells what happened behind our back from what was only not applied yet. */
export function driftReport(plan: Plan, requested: DriftRequested = {}): DriftReport {
  const causeOf = causesIn(plan);
  const drifted = plan.changes
    .map(({ address, drift, deployed }) => ({ address, fields: (drift ?? []).filter(isDrift), deployed }))
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
  return { ...found, hasDrift: hasDriftLeft(found) };
}

/** Whether anything of a class that counts is in a report. */
export const hasDriftLeft = (report: Omit<DriftReport, "hasDrift">): boolean =>
  report.failOn.some((one) => countOf(report, one) > 0);

/** Returns how many of a class were found. */
export const countOf = (report: Pick<DriftReport, DriftClass | "undeclared">, counted: DriftClass): number =>
  report[counted].length + (counted === "unmanaged" ? report.undeclared.length : 0);

function consequenceOf({ address, action, reason }: Change, causeOf: CauseOf): Consequence[] {
  const cause = causeOf(address);
  if (!cause || cause.isRepair || cause.isPending || !isOnlyRepair(cause)) return [];
  return [{ address, action, because: cause.because, ...(reason !== undefined && { reason }) }];
}

/** Returns the standing of a resource that should run and cannot: an apply ends with exit 7 until it does. */
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

/** The causes of a change; several may hold at once. */
interface DriftCause {
  /** The manifest says something that was not applied yet, or something of its own makes it run. */
  readonly isPending: boolean;
  /** The same, and the service is asked for it: what hangs on the change is pending too. */
  readonly isAsked: boolean;
  /** It restores what drifted or is missing. */
  readonly isRepair: boolean;
  /** The drifted or missing resources behind it, where those are others. */
  readonly because: readonly Address[];
  /** The fields that the manifest asks for. */
  readonly fields: readonly AttributeChange[];
}

type CauseOf = (address: Address) => DriftCause | undefined;

const nothing: DriftCause = { isPending: false, isAsked: false, isRepair: false, because: [], fields: [] };
const asked: DriftCause = { ...nothing, isPending: true, isAsked: true };

/** Returns the lookup of the cause of each change, after those of the changes that it hangs on. */
function causesIn(plan: Plan): CauseOf {
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  const known = new Map<Address, DriftCause>();
  const causeOf: CauseOf = (address) => {
    const change = changes.get(address);
    const before = known.get(address);
    if (before || !change) return before;
    // What hangs on itself has no cause outside.
    known.set(address, asked);
    const cause = findCause(change, causeOf);
    known.set(address, cause);
    return cause;
  };
  return causeOf;
}

function findCause(change: Change, causeOf: CauseOf): DriftCause {
  const { action, attributes, released, lifecycle = [], previousAddress, instance } = change;
  const { recorded, live } = instance;
  if (isMissing(change)) return { ...nothing, isRepair: true };
  const isRecorded = released.length + lifecycle.length > 0 || previousAddress !== undefined;
  if (action === "no-op") return { ...nothing, isPending: isRecorded, fields: released };
  const holder = recorded?.parent && !live ? causeOf(recorded.parent) : undefined;
  // It went with what held it, and comes back with it.
  if (holder && isOnlyRepair(holder)) return { ...nothing, because: rootsOf(recorded?.parent, holder) };
  const own = attributes.filter((field) => !isDrift(field));

  const behind = own.map((field) => ({ field, repairs: repairsBehind(change, field, causeOf) }));
  const declared = behind.flatMap(({ field, repairs }) => (repairs ? [] : [field]));
  const trigger = instance.trigger?.();
  const triggers = trigger?.kind === "changes" ? trigger.of : [];
  const repairs = onlyRepairs(triggers, causeOf);
  const because = [...behind.flatMap((one) => one.repairs ?? []), ...(repairs ?? [])];
  const isRepair = attributes.some(isDrift);
  const isSaid = declared.length > 0 || trigger?.kind === "itself" || repairs === undefined;
  const isOutOfTheBlue = !isRecorded && !isRepair && because.length === 0 && trigger?.kind !== "always";
  const isAsked = isSaid || isOutOfTheBlue;
  return {
    isPending: isAsked || isRecorded,
    isAsked,
    isRepair,
    because: [...new Set(because)].sort(),
    fields: [...declared, ...released, ...lifecycle],
  };
}

/** Returns whether only the repair of drifted or missing resources is behind a change. */
const isOnlyRepair = ({ isAsked, isRepair, because }: DriftCause): boolean =>
  !isAsked && (isRepair || because.length > 0);

/** Returns the drifted or missing resources: itself, or those behind it. */
const rootsOf = (address: Address | undefined, cause: DriftCause): readonly Address[] =>
  cause.isRepair && address ? [address] : cause.because;

/** Returns the drifted or missing resources behind these changes; undefined when one of them has another reason too. */
function onlyRepairs(addresses: readonly Address[], causeOf: CauseOf): readonly Address[] | undefined {
  const roots: Address[] = [];
  for (const address of addresses) {
    const cause = causeOf(address);
    if (!cause || !isOnlyRepair(cause)) return undefined;
    roots.push(...rootsOf(address, cause));
  }
  return roots;
}

/** The same for a field that is not known only because of what it refers to, and referred to before. */
function repairsBehind(
  { instance }: Change,
  { path }: AttributeChange,
  causeOf: CauseOf,
): readonly Address[] | undefined {
  const value = instance.resolved.get(path);
  const { recorded } = instance;
  if (!(value instanceof Unknown) || !recorded) return undefined;
  const referred = value.references.map(({ address }) => address);
  const isOld = referred.every(
    (address) => address === recorded.parent || recorded.dependsOn.includes(address),
  );
  return isOld && referred.length > 0 ? onlyRepairs(referred, causeOf) : undefined;
}

/** Returns whether a field was changed outside of rnv. */
const isDrift = ({ cause }: AttributeChange): boolean => cause === "drift";

/** Declared and recorded, and no longer there. What is no longer declared either is as the manifest has it. */
const isMissing = ({ missing, action }: Change): boolean => missing === true && action !== "forget";
