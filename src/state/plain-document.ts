const deepest = 64;

/** Why a parsed JSON document is not taken in: nested too deeply, or a key that could reach a prototype. */
export function hostileReason(value: unknown, depth = 1): string | undefined {
  if (value === null || typeof value !== "object") return undefined;
  // It goes no deeper than this, however deep the document is.
  if (depth > deepest) return `it nests deeper than ${deepest} levels`;
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) {
    if (key === "__proto__") return 'it has a key "__proto__"';
    const member = members[key];
    if (member === null || typeof member !== "object") continue;
    const reason = hostileReason(member, depth + 1);
    if (reason !== undefined) return reason;
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
