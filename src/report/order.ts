import { type Address, nameOf, typeOf } from "../model/address";
import { compareTexts } from "../model/collections";

/** Types that are named after their holder, and come after all other parts of it. */
const closing: ReadonlySet<string> = new Set(["deployment", "layout"]);

/**
 * The order in which people read: a project, its services, below each its variables and its deployment, then the other
 * parts of the project.
 */
export const readingOrder = <T extends { readonly address: Address }>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: placeOf(item.address) }))
    .sort((a, b) => compareTexts(a.place, b.place))
    .map(({ item }) => item);

/** Returns a text that sorts by place: the parts of a resource after it, and the closing types last. */
function placeOf(address: Address): string {
  const type = typeOf(address);
  const names = withLongNumbers(nameOf(address)).split(".");
  const path = [...names, ...(closing.has(type) ? ["\uffff"] : [])].join("\u0001");
  return `${path}\u0000${type}`;
}

/** The project or service at the head of an address; texts that people filter by. */
export const homeOf = (address: string): string => nameOf(address as Address).split(".")[0] ?? "";

/** Orders texts with numbers in them by their value: `svc-2` before `svc-15`. */
export const compareNatural = (a: string, b: string): number =>
  compareTexts(withLongNumbers(a), withLongNumbers(b)) || compareTexts(a, b);

/** Numbers of one length are in the order of their digits. */
const withLongNumbers = (text: string): string =>
  text.replace(/\d+/g, (digits) => digits.replace(/^0+/, "").padStart(20, "0"));
