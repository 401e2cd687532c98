import type { DiagnosticsError } from "../../diagnostics/diagnostic";
import { sha256 } from "../../model/text";
import { keptBackups, type StateBackend } from "../backend";
import { aroundOf, type BackendOptions, createBackend, type StateStore } from "../create-backend";
import {
  checkLock,
  holderOf,
  type LockRecord,
  type LockStore,
  lockLost,
  lockLostAfterWrite,
} from "../lock-record";
import { decodeSnapshot, nothingRecorded, type Recorded, readDamagedText } from "../recorded";
import type { LockedStore } from "../session";
import {
  type RemoteStore,
  type RetryPolicy,
  remoteUnread,
  remoteUnwritten,
  retryUnanswered,
  type StoredState,
  UnansweredError,
  waitBeforeRetry,
} from "./remote-store";

export interface RemoteBackendOptions extends Omit<BackendOptions, "clock"> {
  readonly store: RemoteStore;
  readonly retryPolicy: RetryPolicy;
}

/** Keeps a state in a store outside this machine. */
export const createRemoteBackend = (options: RemoteBackendOptions): StateBackend => {
  const { clock } = options.retryPolicy;
  return createBackend(options.store.location, async () => openRemote(options), { ...options, clock });
};

/** Repeats requests while no answer comes; not any more once the server was silent to the end, until it answers again. */
class Patience {
  isSpent = false;

  constructor(private readonly full: RetryPolicy) {}

  get policy(): RetryPolicy {
    return this.isSpent ? { ...this.full, retries: 0 } : this.full;
  }

  async ask<T>(request: () => Promise<T>): Promise<T> {
    try {
      const answer = await retryUnanswered(this.policy, request);
      this.isSpent = false;
      return answer;
    } catch (cause) {
      this.isSpent ||= cause instanceof UnansweredError;
      throw cause;
    }
  }
}

function openRemote({ store, retryPolicy, ...options }: RemoteBackendOptions): StateStore {
  const { location, backups } = store;
  const { origin, cipher } = aroundOf({ ...options, clock: retryPolicy.clock });
  const patience = new Patience(retryPolicy);
  const locks = patientLocks(store.locks, patience);
  const reading = <T>(name: string, request: () => Promise<T>): Promise<T> =>
    patience.ask(request).catch((cause) => {
      throw remoteUnread(name, cause);
    });
  const readStored = () => reading(location, () => store.read());
  const backupOf = (slot: number) => reading(backups.name(slot), () => backups.read(slot));
  return {
    location,
    locks,
    async read() {
      const stored = await readStored();
      if (stored === undefined) return nothingRecorded;
      const { state, writer, encrypted } = await decodeSnapshot(stored.bytes, location, origin, cipher);
      const { serial } = state;
      return { ...nothingRecorded, state, stored, serial, generation: writer.generation, encrypted };
    },
    async readDamaged() {
      const stored = await readStored();
      return { ...readDamagedText(stored?.bytes), stored };
    },
    open: async ({ record }, start) => new LockedRemoteStore(store, { patience, locks, record, start }),
    async backups() {
      const texts = await Promise.all(slots.map(backupOf));
      const serials = texts.map((text) => text && readDamagedText(text).serial);
      return slots
        .filter((slot) => serials[slot] !== undefined)
        .sort((a, b) => (serials[b] ?? 0) - (serials[a] ?? 0))
        .map((slot) => backups.name(slot));
    },
    async readBackup(name) {
      const slot = slots.find((one) => backups.name(one) === name);
      return slot === undefined ? undefined : backupOf(slot);
    },
  };
}

const slots = Array.from({ length: keptBackups }, (_, slot) => slot);

function patientLocks(locks: LockStore, patience: Patience): LockStore {
  const { location, replaceLock, readLock } = locks;
  const ask = <T>(request: () => Promise<T>): Promise<T> =>
    patience.ask(request).catch((cause) => {
      throw remoteUnwritten(location, cause);
    });
  return {
    ...locks,
    takeLock: (record) =>
      patience
        .ask(() => locks.takeLock(record))
        .catch(async (cause) => {
          // The lock may have been given although its answer was lost.
          if (cause instanceof UnansweredError) await locks.freeLock(record).catch(() => undefined);
          throw remoteUnwritten(location, cause);
        }),
    replaceLock: replaceLock && ((from, to) => ask(() => replaceLock(from, to))),
    readLock: readLock && (() => ask(readLock)),
    findLock: (id, self) => ask(() => locks.findLock(id, self)),
    freeLock: (record, by) => ask(() => locks.freeLock(record, by)),
  };
}

