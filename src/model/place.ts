import type { LiveResource, Offered } from "./live";
import type { ResourceType } from "./resource-type";

type Placed = Pick<ResourceType, "place">;
type Declared = Pick<ReadonlyMap<string, unknown>, "get">;
/** A resource with what its parent offers. */
type InPlace = Pick<LiveResource, "computed" | "offers">;

/**
 * Returns the choices that a declared name or id stands for: the one of that id, else those of that name, else those of it
 * in another case of letters. One is an answer, several are a question.
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

/** Returns the choice of its parent in which a resource lies; undefined where none is known to hold it. */
export const placeOf = ({ place }: Placed, { computed, offers }: InPlace): Offered | undefined =>
  place && offers?.[place.attribute]?.find(({ id }) => id === computed.get(place.id));

/**
 * Returns true if a resource lies where one that is `declared` so lies: in the choice that is written, else in the one of
 * those that write none. So does one of which no place is known: it is not compared (DESIGN section 4, "Environment").
 */
export function isPlacedAs({ place }: Placed, live: InPlace, declared: Declared): boolean {
  const own = placeOf({ place }, live);
  if (place === undefined || own === undefined) return true;
  const { [place.attribute]: offered = [] } = live.offers ?? {};
  const written = declared.get(place.attribute) ?? undefined;
  if (typeof written === "string") return choicesMeant(offered, written).includes(own);
  return written !== undefined || own.isDefault || !offered.some(({ isDefault }) => isDefault);
}

/** Returns true if two resources may lie in one place: each is in it, or in none that is known. */
export function isInPlaceOf(type: Placed, a: InPlace, b: InPlace): boolean {
  const [left, right] = [a, b].map((one) => placeOf(type, one)?.id);
  return left === undefined || right === undefined || left === right;
}

/** Returns the place that a resource was recorded in, else that of those that write none, where it lies in another by now. */
export function movedFrom({ place }: Placed, recorded: Readonly<Record<string, unknown>>, live: InPlace) {
  const now = placeOf({ place }, live);
  if (place === undefined || now === undefined) return undefined;
  const { [place.id]: id } = recorded;
  const before = live.offers?.[place.attribute]?.find((one) => (id == null ? one.isDefault : one.id === id));
  return before === now ? undefined : before;
}
