import type { Address } from "../model/address";
import type { Decision } from "./decision";
import { ownerKey } from "./owners";
import type { PlanInput } from "./plan";
import { isGone } from "./subject";

/**
 * What lies in the things that are deleted and is not deleted with them, in words, by the address of what holds it. The
 * service deletes only what is empty (interface, "Projects"): it would say so after all the rest is gone. What it shows
 * in no list, such as an archived thing that nobody recorded, is not known here.
 */
export function keptInside(
  deletions: readonly Decision[],
  { inventory, holdings }: PlanInput,
  decisions: ReadonlyMap<Address, Decision>,
): ReadonlyMap<Address, readonly string[]> {
  const kept = new Map<Address, string[]>();
  const holders = new Map<string, Address>();
  const keep = (holder: Address, what: string): void => {
    const list = kept.get(holder);
    if (list) list.push(what);
    else kept.set(holder, [what]);
  };
  for (const { instance, withParent } of deletions) {
    const id = instance.recorded?.id ?? instance.live?.id;
    if (id === undefined || withParent) continue;
    holders.set(id, instance.address);
    for (const { kind, name } of holdings?.get(id) ?? []) keep(instance.address, `the ${kind} "${name}"`);
  }
  const addresses = new Set(holders.values());
  const told = new Set(deletions.map(({ instance }) => keyOf(instance)));
  for (const { instance } of decisions.values()) {
    const { address, type, recorded } = instance;
    const holder = recorded?.parent;
    if (holder === undefined || !addresses.has(holder) || type.removedWithParent) continue;
    if (isGone(instance) || told.has(keyOf(instance))) continue;
    told.add(keyOf(instance));
    keep(holder, `${address} (id ${recorded?.id}${recorded?.retained ? ", archived by onRemove" : ""})`);
  }
  for (const { type, id, name, parentId } of inventory) {
    const holder = parentId === null ? undefined : holders.get(parentId);
    if (holder !== undefined && !told.has(ownerKey(type, id)))
      keep(holder, `the ${type} "${name}" (id ${id}), which is not managed here`);
  }
  return kept;
}

const keyOf = ({ type, recorded, live }: Decision["instance"]): string =>
  ownerKey(type.type, recorded?.id ?? live?.id ?? "");
