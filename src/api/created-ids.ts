import type { ApiRequest } from "./send";
import type { Shown } from "./versions";

/** Ids that lists have shown: what a request makes has none of those that were there before it. */
export class SeenIds {
  /** By the order in which they came. */
  readonly #order = new Map<string, number>();

  /** Takes in what a list shows. */
  add(shown: Iterable<Shown>): void {
    for (const { id } of shown) if (!this.#order.has(id)) this.#order.set(id, this.#order.size);
  }

  /** Returns a check whether an id was there before now. */
  before(): (id: string) => boolean {
    const count = this.#order.size;
    return (id) => (this.#order.get(id) ?? count) < count;
  }
}

/** Returns the same request; where it makes something, an answer with an id that was known before is about another. */
export function checkingCreatedId(
  request: ApiRequest,
  seen: SeenIds,
  isRecorded: (id: string) => boolean,
): ApiRequest {
  const { method, path, about } = request;
  if (method !== "POST" || !about) return request;
  const wasSeen = seen.before();
  return {
    ...request,
    about: (body) => {
      const found = about(body);
      const { id } = found;
      if (found.mismatch !== undefined || id === undefined || path.includes(id)) return found;
      if (!wasSeen(id) && !isRecorded(id)) return found;
      const mismatch = "its id was there before, or is recorded for something else";
      return { ...found, mismatch, isKnown: true };
    },
  };
}
