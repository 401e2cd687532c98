import { dirname, resolve } from "node:path";
import { sha256 } from "../../model/sha256";
import type { JournalEntry, State } from "../../model/state";
import { largestSnapshot, type StateBackend } from "../backend";
import { type Around, type BackendOptions, createBackend, type StateStore } from "../create-backend";
import {
  type Disk,
  filesOf,
  largestJournal,
  listBackups,
  placeNew,
  prepareSnapshot,
  readFailed,
  removeState,
  type StateFiles,
  scratchOf,
  syncFolderOf,
  throughLinks,
  writeFailed,
  writeNew,
} from "../disk";
import { Journal } from "../journal";
import {
  checkLock,
  decodeLock,
  encodeLock,
  type FoundLock,
  isDead,
  isSameLock,
  type LockRecord,
  type LockStore,
  largestLock,
  lockUnreadable,
} from "../lock-record";
import type { Recorded } from "../recorded";
import type { LockedStore } from "../session";

/** Keeps a state in files of this machine (DESIGN section 7): at `path` the snapshot, beside it journal, lock and backups. */
export const createLocalBackend = ({
  path,
  ...options
}: BackendOptions & { readonly path: string }): StateBackend =>
  createBackend(path, (around) => openFiles(path, around), options);

async function openFiles(path: string, { disk, cipher, isAlive }: Around): Promise<StateStore> {
  const files = filesOf(await throughLinks(disk, resolve(path)));
  const readFile = (name: string, limit: number): Promise<Uint8Array | undefined> =>
    disk.read(name, limit).catch((cause) => {
      throw readFailed(name, cause);
    });
  const locks = localLocks({ disk, path: files.lock, isAlive });
  return {
    location: files.snapshot,
    locks: {
      ...locks,
      async freeLock(record, by) {
        const isFreed = await locks.freeLock(record, by);
        // Should it still live, its next rename must not replace a file of the next holder.
        if (isFreed && by !== undefined) await sweep(disk, files, record);
        return isFreed;
      },
    },
    async read() {
      // The journal first: a snapshot written in between takes it in, or is the snapshot that it continues.
      const journal = await readFile(files.journal, largestJournal);
      return { journal, snapshot: await readFile(files.snapshot, largestSnapshot) };
    },
    async open({ record, replaced }, start) {
      if (replaced !== undefined) await sweep(disk, files, replaced);
      return new LockedFiles(disk, files, { locks, record, start, cipher });
    },
    backups: () => listBackups(disk, files),
    readBackup: (name) => readFile(name, largestSnapshot),
  };
}

/** The parts that changing the lock file at `path` needs. */
type LockPort = Pick<Around, "disk" | "isAlive"> & { readonly path: string };

export function localLocks(port: LockPort): LockStore {
  const { disk, path } = port;
  const writing = <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause) => {
      throw writeFailed(path, cause);
    });
  const readLock = () =>
    lockAt(disk, path).catch((cause) => {
      throw readFailed(path, cause);
    });
  return {
    location: path,
    async takeLock(record) {
      await writing(disk.makeFolder(dirname(path)));
      for (let looks = 1; looks < 4; looks += 1) {
        const found = await readLock();
        if (found !== "free") return found;
        if (await writing(placeLock(port, path, record))) return record;
      }
      // It became free between two looks at it, each time.
      return "unreadable";
    },
    replaceLock: (expected, next) => writing(swapLock(port, next, { path, expected, next })),
    readLock,
    freeLock: (expected, by = expected) => writing(swapLock(port, by, { path, expected }, by !== expected)),
    unreadable: lockUnreadable(path, `make sure that no other run is going on, then remove ${path}`),
  };
}

const lockAt = async (disk: Disk, path: string): Promise<FoundLock> =>
  decodeLock(await disk.read(path, largestLock));

const fileSafe = (id: string): string => (/^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : sha256(id).slice(0, 32));

const lockScratchOf = (port: LockPort, self: LockRecord): string => `${port.path}.${fileSafe(self.id)}.tmp`;

/** Puts a record at a path, whole or not at all; false when the path is taken. */
const placeLock = (port: LockPort, path: string, record: LockRecord): Promise<boolean> =>
  placeNew(port.disk, path, encodeLock(record), lockScratchOf(port, record));

/**
 * Replaces the expected record at a path by another, or removes it. Returns false when the record is gone or another
 * run is changing it. A run that changes a lock claims it first: it creates a file, exclusively, named after the id of
 * the record to be replaced. Ids are unique, so no run can have put the same record back between the claim and the
 * check that follows. Of two takers of a dead lock, exactly one wins. A claim whose maker died is itself taken over in
 * the same way. `force` breaks any claim.
 */
async function swapLock(
  port: LockPort,
  self: LockRecord,
  change: { readonly path: string; readonly expected: LockRecord; readonly next?: LockRecord },
  force = false,
): Promise<boolean> {
  const { disk } = port;
  const claim = `${port.path}.${fileSafe(change.expected.id)}.claim`;
  if (!(await claimLock(port, claim, self, force))) return false;
  try {
    if (!isSameLock(await lockAt(disk, change.path), change.expected)) return false;
    if (change.next === undefined) {
      await disk.remove(change.path);
    } else {
      const scratch = lockScratchOf(port, self);
      await writeNew(disk, scratch, encodeLock(change.next));
      await disk.rename(scratch, change.path);
    }
    return true;
  } finally {
    await disk.remove(claim).catch(() => undefined);
  }
}

