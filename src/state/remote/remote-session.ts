import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { JournalEntry, State } from "../../model/state";
import { sha256 } from "../../model/text";
import type { StateSession } from "../backend";
import type { StateCipher } from "../cipher";
import { keptBackups, largestSnapshot } from "../local/disk";
import { type LockRecord, lockLost, lockLostAfterWrite } from "../lock-record";
import { emptyState, lineageFrom, type Origin, replayJournal } from "../recorded";
import {
  type RemoteStore,
  type RetryPolicy,
  remoteUnwritten,
  retryUnanswered,
  type StoredState,
  UnansweredError,
  waitBeforeRetry,
} from "./remote-store";

/** Entries that need not be durable wait this long for others to be written with. */
const lingerMs = 1000;

/** The stored state when the session got the lock. */
export interface RemoteStart {
  readonly state: State | undefined;
  readonly stored: StoredState | undefined;
  /** Of the stored state; 0 when there is none. */
  readonly serial: number;
  readonly generation: number;
  readonly encrypted: boolean;
  readonly damage?: readonly Diagnostic[];
}

export interface RemoteParts {
  readonly store: RemoteStore;
  readonly retryPolicy: RetryPolicy;
  readonly cipher: StateCipher;
  readonly origin: Origin;
  readonly lock: LockRecord;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * The right to write a remote state. Appended entries are taken into the state, and the whole state is written, in
 * groups, with every write a new serial. A write goes through only in place of the version that this session wrote or
 * read last; the outcome of an unanswered write is read before it is repeated.
 */
export class RemoteSession implements StateSession {
  readonly state: State | undefined;
  readonly isFormOutdated: boolean;
  readonly damage?: readonly Diagnostic[];
  readonly #encrypted: boolean;
  #current: State | undefined;
  #serial: number;
  #version: string | undefined;
  /** The snapshot to keep as a backup before the first write. */
  #previous: StoredState | undefined;
  /** Digests of the states that this session sent: a write that arrives late is known by them. */
  readonly #sent = new Set<string>();
  #entries: JournalEntry[] = [];
  #waiters: Waiter[] = [];
  #lingering = false;
  /** `#current` holds entries that are not stored. */
  #dirty = false;
  /** The last write ended without an answer after all its attempts. */
  #silent = false;
  #work: Promise<unknown> = Promise.resolve();
  #failed: unknown;
  /** The lock was seen to be another's, or free: it is not to be freed. */
  #isTaken = false;

  constructor(
    private readonly parts: RemoteParts,
    private readonly start: RemoteStart,
  ) {
    this.state = start.state;
    this.damage = start.damage;
    this.#encrypted = parts.cipher.encrypts(start.encrypted);
    this.isFormOutdated = start.state !== undefined && parts.cipher.isOutdated(start.encrypted);
    this.#current = start.state;
    this.#serial = start.serial;
    this.#version = start.stored?.version;
    this.#previous = start.stored;
  }

