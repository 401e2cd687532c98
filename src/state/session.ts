import { setImmediate } from "node:timers/promises";
import { type Diagnostic, DiagnosticsError, failure, warning } from "../diagnostics/diagnostic";
import type { JournalEntry, State } from "../model/state";
import type { Clock } from "../model/time";
import { type Durability, largestSnapshot, type StateSession } from "./backend";
import type { StateCipher } from "./cipher";
import type { LockRecord, LockStore } from "./lock-record";
import { type Recorded, replayJournal } from "./recorded";

/** Entries that need not be durable wait this long to be written with others, where there is no journal, milliseconds. */
const lingerMs = 1000;

/** Keeps snapshots, and a journal where the store has one. Every write checks the lock. Throws `DiagnosticsError`. */
export interface LockedStore {
  /**
   * Puts a snapshot in place of the last one, and empties the journal. Where there is a journal, nothing may be written after
   * a failure: it is unknown which snapshot a power cut would leave.
   */
  write(bytes: Uint8Array, written: State): Promise<void>;
  /** Appends entries to the journal, all or none; absent where there is none. */
  readonly append?: (entries: readonly JournalEntry[], durability: Durability) => Promise<void>;
  /** Removes the state, its journal and its backups; false where the store removes nothing. */
  erase(): Promise<boolean>;
  close?(): Promise<void>;
  /** The lock was seen to be another run's: it is not to be freed. */
  readonly isLockTaken?: boolean;
}

interface SessionParts {
  readonly location: string;
  readonly lock: LockRecord;
  readonly locks: Pick<LockStore, "freeLock">;
  readonly start: Recorded;
  readonly clock: Clock;
  readonly cipher: StateCipher;
}

interface Request {
  readonly entries: readonly JournalEntry[];
  readonly durable: boolean;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

const hasIntent = ({ entries }: Request): boolean => entries.some(({ kind }) => kind === "intent");

/**
 * The right to write a state. Entries appended together are written together, in the order of the calls. They go to the
 * journal; without a journal the whole state is written, with a new serial.
 */
export class StoreSession implements StateSession {
  readonly state: State | undefined;
  readonly isFormOutdated: boolean;
  readonly damage?: readonly Diagnostic[] | undefined;
  readonly #encrypted: boolean;
  /** The stored state with the entries that were appended since, where there is no journal. */
  #current: State | undefined;
  /** An earlier run left a journal: a snapshot takes it in before another is begun. */
  #isJournalLeft: boolean;
  #hasUnsaved = false;
  #serial: number;
  #queue: Request[] = [];
  #isFlushDue = false;
  #isLingering = false;
  #work: Promise<unknown> = Promise.resolve();
  /** Why nothing more may be written: the lock is lost, a snapshot failed, or the state is removed. */
  #over: unknown;

  constructor(
    private readonly store: LockedStore,
    private readonly parts: SessionParts,
  ) {
    const { state, serial, encrypted, damage, hasPending } = parts.start;
    this.state = state;
    this.damage = damage;
    this.isFormOutdated = state !== undefined && parts.cipher.isOutdated(encrypted);
    this.#encrypted = parts.cipher.encrypts(encrypted);
    this.#current = state;
    this.#isJournalLeft = hasPending;
    this.#serial = serial;
  }

