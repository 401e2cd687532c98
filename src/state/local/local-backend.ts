import { dirname, isAbsolute, resolve } from "node:path";
import { type Diagnostic, DiagnosticsError } from "../../diagnostics/diagnostic";
import { sha256 } from "../../model/text";
import type { Clock } from "../../model/time";
import type { LockHolder, LockWait, StateBackend, StateSession } from "../backend";
import { noCipher, type StateCipher } from "../cipher";
import { identityOf, type LockRecord, readLock } from "../lock-record";
import { decodeSnapshot, type Origin, type Recorded, readDamaged, readRecorded } from "../recorded";
import {
  type Disk,
  filesOf,
  largestSnapshot,
  listBackups,
  readFailed,
  type StateFiles,
  scratchOf,
  writeFailed,
} from "./disk";
import { acquireLock, type LocalLockPort, swapLock } from "./local-lock";
import { LocalSession } from "./local-session";
import { nodeDisk } from "./node-disk";

export interface LocalBackendOptions extends Origin {
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

/** Keeps a state in a file of this machine (DESIGN section 7). */
export function createLocalBackend(options: LocalBackendOptions): StateBackend {
  const { disk = nodeDisk, clock, isAlive, workspaceId, baseUrl, cipher = noCipher } = options;
  const origin = { workspaceId, baseUrl };
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

const mostLinks = 40;

/**
 * Resolves a link to a state; its target need not exist yet. Writes replace the target and leave the link, and two
 * links to a state share its lock.
 */
async function throughLinks(disk: Disk, path: string): Promise<string> {
  let at = path;
  for (let followed = 0; followed < mostLinks; followed += 1) {
    const target = await disk.readLink(at).catch(() => undefined);
    if (target === undefined) return at;
    // Not normalised: `..` of a folder that is a link itself is where that leads to.
    at = isAbsolute(target) ? target : `${dirname(at)}/${target}`;
  }
  return at;
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
