import type { Plain } from "./value";

/** Attributes by path. Nested objects of a schema are flattened one level: `configuration.branch`. */
export type Attributes<Value = Plain> = ReadonlyMap<string, Value>;

/** `{configuration: {branch}}` to `configuration.branch`, for the groups a type declares. Undefined is left out. */
export function flatten(
  object: Readonly<Record<string, unknown>>,
  groups: readonly string[],
): Map<string, Plain> {
  const flat = new Map<string, Plain>();
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (groups.includes(key) && value !== null && typeof value === "object" && !Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value))
        if (inner !== undefined) flat.set(`${key}.${name}`, inner as Plain);
    } else {
      flat.set(key, value as Plain);
    }
  }
  return flat;
}

/** The inverse of `flatten`. */
export function unflatten<Value>(
  attributes: ReadonlyMap<string, Value>,
): Record<string, Value | Record<string, Value>> {
  const object: Record<string, Value | Record<string, Value>> = {};
  for (const [path, value] of attributes) {
    const dot = path.indexOf(".");
    if (dot === -1) {
      object[path] = value;
    } else {
      const group = path.slice(0, dot);
      const nested = (object[group] ?? {}) as Record<string, Value>;
      nested[path.slice(dot + 1)] = value;
      object[group] = nested;
    }
  }
  return object;
}