interface LockedParts {
  readonly patience: Patience;
  readonly locks: LockStore;
  readonly record: LockRecord;
  readonly start: Recorded;
}

/**
 * A remote state while this run holds its lock. A write goes through only in place of the version that this session wrote
 * or read last; the outcome of an unanswered write is read before it is repeated.
 */
class LockedRemoteStore implements LockedStore {
  readonly journals = [];
  isLockTaken = false;
  #version: string | undefined;
  /** The snapshot to keep as a backup before the first write. */
  #previous: StoredState | undefined;
  /** Digests of the states that this session sent: a write that arrives late is known by them. */
  readonly #sent = new Set<string>();

  constructor(
    private readonly store: RemoteStore,
    private readonly parts: LockedParts,
  ) {
    this.#version = parts.start.stored?.version;
    this.#previous = parts.start.stored;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { patience } = this.parts;
    try {
      await this.#keepPrevious();
      await this.#write(bytes);
      await this.#proveLock();
    } catch (cause) {
      patience.isSpent ||= cause instanceof UnansweredError;
      throw remoteUnwritten(this.store.location, cause);
    }
  }

  async erase(): Promise<boolean> {
    const { store } = this;
    const { patience } = this.parts;
    const { remove } = store;
    if (remove === undefined) return false;
    await this.#checkLock();
    const version = this.#version;
    try {
      // Where an answer was lost, the next attempt finds nothing any more.
      const isLost = version !== undefined && !(await patience.ask(() => remove(version)));
      if (isLost && (await patience.ask(() => store.read())) !== undefined) throw this.#lost();
    } catch (cause) {
      throw remoteUnwritten(store.location, cause);
    }
    return true;
  }

  async #keepPrevious(): Promise<void> {
    const previous = this.#previous;
    if (previous === undefined) return;
    const { patience, start } = this.parts;
    const slot = start.generation % keptBackups;
    await patience.ask(() => this.store.backups.write(slot, previous.bytes));
    this.#previous = undefined;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { policy } = this.parts.patience;
    const startedAt = policy.clock.elapsed();
    this.#sent.add(sha256(bytes));
    for (let number = 0; ; number += 1) {
      await this.#checkLock();
      try {
        const answer = await this.store.write(bytes, this.#version, this.parts.record);
        if (answer.kind === "written") {
          this.#version = answer.version;
          return;
        }
        if (answer.kind === "not-ours") throw this.#lost(answer.holder);
        if (await this.#isWritten(bytes)) return;
        // It stands as expected after all: two writes crossed each other.
        if (!(await waitBeforeRetry(policy, { number, startedAt }, new UnansweredError(""))))
          throw this.#lost();
      } catch (cause) {
        if (!(cause instanceof UnansweredError)) throw cause;
        const waited = await waitBeforeRetry(policy, { number, startedAt }, cause);
        if (await this.#isWritten(bytes)) return;
        if (!waited) throw cause;
      }
    }
  }

  /** Whether a write without an answer arrived. Throws when another state is stored. */
  async #isWritten(bytes: Uint8Array): Promise<boolean> {
    const found = await this.parts.patience.ask(() => this.store.read());
    if (found !== undefined && Buffer.compare(found.bytes, bytes) === 0) {
      this.#version = found.version;
      return true;
    }
    // An earlier write of this session may arrive late, where the store cannot refuse it.
    const isOurs = found !== undefined && this.#sent.has(sha256(found.bytes));
    if (found?.version !== this.#version && !isOurs) throw this.#lost();
    this.#version = found?.version;
    return false;
  }

  #checkLock(): Promise<void> {
    return checkLock(this.parts.locks, this.parts.record, changedByOther);
  }

  /** Asks for the lock: a write that went through proves nothing where the server takes any write once the lock is free. */
  async #proveLock(): Promise<void> {
    const { probeLock, location } = this.store;
    const { record, patience } = this.parts;
    if (probeLock === undefined) return;
    const found = await patience.ask(() => probeLock({ ...record, id: `${record.id}-proof` }));
    if (found === "unreadable" || (found !== "free" && found.id === record.id)) return;
    this.isLockTaken = true;
    throw lockLostAfterWrite(location, holderOf(found));
  }

  #lost(holder?: LockRecord): DiagnosticsError {
    this.isLockTaken = holder !== undefined;
    return lockLost(holder, changedByOther);
  }
}

const changedByOther = "the state or its lock was changed by another user";
