import { ApiError } from "./api-error";
import type { Consistency } from "./consistent-reads";

/** Age that a read may have. Without `mostAgeMs` it is asked for from now on. */
export interface Freshness {
  /** Most milliseconds since it was asked for. */
  readonly mostAgeMs?: number;
  /** Our writes since do not count: one list serves a burst of writes. */
  readonly ignoresWrites?: boolean;
}

/** A part that was read, or is being read. `order`: that of the consistency when it was asked for. */
interface CachedPart {
  readonly reading: Promise<unknown>;
  readonly order: number;
  /** By the clock's `elapsed`. */
  readonly askedAt: number;
}

/** Parts of the live state. Caches made by `fresh` share them, and differ in the age that a part may have. */
export class ReadCache {
  constructor(
    private readonly consistency: Consistency,
    private readonly parts = new Map<string, CachedPart>(),
    private readonly since = { order: 0, askedAt: 0, ignoresWrites: false },
  ) {}

  fresh({ mostAgeMs, ignoresWrites = false }: Freshness): ReadCache {
    const { consistency } = this;
    const order = mostAgeMs === undefined ? consistency.nextOrder() : this.since.order;
    const askedAt = mostAgeMs === undefined ? 0 : consistency.clock.elapsed() - mostAgeMs;
    return new ReadCache(consistency, this.parts, { order, askedAt, ignoresWrites });
  }

  get hasAgeLimit(): boolean {
    return this.since.askedAt !== 0;
  }

  /** Reads a part, unless that was done. A failure is forgotten. */
  once<T>(part: string, read: () => Promise<T>): Promise<T> {
    const before = this.#kept(part);
    if (before !== undefined) return before.reading as Promise<T>;
    // As old as the answer that was sent for ahead.
    const sent = this.#kept(sentPart(part));
    const reading = read();
    const kept = this.#keep(part, reading, sent);
    reading.catch(() => this.#drop(part, kept));
    return reading;
  }

  /** Reads a part, and again where a newer version was recorded after it was read. */
  async current<T>(
    part: string,
    read: () => Promise<T>,
    isOutdated: (value: T, askedAt: number) => Promise<boolean>,
  ): Promise<T> {
    const cached = this.#kept(part);
    const value = await read();
    if (cached === undefined || !(await isOutdated(value, cached.askedAt))) return value;
    this.#drop(part, cached);
    return read();
  }

  /** Sends a request whose answer is read once it is needed. */
  sendAhead(part: string, read: () => Promise<unknown>): void {
    if (this.#kept(part) ?? this.#kept(sentPart(part))) return;
    const reading = read();
    reading.catch(() => {});
    this.#keep(sentPart(part), reading);
  }

  /** Returns a read whose first answer is that of the request that was sent ahead, unless that is a 404. */
  sentAhead<T>(part: string, read: () => Promise<T>): () => Promise<T> {
    return async () => {
      const sent = this.#kept(sentPart(part));
      if (sent === undefined) return read();
      this.#drop(sentPart(part), sent);
      return (sent.reading as Promise<T>).catch((failure: unknown) => {
        if (failure instanceof ApiError && failure.status === 404) return read();
        throw failure;
      });
    };
  }

  #keep(part: string, reading: Promise<unknown>, sent?: CachedPart): CachedPart {
    const { order, clock } = this.consistency;
    const kept = { order, askedAt: clock.elapsed(), ...sent, reading };
    this.parts.set(part, kept);
    return kept;
  }

  /** Returns a part that was read, if it is new enough. */
  #kept(part: string): CachedPart | undefined {
    const { order, askedAt, ignoresWrites } = this.since;
    const oldest = ignoresWrites ? order : Math.max(order, this.consistency.lastWrite);
    const kept = this.parts.get(part);
    return kept && kept.order >= oldest && kept.askedAt >= askedAt ? kept : undefined;
  }

  #drop(part: string, kept: CachedPart): void {
    if (this.parts.get(part) === kept) this.parts.delete(part);
  }
}

const sentPart = (part: string): string => `sent ${part}`;
