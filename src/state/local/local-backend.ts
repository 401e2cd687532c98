import { resolve } from "node:path";
import type { DiagnosticsError } from "../../diagnostics/diagnostic";
import type { JournalEntry, State } from "../../model/state";
import { sha256 } from "../../model/text";
import type { Clock } from "../../model/time";
import { type LockHolder, largestSnapshot, type StateBackend } from "../backend";
import type { StateCipher } from "../cipher";
import { aroundOf, type BackendOptions, createBackend, type StateStore } from "../create-backend";
import type { LockRecord } from "../lock-record";
import { lineageFrom, type Recorded, readDamaged, readRecorded } from "../recorded";
import type { LockedStore } from "../session";
import type { TextWriter } from "../state-text";
import {
  type Disk,
  diskCode,
  filesOf,
  listBackups,
  prepareSnapshot,
  readFailed,
  removeState,
  type StateFiles,
  scratchOf,
  syncFolderOf,
  throughLinks,
  writeFailed,
} from "./disk";
import { Journal } from "./journal";
import { LocalLock, localLocks } from "./local-lock";

interface LocalBackendOptions extends BackendOptions {
  /** Of the snapshot; journal, lock and backups stand beside it. */
  readonly path: string;
}

/**
 * Keeps a state in a file of this machine (DESIGN section 7).
 * @example
 * const { baseUrl, workspaceId, clock, host, pid } = context;
 * const around = { baseUrl, workspaceId, clock, host, pid, isAlive: () => true };
 * const state = await createLocalBackend({ ...around, path: join(context.cwd, "state.json") }).read();
 */
export const createLocalBackend = (options: LocalBackendOptions): StateBackend =>
  createBackend(options.path, () => openFiles(options), options);

async function openFiles(options: LocalBackendOptions): Promise<StateStore> {
  const { disk, cipher, origin, isAlive, clock } = aroundOf(options);
  const files = filesOf(await throughLinks(disk, resolve(options.path)));
  const port = { disk, path: files.lock, isAlive };
  const locks = localLocks(port);
  return {
    locks: {
      ...locks,
      async freeLock(record, by) {
        const isFreed = await locks.freeLock(record, by);
        // Should it still live, its next rename must not replace a file of the next holder.
        if (isFreed && by !== undefined) await sweep(disk, files, record);
        return isFreed;
      },
    },
    read: () => readRecorded(disk, files, origin, cipher),
    readDamaged: () => readDamaged(disk, files),
    async open({ record, replaced }, start) {
      const lock = new LocalLock(port, record);
      await lock.raise(start.generation + 1).catch((cause) => {
        throw writeFailed(files.lock, cause);
      });
      if (replaced !== undefined) await sweep(disk, files, replaced);
      return new LockedFiles(disk, files, { lock, start, cipher, clock });
    },
    backups: () => listBackups(disk, files),
    readBackup: (name) =>
      disk.read(name, largestSnapshot).catch((cause) => {
        throw readFailed(name, cause);
      }),
  };
}

/** Names the files of a session, also where a caller uses one holder id for several sessions. */
const sessionName = ({ id, since, generation }: LockRecord): string =>
  sha256(`${id} ${since} ${generation}`).slice(0, 24);

/** Removes the scratch files of a dead or replaced session: its rename then finds nothing. */
async function sweep(disk: Disk, files: StateFiles, dead: LockRecord): Promise<void> {
  for (const path of [files.snapshot, files.journal])
    await disk.remove(scratchOf(path, sessionName(dead))).catch(() => undefined);
}

interface LockedParts {
  readonly lock: LocalLock;
  readonly start: Recorded;
  readonly cipher: StateCipher;
  readonly clock: Clock;
}

/** How many journals a snapshot names. */
const keptJournals = 8;

/** The files of a state while this run holds its lock. */
class LockedFiles implements LockedStore {
  readonly location: string;
  readonly start: Recorded;
  readonly clock: Clock;
  /** Unique per holder, fit for a file name. */
  readonly #id: string;
  #recorded: Recorded;
  #journal: Journal | undefined;
  #journals = 0;
  #failure: DiagnosticsError | undefined;

  constructor(
    private readonly disk: Disk,
    private readonly files: StateFiles,
    private readonly parts: LockedParts,
  ) {
    this.location = files.snapshot;
    this.start = parts.start;
    this.clock = parts.clock;
    this.#id = sessionName(parts.lock.record);
    this.#recorded = parts.start;
  }

  get failure(): DiagnosticsError | undefined {
    return this.#failure;
  }

