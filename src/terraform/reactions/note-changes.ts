import type { Diagnostic } from "../../diagnostics/diagnostic";
import { canonicalId } from "../../model/text";
import { isLost, type PrivateData } from "../messages";
import type { Session } from "../provider";
import { addressIn, knownIn, nameIn, parentIn, textIn } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values/terraform-value";
import {
  insideOf,
  isFollowed,
  isFollowedParent,
  type KnownChange,
  needsRun,
  noteChange,
} from "./known-changes";
import { plannedLate } from "./react";

/** A planned change, as far as others react to it. */
interface FollowedChange {
  readonly planned: TerraformObject;
  /** Attribute paths that cannot change in place. */
  readonly replaced: readonly string[];
  /** Attribute paths that are written. */
  readonly sent: ReadonlySet<string>;
}

interface Noted {
  readonly prior: TerraformObject | undefined;
  readonly kept: PrivateData;
}

/** Remembers a planned change for what reacts to it. Returns the error of what is managed twice, or a warning. */
export function notePlanned(
  session: Session | undefined,
  type: TerraformShape,
  { prior, kept, change }: Noted & { readonly change: FollowedChange },
): readonly Diagnostic[] {
  if (session === undefined || !isFollowed(type.resource)) return [];
  const { planned, replaced, sent } = change;
  const isNew = prior === undefined || replaced.length > 0;
  if (prior !== undefined && (isNew || nameIn(type, prior) !== nameIn(type, planned)))
    noteRemoved(session, type, { prior, kept });
  const attributes = knownIn(type, planned);
  const address = addressIn(type, nameIn(type, planned));
  const changes = isNew || needsRun(type.resource, sent);
  // A replacement is planned once more, as what is new.
  if (changes && replaced.length === 0) session.changes.count.changes += 1;
  if (isNew && isFollowedParent(type.resource)) noteNewParent(session, type, address);
  return noteAndTell(session, parentIn(type, attributes), {
    ...{ address, attributes, managedBy: type.name, isRemoved: false, stage: "planned" as const },
    ...(isNew ? { appears: true as const } : { id: textIn(prior, "id") }),
    changes,
    changedAt: isNew ? undefined : kept.changedAt,
  });
}

function noteNewParent(
  { changes }: Session,
  { resource }: TerraformShape,
  address: KnownChange["address"],
): void {
  const made = changes.newParents.get(resource.type) ?? new Set();
  changes.newParents.set(resource.type, made.add(address));
}

/** Remembers a resource that this plan deletes. Returns the error of what is kept elsewhere. */
export function noteRemoved(
  session: Session | undefined,
  type: TerraformShape,
  { prior, kept }: Noted & { readonly prior: TerraformObject },
): readonly Diagnostic[] {
  if (session === undefined || !isFollowed(type.resource)) return [];
  session.changes.count.isUncertain = true;
  const attributes = knownIn(type, prior);
  const found = noteChange(session.changes, parentIn(type, attributes), {
    ...{ address: addressIn(type, nameIn(type, prior)), managedBy: type.name, id: textIn(prior, "id") },
    ...{ changes: true, isRemoved: true, stage: "planned", changedAt: kept.changedAt, attributes },
  });
  return found === undefined ? [] : [found];
}

/** Remembers that a resource is gone which this plan was to delete: Terraform reads it after that is planned. */
export function noteGone(session: Session, type: TerraformShape, prior: TerraformObject): void {
  const parentId = parentIn(type, knownIn(type, prior));
  const known = insideOf(session.changes, parentId ?? "").get(addressIn(type, nameIn(type, prior)));
  if (known?.isRemoved === true && known.id === textIn(prior, "id"))
    noteAndTell(session, parentId, { ...known, stage: "applied" });
}

/** Remembers a change, and lets what waits for it look again. */
export function noteAndTell(
  { changes, traffic }: Session,
  parentId: string | undefined,
  change: KnownChange,
): readonly Diagnostic[] {
  const twice = noteChange(changes, parentId, change);
  traffic.changed();
  if (twice !== undefined) return [twice];
  const isLate =
    change.changes &&
    change.stage === "planned" &&
    changes.planned.get(canonicalId(parentId ?? "")) === false;
  return isLate ? [plannedLate(change)] : [];
}

/** Remembers what became of a change that was carried out. */
export function noteApplied(
  session: Session | undefined,
  type: TerraformShape,
  {
    prior,
    kept,
    state,
    failed,
  }: Noted & { readonly state: TerraformObject | null; readonly failed: boolean },
): void {
  if (session === undefined || !isFollowed(type.resource)) return;
  const whole = state ?? prior;
  if (whole === undefined) return;
  const attributes = knownIn(type, whole);
  const inside = insideOf(session.changes, parentIn(type, attributes) ?? "");
  const known = inside.get(addressIn(type, nameIn(type, whole)));
  const former = prior && inside.get(addressIn(type, nameIn(type, prior)));
  // Nothing else tells that a name was let go of.
  if (former !== known && former?.isRemoved && former.id === textIn(whole, "id"))
    noteChange(session.changes, parentIn(type, attributes), { ...former, stage: "applied" });
  noteAndTell(session, parentIn(type, attributes), {
    ...{ address: addressIn(type, nameIn(type, whole)), managedBy: type.name, id: textIn(whole, "id") },
    ...{ changes: known?.changes ?? true, isRemoved: state === null, attributes },
    ...(known?.appears && { appears: true as const }),
    ...{ stage: failed ? "failed" : "applied", changedAt: kept.changedAt },
  });
}

/** Returns the private data of a resource that others react to, as its read leaves it: what was lost is made good. */
export const foundAgain = (
  { workspaceId }: Session,
  { resource }: TerraformShape,
  kept: PrivateData,
  updatedAt: string | undefined,
): PrivateData =>
  isFollowed(resource) && isLost(kept) ? { ...kept, workspace: workspaceId, changedAt: updatedAt } : kept;
