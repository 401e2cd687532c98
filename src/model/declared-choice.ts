import type { LiveResource, Offered } from "./live";
import type { ResourceType } from "./resource-type";

/**
 * Returns the choices that a declared name or id may mean: by id, else by exact name, else by name in another case of
 * letters. Several choices are ambiguous.
 */
export function choicesMeant(offered: readonly Offered[], declared: string): readonly Offered[] {
  const wanted = declared.toLowerCase();
  const ways: readonly ((one: Offered) => boolean)[] = [
    ({ id }) => id?.toLowerCase() === wanted,
    ({ name }) => name === declared,
    ({ name }) => name.toLowerCase() === wanted,
  ];
  return ways.map((isMeant) => offered.filter(isMeant)).find(({ length }) => length > 0) ?? [];
}

/**
 * Returns true if a resource is in the place that is declared, or in that of those that declare none. One whose place
 * is not known is not compared (DESIGN section 4, "Environment").
 */
export function isPlacedAs(
  { place }: Pick<ResourceType, "place">,
  { place: found }: Pick<LiveResource, "place">,
  declared: Pick<ReadonlyMap<string, unknown>, "get">,
): boolean {
  if (place === undefined || found === undefined) return true;
  const { chosen, among } = found;
  const written = declared.get(place.attribute) ?? undefined;
  if (typeof written === "string") return choicesMeant(among, written).includes(chosen);
  return written !== undefined || chosen.isDefault || !among.some(({ isDefault }) => isDefault);
}
