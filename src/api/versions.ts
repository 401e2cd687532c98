import { sha256 } from "../model/text";
import { canonicalJson, type Plain } from "../model/value";
import type { Project, Service, Variable } from "./wire/shapes";

/** A resource as an answer shows it. */
export interface Shown {
  readonly id: string;
  readonly updatedAt?: string | null | undefined;
}

/** Returns the newest copy of each id. */
export function newestById<T extends Shown>(listed: readonly T[]): readonly T[] {
  const found = new Map<string, T>();
  for (const one of listed) if (!isOlder(one.updatedAt, found.get(one.id)?.updatedAt)) found.set(one.id, one);
  return [...found.values()];
}

/** Returns true if one time is before another; where one is in whole seconds, both are compared in whole seconds. */
export function isOlder(time: string | null | undefined, than: string | null | undefined): boolean {
  if (time == null || than == null || time === than) return false;
  const step = hasFraction(time) && hasFraction(than) ? 1 : 1000;
  return Math.floor(Date.parse(time) / step) < Math.floor(Date.parse(than) / step);
}

/** Returns true if a time has parts of a second. */
export const hasFraction = (time: string | undefined): boolean => /:\d\d\.\d*[1-9]/.test(time ?? "");

/** Returns a digest of what a write sets: two versions may have one time. */
export function contentOf(shown: Shown): string {
  const { name, key, kind, description, color, configuration, projectId, environmentId, ...more } =
    shown as Partial<Service & Project & Variable>;
  // A service that does not say so is not archived; other resources never are.
  const { archived = configuration && false } = more;
  const parts = [name, key, kind, description, color, archived, configuration, projectId, environmentId];
  return sha256(canonicalJson(parts.map((part) => part ?? null) as Plain)).slice(0, 16);
}
