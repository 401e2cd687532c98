import { dirname } from "node:path";
import { sha256 } from "../../model/text";
import {
  encodeLock,
  holderOf,
  isDead,
  isSameLock,
  type LockRecord,
  type LockStore,
  lockLost,
  lockUnreadable,
  readLock,
} from "../lock-record";
import { type Disk, placeNew, readFailed, writeFailed, writeNew } from "./disk";

/** The parts that changing a lock file needs. */
export interface LockPort {
  readonly disk: Disk;
  /** Of the lock file. */
  readonly path: string;
  readonly isAlive: (pid: number) => boolean;
}

const fileSafe = (id: string): string => (/^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : sha256(id).slice(0, 32));

const scratchOf = (port: LockPort, self: LockRecord): string => `${port.path}.${fileSafe(self.id)}.tmp`;

/** Puts a record at a path, whole or not at all; false when the path is taken. */
const placeLock = (port: LockPort, path: string, record: LockRecord): Promise<boolean> =>
  placeNew(port.disk, path, encodeLock(record), scratchOf(port, record));

/**
 * Replaces the expected record at a path by another, or removes it; false when it is not there any more or another run
 * else is at it. A run that changes a lock claims it first: with a file named after the id of the record to be replaced,
 * created exclusively. Ids are unique, so between the claim and the check that follows it no run can have put the
 * same record back, and of two takers of one dead lock exactly one wins. A claim whose maker died is itself taken
 * over in the same way. `force` breaks any claim.
 */
export async function swapLock(
  port: LockPort,
  self: LockRecord,
  change: { readonly path: string; readonly expected: LockRecord; readonly next?: LockRecord },
  force = false,
): Promise<boolean> {
  const { disk } = port;
  const claim = `${port.path}.${fileSafe(change.expected.id)}.claim`;
  if (!(await claimLock(port, claim, self, force))) return false;
  try {
    const found = await readLock(disk, change.path);
    if (!isSameLock(found, change.expected)) return false;
    if (change.next === undefined) {
      await disk.remove(change.path);
    } else {
      const scratch = scratchOf(port, self);
      await writeNew(disk, scratch, encodeLock(change.next));
      await disk.rename(scratch, change.path);
    }
    return true;
  } finally {
    await disk.remove(claim).catch(() => undefined);
  }
}

async function claimLock(port: LockPort, path: string, self: LockRecord, force: boolean): Promise<boolean> {
  // Of its own id: a holder that dies while it releases leaves a claim on itself, and that is claimed in turn.
  const claim = {
    ...self,
    id: `claim-${sha256(`${self.id} ${path}`).slice(0, 32)}`,
  };
  if (await placeLock(port, path, claim)) return true;
  const found = await readLock(port.disk, path);
  if (found === "free") return false;
  if (found === "unreadable") return force && (await port.disk.remove(path)) && placeLock(port, path, claim);
  // Left by this holder when removing it failed.
  if (found.id === claim.id) return true;
  if (!force && !(await isDead(port.disk, found, self, port.isAlive))) return false;
  return swapLock(port, self, { path, expected: found, next: claim }, force);
}

/** The lock file of a state. */
export function localLocks(port: LockPort): LockStore {
  const { path } = port;
  const failed = (cause: unknown): never => {
    throw writeFailed(path, cause);
  };
  return {
    location: path,
    pauses: [100, 800],
    takeLock: (record) => takeLock(port, record).catch(failed),
    replaceLock: (expected, next) => swapLock(port, next, { path, expected, next }).catch(failed),
    findLock: async () => holderOf(await readLockFile(port)),
    freeLock: (record, by = record) =>
      swapLock(port, by, { path, expected: record }, by !== record).catch(failed),
    unreadable: () => lockUnreadable(path, `make sure that no other run is going on, then remove ${path}`),
  };
}

const readLockFile = ({ disk, path }: LockPort) =>
  readLock(disk, path).catch((cause) => {
    throw readFailed(path, cause);
  });

async function takeLock(port: LockPort, record: LockRecord): Promise<LockRecord | "unreadable"> {
  const { disk, path } = port;
  await disk.makeFolder(dirname(path));
  for (let looks = 1; ; looks += 1) {
    const found = await readLock(disk, path);
    if (found !== "free") return found;
    if (await placeLock(port, path, record)) return record;
    // It may become free between two looks at it.
    if (looks > 2) return "unreadable";
  }
}

/** The lock of a state, ours until another run takes it away. */
export class LocalLock {
  constructor(
    readonly port: LockPort,
    public record: LockRecord,
  ) {}

  /** Throws `state.lock_lost` when the lock is not ours any more. */
  async check(): Promise<void> {
    const found = await readLockFile(this.port);
    if (!isSameLock(found, this.record)) throw lockLost(holderOf(found), "the lock file was removed");
  }

  /** Raises the generation above those that wrote what is on the disk. */
  async raise(generation: number): Promise<void> {
    if (generation <= this.record.generation) return;
    const next = { ...this.record, generation };
    const change = { path: this.port.path, expected: this.record, next };
    if (await swapLock(this.port, this.record, change)) this.record = next;
    else await this.check();
  }

  /** Quiet when the lock is lost already. */
  async release(): Promise<void> {
    await swapLock(this.port, this.record, { path: this.port.path, expected: this.record });
  }
}
