import { isLogicalName } from "../model/address";
import type { LiveResource } from "../model/live";

/**
 * Logical names from the root down for live things: their own name where it can stand in an address, else one made
 * of it; a number is added where two would be the same. What lies in something that is not listed has none.
 */
export function logicalNames(live: readonly LiveResource[]): ReadonlyMap<LiveResource, readonly string[]> {
  const byId = new Map(live.map((one) => [one.id, one]));
  const names = new Map<LiveResource, readonly string[]>();
  const taken = new Set<string>();
  const place = (one: LiveResource): readonly string[] | undefined => {
    const known = names.get(one);
    if (known) return known;
    const parent = one.parentId === null ? undefined : byId.get(one.parentId);
    const outer = parent === undefined ? [] : place(parent);
    if (outer === undefined || (one.parentId !== null && parent === undefined)) return undefined;
    const own = [
      ...outer,
      freeName(logicalName(one), (name) => `${one.type} ${[...outer, name].join(".")}`, taken),
    ];
    names.set(one, own);
    return own;
  };
  for (const one of live) place(one);
  return names;
}

function freeName(wanted: string, keyOf: (name: string) => string, taken: Set<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(keyOf(name)); n += 1) name = `${wanted}-${n}`;
  taken.add(keyOf(name));
  return name;
}

/** `Online shop` becomes `online-shop`; a name that fits already stays as it is. */
function logicalName({ name, type }: LiveResource): string {
  if (isLogicalName(name)) return name;
  const made = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return made === "" ? type : made;
}
