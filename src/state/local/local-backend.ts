import { dirname, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Diagnostic, DiagnosticsError } from "../../diagnostics/diagnostic";
import type { JournalEntry, State } from "../../model/state";
import { sha256 } from "../../model/text";
import type { Clock } from "../../model/time";
import type { LockHolder, LockWait, StateBackend, StateSession } from "../backend";
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
import {
  type Disk,
  diskCode,
  filesOf,
  isLinkUnsupported,
  largestSnapshot,
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
import { Journal, NoRoomForIntent } from "./journal";
import { acquireLock, type LocalLock, type LocalLockPort, swapLock } from "./local-lock";
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
  { timeoutMs, ...wait }: LockWait & { readonly timeoutMs: number },
): Promise<StateSession> {
  const { disk } = port;
  const { files, cipher } = place;
  await disk.makeFolder(dirname(files.snapshot)).catch((cause) => {
    throw writeFailed(dirname(files.snapshot), cause);
  });
  const lock = await acquireLock(port, holder, timeoutMs, wait);
  try {
    const { recorded, damage } = await readUnderLock(disk, place);
    await lock.raise(recorded.generation + 1);
    if (lock.replaced !== undefined) await sweep(disk, files, lock.replaced);
    const name = sessionName(holder, lock.generation);
    return new LocalSession(disk, files, lock, name, recorded, cipher, damage);
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

interface Request {
  readonly entries: readonly JournalEntry[];
  readonly durable: boolean;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** The right to write a local state: appends are grouped, and everything is written in the order of the calls. */
class LocalSession implements StateSession {
  #recorded: Recorded;
  #journal: Journal | undefined;
  #journals = 0;
  #queue: Request[] = [];
  #work: Promise<unknown> = Promise.resolve();
  /** Set once it is unknown which snapshot a power cut would leave: nothing may build on either. */
  #failed: unknown;

  constructor(
    private readonly disk: Disk,
    private readonly files: StateFiles,
    private readonly lock: LocalLock,
    /** Unique per holder, fit for a file name. */
    private readonly id: string,
    recorded: Recorded,
    private readonly cipher: StateCipher,
    /** Why the stored state could not be read, where it is to be replaced. */
    readonly damage?: readonly Diagnostic[],
  ) {
    this.#recorded = recorded;
    this.#encrypted = cipher.encrypts(recorded.encrypted);
    this.isFormOutdated = recorded.state !== undefined && cipher.isOutdated(recorded.encrypted);
    this.state = recorded.state;
  }

  readonly state: State | undefined;
  readonly isFormOutdated: boolean;
  readonly #encrypted: boolean;

  append(entries: readonly JournalEntry[], options: { readonly durable: boolean }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ entries, durable: options.durable, resolve, reject });
      if (this.#queue.length === 1) this.#inTurn(() => this.#flush());
    });
  }

  commit(state: State): Promise<State> {
    return this.#inTurn(async () => {
      try {
        return await this.#commit(state);
      } catch (cause) {
        throw writeFailed(this.files.snapshot, cause);
      }
    });
  }

  erase(): Promise<boolean> {
    return this.#inTurn(async () => {
      try {
        await this.#mayWrite();
        await this.#journal?.close();
        this.#journal = undefined;
        this.#failed = new Error("the state is removed");
        await removeState(this.disk, this.files);
        return true;
      } catch (cause) {
        throw writeFailed(this.files.snapshot, cause);
      }
    });
  }

  release(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#journal?.close().catch(() => undefined);
      this.#journal = undefined;
      this.#failed ??= new Error("the session is over");
      // A lock that cannot be removed is taken over once this process has ended; it must not hide why it ended.
      await this.lock.release().catch(() => undefined);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => undefined);
    return result;
  }

  /**
   * Everything that was asked for until its turn came, behind answers that are still to be read, goes out in one
   * write and at most one sync. What is not to be durable needs no look at the lock: a holder that lost it writes into
   * a file that nobody reads any more.
   */
  async #flush(): Promise<void> {
    let batch: readonly Request[] = [];
    try {
      await setImmediate();
      if (this.#failed !== undefined) throw this.#failed;
      batch = this.#queue.splice(0);
      if (batch.length > 0) await this.#write(batch);
    } catch (cause) {
      for (const request of [...batch, ...this.#queue.splice(0)])
        request.reject(writeFailed(this.files.journal, cause));
    }
  }

  async #write(batch: readonly Request[]): Promise<void> {
    const durable = batch.some((request) => request.durable);
    try {
      if (this.#journal === undefined) await this.lock.check();
      this.#journal ??= await this.#openJournal();
      await this.#journal.append(
        batch.flatMap((request) => request.entries),
        durable,
      );
    } catch (cause) {
      if (!(cause instanceof NoRoomForIntent) || batch.length === 1) throw cause;
      return this.#writeApart(batch);
    }
    // A run that took the lock meanwhile may have read the journal before this; then the entries do not count.
    if (durable) await this.lock.check();
    for (const request of batch) request.resolve();
  }

  /** Intents that find no room must not take outcomes with them. */
  async #writeApart(batch: readonly Request[]): Promise<void> {
    for (const request of batch) {
      await this.#write([request]).catch((cause) => {
        request.reject(writeFailed(this.files.journal, cause));
      });
    }
  }

  async #openJournal(): Promise<Journal> {
    const { lineage, serial, pending } = this.#recorded;
    this.#journals += 1;
    const header = {
      format: "rnv-journal",
      version: 1,
      id: `${this.id}-${this.#journals}`,
      lineage: lineage ?? this.state?.lineage ?? lineageFrom(this.id),
      serial,
      generation: this.lock.generation,
    } as const;
    // Before it is there: when creating it fails half-way, the next snapshot still knows it.
    this.#recorded = { ...this.#recorded, journals: [...this.#recorded.journals, header.id] };
    return Journal.create(this.disk, {
      path: this.files.journal,
      scratch: scratchOf(this.files.journal, this.id),
      header,
      entries: pending,
      encrypt: this.#encrypted ? await this.cipher.encrypter() : undefined,
    });
  }

  async #commit(state: State): Promise<State> {
    await this.#mayWrite();
    const { disk, files } = this;
    const serial = Math.max(this.#recorded.serial, state.serial) + 1;
    const written: State = { ...state, serial };
    const writer = {
      generation: this.lock.generation,
      journals: this.#recorded.journals.slice(-keptJournals),
      at: new Date(this.lock.port.clock.now()).toISOString(),
      command: this.lock.command,
    };
    const bytes = Buffer.from(await this.cipher.encode(written, writer, this.#encrypted));
    if (bytes.length > largestSnapshot) throw Object.assign(new Error("state too large"), { code: "EFBIG" });
    const scratch = scratchOf(files.snapshot, this.id);
    try {
      await prepareSnapshot(disk, files, scratch, bytes);
      await this.lock.check();
    } catch (cause) {
      await disk.remove(scratch).catch(() => undefined);
      throw cause;
    }
    try {
      await this.#putInPlace(scratch);
      await syncFolderOf(disk, files.snapshot);
    } catch (cause) {
      this.#failed = cause;
      throw cause;
    }
    if (this.damage === undefined) await this.#dropJournal();
    else await this.#moveJournalAway();
    this.#recorded = { ...this.#recorded, state: written, lineage: written.lineage, serial, pending: [] };
    return written;
  }

  /**
   * Puts a snapshot in place. The first snapshot replaces nothing: a suspended holder must not put an empty state over a
   * later one. A damaged snapshot is replaced whatever its serial.
   */
  async #putInPlace(scratch: string): Promise<void> {
    const { disk, files } = this;
    if (this.#recorded.serial > 0 || this.damage !== undefined) return disk.rename(scratch, files.snapshot);
    try {
      await disk.link(scratch, files.snapshot);
    } catch (cause) {
      if (isLinkUnsupported(cause)) return disk.rename(scratch, files.snapshot);
      if (diskCode(cause) === "EEXIST") await this.lock.check();
      throw cause;
    }
    await disk.remove(scratch).catch(() => undefined);
  }

  /** The snapshot names the journal that it holds, so a removal that fails or is undone by a power cut does no harm. */
  async #dropJournal(): Promise<void> {
    await this.#journal?.close().catch(() => undefined);
    this.#journal = undefined;
    await this.disk.remove(this.files.journal).catch(() => undefined);
  }

  /** Keeps a damaged journal under another name: the snapshot may not know it, so it must not stay. */
  async #moveJournalAway(): Promise<void> {
    const { disk, files } = this;
    await this.#journal?.close().catch(() => undefined);
    this.#journal = undefined;
    if ((await disk.stat(files.journal)) === undefined) return;
    await disk.rename(files.journal, `${files.journal}.damaged`);
    await syncFolderOf(disk, files.journal);
  }

  async #mayWrite(): Promise<void> {
    if (this.#failed !== undefined) throw this.#failed;
    await this.lock.check();
  }
}
