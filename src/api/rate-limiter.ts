import type { Clock } from "../model/time";

export class RetryAfterTooLong extends Error {}

/** `clean`: the service kept up. `overloaded`: 429 or 503. `unclear`: neither, such as a broken connection. */
export type Load = "clean" | "overloaded" | "unclear";

/** Gives the permit of one request back and reports how the service bore the request; called once. */
export type Release = (load: Load) => void;

export interface PermitRequest {
  /** True for a request that was sent before: it goes ahead of those that never were. */
  readonly isRetry: boolean;
  readonly latestStart: (now: number) => number;
  readonly signal?: AbortSignal;
}

interface PermitWaiter {
  readonly request: PermitRequest;
  readonly grant: (release: Release) => void;
  readonly refuse: (reason: unknown) => void;
}

/** Most requests in flight at once, of all processes of a run; more where `-parallelism` asks for more. */
export const mostRequests = 64;

const initialConcurrency = 4;
/** From here on the concurrency grows more slowly, as every request in flight is refused with the first overload. */
const cautiousFrom = 16;

/**
 * Bounds the requests in flight by additive increase and multiplicative decrease. The concurrency starts at 4 and doubles
 * with each window of clean answers up to 16. From there it grows by half until the first overload, then by 1 with each
 * window. An overload halves it, once for all requests of a burst. After a 429 nothing starts before `pauseUntil`, and
 * requests start at the rate that the service accepted before.
 */
