const deepest = 64;

/** Why a parsed JSON document is not taken in: nested too deeply, or a key that could reach a prototype. */
export function hostileReason(document: unknown): string | undefined {
  // A stack of its own: a document may nest deeper than the call stack.
  const left: { value: object; depth: number }[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (value !== null && typeof value === "object") left.push({ value, depth });
  };
  visit(document, 1);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, depth } = next;
    if (depth > deepest) return `it nests deeper than ${deepest} levels`;
    if (Array.isArray(value)) {
      for (const item of value) visit(item, depth + 1);
    } else {
      if (Object.hasOwn(value, "__proto__")) return 'it has a key "__proto__"';
      for (const key of Object.keys(value)) visit((value as Record<string, unknown>)[key], depth + 1);
    }
  }
  return undefined;
}

/** The value with the keys of every object sorted, so that its text depends on its content alone. */
export function sortedKeys(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sortedKeys);
  const object = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, sortedKeys(object[key])]),
  );
}
