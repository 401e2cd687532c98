import type { Clock } from "../model/time";
import { parseDuration } from "../model/time";
import type { Condition } from "./behaviour";
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

/** How far reads are behind writes: a change is shown once both have passed. */
export interface Lag {
  readonly ms?: number;
  /** So many reads of the class are still answered as before the change. */
  readonly reads?: number;
  /** After that long it is shown however few reads there were. */
  readonly atMostMs?: number;
}

/** Lag by class of read; `all`: of each class that is not named. */
export type Lags = Readonly<Partial<Record<ReadClass | "all", Lag>>>;

/** The version of the store that answers a read. */
export interface ReadView {
  readonly store: Store;
  readonly conditions: ReadonlySet<Condition>;
}

type Event = StoreChange | { readonly condition: Condition; readonly holds: boolean };

/** Replicas of the data that reads are answered from; without lag there is none. */
export class Replicas {
  #replicas: ReadonlyMap<ReadClass, Replica> = new Map();
  #moment: number | undefined;
  /** Answers that differ from what there was when they were given. */
  answersBehind = 0;

  constructor(
    private readonly source: { readonly store: Store; readonly conditions: ReadonlySet<Condition> },
    private readonly clock: Clock,
  ) {
    source.store.watch(
      (change) => this.note(change),
      () => this.#copyAgain(),
    );
  }

  /** Sets how far reads lag from here on; what has changed by now is shown. */
  setLag({ all, ...lags }: Lags = {}): void {
    const lagging = readClasses.flatMap((name) => {
      const lag = lags[name] ?? all;
      return lag === undefined ? [] : [[name, new Replica(lag, this.clock, this.source)] as const];
    });
    this.#replicas = new Map(lagging);
  }

  /** Something changed at the service. */
  note(event: Event): void {
    const at = this.#moment ?? this.clock.now();
    for (const replica of this.#replicas.values()) replica.take(event, at);
  }

  /** Makes changes that happened at `moment` by themselves, though nothing was read until now. */
  during(moment: number, change: () => void): void {
    this.#moment = moment;
    change();
    this.#moment = undefined;
  }

  /** Returns the version that a read of this class shows; counts the read. */
  view(name: ReadClass): ReadView {
    return this.#replicas.get(name)?.view() ?? this.source;
  }

  #copyAgain(): void {
    for (const replica of this.#replicas.values()) replica.copy(this.source);
  }
}

class Replica {
  #store: Store;
  #conditions = new Set<Condition>();
  #waiting: {
    readonly event: Event;
    readonly shownAt: number;
    readonly shownAtRead: number;
    readonly shownAtLast: number;
  }[] = [];
  #reads = 0;

  constructor(
    private readonly lag: Lag,
    private readonly clock: Clock,
    source: ReadView,
  ) {
    this.#store = new Store(clock, undefined);
    this.copy(source);
  }

  copy({ store, conditions }: ReadView): void {
    this.#store = new Store(this.clock, undefined);
    this.#store.replay(store.everything());
    this.#conditions = new Set(conditions);
    this.#waiting = [];
  }

  take(event: Event, at: number): void {
    const { ms = 0, reads = 0, atMostMs = Number.POSITIVE_INFINITY } = this.lag;
    this.#waiting.push({
      event,
      shownAt: at + Math.min(ms, atMostMs),
      shownAtRead: this.#reads + reads,
      shownAtLast: at + atMostMs,
    });
  }

  view(): ReadView {
    const now = this.clock.now();
    // In their order: a replica is as everything was at one moment.
    const behind = this.#waiting.findIndex(
      (one) => now < one.shownAtLast && (one.shownAt > now || one.shownAtRead > this.#reads),
    );
    const shown = this.#waiting.splice(0, behind === -1 ? this.#waiting.length : behind);
    for (const { event } of shown) this.#show(event);
    this.#reads += 1;
    return { store: this.#store, conditions: this.#conditions };
  }

  #show(event: Event): void {
    if (!("condition" in event)) this.#store.replay([event]);
    else if (event.holds) this.#conditions.add(event.condition);
    else this.#conditions.delete(event.condition);
  }
}

/** Parses the value of `rnv emulator --lag`: `300ms`, `2reads`, `canvas=1s,projects=3reads`. Undefined when it is none. */
export function parseLags(text: string): Lags | undefined {
  const lags: Partial<Record<ReadClass | "all", Lag>> = {};
  for (const part of text.split(",")) {
    const [how = "", name = "all"] = part.trim().split("=").reverse();
    const reads = /^(\d{1,6})reads?$/.exec(how)?.[1];
    const ms = reads === undefined ? parseDuration(how) : undefined;
    if (!isLagging(name) || (reads === undefined && ms === undefined)) return undefined;
    lags[name] = { ...lags[name], ...(reads === undefined ? { ms } : { reads: Number(reads) }) };
  }
  return lags;
}

const isLagging = (name: string): name is ReadClass | "all" =>
  name === "all" || (readClasses as readonly string[]).includes(name);
