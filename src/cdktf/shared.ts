/** The key of a mark: equal in each copy of this package that a program loads. */
const keyOf = (name: string): symbol => Symbol.for(`terraform-provider-rnv/${name}`);

export const markOf = <Mark>(owner: object, name: string): Mark | undefined =>
  (owner as Readonly<Record<symbol, Mark>>)[keyOf(name)];

/** Marks an object with a value that every copy of this package finds there. */
export function mark<Mark>(owner: object, name: string, value: Mark): Mark {
  Object.defineProperty(owner, keyOf(name), { value });
  return value;
}

export const sharedMark = <Mark>(owner: object, name: string, make: () => Mark): Mark =>
  markOf<Mark>(owner, name) ?? mark(owner, name, make());
