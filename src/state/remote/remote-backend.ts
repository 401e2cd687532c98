import type { DiagnosticsError } from "../../diagnostics/diagnostic";
import { sha256 } from "../../model/text";
import type { Clock } from "../../model/time";
import { keptBackups, type StateBackend } from "../backend";
import { aroundOf, type BackendOptions, createBackend, type StateStore } from "../create-backend";
import {
  holderOf,
  isSameLock,
  type LockRecord,
  type LockStore,
  lockLost,
  lockLostAfterWrite,
  lockUnreadable,
} from "../lock-record";
import { decodeSnapshot, nothingRecorded, type Recorded, readDamagedText } from "../recorded";
import type { LockedStore } from "../session";
import type { TextWriter } from "../state-text";
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

function openRemote({ store, retryPolicy, ...options }: RemoteBackendOptions): StateStore {
  const { location } = store;
  const { origin, cipher } = aroundOf({ ...options, clock: retryPolicy.clock });
  const readStored = (): Promise<StoredState | undefined> =>
    retryUnanswered(retryPolicy, () => store.read()).catch((cause) => {
      throw remoteUnread(location, cause);
    });
  const backupOf = (slot: number): Promise<Uint8Array | undefined> =>
    retryUnanswered(retryPolicy, () => store.backups.read(slot)).catch((cause) => {
      throw remoteUnread(store.backups.name(slot), cause);
    });
  return {
    locks: remoteLocks(store, retryPolicy),
    async read() {
      const stored = await readStored();
      if (stored === undefined) return nothingRecorded;
      const { state, writer, encrypted } = await decodeSnapshot(stored.bytes, location, origin, cipher);
      const { serial } = state;
      return { ...nothingRecorded, state, stored, serial, generation: writer.generation, encrypted };
    },
    async readDamaged() {
      const stored = await readStored();
      return { ...readDamagedText(Buffer.from(stored?.bytes ?? []).toString("utf8")), stored };
    },
    open: async ({ record }, start) => new LockedRemoteStore(store, retryPolicy, record, start),
    async backups() {
      const texts = await Promise.all(slots.map(backupOf));
      const serials = texts.map((text) => text && readDamagedText(Buffer.from(text).toString("utf8")).serial);
      return slots
        .filter((slot) => serials[slot] !== undefined)
        .sort((a, b) => (serials[b] ?? 0) - (serials[a] ?? 0))
        .map((slot) => store.backups.name(slot));
    },
    async readBackup(name) {
      const slot = slots.find((one) => store.backups.name(one) === name);
      return slot === undefined ? undefined : backupOf(slot);
    },
  };
}

const slots = Array.from({ length: keptBackups }, (_, slot) => slot);

function remoteLocks(store: RemoteStore, retryPolicy: RetryPolicy): LockStore {
  const { location, replaceLock, readLock, unlockHint } = store;
  const ask = <T>(request: () => Promise<T>): Promise<T> =>
    retryUnanswered(retryPolicy, request).catch((cause) => {
      throw remoteUnwritten(location, cause);
    });
  return {
    location,
    pauses: [500, 8000],
    takeLock: (record) =>
      retryUnanswered(retryPolicy, () => store.takeLock(record)).catch(async (cause) => {
        // The lock may have been given although its answer was lost.
        if (cause instanceof UnansweredError) await store.freeLock(record).catch(() => undefined);
        throw remoteUnwritten(location, cause);
      }),
    replaceLock: replaceLock && ((from, to) => ask(() => replaceLock(from, to))),
    async findLock(id, self) {
      if (readLock === undefined) return holderByTaking(id, self);
      return holderOf(await ask(readLock));
    },
    freeLock: (record) => ask(() => store.freeLock(record)),
    unreadable: () => lockUnreadable(`a lock on ${location}`, unlockHint),
  };

  /** A store that does not tell whose its lock is refuses to give it. One that says only that it is held compares the id itself. */
  async function holderByTaking(id: string, self: LockRecord): Promise<LockRecord | undefined> {
    const found = await ask(() => store.takeLock(self));
    const unnamed = { ...self, id, host: "an unknown host", pid: 0, command: "another run", process: {} };
    if (found !== self) return found === "unreadable" ? unnamed : found;
    await ask(() => store.freeLock(self));
    return undefined;
  }
}

