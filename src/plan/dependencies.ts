import type { Address } from "../model/address";
import { changesSomething, type Decision } from "./decision";
import type { Graph } from "./graph";
import { isDeletion } from "./guards";
import type { Guard } from "./plan";

export interface Dependencies {
  readonly dependsOn: ReadonlyMap<Address, readonly Address[]>;
  readonly deletesAfter: ReadonlyMap<Address, readonly Address[]>;
}

/**
 * The changes each change has to wait for, through everything that does not change itself. A deletion does not wait
 * for one that is held back by protection, unless that lies in it: what is protected outlives what it refers to.
 */
export function dependenciesOf(
  order: readonly Address[],
  { waits }: Graph,
  decisions: ReadonlyMap<Address, Decision>,
  guards: ReadonlyMap<Address, Guard>,
): Dependencies {
  const dependsOn = new Map<Address, readonly Address[]>();
  if (!changeAnything(decisions)) return { dependsOn, deletesAfter: new Map() };
  for (const address of order) {
    const isWaitedFor = (on: Address): boolean =>
      !(guards.get(on)?.code === "guard.prevent_destroy" && decisions.get(address)?.action === "delete") ||
      decisions.get(on)?.instance.parent === address ||
      decisions.get(address)?.instance.parent === on;
    // What comes later in the order is part of a ring that cannot be kept.
    const before = (waits.get(address) ?? []).filter((on) => dependsOn.has(on) && isWaitedFor(on));
    dependsOn.set(address, nearestChanges(before, decisions, dependsOn));
  }
  return { dependsOn, deletesAfter: deletionsBefore(decisions) };
}

function changeAnything(decisions: ReadonlyMap<Address, Decision>): boolean {
  for (const decision of decisions.values()) if (changesSomething(decision)) return true;
  return false;
}

function nearestChanges(
  before: readonly Address[],
  decisions: ReadonlyMap<Address, Decision>,
  dependsOn: ReadonlyMap<Address, readonly Address[]>,
): readonly Address[] {
  const changes = (address: Address): boolean => {
    const decision = decisions.get(address);
    return decision !== undefined && changesSomething(decision);
  };
  const [only, ...others] = before;
  if (only !== undefined && others.length === 0 && !changes(only)) return dependsOn.get(only) ?? [];
  if (before.length === 0) return before;
  const nearest = new Set<Address>();
  for (const on of before) {
    if (changes(on)) nearest.add(on);
    else for (const further of dependsOn.get(on) ?? []) nearest.add(further);
  }
  return [...nearest].sort();
}

/** For each replacement, the deletions and replacements recorded as depending on it that need their own request. */
function deletionsBefore(
  decisions: ReadonlyMap<Address, Decision>,
): ReadonlyMap<Address, readonly Address[]> {
  const before = new Map<Address, Address[]>();
  for (const decision of decisions.values()) {
    const { recorded, address } = decision.instance;
    if (!recorded || !isDeletion(decision) || decision.withParent) continue;
    for (const on of new Set([...(recorded.parent ? [recorded.parent] : []), ...recorded.dependsOn])) {
      if (decisions.get(on)?.action === "replace") before.set(on, [...(before.get(on) ?? []), address]);
    }
  }
  return before;
}
