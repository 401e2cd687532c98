import type { Plain } from "./value";

/** Attributes by path. Nested objects of a schema are flattened one level: `configuration.branch`. */
export type Attributes<Value = Plain> = ReadonlyMap<string, Value>;

/** `configuration.branch` back to `{configuration: {branch}}`. */
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