  append(entries: readonly JournalEntry[], { durable }: Durability): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      if (this.#current === undefined) return reject(new Error("a state begins with a snapshot"));
      this.#queue.push({ entries, durable, resolve, reject });
      if (durable || this.store.append) return this.#flushInTurn();
      resolve();
      this.#flushLater();
    });
  }

  commit(state: State): Promise<State> {
    // The given state holds the entries that still linger; entries appended from here on come after it.
    if (!this.#isFlushDue) this.#queue = [];
    return this.#inTurn(() => this.#write(state));
  }

  erase(): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#over !== undefined) throw this.#over;
      const isErased = await this.store.erase();
      if (isErased) this.#over = new Error("the state is removed");
      return isErased;
    });
  }

  release(): Promise<Diagnostic | undefined> {
    return this.#inTurn(async () => {
      // Entries that were not waited for, and that no snapshot holds.
      await this.#flush();
      this.#over ??= new Error("the session is over");
      await this.store.close?.();
      const { location, locks, lock } = this.parts;
      if (this.store.isLockTaken) return undefined;
      const hint = `to free it: rnv force-unlock ${lock.id}`;
      return locks.freeLock(lock).then(
        () => undefined,
        ({ message: detail }: Error) =>
          warning("state.lock_held", `${location} is still locked by this run`, { detail, hint }),
      );
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => undefined);
    return result;
  }

  #flushInTurn(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    this.#inTurn(async () => {
      // Entries for answers that are still to be read go out in the same write.
      await setImmediate();
      await this.#flush();
    });
  }

  #flushLater(): void {
    if (this.#isLingering) return;
    this.#isLingering = true;
    const flush = (): void => {
      this.#isLingering = false;
      this.#flushInTurn();
    };
    this.parts.clock.sleep(lingerMs).then(flush, () => undefined);
  }

  async #flush(): Promise<void> {
    this.#isFlushDue = false;
    const batch = this.#queue.splice(0);
    if (this.store.append === undefined) return this.#settle(batch, (entries) => this.#takeIn(entries));
    // Outcomes go first: intents that find no room on the disk must not take them along.
    for (const part of [batch.filter((request) => !hasIntent(request)), batch.filter(hasIntent)]) {
      const durable = part.some((request) => request.durable);
      if (part.length > 0) await this.#settle(part, (entries) => this.#append(entries, { durable }));
    }
  }

  async #settle(
    batch: readonly Request[],
    write: (entries: readonly JournalEntry[]) => Promise<void>,
  ): Promise<void> {
    try {
      if (this.#over !== undefined) throw this.#over;
      await write(batch.flatMap(({ entries }) => entries));
      for (const request of batch) request.resolve();
    } catch (cause) {
      for (const request of batch) request.reject(cause);
    }
  }

  async #append(entries: readonly JournalEntry[], durability: Durability): Promise<void> {
    if (this.#isJournalLeft && this.#current) await this.#write(this.#current);
    await this.store.append?.(entries, durability);
  }

  async #takeIn(entries: readonly JournalEntry[]): Promise<void> {
    // Kept when the write fails: a superfluous intent is settled by looking, a missing intent is not.
    this.#hasUnsaved ||= entries.length > 0;
    if (!this.#hasUnsaved || this.#current === undefined) return;
    this.#current = replayJournal(this.#current, entries);
    await this.#write(this.#current);
  }

  async #write(state: State): Promise<State> {
    const { store } = this;
    const { lock, start, clock, cipher, location } = this.parts;
    if (this.#over !== undefined) throw this.#over;
    this.#current = state;
    this.#hasUnsaved = true;
    const written: State = { ...state, serial: Math.max(this.#serial, state.serial) + 1 };
    const writer = {
      generation: start.generation + 1,
      session: lock.id,
      at: new Date(clock.now()).toISOString(),
      command: lock.command,
    };
    const bytes = Buffer.from(await cipher.encode(written, writer, this.#encrypted));
    if (bytes.length > largestSnapshot) throw tooLarge(location);
    // Used up from here on: a write that seems lost may have arrived, and no serial names two states.
    this.#serial = written.serial;
    await store.write(bytes, written).catch((cause: unknown) => {
      if (store.append !== undefined || isLockLost(cause)) this.#over ??= cause;
      throw cause;
    });
    this.#current = written;
    this.#hasUnsaved = false;
    this.#isJournalLeft = false;
    return written;
  }
}

const isLockLost = (cause: unknown): boolean =>
  cause instanceof DiagnosticsError && cause.diagnostics[0]?.code === "state.lock_lost";

const tooLarge = (location: string): DiagnosticsError => {
  const summary = `cannot write ${location}: the state is larger than ${largestSnapshot} bytes`;
  return failure("state.write_failed", summary, {
    hint: "split the manifest into several, each with a state of its own",
  });
};
