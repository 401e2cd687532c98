import type { DiagnosticsError } from "../../diagnostics/diagnostic";
import { sha256 } from "../../model/sha256";
import { keptBackups, type StateBackend } from "../backend";
import { type BackendOptions, createBackend, type StateStore } from "../create-backend";
import { checkLock, holderOf, type LockRecord, lockLost } from "../lock-record";
import { highest, type Recorded } from "../recorded";
import type { LockedStore } from "../session";
import { type RemoteStore, writing } from "./remote-store";

export function createRemoteBackend(store: RemoteStore, options: BackendOptions): StateBackend {
  const { location, locks, backups } = store;
  const names = backups === undefined ? [] : slots.map((slot) => backups.name(slot));
  const opened: StateStore = {
    location,
    locks,
    async read() {
      const stored = await store.read();
      return { snapshot: stored?.bytes, version: stored?.version };
    },
    open: async ({ record }, start) => new LockedRemoteStore(store, record, start),
    async backups() {
      const texts = await Promise.all(names.map((_, slot) => backups?.read(slot)));
      const serials = texts.map((text) => text && highest(Buffer.from(text).toString("utf8"), "serial"));
      return slots
        .filter((slot) => serials[slot] !== undefined)
        .sort((a, b) => (serials[b] ?? 0) - (serials[a] ?? 0))
        .flatMap((slot) => names[slot] ?? []);
    },
    readBackup: async (name) => backups?.read(names.indexOf(name)),
  };
  return createBackend(location, async () => opened, options);
}

const slots = Array.from({ length: keptBackups }, (_, slot) => slot);

/**
 * A remote state while this run holds its lock. A write only replaces the version that this session wrote or read last.
 */
class LockedRemoteStore implements LockedStore {
  isLockTaken = false;
  #version: string | undefined;
  /** The snapshot to keep as a backup before the first write. */
  #previous: Uint8Array | undefined;
  /** Digests of the states that this session sent: a write that arrives late is known by them. */
  readonly #sent = new Set<string>();

  constructor(
    private readonly store: RemoteStore,
    private readonly lock: LockRecord,
    private readonly start: Recorded,
  ) {
    this.#version = start.stored.version;
    this.#previous = start.stored.snapshot;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#keepPrevious();
    await this.#write(bytes);
    await this.#proveLock();
  }

  async erase(): Promise<boolean> {
    const { remove, read, locks } = this.store;
    if (remove === undefined) return false;
    await checkLock(locks, this.lock, changedByOther);
    const version = this.#version;
    // After a lost answer, the next attempt finds nothing any more.
    if (version !== undefined && !(await remove(version)) && (await read()) !== undefined) throw this.#lost();
    return true;
  }

  async #keepPrevious(): Promise<void> {
    if (this.#previous === undefined) return;
    await this.store.backups?.write(this.start.generation % keptBackups, this.#previous);
    this.#previous = undefined;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { store, lock } = this;
    this.#sent.add(sha256(bytes));
    await store.server.ask(writing(store.location), async () => {
      await checkLock(store.locks, lock, changedByOther);
      const answer = await store.write(bytes, this.#version, lock);
      if (answer.kind === "not-ours") throw this.#lost(answer.holder);
      if (answer.kind === "written") this.#version = answer.version;
      else if (!(await this.#isWritten(bytes))) throw store.crossed;
    });
  }

  /** Returns true if a write whose answer was lost arrived. Throws when another state is stored. */
  async #isWritten(bytes: Uint8Array): Promise<boolean> {
    const found = await this.store.read();
    // An earlier write of this session may arrive late, where the store cannot refuse it.
    const isOurs = found !== undefined && this.#sent.has(sha256(found.bytes));
    if (found?.version !== this.#version && !isOurs) throw this.#lost();
    this.#version = found?.version;
    return found !== undefined && Buffer.compare(found.bytes, bytes) === 0;
  }

  /** Asks for the lock: a write that went through proves nothing where the server takes any write once the lock is free. */
  async #proveLock(): Promise<void> {
    const { probeLock, location } = this.store;
    const found = (await probeLock?.({ ...this.lock, id: `${this.lock.id}-proof` })) ?? this.lock;
    if (found === "unreadable" || (found !== "free" && found.id === this.lock.id)) return;
    this.isLockTaken = true;
    throw lockLost(holderOf(found), "it is free", location);
  }

  #lost(holder?: LockRecord): DiagnosticsError {
    this.isLockTaken = holder !== undefined;
    return lockLost(holder, changedByOther);
  }
}

const changedByOther = "the state or its lock was changed by another user";
