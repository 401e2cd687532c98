import type { Clock } from "../model/clock";
import { Pace } from "./pace";

/** A place in the queue could not be waited for: the gate opens after the request's deadline. */
export class GateTooLong extends Error {
  constructor(readonly seconds: number) {
    super(`the service asks to wait ${seconds} s`);
    this.name = "GateTooLong";
  }
}

/** `clean`: the service kept up. `overloaded`: 429 or 503. `unclear`: neither, such as a broken connection. */
export type Load = "clean" | "overloaded" | "unclear";

export interface Turn {
  /** Gives the place back, once, and tells how the service bore the request. */
  readonly end: (load: Load) => void;
}

export interface TurnRequest {
  /** A request that was sent before goes ahead of those that never were. */
  readonly again: boolean;
  /** The latest time at which this request may still start, given the time now. */
  readonly latestStart: (now: number) => number;
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly request: TurnRequest;
  readonly grant: (turn: Turn) => void;
  readonly refuse: (reason: unknown) => void;
}

/**
 * How many requests are in flight: starts at 4, doubles with each window of clean answers up to 16, and grows by half
 * from there, until the first 429 or 503; then by one with each window. Half on 429 or 503, once for all the requests
 * of one burst. While the gate is closed nothing starts; after a 429 requests start at a pace that the service has
 * been seen to bear.
 */
export class Limiter {
  #concurrency: number;
  #inFlight = 0;
  #clean = 0;
  /** Counts the halvings: an overload seen by a request sent before the last one is old news. */
  #epoch = 0;
  readonly #pace = new Pace();
  #gateUntil = Number.NEGATIVE_INFINITY;
  #alarm: AbortController | undefined;
  readonly #queue: Waiter[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly maxConcurrency: number,
  ) {
    this.#concurrency = Math.min(4, maxConcurrency);
  }

  get concurrency(): number {
    return this.#concurrency;
  }

  /** Rejects with `GateTooLong`, or with the signal's reason. */
  acquire(request: TurnRequest): Promise<Turn> {
    const now = this.clock.elapsed();
    if (this.#queue.length === 0 && !request.signal?.aborted && this.#hasPlace() && this.#wait(now) <= 0)
      return Promise.resolve(this.#start(now));
    return this.#inLine(request);
  }

  #inLine(request: TurnRequest): Promise<Turn> {
    return new Promise((resolve, reject) => {
      if (request.signal?.aborted) return reject(request.signal.reason);
      const abandon = (): void => {
        this.#leave(waiter);
        waiter.refuse(request.signal?.reason);
      };
      const settled = (): void => request.signal?.removeEventListener("abort", abandon);
      const waiter: Waiter = {
        request,
        grant: (turn) => {
          settled();
          resolve(turn);
        },
        refuse: (reason) => {
          settled();
          reject(reason);
        },
      };
      request.signal?.addEventListener("abort", abandon, { once: true });
      if (request.again) this.#queue.unshift(waiter);
      else this.#queue.push(waiter);
      this.#refuseTheImpatient();
      this.#pump();
    });
  }

  /** Nothing starts before `time` (of `elapsed`). A gate is only ever moved later. */
  closeUntil(time: number): void {
    if (time <= this.#gateUntil) return;
    this.#gateUntil = time;
    this.#refuseTheImpatient();
  }

  #refuseTheImpatient(): void {
    const now = this.clock.elapsed();
    if (this.#gateUntil <= now) return;
    for (const waiter of [...this.#queue]) {
      if (this.#gateUntil <= waiter.request.latestStart(now)) continue;
      this.#leave(waiter);
      waiter.refuse(new GateTooLong(Math.ceil((this.#gateUntil - now) / 1000)));
    }
  }

  #pump(): void {
    while (this.#queue.length > 0 && this.#hasPlace()) {
      const now = this.clock.elapsed();
      const wait = this.#wait(now);
      if (wait > 0) {
        this.#pumpAfter(wait);
        return;
      }
      const waiter = this.#queue.shift() as Waiter;
      waiter.grant(this.#start(now));
    }
  }

  #hasPlace(): boolean {
    return this.#inFlight < this.#concurrency;
  }

  /** Milliseconds until gate and pace let the next one start; 0 or less for now. */
  #wait(now: number): number {
    return Math.max(this.#gateUntil - now, this.#pace.wait(now));
  }

  #start(now: number): Turn {
    this.#inFlight += 1;
    this.#pace.start(now);
    return this.#turn();
  }

  #pumpAfter(milliseconds: number): void {
    if (this.#alarm !== undefined) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    const ring = (): void => {
      if (this.#alarm === alarm) this.#alarm = undefined;
      this.#pump();
    };
    this.clock.sleep(milliseconds, alarm.signal).then(ring, ring);
  }

  #leave(waiter: Waiter): void {
    const place = this.#queue.indexOf(waiter);
    if (place !== -1) this.#queue.splice(place, 1);
    // A timer that nobody waits for would keep the process alive.
    if (this.#queue.length === 0) this.#alarm?.abort();
  }

  #turn(): Turn {
    const epoch = this.#epoch;
    let ended = false;
    return {
      end: (load) => {
        if (ended) return;
        ended = true;
        this.#inFlight -= 1;
        if (load === "clean") this.#pace.answered(this.clock.elapsed());
        if (epoch === this.#epoch) this.#adapt(load);
        this.#pump();
      },
    };
  }

  /**
   * One more for each answer doubles with each window. From 16 on for every other one: at a service that bears less,
   * all that is in flight when the first refusal comes is refused as well.
   */
  #answersForOneMore(): number {
    if (this.#epoch > 0) return this.#concurrency;
    return this.#concurrency < 16 ? 1 : 2;
  }

  #adapt(load: Load): void {
    if (load === "overloaded") {
      this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
      this.#clean = 0;
      this.#epoch += 1;
      const now = this.clock.elapsed();
      if (this.#gateUntil > now) this.#pace.refused(now, this.#gateUntil);
    } else if (load === "clean") {
      this.#clean += 1;
      if (this.#clean < this.#answersForOneMore()) return;
      this.#clean = 0;
      this.#concurrency = Math.min(this.maxConcurrency, this.#concurrency + 1);
    }
  }
}
