import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import type { Clock } from "../model/clock";
import type { LockHolder, StateBackend, StateSession } from "./backend";
import type { Disk } from "./disk";
import { readFailed, writeFailed } from "./disk-failure";
import { acquireLock, type LocalLockPort } from "./local-lock";
import { LocalSession } from "./local-session";
import { type LockRecord, readLock } from "./lock-record";
import { swapLock } from "./lock-swap";
import { nodeDisk } from "./node-disk";
import { identityOf } from "./process-identity";
import { type Origin, readRecorded } from "./recorded";
import { filesOf, listBackups, type StateFiles, scratchOf } from "./state-files";

export interface LocalBackendOptions extends Origin {
  /** Of the snapshot; journal, lock and backups stand beside it. */
  readonly path: string;
  readonly disk?: Disk;
  readonly host: string;
  readonly pid: number;
  /** Whether a process of this host runs. */
  readonly isAlive: (pid: number) => boolean;
  readonly clock: Clock;
}

/** A state in a file of this machine (DESIGN section 7). */
export function createLocalBackend(options: LocalBackendOptions): StateBackend {
  const { disk = nodeDisk, clock, isAlive, workspaceId, baseUrl } = options;
  const files = filesOf(resolve(options.path));
  const origin = { workspaceId, baseUrl };
  const port: LocalLockPort = { disk, path: files.lock, isAlive, clock };
  return {
    location: options.path,
    read: async () => (await readRecorded(disk, files, origin)).state,
    lock: (holder, timeoutMs) => openSession(port, files, origin, holder, timeoutMs),
    forceUnlock: (id) => removeLock(port, id, options),
    backups: () => listBackups(disk, files),
  };
}

async function openSession(
  port: LocalLockPort,
  files: StateFiles,
  origin: Origin,
  holder: LockHolder,
  timeoutMs: number,
): Promise<StateSession> {
  const { disk } = port;
  await disk.makeFolder(dirname(files.snapshot)).catch((cause) => {
    throw writeFailed(dirname(files.snapshot), cause);
  });
  const lock = await acquireLock(port, holder, timeoutMs);
  try {
    const recorded = await readRecorded(disk, files, origin);
    await lock.raise(recorded.generation + 1);
    if (lock.replaced !== undefined) await sweep(disk, files, lock.replaced);
    return new LocalSession(disk, files, lock, sessionName(holder, lock.generation), recorded);
  } catch (cause) {
    await lock.release().catch(() => undefined);
    throw writeFailed(files.lock, cause);
  }
}

/** Names files and journals of one session; also where a caller uses one holder id for several sessions. */
const sessionName = (holder: LockHolder, generation: number): string =>
  createHash("sha256").update(`${holder.id} ${holder.since} ${generation}`).digest("hex").slice(0, 24);

/** Removes what a dead session was about to put in place. */
async function sweep(disk: Disk, files: StateFiles, dead: LockRecord): Promise<void> {
  for (const path of [files.snapshot, files.journal])
    await disk.remove(scratchOf(path, sessionName(dead, dead.generation))).catch(() => undefined);
}

async function removeLock(
  port: LocalLockPort,
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
  const { generation: _generation, process: _process, ...holder } = found.record;
  return holder;
}
