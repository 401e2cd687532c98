import { DiagnosticsError } from "../diagnostics/diagnostic";
import type { LockHolder, LockOptions, StateBackend, StateSession } from "./backend";
import { StateCipher } from "./cipher";
import type { Disk } from "./disk";
import {
  acquireLock,
  holderOf,
  type LockAsker,
  type LockStore,
  recordFor,
  type TakenLock,
} from "./lock-record";
import { nodeDisk } from "./node-disk";
import {
  decodeDamaged,
  decodeRecorded,
  decodeSnapshot,
  type Origin,
  type Recorded,
  type StoredBytes,
} from "./recorded";
import { type LockedStore, StoreSession } from "./session";

/** A place of one state: files of this machine, a server over HTTP, or S3. Every method throws `DiagnosticsError`. */
export interface StateStore {
  readonly location: string;
  readonly locks: LockStore;
  read(): Promise<StoredBytes>;
  /** Opens it for writing under a lock that was just taken, and after it was read. */
  open(lock: TakenLock, start: Recorded): Promise<LockedStore>;
  backups(): Promise<readonly string[]>;
  readBackup(name: string): Promise<Uint8Array | undefined>;
}

export interface BackendOptions extends Origin, Omit<LockAsker, "disk"> {
  readonly host: string;
  readonly pid: number;
  /** Encrypts and decrypts the state; default: nothing is encrypted. */
  readonly cipher?: StateCipher;
  readonly disk?: Disk;
}

const aroundOf = ({ disk = nodeDisk, cipher: given, ...options }: BackendOptions) => {
  const cipher = given ?? new StateCipher({}, () => new Uint8Array());
  const { workspaceId, baseUrl, stack, isStackUndeclared, stage } = options;
  return { ...options, disk, cipher, origin: { workspaceId, baseUrl, stack, isStackUndeclared, stage } };
};

export type Around = ReturnType<typeof aroundOf>;

/** Keeps a state in a store (DESIGN section 7), which is opened with the first call. */
export function createBackend(
  location: string,
  open: (around: Around) => Promise<StateStore>,
  options: BackendOptions,
): StateBackend {
  const around = aroundOf(options);
  let opened: Promise<StateStore> | undefined;
  const store = (): Promise<StateStore> => (opened ??= open(around));
  return {
    location,
    read: async () => (await readState(await store(), around)).state,
    lock: async (holder, timeoutMs, wait = {}) => openSession(await store(), around, holder, timeoutMs, wait),
    forceUnlock: async (id) => forceUnlock(await store(), around, id),
    backups: async () => (await store()).backups(),
    parse: (text, name) => decodeSnapshot(Buffer.from(text), name, around.origin, around.cipher),
    async readBackup(name) {
      const bytes = await (await store()).readBackup(name);
      return bytes && Buffer.from(bytes).toString("utf8");
    },
  };
}

async function openSession(
  store: StateStore,
  around: Around,
  holder: LockHolder,
  timeoutMs: number,
  { repair = false, ...wait }: LockOptions,
): Promise<StateSession> {
  const self = await recordFor(around.disk, holder);
  const lock = await acquireLock(store.locks, self, around, { ...wait, timeoutMs }).catch(async (cause) => {
    // The lock may have been given although its answer was lost.
    if (cause.cause instanceof Error) await store.locks.freeLock(self).catch(() => undefined);
    throw cause;
  });
  try {
    const start = await readState(store, around, { repair });
    const { location, locks } = store;
    const parts = { ...around, location, locks, lock: lock.record, start };
    return new StoreSession(await store.open(lock, start), parts);
  } catch (cause) {
    await store.locks.freeLock(lock.record).catch(() => undefined);
    throw cause;
  }
}

/** Reads a state. With `repair`, a damaged state is read as far as possible. */
async function readState(
  store: StateStore,
  { origin, cipher }: Around,
  { repair = false }: Pick<LockOptions, "repair"> = {},
): Promise<Recorded> {
  const stored = await store.read();
  return decodeRecorded(stored, store.location, origin, cipher).catch((cause: unknown) => {
    if (!repair || !(cause instanceof DiagnosticsError)) throw cause;
    return decodeDamaged(stored, cause.diagnostics);
  });
}

async function forceUnlock(
  { locks }: StateStore,
  { disk, host, pid, clock }: Around,
  id: string,
): Promise<LockHolder | undefined> {
  const now = clock.now();
  const since = new Date(now).toISOString();
  const named = { id: `force-unlock-${host}-${pid}-${now}`, host, pid, command: "force-unlock", since };
  const self = await recordFor(disk, named);
  const found = (await locks.findLock?.(id, self)) ?? (locks.readLock && holderOf(await locks.readLock()));
  if (found === undefined || found.id !== id || !(await locks.freeLock(found, self))) return undefined;
  const { generation: _generation, process: _process, ...holder } = found;
  return holder;
}
