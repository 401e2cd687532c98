import type { Plain } from "../model/value";

/** Text at a path; undefined where there is none, where it is null, or where it is not known yet. */
export function textAt(
  attributes: Pick<ReadonlyMap<string, unknown>, "get">,
  path: string,
): string | undefined {
  const value = attributes.get(path);
  return typeof value === "string" ? value : undefined;
}

/** Attributes without those that the service left out or reported as null. */
export function present(fields: Readonly<Record<string, Plain | undefined>>): Map<string, Plain> {
  const attributes = new Map<string, Plain>();
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined && value !== null) attributes.set(name, value);
  }
  return attributes;
}
