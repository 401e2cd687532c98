import { keptBackups, type StateBackend } from "../backend";
import { aroundOf, type BackendOptions, createBackend, type StateStore } from "../create-backend";
import { type LockRecord, type LockStore, lockUnreadable } from "../lock-record";
import { decodeSnapshot, nothingRecorded, readDamagedText } from "../recorded";
import { LockedRemoteStore } from "./locked-remote-store";
import {
  type RemoteStore,
  type RetryPolicy,
  remoteUnread,
  remoteUnwritten,
  retryUnanswered,
  type StoredState,
  UnansweredError,
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
      const found = await ask(readLock);
      return typeof found === "string" ? undefined : found;
    },
    freeLock: (record) => ask(() => store.freeLock(record)),
    unreadable: () => lockUnreadable(`a lock on ${location}`, unlockHint),
  };

  /** A store that does not tell whose its lock is refuses to give it. One that says only that it is held compares the id itself. */
  async function holderByTaking(id: string, self: LockRecord): Promise<LockRecord | undefined> {
    const answer = await ask(() => store.takeLock(self));
    if (answer.kind === "held")
      return (
        answer.record ?? { ...self, id, host: "an unknown host", pid: 0, command: "another run", process: {} }
      );
    await ask(() => store.freeLock(self));
    return undefined;
  }
}
