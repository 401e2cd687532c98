import { append } from "./collections";

/** Returns a name as it is compared: the service may keep `é` as one code point or as two, and outer spaces or none. */
export const comparedName = (name: string): string => name.normalize().trim();

export const sameName = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "string" && typeof b === "string" && comparedName(a) === comparedName(b));

const byName = new WeakMap<readonly unknown[], Map<string, unknown[]>>();

/** Returns the entries of a list with that name (`sameName`). The list is indexed once and must not change. */
export function entriesNamed<Entry extends { readonly name: string }>(
  list: readonly Entry[],
  name: string,
): readonly Entry[] {
  let index = byName.get(list);
  if (index === undefined) {
    index = new Map();
    for (const entry of list) append(index, comparedName(entry.name), entry);
    byName.set(list, index);
  }
  return (index.get(comparedName(name)) ?? []) as Entry[];
}

/** Returns the pattern for names that a word stands for: `*` matches any text and `?` one character (`prod-*`). */
export const namePattern = (word: string): RegExp =>
  new RegExp(
    `^${word
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
    "s",
  );
