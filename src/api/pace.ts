/** How far back answers are remembered, in milliseconds. */
const memoryMs = 60_000;
/** Requests per second; below this the gate alone keeps to the limit, at the price of one refusal each time. */
const slowest = 1;

/**
 * How fast requests may start at a service that counts them. Without a limit until the first 429; from then on a
 * little less than what it bore, raised by 1 % a second to where it refused, and by 5 % a second beyond. Concurrency
 * alone cannot keep to such a limit: one request at a time may be too fast already, and every 429 closes the gate
 * for a second at least.
 */
export class Pace {
  #perSecond = Number.POSITIVE_INFINITY;
  /** Where the service refused. */
  #ceiling = Number.POSITIVE_INFINITY;
  #next = Number.NEGATIVE_INFINITY;
  #raisedAt = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** When clean answers came, oldest first. */
  #answered: number[] = [];
  /** At that many answers the old ones are let go. */
  #most = 1024;

  /** Requests per second; infinite while nothing was refused. */
  get perSecond(): number {
    return this.#perSecond;
  }

  /** Milliseconds until the next request may start. */
  wait(now: number): number {
    return Number.isFinite(this.#perSecond) ? Math.max(0, Math.ceil(this.#next - now)) : 0;
  }

  /** A request starts. What a late timer has lost may be caught up, for a twentieth of a second. */
  start(now: number): void {
    if (Number.isFinite(this.#perSecond))
      this.#next = Math.max(this.#next, now - 50) + 1000 / this.#perSecond;
  }

  answered(now: number): void {
    this.#answered.push(now);
    if (this.#answered.length >= this.#most) this.#forget(now);
    if (!Number.isFinite(this.#perSecond) || now - this.#raisedAt < 1000) return;
    this.#raisedAt = now;
    this.#perSecond += this.#ceiling * (this.#perSecond < this.#ceiling ? 0.01 : 0.05);
  }

  /** One burst of refusals, after which nothing starts before `reopens`. */
  refused(now: number, reopens: number): void {
    const borne = this.#borne(now, Math.max(1000, reopens - now));
    const isSteady = now - this.#refusedAt >= 5000;
    const limit = !Number.isFinite(this.#perSecond)
      ? borne
      : isSteady
        ? this.#perSecond
        : Math.min(this.#perSecond, Math.max(borne, 0.7 * this.#perSecond));
    this.#refusedAt = reopens;
    this.#raisedAt = reopens;
    this.#next = reopens;
    this.#answered = [];
    this.#ceiling = limit < slowest ? Number.POSITIVE_INFINITY : limit;
    this.#perSecond = 0.9 * this.#ceiling;
  }

  /** Answers per second over the time just past that is as long as the service asks to wait. */
  #borne(now: number, milliseconds: number): number {
    this.#forget(now);
    const since = now - Math.min(milliseconds, memoryMs);
    return (this.#answered.filter((time) => time > since).length * 1000) / milliseconds;
  }

  #forget(now: number): void {
    this.#answered = this.#answered.filter((time) => time > now - memoryMs);
    this.#most = Math.max(1024, 2 * this.#answered.length);
  }
}
