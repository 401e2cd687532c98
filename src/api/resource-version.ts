import { sha256 } from "../model/sha256";
import { isOlder } from "../model/time";
import { canonicalJson, type Plain } from "../model/value";
import type { Project, Service, Variable } from "./wire/shapes";

export interface ResourceVersion {
  readonly id: string;
  readonly updatedAt?: string | null | undefined;
  readonly archived?: boolean | undefined;
  readonly deletedAt?: string | null | undefined;
  readonly deletionRequestedAt?: string | null | undefined;
}

export const isDeleting = ({ deletedAt, deletionRequestedAt }: ResourceVersion): boolean =>
  deletedAt != null || deletionRequestedAt != null;

export function newestById<T extends ResourceVersion>(listed: readonly T[]): readonly T[] {
  const found = new Map<string, T>();
  for (const resource of listed)
    if (!isOlder(resource.updatedAt, found.get(resource.id)?.updatedAt)) found.set(resource.id, resource);
  return [...found.values()];
}

/**
 * Returns a digest of the fields that writes set, of all types of resources: two versions may have the same time. A new type
 * with another such field adds it here; else a stale read that differs in that field alone is believed.
 */
export function contentDigest(shown: ResourceVersion): string {
  const { name, key, kind, description, color, configuration, projectId, environmentId, ...more } =
    shown as Partial<Service & Project & Variable>;
  // A service that does not say so is not archived; other resources never are.
  const { archived = configuration && false } = more;
  const parts = [name, key, kind, description, color, archived, configuration, projectId, environmentId];
  return sha256(canonicalJson(parts.map((part) => part ?? null) as Plain)).slice(0, 16);
}
