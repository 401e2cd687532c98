import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import { type AttributeLookup, type ResourceType, ruleAt } from "../../model/resource-type";
import { canonicalId, shortList } from "../../model/text";
import { resourceTypes } from "../../resources";

/** A resource that others react to, as the calls of this process told of it. */
export interface KnownChange {
  /** `variable.LOG_LEVEL`: of its type one of a name lies in a parent. */
  readonly address: Address;
  /** The type of Terraform that manages it. */
  readonly managedBy: string;
  /** Tells one resource of that type from another, where several may manage the same. */
  readonly owner?: string;
  /** Undefined while it is not made. */
  readonly id?: string;
  /** This plan changes it in a way that takes effect with a run. */
  readonly changes: boolean;
  readonly isRemoved: boolean;
  /** This plan makes it, or makes it anew. */
  readonly appears?: true;
  readonly stage: "planned" | "applied" | "failed";
  /** The service's time of its last change that takes effect with a run, ISO 8601. */
  readonly changedAt?: string;
  /** As it is once the plan is applied. */
  readonly attributes?: AttributeLookup;
}

/** The resources of a walk that others react to. */
export interface KnownChanges {
  readonly byId: Map<string, KnownChange>;
  /** By id of the parent, then by address. */
  readonly inside: Map<string, Map<Address, KnownChange>>;
  /** Parents that are made by this plan, by type: their ids are not known. */
  readonly newParents: Map<string, Set<Address>>;
  /** Of each parent, whether what reacts to it was planned to run. */
  readonly planned: Map<string, boolean>;
  /** Ids of what reacts that was read. */
  readonly read: Set<string>;
  /** Something was planned that stays: a walk that only refreshes plans what goes, and nothing else. */
  hasPlans: boolean;
  /** How much of this walk was planned, in a walk that applies once more. */
  readonly count: ChangeCount;
  /** Of a walk that applies: the changes that the plan had, where that is known. */
  expected?: number;
}

/** Counts what the plans of a walk change. */
export interface ChangeCount {
  /** Resources that others react to, made or changed. */
  changes: number;
  /** Whether there is more: what is deleted, which Terraform plans but once, and what is not known before apply. */
  isUncertain: boolean;
  /** Runs of what reacts. */
  runs: number;
}

/** Returns whether all that this apply changes has been begun: nothing is waited for that nobody has heard of. */
export const isAllBegun = ({ count, expected }: Pick<KnownChanges, "count" | "expected">): boolean =>
  expected !== undefined && count.changes >= expected;

export const noChanges = (): KnownChanges => ({
  ...{ byId: new Map(), inside: new Map(), newParents: new Map() },
  ...{
    planned: new Map(),
    read: new Set(),
    hasPlans: false,
    count: { changes: 0, isUncertain: false, runs: 0 },
  },
});

/** Stands for a parent whose id is not known. */
const unknownParent = "";

/** Returns what is known inside a parent. */
export const insideOf = (
  { inside }: Pick<KnownChanges, "inside">,
  parentId: string,
): ReadonlyMap<Address, KnownChange> => inside.get(canonicalId(parentId)) ?? new Map();

/** Returns whether a type runs because resources of its parent change. */
export const followsChanges = ({ reacts }: Pick<ResourceType, "reacts">): boolean =>
  typeof reacts?.reason({
    declared: new Map(),
    upstream: [{ address: "any.thing" as Address, writes: 0, changes: true }],
  }) === "string";

const followers = resourceTypes.filter(followsChanges);

/** Returns whether a type is the parent of one that runs because of it. */
export const isFollowedParent = ({ type }: Pick<ResourceType, "type">): boolean =>
  followers.some(({ parents }) => parents.some((parent) => parent.type === type));

/** Returns whether a type is the parent or a sibling of one that runs because of it. */
export const isFollowed = (resource: Pick<ResourceType, "type">): boolean =>
  isFollowedParent(resource) || followers.some(({ follows }) => follows.includes(resource.type));

