import type { LiveResource, Offered } from "./live";
import type { ResourceType } from "./resource-type";

/**
 * Returns the choices that match a declared name or id: by id, else by exact name, else by name in another case of
 * letters. Several choices are ambiguous.
 */
export function matchingChoices(offered: readonly Offered[], declared: string): readonly Offered[] {
  const wanted = declared.toLowerCase();
  const matches: readonly ((choice: Offered) => boolean)[] = [
    ({ id }) => id?.toLowerCase() === wanted,
    ({ name }) => name === declared,
    ({ name }) => name.toLowerCase() === wanted,
  ];
  return matches.map((isMatch) => offered.filter(isMatch)).find(({ length }) => length > 0) ?? [];
}

/**
 * Returns true if a resource is in its declared place, or in the default place if none is declared. An unknown place is
 * not compared (DESIGN section 4, "Environment").
 */
export function isPlacedAs(
  { place }: Pick<ResourceType, "place">,
  { place: found }: Pick<LiveResource, "place">,
  declared: Pick<ReadonlyMap<string, unknown>, "get">,
): boolean {
  if (place === undefined || found === undefined) return true;
  const { chosen, among } = found;
  const written = declared.get(place.attribute) ?? undefined;
  if (typeof written === "string") return matchingChoices(among, written).includes(chosen);
  return written !== undefined || chosen.isDefault || !among.some(({ isDefault }) => isDefault);
}
