import { dirname, resolve } from "node:path";
import { type Diagnostic, DiagnosticsError } from "../../diagnostics/diagnostic";
import type { JournalEntry, State } from "../../model/state";
import { sha256 } from "../../model/text";
import type { Clock } from "../../model/time";
import {
  type LockHolder,
  type LockWait,
  largestSnapshot,
  type StateBackend,
  type StateSession,
} from "../backend";
import { noCipher, type StateCipher } from "../cipher";
import { identityOf, type LockRecord, readLock } from "../lock-record";
import {
  decodeSnapshot,
  lineageFrom,
  type Origin,
  type Recorded,
  readDamaged,
  readRecorded,
} from "../recorded";
import { type LockedStore, Session, type SessionStart } from "../session";
import type { TextWriter } from "../state-text";
import {
  type Disk,
  diskCode,
  filesOf,
  isLinkUnsupported,
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
import { acquireLocalLock, type LocalLock, type LocalLockPort, swapLock } from "./local-lock";
import { nodeDisk } from "./node-disk";

interface LocalBackendOptions extends Origin {
  /** Of the snapshot; journal, lock and backups stand beside it. */
  readonly path: string;
  readonly disk?: Disk;
  readonly host: string;
  readonly pid: number;
  /** Whether a process of this host runs. */
  readonly isAlive: (pid: number) => boolean;
  readonly clock: Clock;
  /** Encrypts and decrypts the files; default: nothing is encrypted. */
  readonly cipher?: StateCipher;
}

/**
 * Keeps a state in a file of this machine (DESIGN section 7).
 * @example
 * const { baseUrl, workspaceId, clock, host, pid } = context;
 * const around = { baseUrl, workspaceId, clock, host, pid, isAlive: () => true };
 * const state = await createLocalBackend({ ...around, path: join(context.cwd, "state.json") }).read();
 */
export function createLocalBackend(options: LocalBackendOptions): StateBackend {
  const { disk = nodeDisk, clock, isAlive, workspaceId, baseUrl, stack, stage, cipher = noCipher } = options;
  const origin = { workspaceId, baseUrl, stack, stage };
  const place = { origin, cipher };
  let known: Promise<StateFiles> | undefined;
  const files = (): Promise<StateFiles> =>
    (known ??= throughLinks(disk, resolve(options.path)).then(filesOf));
  const port = async (): Promise<LocalLockPort> => ({ disk, path: (await files()).lock, isAlive, clock });
  return {
    location: options.path,
    read: async () => (await readRecorded(disk, await files(), origin, cipher)).state,
    lock: async (holder, timeoutMs, { repair = false, ...wait } = {}) =>
      openSession(await port(), { ...place, files: await files(), repair }, holder, { timeoutMs, ...wait }),
    forceUnlock: async (id) => removeLock(await port(), await files(), id, options),
    backups: async () => listBackups(disk, await files()),
    parse: (text, name) => decodeSnapshot(Buffer.from(text), name, origin, cipher),
    async readBackup(name) {
      const bytes = await disk.read(name, largestSnapshot).catch((cause) => {
        throw readFailed(name, cause);
      });
      return bytes && Buffer.from(bytes).toString("utf8");
    },
  };
}

interface Place {
  readonly files: StateFiles;
  readonly origin: Origin;
  readonly cipher: StateCipher;
  readonly repair: boolean;
}

async function openSession(
  port: LocalLockPort,
  place: Place,
  holder: LockHolder,
  wait: LockWait & { readonly timeoutMs: number },
): Promise<StateSession> {
  const { disk } = port;
  const { files, cipher } = place;
  await disk.makeFolder(dirname(files.snapshot)).catch((cause) => {
    throw writeFailed(dirname(files.snapshot), cause);
  });
  const lock = await acquireLocalLock(port, holder, wait);
  try {
    const read = await readUnderLock(disk, place);
    await lock.raise(read.recorded.generation + 1);
    if (lock.replaced !== undefined) await sweep(disk, files, lock.replaced);
    const name = sessionName(holder, lock.record.generation);
    return new Session(new LockedFiles(disk, files, lock, name, read, cipher), cipher, place.origin);
  } catch (cause) {
    await lock.release().catch(() => undefined);
    throw writeFailed(files.lock, cause);
  }
}

async function readUnderLock(
  disk: Disk,
  { files, origin, cipher, repair }: Place,
): Promise<{ recorded: Recorded; damage?: readonly Diagnostic[] }> {
  try {
    return { recorded: await readRecorded(disk, files, origin, cipher) };
  } catch (cause) {
    if (!repair || !(cause instanceof DiagnosticsError)) throw cause;
    return { recorded: await readDamaged(disk, files), damage: cause.diagnostics };
  }
}

/** Names the files of a session, also where a caller uses one holder id for several sessions. */
const sessionName = (holder: LockHolder, generation: number): string =>
  sha256(`${holder.id} ${holder.since} ${generation}`).slice(0, 24);

/** Removes the scratch files of a dead or replaced session: its rename then finds nothing. */
async function sweep(disk: Disk, files: StateFiles, dead: LockRecord): Promise<void> {
  for (const path of [files.snapshot, files.journal])
    await disk.remove(scratchOf(path, sessionName(dead, dead.generation))).catch(() => undefined);
}

async function removeLock(
  port: LocalLockPort,
  files: StateFiles,
  id: string,
  options: LocalBackendOptions,
): Promise<LockHolder | undefined> {
  const { disk, path, clock } = port;
  const found = await readLock(disk, path).catch((cause) => {
    throw readFailed(path, cause);
  });
  if (found.kind !== "held" || found.record.id !== id) return undefined;
  const self: LockRecord = {
    id: `force-unlock-${options.host}-${options.pid}-${clock.now()}`,
    host: options.host,
    pid: options.pid,
    command: "force-unlock",
    since: new Date(clock.now()).toISOString(),
    generation: 1,
    process: await identityOf(disk, options.pid),
  };
  const removed = await swapLock(port, self, { path, expected: found.record }, true).catch((cause) => {
    throw writeFailed(path, cause);
  });
  if (!removed) return undefined;
  // Should it still live, its next rename must not replace a file of the next holder.
  await sweep(disk, files, found.record);
  const { generation: _generation, process: _process, ...holder } = found.record;
  return holder;
}

/** How many journals a snapshot names. */
const keptJournals = 8;

/** The files of a state while this run holds its lock. */
class LockedFiles implements LockedStore {
  readonly location: string;
  readonly start: SessionStart;
  #recorded: Recorded;
  #journal: Journal | undefined;
  #journals = 0;
  #failure: DiagnosticsError | undefined;

  constructor(
    private readonly disk: Disk,
    private readonly files: StateFiles,
    private readonly lock: LocalLock,
    /** Unique per holder, fit for a file name. */
    private readonly id: string,
    { recorded, damage }: { readonly recorded: Recorded; readonly damage?: readonly Diagnostic[] },
    private readonly cipher: StateCipher,
  ) {
    const { state, serial, encrypted } = recorded;
    this.location = files.snapshot;
    this.start = { state, serial, encrypted, damage };
    this.#recorded = recorded;
  }

  get failure(): DiagnosticsError | undefined {
    return this.#failure;
  }

  get holder(): LockHolder {
    return this.lock.record;
  }

  get clock(): Clock {
    return this.lock.port.clock;
  }

  writer(): TextWriter {
    return {
      generation: this.lock.record.generation,
      journals: this.#recorded.journals.slice(-keptJournals),
    };
  }

  /** What is not durable needs no look at the lock: a holder that lost it writes into a file that is not read any more. */
  async append(entries: readonly JournalEntry[], durable: boolean): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#journal === undefined) await this.lock.check();
      this.#journal ??= await this.#openJournal();
      await this.#journal.append(entries, durable);
      // A run that took the lock meanwhile may have read the journal before this; then the entries do not count.
      if (durable) await this.lock.check();
    } catch (cause) {
      throw writeFailed(this.files.journal, cause);
    }
  }

  async write(bytes: Uint8Array, written: State): Promise<void> {
    const { disk, files } = this;
    const scratch = scratchOf(files.snapshot, this.id);
    try {
      await this.lock.check();
      await prepareSnapshot(disk, files, scratch, bytes);
      await this.lock.check();
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
    const { lineage, serial } = written;
    this.#recorded = { ...this.#recorded, state: written, lineage, serial, pending: [] };
  }

  async erase(): Promise<boolean> {
    const { disk, files } = this;
    try {
      await this.lock.check();
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
    await this.lock.release().catch(() => undefined);
  }

  async #openJournal(): Promise<Journal> {
    const { lineage, serial, pending } = this.#recorded;
    this.#journals += 1;
    const header = {
      format: "rnv-journal",
      version: 1,
      id: `${this.id}-${this.#journals}`,
      lineage: lineage ?? this.start.state?.lineage ?? lineageFrom(this.id),
      serial,
      generation: this.lock.record.generation,
    } as const;
    // Before it is there: when creating it fails half-way, the next snapshot still knows it.
    this.#recorded = { ...this.#recorded, journals: [...this.#recorded.journals, header.id] };
    return Journal.create(this.disk, {
      path: this.files.journal,
      scratch: scratchOf(this.files.journal, this.id),
      header,
      entries: pending,
      encrypt: this.cipher.encrypts(this.start.encrypted) ? await this.cipher.encrypter() : undefined,
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
      if (isLinkUnsupported(cause)) return disk.rename(scratch, files.snapshot);
      if (diskCode(cause) === "EEXIST") await this.lock.check();
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