async function claimLock(port: LockPort, path: string, self: LockRecord, force: boolean): Promise<boolean> {
  // The claim has its own id: a holder that dies while it releases leaves a claim on itself, which is claimed in turn.
  const claim = { ...self, id: `claim-${sha256(`${self.id} ${path}`).slice(0, 32)}` };
  if (await placeLock(port, path, claim)) return true;
  const found = await lockAt(port.disk, path);
  if (found === "free") return false;
  if (found === "unreadable") return force && (await port.disk.remove(path)) && placeLock(port, path, claim);
  // Left by this holder when removing it failed.
  if (found.id === claim.id) return true;
  if (!force && !(await isDead(port.disk, found, self, port.isAlive))) return false;
  return swapLock(port, self, { path, expected: found, next: claim }, force);
}

const sessionName = ({ id, since }: LockRecord): string => sha256(`${id} ${since}`).slice(0, 24);

/** Removes the scratch files of a dead or replaced session: its rename then finds nothing. */
async function sweep(disk: Disk, files: StateFiles, dead: LockRecord): Promise<void> {
  for (const path of [files.snapshot, files.journal])
    await disk.remove(scratchOf(path, sessionName(dead))).catch(() => undefined);
}

type LockedParts = Pick<Around, "cipher"> & {
  readonly locks: LockStore;
  readonly record: LockRecord;
  readonly start: Recorded;
};

/** The files of a state while this run holds its lock. */
class LockedFiles implements LockedStore {
  /** Unique per holder, fit for a file name. */
  readonly #id: string;
  /** The state in the snapshot that the next journal goes on from; a session has one before it appends. */
  #snapshot: State | undefined;
  #journal: Journal | undefined;
  #openedJournals = 0;

  constructor(
    private readonly disk: Disk,
    private readonly files: StateFiles,
    private readonly parts: LockedParts,
  ) {
    this.#id = sessionName(parts.record);
    this.#snapshot = parts.start.state;
  }

  /** Entries that are not durable need no look at the lock: without it they go into a file that nothing reads. */
  async append(entries: readonly JournalEntry[], durable: boolean): Promise<void> {
    try {
      await (await this.#openJournal()).append(entries, durable);
      // A run that took the lock meanwhile may have read the journal before this; then the entries do not count.
      if (durable) await this.#checkLock();
    } catch (cause) {
      throw writeFailed(this.files.journal, cause);
    }
  }

  async write(bytes: Uint8Array, written: State): Promise<void> {
    const { disk, files } = this;
    const scratch = scratchOf(files.snapshot, this.#id);
    try {
      await this.#checkLock();
      await prepareSnapshot(disk, files, scratch, bytes);
      await this.#checkLock();
      await disk.rename(scratch, files.snapshot);
      await syncFolderOf(disk, files.snapshot);
    } catch (cause) {
      await disk.remove(scratch).catch(() => undefined);
      throw writeFailed(files.snapshot, cause);
    }
    this.#snapshot = written;
    await this.#dropJournal();
  }

  async erase(): Promise<boolean> {
    const { disk, files } = this;
    try {
      await this.#checkLock();
      await this.close();
      await removeState(disk, files);
      return true;
    } catch (cause) {
      throw writeFailed(files.snapshot, cause);
    }
  }

  async close(): Promise<void> {
    await this.#journal?.close().catch(() => undefined);
    this.#journal = undefined;
  }

  #checkLock(): Promise<void> {
    return checkLock(this.parts.locks, this.parts.record, "the lock file was removed");
  }

  async #openJournal(): Promise<Journal> {
    if (this.#journal !== undefined) return this.#journal;
    await this.#checkLock();
    const { lineage, serial } = this.#snapshot as State;
    const { cipher, start } = this.parts;
    this.#openedJournals += 1;
    const id = `${this.#id}-${this.#openedJournals}`;
    const generation = start.generation + 1;
    this.#journal = await Journal.create(this.disk, {
      path: this.files.journal,
      scratch: scratchOf(this.files.journal, this.#id),
      header: { format: "rnv-journal", version: 1, id, lineage, serial, generation },
      encrypt: cipher.encrypts(start.encrypted) ? await cipher.encrypter() : undefined,
    });
    return this.#journal;
  }

  /**
   * Removes the journal, which the snapshot holds: it does no harm where that fails or is undone by a power cut. A damaged
   * one is kept under another name.
   */
  async #dropJournal(): Promise<void> {
    const { disk, files, parts } = this;
    await this.close();
    const isDamaged = parts.start.damage !== undefined;
    const dropped = isDamaged
      ? disk.rename(files.journal, `${files.journal}.damaged`)
      : disk.remove(files.journal);
    await dropped.catch(() => undefined);
  }
}
