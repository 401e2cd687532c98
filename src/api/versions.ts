import { sha256 } from "../model/sha256";
import { isOlder } from "../model/time";
import { canonicalJson, type Plain } from "../model/value";
import type { Project, Service, Variable } from "./wire/shapes";

export interface Shown {
  readonly id: string;
  readonly updatedAt?: string | null | undefined;
  readonly archived?: boolean | undefined;
  readonly deletedAt?: string | null | undefined;
  readonly deletionRequestedAt?: string | null | undefined;
}

export const isDeleting = ({ deletedAt, deletionRequestedAt }: Shown): boolean =>
  deletedAt != null || deletionRequestedAt != null;

export function newestById<T extends Shown>(listed: readonly T[]): readonly T[] {
  const found = new Map<string, T>();
  for (const one of listed) if (!isOlder(one.updatedAt, found.get(one.id)?.updatedAt)) found.set(one.id, one);
  return [...found.values()];
}

/** Returns a digest of what a write sets: two versions may have one time. */
export function contentOf(shown: Shown): string {
  const { name, key, kind, description, color, configuration, projectId, environmentId, ...more } =
    shown as Partial<Service & Project & Variable>;
  // A service that does not say so is not archived; other resources never are.
  const { archived = configuration && false } = more;
  const parts = [name, key, kind, description, color, archived, configuration, projectId, environmentId];
  return sha256(canonicalJson(parts.map((part) => part ?? null) as Plain)).slice(0, 16);
}