/** Returns whether a change of these attributes takes effect with a run alone. */
export const needsRun = (type: Pick<ResourceType, "rules" | "open">, sent: Iterable<string>): boolean =>
  [...sent].some((path) => ruleAt(type, path)?.takesEffect !== "at once");

/** Remembers a resource. Returns the error where another type of Terraform manages the same, or deletes it. */
export function noteChange(
  known: KnownChanges,
  parentId: string | undefined,
  change: KnownChange,
): Diagnostic | undefined {
  if (change.stage === "planned" && !change.isRemoved) known.hasPlans = true;
  if (change.id !== undefined) known.byId.set(change.id, change);
  const parent = canonicalId(parentId ?? unknownParent);
  const inside = known.inside.get(parent) ?? new Map<Address, KnownChange>();
  known.inside.set(parent, inside);
  const before = inside.get(change.address);
  const isOther = before !== undefined && isManagedApart(before, change);
  if (isOther && isDeletedBeside(before, change)) return deletedBeside(change);
  // What one of the two lets go, the other has.
  if (isOther && change.isRemoved && !before.isRemoved) {
    inside.set(change.address, { ...before, changes: true });
    return undefined;
  }
  inside.set(change.address, change);
  if (!isOther || before.isRemoved || change.isRemoved) return undefined;
  if (parentId === undefined && !isOneParentNew(known)) return undefined;
  const beside = [...inside.values()].filter((one) => one !== change && !isManagedApart(one, before));
  return managedTwice(change, before, beside);
}

const isManagedApart = (a: KnownChange, b: KnownChange): boolean =>
  a.managedBy !== b.managedBy || (a.owner !== undefined && b.owner !== undefined && a.owner !== b.owner);

/** Whether one of two lets go of what the other keeps under its id: a new one has no id yet. */
const isDeletedBeside = (a: KnownChange, b: KnownChange): boolean =>
  a.stage === "planned" &&
  b.stage === "planned" &&
  a.isRemoved !== b.isRemoved &&
  a.id !== undefined &&
  a.id === b.id;

/** Ids that are not known are the same where this plan makes one parent alone. */
const isOneParentNew = ({ newParents }: KnownChanges): boolean =>
  [...newParents.values()].some((made) => made.size === 1);

/** Returns whether a type runs where one that it follows appears: it gives each a place. */
export const placesOthers = (resource: Pick<ResourceType, "reacts" | "follows">): boolean =>
  resource.reacts !== undefined && resource.follows.length > 0 && !followsChanges(resource);

/** Returns the name of a resource as `addressIn` wrote it. */
export const bareName = (address: string): string => JSON.parse(address.slice(address.indexOf(".") + 1));

const deletedBeside = ({ address, id }: KnownChange): Diagnostic =>
  error("live.ambiguous", `this plan would delete the variable "${bareName(address)}", and keeps it too`, {
    detail: `Two addresses of the state have it (${id}): one of them goes, and would delete it for the other.`,
    hint: "write a removed block with destroy = false for the address that goes; where a map lets go of the key alone, plan without the import: the variable is made anew",
  });

/** Terraform names the one that is planned last; the other is told by what else it declares. */
function managedTwice(
  { address, managedBy }: KnownChange,
  before: KnownChange,
  beside: readonly KnownChange[],
): Diagnostic {
  const others = beside.map((one) => bareName(one.address)).sort();
  const both =
    before.managedBy === managedBy
      ? `Two resources ${managedBy} declare it for the same service`
      : `Both ${managedBy} and ${before.managedBy} declare it for the same service`;
  const other =
    before.managedBy === managedBy && others.length > 0
      ? ` The other one declares ${shortList(others)}, too.`
      : "";
  return error("live.ambiguous", `the variable "${bareName(address)}" is managed twice`, {
    detail: `${both}: each would undo the other.${other}`,
    hint: `take it out of one of the two: a removed block lets go of a resource and keeps what it set`,
  });
}
