import type { Address } from "../model/address";
import { shortList } from "../model/short-list";
import type { Decision } from "./decision";
import { keptInside } from "./kept-inside";
import type { Guard, PlanInput } from "./plan";

const mostNamed = 5;

/** It ends a live thing: a deletion or a replacement, with a request of its own or with its parent. */
export const isDeletion = ({ action, onRemove }: Decision): boolean =>
  action === "replace" || (action === "delete" && onRemove !== "archive");

/**
 * What stands in the way of deletions (DESIGN section 7), by address: protection, of the thing or of something in
 * it; a name that is no longer the recorded one; what lies in it and is not deleted with it; a confirmation by name
 * that is missing.
 */
export function guardDeletions(
  input: PlanInput,
  decisions: ReadonlyMap<Address, Decision>,
): ReadonlyMap<Address, Guard> {
  const confirmed = new Set<Address>([
    ...input.options.confirmedDeletes,
    ...input.options.replace,
    ...input.desired.removed.map(({ address }) => address),
  ]);
  const isConfirmed = (address: Address): boolean =>
    input.options.confirmsAll === true || confirmed.has(address);
  const guards = new Map<Address, Guard>();
  const deletions = [...decisions.values()].filter(isDeletion);
  if (deletions.length === 0) return guards;
  const holders = protectedHolders(deletions, decisions);
  const kept = keptInside(deletions, input, decisions);
  for (const decision of deletions) {
    const { address } = decision.instance;
    const held = holders.get(address);
    const guard = held
      ? preventDestroy(address, held)
      : (nameChanged(decision) ??
        holdsOthers(decision, kept.get(address), input.options) ??
        (isConfirmed(address) ? undefined : unconfirmed(decision, input.options)));
    if (guard) guards.set(address, guard);
  }
  return guards;
}

/** Every deletion that would take something protected along, with what that is: itself, or something inside of it. */
function protectedHolders(
  deletions: readonly Decision[],
  decisions: ReadonlyMap<Address, Decision>,
): ReadonlyMap<Address, Address> {
  const holders = new Map<Address, Address>();
  for (const { instance } of deletions) {
    const { address, desired, recorded } = instance;
    if (!desired?.lifecycle.preventDestroy && !recorded?.preventDestroy) continue;
    for (let holder: Address | undefined = address; holder && !holders.has(holder); ) {
      holders.set(holder, address);
      holder = decisions.get(holder)?.instance.parent;
    }
  }
  return holders;
}

const preventDestroy = (address: Address, held: Address): Guard => ({
  code: "guard.prevent_destroy",
  summary:
    address === held
      ? `${address} is protected: preventDestroy`
      : `${address} holds ${held}, which is protected`,
  hint: `to delete it, first apply with preventDestroy: false on ${held}`,
});

function nameChanged({ instance, withParent }: Decision): Guard | undefined {
  const { address, live, recorded } = instance;
  if (withParent || !live || !recorded || live.name === recorded.name) return undefined;
  return {
    code: "guard.name_changed",
    summary: `${address} was renamed since: it is recorded as "${recorded.name}" and now called "${live.name}"`,
    hint: "make sure that it is the one to delete, then record its name: rnv apply -refresh-only",
  };
}

function holdsOthers(
  { instance }: Decision,
  held: readonly string[] | undefined,
  { mode }: PlanInput["options"],
): Guard | undefined {
  const { address } = instance;
  if (held === undefined) return undefined;
  const exclude = `${mode === "destroy" ? "rnv destroy " : ""}--exclude ${address}`;
  return {
    code: "guard.holds_others",
    summary: `${address} holds what is not deleted with it: ${shortList(held, mostNamed)}`,
    hint: `delete that or move it elsewhere first; to leave ${address} as it is: ${exclude}`,
  };
}

/** Nobody has confirmed the deletion by name; what does so lifts it. */
export const isUnconfirmed = ({ guard }: { readonly guard?: Guard }): boolean =>
  guard?.code === "guard.delete_unconfirmed";

function unconfirmed({ action, instance }: Decision, { mode }: PlanInput["options"]): Guard | undefined {
  const { address, type } = instance;
  if (type.removal !== "delete" || type.removedWithParent) return undefined;
  return {
    code: "guard.delete_unconfirmed",
    summary: `${address} would be ${action === "replace" ? "deleted and made anew" : "deleted"}`,
    hint: `confirm it by name: --confirm-delete ${address}${otherWays(address, action, mode)}`,
  };
}

function otherWays(address: Address, action: Decision["action"], mode: PlanInput["options"]["mode"]): string {
  if (mode === "destroy") return "; rnv destroy asks for everything at once";
  return action === "replace" ? "" : `, or removed: [${address}]; if it was renamed, declare moved`;
}
