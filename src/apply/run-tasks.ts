import type { Address } from "../model/address";
import type { Change, Plan } from "../plan/plan";
import type { Task } from "./schedule";

/** A replacement is two tasks, because what lies in it must go between them; everything else is one, `whole`. */
export type ReplacePhase = "whole" | "delete" | "create";

export interface RunTask extends Task {
  readonly change: Change;
  readonly phase: ReplacePhase;
}

/** The tasks of a plan: a task for others to wait for bears the address of its change. */
export function runTasks(plan: Plan): RunTask[] {
  const byAddress = new Map(plan.changes.map((change) => [change.address, change]));
  return plan.changes.flatMap((change): RunTask[] => {
    const { address, dependsOn } = change;
    if (change.action !== "replace") return [{ id: address, change, phase: "whole", dependsOn }];
    const deletion = deletionTask(address, byAddress);
    return [
      { id: deletion, change, phase: "delete", dependsOn: beforeDeletion(change, byAddress) },
      { id: address, change, phase: "create", dependsOn: [deletion, ...dependsOn] },
    ];
  });
}

/**
 * What goes with its parent waits for the parent's deletion. Anything else waits for the deletions of what lies in
 * it, and for its own dependencies, but for those that are themselves replaced: they may wait for this deletion.
 */
function beforeDeletion(change: Change, byAddress: ReadonlyMap<Address, Change>): string[] {
  const parent = change.instance.recorded?.parent;
  if (change.withParent && parent !== undefined) return [deletionTask(parent, byAddress)];
  const inside = (change.deletesAfter ?? []).map((address) => deletionTask(address, byAddress));
  const needed = change.dependsOn.filter((address) => byAddress.get(address)?.action !== "replace");
  return [...inside, ...needed];
}

const deletionTask = (address: Address, byAddress: ReadonlyMap<Address, Change>): string =>
  byAddress.get(address)?.action === "replace" ? `${address} (delete)` : address;