  get holder(): LockHolder {
    return this.parts.lock.record;
  }

  writer(): TextWriter {
    return {
      generation: this.parts.lock.record.generation,
      journals: this.#recorded.journals.slice(-keptJournals),
    };
  }

  /** What is not durable needs no look at the lock: a holder that lost it writes into a file that is not read any more. */
  async append(entries: readonly JournalEntry[], durable: boolean): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#journal === undefined) await this.parts.lock.check();
      this.#journal ??= await this.#openJournal();
      await this.#journal.append(entries, durable);
      // A run that took the lock meanwhile may have read the journal before this; then the entries do not count.
      if (durable) await this.parts.lock.check();
    } catch (cause) {
      throw writeFailed(this.files.journal, cause);
    }
  }

  async write(bytes: Uint8Array, written: State): Promise<void> {
    const { disk, files } = this;
    const scratch = scratchOf(files.snapshot, this.#id);
    try {
      await this.parts.lock.check();
      await prepareSnapshot(disk, files, scratch, bytes);
      await this.parts.lock.check();
    } catch (cause) {
      await disk.remove(scratch).catch(() => undefined);
      throw writeFailed(files.snapshot, cause);
    }
    try {
      await this.#putInPlace(scratch);
      await syncFolderOf(disk, files.snapshot);
      await (this.start.damage === undefined ? this.#dropJournal() : this.#moveJournalAway());
    } catch (cause) {
      // It is unknown which snapshot a power cut would leave: nothing may build on either.
      this.#failure = writeFailed(files.snapshot, cause);
      throw this.#failure;
    }
    this.#recorded = { ...this.#recorded, state: written, serial: written.serial, pending: [] };
  }

  async erase(): Promise<boolean> {
    const { disk, files } = this;
    try {
      await this.parts.lock.check();
      await this.#closeJournal();
      await removeState(disk, files);
      return true;
    } catch (cause) {
      this.#failure = writeFailed(files.snapshot, cause);
      throw this.#failure;
    }
  }

  async free(): Promise<void> {
    await this.#closeJournal();
    // A lock that stays is taken over once this process has ended.
    await this.parts.lock.release().catch(() => undefined);
  }

  async #openJournal(): Promise<Journal> {
    const { state, serial, pending } = this.#recorded;
    this.#journals += 1;
    const header = {
      format: "rnv-journal",
      version: 1,
      id: `${this.#id}-${this.#journals}`,
      lineage: state?.lineage ?? lineageFrom(this.#id),
      serial,
      generation: this.parts.lock.record.generation,
    } as const;
    // Before it is there: when creating it fails half-way, the next snapshot still knows it.
    this.#recorded = { ...this.#recorded, journals: [...this.#recorded.journals, header.id] };
    return Journal.create(this.disk, {
      path: this.files.journal,
      scratch: scratchOf(this.files.journal, this.#id),
      header,
      entries: pending,
      encrypt: this.parts.cipher.encrypts(this.start.encrypted)
        ? await this.parts.cipher.encrypter()
        : undefined,
    });
  }

  /**
   * Puts a snapshot in place. The first snapshot replaces nothing: a suspended holder must not put an empty state over a
   * later one. A damaged snapshot is replaced whatever its serial.
   */
  async #putInPlace(scratch: string): Promise<void> {
    const { disk, files } = this;
    if (this.#recorded.serial > 0 || this.start.damage !== undefined)
      return disk.rename(scratch, files.snapshot);
    try {
      await disk.link(scratch, files.snapshot);
    } catch (cause) {
      if (diskCode(cause) === "EEXIST") await this.parts.lock.check();
      throw cause;
    }
    await disk.remove(scratch).catch(() => undefined);
  }

  async #closeJournal(): Promise<void> {
    await this.#journal?.close().catch(() => undefined);
    this.#journal = undefined;
  }

  /** The snapshot names the journal that it holds, so a removal that fails or is undone by a power cut does no harm. */
  async #dropJournal(): Promise<void> {
    await this.#closeJournal();
    await this.disk.remove(this.files.journal).catch(() => undefined);
  }

  /** Keeps a damaged journal under another name: the snapshot may not know it, so it must not stay. */
  async #moveJournalAway(): Promise<void> {
    const { disk, files } = this;
    await this.#closeJournal();
    if ((await disk.stat(files.journal)) === undefined) return;
    await disk.rename(files.journal, `${files.journal}.damaged`);
    await syncFolderOf(disk, files.journal);
  }
}