export class RateLimiter {
  #concurrency: number;
  #inFlight = 0;
  #cleanAnswers = 0;
  /** Counts the decreases: an overload of a request sent before the last one is not counted again. */
  #epoch = 0;
  readonly #rate = new AdaptiveRate();
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #timer: AbortController | undefined;
  readonly #queue: PermitWaiter[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly maxConcurrency = mostRequests,
  ) {
    this.#concurrency = Math.min(initialConcurrency, maxConcurrency);
  }

  get concurrency(): number {
    return this.#concurrency;
  }

  /** Waits for a permit. Rejects with `RetryAfterTooLong`, or with the signal's reason. */
  acquire(request: PermitRequest): Promise<Release> {
    const { isRetry, signal } = request;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abandon = (): void => {
        this.#remove(waiter);
        waiter.refuse(signal?.reason);
      };
      const settle = (end: () => void): void => {
        signal?.removeEventListener("abort", abandon);
        end();
      };
      const waiter: PermitWaiter = {
        request,
        grant: (release) => settle(() => resolve(release)),
        refuse: (reason) => settle(() => reject(reason)),
      };
      signal?.addEventListener("abort", abandon, { once: true });
      if (isRetry) this.#queue.unshift(waiter);
      else this.#queue.push(waiter);
      this.#refuseLateWaiters();
      this.#startWaiters();
    });
  }

  /** Starts nothing before `time` of the clock's `elapsed`. A pause is only ever prolonged. */
  pauseUntil(time: number): void {
    if (time <= this.#pausedUntil) return;
    this.#pausedUntil = time;
    this.#refuseLateWaiters();
  }

  #refuseLateWaiters(): void {
    const now = this.clock.elapsed();
    if (this.#pausedUntil <= now) return;
    for (const waiter of [...this.#queue]) {
      if (this.#pausedUntil <= waiter.request.latestStart(now)) continue;
      this.#remove(waiter);
      const seconds = Math.ceil((this.#pausedUntil - now) / 1000);
      waiter.refuse(new RetryAfterTooLong(`the platform asks to wait ${seconds} s`));
    }
  }

  #startWaiters(): void {
    while (this.#queue.length > 0 && this.#inFlight < this.#concurrency) {
      const now = this.clock.elapsed();
      const wait = Math.max(this.#pausedUntil - now, this.#rate.wait(now));
      if (wait > 0) return void this.#startWaitersAfter(wait);
      const waiter = this.#queue.shift() as PermitWaiter;
      this.#inFlight += 1;
      this.#rate.start(now);
      waiter.grant(this.#permit());
    }
  }

  #startWaitersAfter(milliseconds: number): void {
    if (this.#timer !== undefined) return;
    const timer = new AbortController();
    this.#timer = timer;
    const end = (): void => {
      if (this.#timer === timer) this.#timer = undefined;
      this.#startWaiters();
    };
    this.clock.sleep(milliseconds, timer.signal).then(end, end);
  }

  #remove(waiter: PermitWaiter): void {
    const index = this.#queue.indexOf(waiter);
    if (index !== -1) this.#queue.splice(index, 1);
    // A timer without waiters would keep the process alive.
    if (this.#queue.length === 0) this.#timer?.abort();
  }

  #permit(): Release {
    const epoch = this.#epoch;
    return (load) => {
      this.#inFlight -= 1;
      if (load === "clean") this.#rate.succeeded(this.clock.elapsed());
      if (epoch === this.#epoch) this.#adapt(load);
      this.#startWaiters();
    };
  }

  #adapt(load: Load): void {
    if (load === "unclear") return;
    if (load === "overloaded") {
      this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
      this.#cleanAnswers = 0;
      this.#epoch += 1;
      const now = this.clock.elapsed();
      if (this.#pausedUntil > now) this.#rate.refused(now, this.#pausedUntil);
      return;
    }
    this.#cleanAnswers += 1;
    if (this.#cleanAnswers < this.#answersPerIncrease()) return;
    this.#cleanAnswers = 0;
    this.#concurrency = Math.min(this.maxConcurrency, this.#concurrency + 1);
  }

  #answersPerIncrease(): number {
    if (this.#epoch > 0) return this.#concurrency;
    return this.#concurrency < cautiousFrom ? 1 : 2;
  }
}

const memoryMs = 60_000;
/** Requests per second. Below it the pauses alone keep to the limit, at the price of one refusal each. */
const slowest = 1;

/**
 * The rate at which requests may start at a service that counts them. It is infinite until a 429 follows answers of a
 * whole `Retry-After`, then a tenth below their rate. It rises by 1 % a second up to the rate of the refusal, then by 5 %.
 * Concurrency alone cannot keep to such a limit: even single requests may come too fast.
 */
class AdaptiveRate {
  #perSecond = Number.POSITIVE_INFINITY;
  #ceiling = Number.POSITIVE_INFINITY;
  #nextStart = Number.NEGATIVE_INFINITY;
  #raisedAt = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** Times of clean answers, oldest first. */
  #successes: number[] = [];

  wait(now: number): number {
    return Number.isFinite(this.#perSecond) ? Math.max(0, Math.ceil(this.#nextStart - now)) : 0;
  }

  /** Counts a request that starts. A late timer may be caught up with for 50 ms. */
  start(now: number): void {
    if (Number.isFinite(this.#perSecond))
      this.#nextStart = Math.max(this.#nextStart, now - 50) + 1000 / this.#perSecond;
  }

  succeeded(now: number): void {
    this.#successes.push(now);
    while ((this.#successes[0] ?? now) <= now - memoryMs) this.#successes.shift();
    if (!Number.isFinite(this.#perSecond) || now - this.#raisedAt < 1000) return;
    this.#raisedAt = now;
    this.#perSecond += this.#ceiling * (this.#perSecond < this.#ceiling ? 0.01 : 0.05);
  }

  /** Lowers the rate after one burst of refusals. Nothing starts before `reopens`. */
  refused(now: number, reopens: number): void {
    const limit = this.#limitSeen(now, Math.max(1000, reopens - now));
    this.#refusedAt = reopens;
    this.#raisedAt = reopens;
    this.#nextStart = reopens;
    this.#ceiling = limit < slowest ? Number.POSITIVE_INFINITY : limit;
    this.#perSecond = 0.9 * this.#ceiling;
  }

  /** Returns the rate that the service takes, from its answers within the last `milliseconds`. */
  #limitSeen(now: number, milliseconds: number): number {
    const since = now - Math.min(milliseconds, memoryMs);
    // Retry-After is in whole seconds: the period may be a second shorter.
    if ((this.#successes[0] ?? now) > since + 1000) return this.#perSecond;
    const rate = (this.#successes.filter((time) => time > since).length * 1000) / milliseconds;
    if (!Number.isFinite(this.#perSecond)) return rate;
    const wasSteady = now - this.#refusedAt >= 5000;
    return wasSteady ? this.#perSecond : Math.min(this.#perSecond, Math.max(rate, 0.7 * this.#perSecond));
  }
}
