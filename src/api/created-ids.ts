import { comparedName } from "../model/names";
import { isOlder, isoTime } from "../model/time";
import { type KnownVersions, mostSkewMs } from "./known-versions";
import type { ApiRequest } from "./request";
import type { ResourceVersion } from "./resource-version";
import type { Service } from "./wire/shapes";

/** Returns a text that resources of one name in one project have in common; undefined without a name. */
const siblingKey = ({ name, projectId }: Partial<Service>): string | undefined =>
  name && `${projectId ?? ""} ${comparedName(name)}`;

/** IDs that lists have shown. A created resource has none of those that existed before its request. */
export class SeenIds {
  /** The order in which they came, by ID, and by the sibling key of a create. */
  readonly #order = new Map<string | undefined, number>();
  /** By sibling key. */
  readonly #ids = new Map<string | undefined, string>();

  add(shown: Iterable<ResourceVersion>): void {
    for (const resource of shown) {
      if (!this.#order.has(resource.id)) this.#order.set(resource.id, this.#order.size);
      this.#ids.set(siblingKey(resource as Partial<Service>), resource.id);
    }
  }

  /** Returns a check whether an ID existed before now, or before the first create under the same sibling key. */
  before(key: string | undefined): (id: string) => boolean {
    const count = this.#order.get(key) ?? this.#order.size;
    if (key !== undefined) this.#order.set(key, count);
    return (id) => (this.#order.get(id) ?? count) < count;
  }

  /** Returns the ID under a sibling key, empty after a create that no list has shown, undefined without either. */
  idAt = (key: string | undefined): string | undefined =>
    this.#ids.get(key) ?? (this.#order.has(key) ? "" : undefined);
}

/**
 * Returns a create whose answer is about another resource where its ID existed before, or where another resource has its
 * name. Other requests stay as they are.
 */
export function checkingCreatedId(
  request: ApiRequest,
  { known, seen }: { readonly known: KnownVersions; readonly seen: SeenIds },
): ApiRequest {
  const { method, path, about } = request;
  if (method !== "POST" || !about) return request;
  const { projectId } = request.body as Partial<Service>;
  const asked = siblingKey(request.body as Partial<Service>);
  const wasSeen = seen.before(asked);
  const serviceTime = known.serviceTime();
  const sentAt = serviceTime === undefined ? undefined : isoTime(serviceTime - mostSkewMs);
  return {
    ...request,
    about: (body) => {
      const found = about(body);
      const { id, createdAt } = found;
      if (found.mismatch !== undefined || id === undefined || path.includes(id)) return found;
      const shown = siblingKey({ name: found.name, projectId });
      const other = asked === undefined || shown === asked ? id : (seen.idAt(shown) ?? id);
      if (other !== id && known.of(other)?.absence === undefined)
        return { ...found, mismatch: "another resource has its name" };
      const refuse = (isKnown: "id" | "age", mismatch: string) => ({ ...found, mismatch, isKnown });
      if (wasSeen(id) || known.of(id) !== undefined)
        return refuse("id", "its id was there before, or is recorded for something else");
      return isOlder(createdAt, sentAt) ? refuse("age", "it was created before the request") : found;
    },
  };
}
