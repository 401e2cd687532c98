import { type Clock, parseDuration } from "../model/time";
import { Store, type StoreChange } from "./records";

/** Reads that a replica of their own may answer. */
export const readClasses = [
  "catalog",
  "projects",
  "project",
  "canvas",
  "service",
  "variables",
  "deployments",
  "operations",
] as const;
export type ReadClass = (typeof readClasses)[number];

/** The delay of reads behind writes: a change is shown after both have passed. */
export interface Lag {
  readonly ms?: number;
  /** So many reads of the class are still answered as before the change. */
  readonly reads?: number;
  /** After that long it is shown however few reads there were. */
  readonly atMostMs?: number;
}

/** Lag by class of read; `all`: of each class that is not named. */
export type Lags = Readonly<Partial<Record<ReadClass | "all", Lag>>>;

/** Replicas of the data that reads are answered from; without lag there is none. */
export class Replicas {
  #replicas: ReadonlyMap<ReadClass, Replica> = new Map();
  #moment: number | undefined;

  constructor(
    private readonly source: Store,
    private readonly clock: Clock,
  ) {
    source.watch(
      (change) => this.#note(change),
      () => this.#copyAgain(),
    );
  }

  /** Sets the lag of reads from now on; changes until now are shown. */
  setLag({ all, ...lags }: Lags = {}): void {
    const lagging = readClasses.flatMap((name) => {
      const lag = lags[name] ?? all;
      return lag === undefined ? [] : [[name, new Replica(lag, this.clock, this.source)] as const];
    });
    this.#replicas = new Map(lagging);
  }

  #note(change: StoreChange): void {
    const at = this.#moment ?? this.clock.now();
    for (const replica of this.#replicas.values()) replica.take(change, at);
  }

  /** Makes changes that happened at `moment` by themselves, though nothing was read until now. */
  during(moment: number, change: () => void): void {
    this.#moment = moment;
    change();
    this.#moment = undefined;
  }

  view(name: ReadClass): Store {
    return this.#replicas.get(name)?.view() ?? this.source;
  }

  #copyAgain(): void {
    for (const replica of this.#replicas.values()) replica.copy(this.source);
  }
}

class Replica {
  readonly #store: Store;
  #waiting: { readonly change: StoreChange; readonly at: number; readonly atRead: number }[] = [];
  #reads = 0;

  constructor(
    private readonly lag: Lag,
    private readonly clock: Clock,
    source: Store,
  ) {
    this.#store = new Store(clock, undefined);
    this.copy(source);
  }

  copy(source: Store): void {
    this.#store.clear();
    this.#store.replay(source.everything());
    this.#waiting = [];
  }

  take(change: StoreChange, at: number): void {
    this.#waiting.push({ change, at, atRead: this.#reads });
  }

  view(): Store {
    const { ms = 0, reads = 0, atMostMs = Number.POSITIVE_INFINITY } = this.lag;
    const now = this.clock.now();
    // In their order: a replica is as everything was at one moment.
    const behind = this.#waiting.findIndex(
      ({ at, atRead }) => now < at + atMostMs && (now < at + ms || this.#reads < atRead + reads),
    );
    const shown = this.#waiting.splice(0, behind === -1 ? this.#waiting.length : behind);
    this.#store.replay(shown.map(({ change }) => change));
    this.#reads += 1;
    return this.#store;
  }
}

/** Parses the value of `rnv emulator --lag`: `300ms`, `2reads`, `canvas=1s,projects=3reads`. Undefined when it is none. */
export function parseLags(text: string): Lags | undefined {
  const lags: Partial<Record<ReadClass | "all", Lag>> = {};
  for (const part of text.split(",")) {
    const [how = "", name = "all"] = part.trim().split("=").reverse();
    const reads = /^(\d{1,6})reads?$/.exec(how)?.[1];
    const ms = reads === undefined ? parseDuration(how) : undefined;
    const known = [...readClasses, "all" as const].find((one) => one === name);
    if (known === undefined || (reads === undefined && ms === undefined)) return undefined;
    const lag = reads === undefined ? { ms } : { reads: Number(reads) };
    lags[known] = { ...lags[known], ...lag };
  }
  return lags;
}
