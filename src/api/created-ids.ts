import { isOlder, isoTime } from "../model/time";
import type { ApiRequest } from "./send";
import type { Shown } from "./versions";

/** How far apart the clocks of one service may be, milliseconds. */
const mostSkewMs = 5_000;

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

/** What was there before a request. */
interface Before {
  readonly seen: SeenIds;
  readonly isRecorded: (id: string) => boolean;
  /** The service's time, milliseconds. */
  readonly serviceTime: number | undefined;
}

/** Returns the same request; where it makes something, an answer with what was there before is about another. */
export function checkingCreatedId(
  request: ApiRequest,
  { seen, isRecorded, serviceTime }: Before,
): ApiRequest {
  const { method, path, about } = request;
  if (method !== "POST" || !about) return request;
  const wasSeen = seen.before();
  const sentAt = serviceTime === undefined ? undefined : isoTime(serviceTime - mostSkewMs);
  return {
    ...request,
    about: (body) => {
      const found = about(body);
      const { id, createdAt } = found;
      if (found.mismatch !== undefined || id === undefined || path.includes(id)) return found;
      const refuse = (isKnown: "id" | "age", mismatch: string) => ({ ...found, mismatch, isKnown });
      if (wasSeen(id) || isRecorded(id))
        return refuse("id", "its id was there before, or is recorded for something else");
      return isOlder(createdAt, sentAt) ? refuse("age", "it was created before the request") : found;
    },
  };
}
