import { DiagnosticsError } from "../../diagnostics/diagnostic";
import { sha256 } from "../../model/text";
import {
  keptBackups,
  type LockHolder,
  type LockOptions,
  type LockWait,
  type StateBackend,
  type StateSession,
} from "../backend";
import { noCipher, type StateCipher } from "../cipher";
import type { Disk } from "../local/disk";
import { nodeDisk } from "../local/node-disk";
import { acquireLock, identityOf, type LockRecord, lockUnreadable } from "../lock-record";
import { decodeSnapshot, type Origin, readDamagedText } from "../recorded";
import { Session } from "../session";
import { LockedRemoteStore, type RemoteStart } from "./locked-remote-store";
import {
  type RemoteStore,
  type RetryPolicy,
  remoteUnread,
  remoteUnwritten,
  retryUnanswered,
  UnansweredError,
} from "./remote-store";

export interface RemoteBackendOptions extends Origin {
  readonly store: RemoteStore;
  readonly retryPolicy: RetryPolicy;
  readonly cipher?: StateCipher;
  /** Tells processes of this machine apart. */
  readonly disk?: Disk;
  /** Whether a process of this host runs. */
  readonly isAlive: (pid: number) => boolean;
  readonly host: string;
  readonly pid: number;
}

interface Backend extends RemoteBackendOptions {
  readonly disk: Disk;
  readonly cipher: StateCipher;
  readonly origin: Origin;
}

/** Keeps a state in a store outside this machine (DESIGN section 7). */
export function createRemoteBackend(options: RemoteBackendOptions): StateBackend {
  const { store, cipher = noCipher, disk = nodeDisk, workspaceId, baseUrl, stack, stage } = options;
  const origin = { workspaceId, baseUrl, stack, stage };
  const backend: Backend = { ...options, cipher, disk, origin };
  const { location } = store;
  return {
    location,
    read: async () => (await readStart(backend)).state,
    lock: (holder, timeoutMs, options = {}) => openSession(backend, holder, timeoutMs, options),
    forceUnlock: (id) => forceUnlock(backend, id),
    parse: (text, name) => decodeSnapshot(Buffer.from(text), name, origin, cipher),
    async backups() {
      const slots = Array.from({ length: keptBackups }, (_, slot) => slot);
      const found = await Promise.all(slots.map((slot) => readBackup(backend, slot)));
      const ages = found.map((text) => (text === undefined ? undefined : readDamagedText(text)));
      return slots
        .filter((slot) => ages[slot] !== undefined)
        .sort((a, b) => (ages[b]?.serial ?? 0) - (ages[a]?.serial ?? 0))
        .map((slot) => store.backups.name(slot));
    },
    async readBackup(name) {
      for (let slot = 0; slot < keptBackups; slot += 1)
        if (store.backups.name(slot) === name) return readBackup(backend, slot);
      return undefined;
    },
  };
}

async function readBackup({ store, retryPolicy }: Backend, slot: number): Promise<string | undefined> {
  try {
    const bytes = await retryUnanswered(retryPolicy, () => store.backups.read(slot));
    return bytes && Buffer.from(bytes).toString("utf8");
  } catch (cause) {
    throw remoteUnread(store.backups.name(slot), cause);
  }
}

async function openSession(
  backend: Backend,
  holder: LockHolder,
  timeoutMs: number,
  { repair = false, ...wait }: LockOptions,
): Promise<StateSession> {
  const { store, retryPolicy, cipher, origin } = backend;
  const self = await recordOf(backend, holder);
  const lock = await acquire(backend, self, { ...wait, timeoutMs }).catch(async (cause) => {
    // The lock may have been given although its answer was lost.
    if (cause instanceof UnansweredError) await store.freeLock(self).catch(() => undefined);
    throw remoteUnwritten(store.location, cause);
  });
  try {
    const start = await readStart(backend, repair);
    return new Session(new LockedRemoteStore(store, retryPolicy, lock, start), cipher, origin);
  } catch (cause) {
    await retryUnanswered(retryPolicy, () => store.freeLock(lock)).catch(() => undefined);
    throw cause;
  }
}

async function acquire(
  { store, retryPolicy, disk, isAlive }: Backend,
  self: LockRecord,
  wait: LockWait & { readonly timeoutMs: number },
): Promise<LockRecord> {
  const { location, replaceLock, unlockHint } = store;
  const { record } = await acquireLock(self, {
    ...{ ...wait, location, disk, isAlive, clock: retryPolicy.clock, pauses: [500, 8000] },
    takeLock: (taken) => retryUnanswered(retryPolicy, () => store.takeLock(taken)),
    replaceLock: replaceLock && ((from, to) => retryUnanswered(retryPolicy, () => replaceLock(from, to))),
    unreadable: () => lockUnreadable(`a lock on ${location}`, unlockHint),
  });
  return record;
}

async function readStart(backend: Backend, repair = false): Promise<RemoteStart> {
  const { store, retryPolicy, origin, cipher } = backend;
  const stored = await retryUnanswered(retryPolicy, () => store.read()).catch((cause) => {
    throw remoteUnread(store.location, cause);
  });
  if (stored === undefined) return { state: undefined, stored, serial: 0, generation: 0, encrypted: false };
  try {
    const { state, writer, encrypted } = await decodeSnapshot(stored.bytes, store.location, origin, cipher);
    return { state, stored, serial: state.serial, generation: writer.generation, encrypted };
  } catch (cause) {
    if (!repair || !(cause instanceof DiagnosticsError)) throw cause;
    const { serial, generation, encrypted } = readDamagedText(Buffer.from(stored.bytes).toString("utf8"));
    return { state: undefined, stored, serial, generation, encrypted, damage: cause.diagnostics };
  }
}

/** Makes the record of a lock. The machine is named by a digest: its id is not for others to read. */
async function recordOf({ disk }: Backend, holder: LockHolder): Promise<LockRecord> {
  const identity = await identityOf(disk, holder.pid);
  const machine = identity.machine && sha256(`rnv lock ${identity.machine}`);
  return { ...holder, generation: 1, process: { ...identity, machine } };
}

async function forceUnlock(backend: Backend, id: string): Promise<LockHolder | undefined> {
  try {
    const record = await holderNow(backend, id);
    if (record === undefined || record.id !== id) return undefined;
    if (!(await retryUnanswered(backend.retryPolicy, () => backend.store.freeLock(record)))) return undefined;
    const { generation: _generation, process: _process, ...holder } = record;
    return holder;
  } catch (cause) {
    throw remoteUnwritten(backend.store.location, cause);
  }
}

/**
 * Returns the holder of the lock. Where the store does not tell, taking the lock does. A server that says only that the
 * lock is held compares the id itself.
 */
async function holderNow(backend: Backend, id: string): Promise<LockRecord | undefined> {
  const { store, retryPolicy, host, pid } = backend;
  const { readLock } = store;
  if (readLock !== undefined) {
    const found = await retryUnanswered(retryPolicy, readLock);
    return typeof found === "string" ? undefined : found;
  }
  const now = retryPolicy.clock.now();
  const since = new Date(now).toISOString();
  const self = await recordOf(backend, {
    id: `force-unlock-${host}-${pid}-${now}`,
    host,
    pid,
    command: "force-unlock",
    since,
  });
  const answer = await retryUnanswered(retryPolicy, () => store.takeLock(self));
  if (answer.kind === "held")
    return (
      answer.record ?? { ...self, id, host: "an unknown host", pid: 0, command: "another run", process: {} }
    );
  await retryUnanswered(retryPolicy, () => store.freeLock(self));
  return undefined;
}