  append(entries: readonly JournalEntry[], { durable }: { readonly durable: boolean }): Promise<void> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    this.#entries.push(...entries);
    if (!durable) {
      this.#linger();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      if (this.#waiters.length === 1) this.#inTurn(() => this.#flush());
    });
  }

  commit(state: State): Promise<State> {
    // The given state holds them; entries appended from here on come after it.
    if (this.#waiters.length === 0) this.#entries = [];
    return this.#inTurn(() => {
      this.#current = state;
      this.#dirty = true;
      return this.#put(state);
    });
  }

  erase(): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#failed !== undefined) throw this.#failed;
      const { store } = this.parts;
      const { remove } = store;
      if (remove === undefined) return false;
      await this.#checkLock();
      const version = this.#version;
      try {
        // Where an answer was lost, the next attempt finds nothing any more.
        if (version !== undefined && !(await retryUnanswered(this.#retryPolicy(), () => remove(version))))
          if ((await retryUnanswered(this.#retryPolicy(), () => store.read())) !== undefined)
            throw this.#lose();
      } catch (cause) {
        throw remoteUnwritten(store.location, cause);
      }
      this.#failed = new Error("the state is removed");
      return true;
    });
  }

  release(): Promise<void> {
    return this.#inTurn(async () => {
      const { store, lock } = this.parts;
      // Entries that nobody waited for, and no snapshot took in.
      if (this.#failed === undefined) await this.#flush();
      this.#failed ??= new Error("the session is over");
      // It must not hide why the session ended; a lock that stays is named to the next run.
      if (!this.#isTaken)
        await retryUnanswered(this.#retryPolicy(), () => store.freeLock(lock)).catch(() => undefined);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => undefined);
    return result;
  }

  #linger(): void {
    if (this.#lingering) return;
    this.#lingering = true;
    const write = async (): Promise<void> => {
      await this.parts.retryPolicy.clock.sleep(lingerMs);
      this.#lingering = false;
      await this.#inTurn(() => this.#flush());
    };
    write().catch(() => undefined);
  }

  /** Writes everything appended until now, once. */
  async #flush(): Promise<void> {
    const entries = this.#entries.splice(0);
    const waiters = this.#waiters.splice(0);
    try {
      // Kept when the write fails: a superfluous intent is settled by looking, a missing intent is not.
      if (entries.length > 0) this.#current = replayJournal(this.#current ?? this.#empty(), entries);
      this.#dirty ||= entries.length > 0;
      if (this.#dirty && this.#current !== undefined) await this.#put(this.#current);
      for (const waiter of waiters) waiter.resolve();
    } catch (cause) {
      for (const waiter of waiters) waiter.reject(cause);
    }
  }

  #empty(): State {
    return emptyState({
      lineage: lineageFrom(`${this.parts.lock.id} ${this.parts.lock.since}`),
      ...this.parts.origin,
    });
  }

  async #put(state: State): Promise<State> {
    if (this.#failed !== undefined) throw this.#failed;
    const { store, cipher, lock, retryPolicy } = this.parts;
    const written: State = { ...state, serial: Math.max(this.#serial, state.serial) + 1 };
    const writer = {
      generation: this.start.generation + 1,
      journals: [],
      session: lock.id,
      at: new Date(retryPolicy.clock.now()).toISOString(),
      command: lock.command,
    };
    const bytes = Buffer.from(await cipher.encode(written, writer, this.#encrypted));
    if (bytes.length > largestSnapshot) throw tooLarge(store.location);
    // Used up once it is sent: a write that seems lost may have arrived, and no serial names two states.
    this.#serial = written.serial;
    try {
      await this.#keepPrevious();
      await this.#write(bytes);
      await this.#proveLock();
      this.#silent = false;
    } catch (cause) {
      this.#silent = cause instanceof UnansweredError;
      throw remoteUnwritten(store.location, cause);
    }
    this.#current = written;
    this.#dirty = false;
    return written;
  }

  async #keepPrevious(): Promise<void> {
    const { store } = this.parts;
    const previous = this.#previous;
    if (previous === undefined) return;
    const slot = this.start.generation % keptBackups;
    await retryUnanswered(this.#retryPolicy(), () => store.backups.write(slot, previous.bytes));
    this.#previous = undefined;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { store, lock } = this.parts;
    const retryPolicy = this.#retryPolicy();
    const startedAt = retryPolicy.clock.elapsed();
    this.#sent.add(sha256(bytes));
    for (let number = 0; ; number += 1) {
      await this.#checkLock();
      try {
        const answer = await store.write(bytes, this.#version, lock);
        if (answer.kind === "written") {
          this.#version = answer.version;
          return;
        }
        if (answer.kind === "not-ours") throw this.#lose(answer.holder);
        if (await this.#isWritten(bytes)) return;
        // It stands as expected after all: two writes crossed each other.
        if (!(await waitBeforeRetry(retryPolicy, { number, startedAt }, new UnansweredError(""))))
          throw this.#lose();
      } catch (cause) {
        if (!(cause instanceof UnansweredError)) throw cause;
        const waited = await waitBeforeRetry(retryPolicy, { number, startedAt }, cause);
        if (await this.#isWritten(bytes)) return;
        if (!waited) throw cause;
      }
    }
  }

  /** Whether a write without an answer arrived. Throws when another state is stored. */
  async #isWritten(bytes: Uint8Array): Promise<boolean> {
    const { store } = this.parts;
    const found = await retryUnanswered(this.#retryPolicy(), () => store.read());
    if (found !== undefined && Buffer.compare(found.bytes, bytes) === 0) {
      this.#version = found.version;
      return true;
    }
    // An earlier write of this session may arrive late, where the store cannot refuse it.
    const isOurs = found !== undefined && this.#sent.has(sha256(found.bytes));
    if (found?.version !== this.#version && !isOurs) throw this.#lose();
    this.#version = found?.version;
    return false;
  }

  async #checkLock(): Promise<void> {
    const { store, lock } = this.parts;
    const { readLock } = store;
    if (readLock === undefined) return;
    const found = await retryUnanswered(this.#retryPolicy(), readLock);
    if (found === "free" || found === "unreadable") throw this.#lose();
    if (found.id !== lock.id || found.generation !== lock.generation) throw this.#lose(found);
  }

  /** Asks for the lock: a write that went through proves nothing where the server takes any write once the lock is free. */
  async #proveLock(): Promise<void> {
    const { store, lock } = this.parts;
    const { proveLock } = store;
    if (proveLock === undefined) return;
    const found = await retryUnanswered(this.#retryPolicy(), () => proveLock(lock));
    if (found === "ours" || found === "untold") return;
    this.#isTaken = true;
    this.#failed = lockLostAfterWrite(store.location, found === "free" ? undefined : found);
    throw this.#failed;
  }

  /** Returns the policy without retries once a server was silent to the end. */
  #retryPolicy(): RetryPolicy {
    const { retryPolicy } = this.parts;
    return this.#silent ? { ...retryPolicy, retries: 0 } : retryPolicy;
  }

  /** Ends the session: nothing may build on it any more. */
  #lose(holder?: LockRecord): DiagnosticsError {
    const by =
      holder === undefined
        ? "the state or its lock was changed by another user"
        : `${holder.command} (pid ${holder.pid} on ${holder.host}) holds it now`;
    const lost = lockLost(by);
    this.#failed = lost;
    return lost;
  }
}

const tooLarge = (location: string): DiagnosticsError =>
  new DiagnosticsError([
    error(
      "state.write_failed",
      `cannot write ${location}: the state is larger than ${largestSnapshot} bytes`,
      {
        hint: "split the manifest into several, each with a state of its own",
      },
    ),
  ]);
