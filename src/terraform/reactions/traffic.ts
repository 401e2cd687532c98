/** A call that waits for others. */
interface Waiter {
  readonly isReady: () => boolean;
  readonly quietMs: number;
  readonly patienceMs: number;
  readonly release: () => void;
  readonly room?: Room;
  timer?: NodeJS.Timeout;
}

/** After so many quiet moments each of the next ones is short: a configuration of a thousand resources has hundreds. */
const mostLongMoments = 20;
const shorter = 10;
/** Calls under way that neither begin nor end for so long are about something that takes its time. */
const slowMs = 2000;
/** On a busy machine calls come slowly: a silence is one when it is so many times as long as any that a call ended. */
const timesAsLong = 4;
/** Limits, in milliseconds, how long a silence such a pace asks for. */
const mostMs = 1000;
/** Terraform has so many calls under way at a time unless `-parallelism` says otherwise; it tells no provider. */
export const usualPlaces = 10;
/** Where every place is taken by a call that waits, none comes: milliseconds until one of them makes room. */
const takenMs = 50;

/** A call that can be answered before its work is done: another one then waits for the end of it. */
export interface Room {
  readonly canMake: () => boolean;
  readonly make: () => void;
}

/** Limits how long a call waits for others, in milliseconds without any of them. */
export interface Patience {
  /** Where what it waits for has come: more may come that it knows nothing of. */
  readonly quietMs: number;
  /** Where it has not. */
  readonly patienceMs: number;
}

/**
 * The calls of this process. Terraform asks for resources that do not refer to each other in any order, several at a
 * time, and tells nobody which are still to come: a call that depends on others waits until they have been, or until
 * none has come for a while.
 */
export class Traffic {
  #active = 0;
  /** Calls that Terraform waits for, and the most of them at a time. */
  #open = 0;
  #mostOpen = 0;
  #moments = 0;
  #calls = 0;
  #silentSince: number | undefined;
  #longestSilenceMs = 0;
  readonly #waiters = new Set<Waiter>();

  /** The beginnings and ends of calls until now. */
  get calls(): number {
    return this.#calls;
  }

  /** Counts a call as under way until its work ends. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#hear();
    this.#calls += 1;
    this.#open += 1;
    this.#mostOpen = Math.max(this.#open, this.#mostOpen);
    return this.apart(async () => {
      try {
        return await work();
      } finally {
        this.#open -= 1;
        this.#calls += 1;
      }
    });
  }

  /** Counts work as under way, which may go on after the call that began it is answered. */
  async apart<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#enter(1);
    try {
      return await work();
    } finally {
      this.#enter(-1);
    }
  }

  /** Runs work, part of a call, during which the call counts as idle: it may take minutes. */
  async aside<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#enter(-1);
    try {
      return await work();
    } finally {
      this.#enter(1);
    }
  }

  /** Looks again whether what waits is ready. */
  changed(): void {
    for (const waiter of this.#waiters) this.#arm(waiter);
  }

  /**
   * Waits, as part of a call, until `isReady` and no other call has come for a while. Returns whether it is ready. Where
   * calls that wait have taken every place, so that none can come, some make `room`; their waits go on.
   */
  async wait(
    isReady: () => boolean,
    { quietMs, patienceMs }: Patience,
    signal: AbortSignal,
    room?: Room,
  ): Promise<boolean> {
    if (signal.aborted) return isReady();
    await this.aside(
      () =>
        new Promise<void>((resolve) => {
          const release = (): void => {
            clearTimeout(waiter.timer);
            this.#waiters.delete(waiter);
            signal.removeEventListener("abort", release);
            resolve();
          };
          const waiter: Waiter = { isReady, quietMs, patienceMs, release, room };
          this.#waiters.add(waiter);
          signal.addEventListener("abort", release);
          this.#arm(waiter);
        }),
    );
    return isReady();
  }

  #enter(change: 1 | -1): void {
    this.#active += change;
    this.#silentSince = this.#active > 0 ? undefined : performance.now();
    this.changed();
  }

  /** Measures the silence that a call ends. */
  #hear(): void {
    if (this.#silentSince === undefined) return;
    this.#longestSilenceMs = Math.max(this.#longestSilenceMs, performance.now() - this.#silentSince);
  }

  #arm(waiter: Waiter): void {
    clearTimeout(waiter.timer);
    const isReady = waiter.isReady();
    // What is not ready may be under way.
    if (!isReady && this.#active > 0) return;
    const less = this.#moments > mostLongMoments ? shorter : 1;
    const paceMs = Math.min(this.#longestSilenceMs * timesAsLong, mostMs) / less;
    const quietMs = Math.max(waiter.quietMs / less, paceMs);
    const patienceMs = Math.max(waiter.patienceMs, paceMs);
    const limit = isReady ? (this.#active > 0 ? Math.max(quietMs, slowMs) : quietMs) : patienceMs;
    const isTaken = this.#active === 0 && this.#ableToMakeRoom().length > 0;
    waiter.timer = setTimeout(() => this.#giveUp(waiter, isReady), isTaken ? takenMs : limit);
  }

  /** Returns what can make room, that which is not ready first; nothing while a place is free. */
  #ableToMakeRoom(): readonly Waiter[] {
    if (this.#open < Math.max(this.#mostOpen, usualPlaces)) return [];
    const able = [...this.#waiters].filter(({ room }) => room?.canMake());
    return able.sort((a, b) => Number(a.isReady()) - Number(b.isReady()));
  }

  /** All that are ready go at once. One that is not goes alone: its place may be what the others wait for. */
  #giveUp(waiter: Waiter, isReady: boolean): void {
    const [first] = this.#ableToMakeRoom();
    if (first !== undefined) {
      first.room?.make();
      this.changed();
      return;
    }
    this.#moments += 1;
    const ready = isReady ? [...this.#waiters].filter((one) => one.isReady()) : [];
    for (const one of ready) one.release();
    waiter.release();
  }
}
