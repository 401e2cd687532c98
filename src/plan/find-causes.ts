import type { Address } from "../model/address";
import { Unknown } from "../model/value";
import type { AttributeChange, Change, Plan } from "./plan";

/** Why a change is made; several may hold at once. */
export interface DriftCause {
  /** The manifest says something that was not applied yet, or something of its own makes it run. */
  readonly isPending: boolean;
  /** The same, and the service is asked for it: what hangs on the change is pending too. */
  readonly isAsked: boolean;
  /** It restores what drifted or is missing. */
  readonly isRepair: boolean;
  /** What drifted or is missing behind it, where that is something else. */
  readonly because: readonly Address[];
  /** What of it the manifest asks for. */
  readonly fields: readonly AttributeChange[];
}

export type CauseOf = (address: Address) => DriftCause | undefined;

const nothing: DriftCause = { isPending: false, isAsked: false, isRepair: false, because: [], fields: [] };
const asked: DriftCause = { ...nothing, isPending: true, isAsked: true };

/** The cause of each change, looked up after those of the changes that it hangs on. */
export function causesIn(plan: Plan): CauseOf {
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
  const rest = [...own, ...released, ...lifecycle];
  if (action !== "update" && action !== "replace" && !recorded) return { ...asked, fields: rest };
  if (action === "delete" || action === "forget" || action === "adopt") return { ...asked, fields: rest };

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

/** Nothing but the repair of what drifted or is missing is behind it. */
export const isOnlyRepair = ({ isAsked, isRepair, because }: DriftCause): boolean =>
  !isAsked && (isRepair || because.length > 0);

/** What drifted or is missing: itself, or what is behind it. */
const rootsOf = (address: Address | undefined, cause: DriftCause): readonly Address[] =>
  cause.isRepair && address ? [address] : cause.because;

/** What drifted or is missing behind these changes; undefined when one of them is made for another reason too. */
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

/** It differs because somebody changed it. */
export const isDrift = ({ cause }: AttributeChange): boolean => cause === "drift";

/** Declared and recorded, and no longer there. What is no longer declared either is as the manifest has it. */
export const isMissing = ({ missing, action }: Change): boolean => missing === true && action !== "forget";