/**
 * A remote state while this run holds its lock. A write goes through only in place of the version that this session wrote
 * or read last; the outcome of an unanswered write is read before it is repeated.
 */
export class LockedRemoteStore implements LockedStore {
  readonly location: string;
  readonly clock: Clock;
  #version: string | undefined;
  /** The snapshot to keep as a backup before the first write. */
  #previous: StoredState | undefined;
  /** Digests of the states that this session sent: a write that arrives late is known by them. */
  readonly #sent = new Set<string>();
  /** The last write ended without an answer after all its attempts. */
  #silent = false;
  #failure: unknown;
  /** The lock was seen to be another's, or free: it is not to be freed. */
  #isTaken = false;

  constructor(
    private readonly store: RemoteStore,
    private readonly policy: RetryPolicy,
    readonly holder: LockRecord,
    readonly start: Recorded,
  ) {
    this.location = store.location;
    this.clock = policy.clock;
    this.#version = start.stored?.version;
    this.#previous = start.stored;
  }

  get failure(): unknown {
    return this.#failure;
  }

  writer(): TextWriter {
    return { generation: this.start.generation + 1, journals: [], session: this.holder.id };
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#keepPrevious();
      await this.#write(bytes);
      await this.#proveLock();
      this.#silent = false;
    } catch (cause) {
      this.#silent = cause instanceof UnansweredError;
      throw remoteUnwritten(this.location, cause);
    }
  }

  async erase(): Promise<boolean> {
    const { store } = this;
    const { remove } = store;
    if (remove === undefined) return false;
    await this.#checkLock();
    const version = this.#version;
    try {
      // Where an answer was lost, the next attempt finds nothing any more.
      const isLost = version !== undefined && !(await this.#ask(() => remove(version)));
      if (isLost && (await this.#ask(() => store.read())) !== undefined) throw this.#lose();
    } catch (cause) {
      throw remoteUnwritten(store.location, cause);
    }
    return true;
  }

  async free(): Promise<void> {
    const { store, holder } = this;
    // A lock that stays is named to the next run.
    if (!this.#isTaken) await this.#ask(() => store.freeLock(holder)).catch(() => undefined);
  }

  async #keepPrevious(): Promise<void> {
    const previous = this.#previous;
    if (previous === undefined) return;
    const slot = this.start.generation % keptBackups;
    await this.#ask(() => this.store.backups.write(slot, previous.bytes));
    this.#previous = undefined;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { store, holder: lock } = this;
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
    const found = await this.#ask(() => this.store.read());
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
    const { holder: lock } = this;
    const { readLock } = this.store;
    if (readLock === undefined) return;
    const found = await this.#ask(readLock);
    if (!isSameLock(found, lock)) throw this.#lose(holderOf(found));
  }

  /** Asks for the lock: a write that went through proves nothing where the server takes any write once the lock is free. */
  async #proveLock(): Promise<void> {
    const { store, holder: lock } = this;
    const { proveLock } = store;
    if (proveLock === undefined) return;
    const found = await this.#ask(() => proveLock(lock));
    if (found === "unreadable" || (found !== "free" && found.id === lock.id)) return;
    this.#isTaken = true;
    this.#failure = lockLostAfterWrite(store.location, holderOf(found));
    throw this.#failure;
  }

  /** Repeats a request while no answer comes; not any more once the server was silent to the end. */
  #ask<T>(request: () => Promise<T>): Promise<T> {
    return retryUnanswered(this.#retryPolicy(), request);
  }

  #retryPolicy(): RetryPolicy {
    return this.#silent ? { ...this.policy, retries: 0 } : this.policy;
  }

  /** Ends the session: nothing may build on it any more. */
  #lose(holder?: LockRecord): DiagnosticsError {
    const lost = lockLost(holder, "the state or its lock was changed by another user");
    this.#failure = lost;
    return lost;
  }
}
