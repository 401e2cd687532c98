import { nameOf } from "../model/address";
import type { Change, Plan } from "../plan/plan";
import { isListed, listedFields } from "./plan-wording";
import { readingOrder } from "./reading-order";

/** What a rendered plan tells at once: one change, or many that do the same to as many resources. */
export interface PlanEntry {
  readonly first: Change;
  /** Every change of the entry, `first` among them. */
  readonly changes: readonly Change[];
}

/** So many equal changes are told as one. */
const fewestGrouped = 4;

/**
 * What a plan lists, in the order in which it is read: what ends something or is blocked, then what changes, then what
 * is new; in each of the three as people read a project. Equal changes that end nothing stand together.
 */
export function planEntries(plan: Plan): readonly PlanEntry[] {
  // The order follows from all of them, but most plans list none.
  if (!plan.changes.some((change) => isListed(change, plan))) return [];
  const listed = readingOrder(plan.changes).filter((change) => isListed(change, plan));
  const parts = [isLoss, isAlteration, isNew].map((isPart) => listed.filter(isPart));
  return parts.flatMap((part) => grouped(part, plan));
}

/** It ends something, or may not be applied as it stands: told first, and never left out. */
export const isLoss = ({ action, guard }: Change): boolean =>
  action === "delete" || action === "replace" || guard !== undefined;

const isNew = (change: Change): boolean => !isLoss(change) && change.action === "create";
const isAlteration = (change: Change): boolean => !isLoss(change) && change.action !== "create";

function grouped(changes: readonly Change[], plan: Plan): readonly PlanEntry[] {
  const equal = new Map<string, Change[]>();
  const keys = changes.map((change) => likeness(change, plan));
  for (const [i, change] of changes.entries()) {
    const key = keys[i];
    const group = key === undefined ? undefined : equal.get(key);
    if (group) group.push(change);
    else if (key !== undefined) equal.set(key, [change]);
  }
  return changes.flatMap((change, i): PlanEntry[] => {
    const group = equal.get(keys[i] ?? "") ?? [];
    if (group.length < fewestGrouped) return [{ first: change, changes: [change] }];
    return group[0] === change ? [{ first: change, changes: group }] : [];
  });
}

/** Equal for changes that read the same but for whose they are; undefined for one that is told by itself. */
function likeness(change: Change, plan: Plan): string | undefined {
  const { type, action, effects, cost, missing, previousAddress } = change;
  if (isLoss(change) || previousAddress !== undefined || missing) return undefined;
  // What is made for the first time is told by its own fields; a run has none.
  if (action === "create" && change.reason === undefined) return undefined;
  const fields = listedFields(change, plan).map(({ path, before, after, cause }) => [
    path,
    before,
    after,
    cause,
  ]);
  const bill = cost && [cost.before, cost.after];
  return JSON.stringify([type, action, commonReason(change), fields, effects, bill]);
}

/** Why it is done, with an ellipsis for the name that it shares with its own address: `service.… changes`. */
export const commonReason = ({ address, reason }: Change): string | undefined =>
  nameOf(address) === "" ? reason : reason?.replaceAll(nameOf(address), "…");
