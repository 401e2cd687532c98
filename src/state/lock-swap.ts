import { sha256 } from "../model/text";
import type { Disk } from "./disk";
import { diskCode, isLinkUnsupported } from "./disk";
import { writeFully, writeNew } from "./durable-file";
import { encodeLock, isDead, isSameLock, type LockRecord, readLock } from "./lock-record";

/** What changing lock files needs. */
export interface LockPort {
  readonly disk: Disk;
  /** Of the lock file. */
  readonly path: string;
  readonly isAlive: (pid: number) => boolean;
}

const fileSafe = (id: string): string => (/^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : sha256(id).slice(0, 32));

const scratchOf = (port: LockPort, self: LockRecord): string => `${port.path}.${fileSafe(self.id)}.tmp`;

/** Puts a record at a path where nothing stands, whole or not at all; false when something does. */
export async function placeLock(port: LockPort, path: string, record: LockRecord): Promise<boolean> {
  const { disk } = port;
  const scratch = scratchOf(port, record);
  await writeNew(disk, scratch, encodeLock(record));
  try {
    await disk.link(scratch, path);
    return true;
  } catch (cause) {
    if (diskCode(cause) === "EEXIST") return false;
    if (isLinkUnsupported(cause)) return await placeWithoutLink(disk, path, record);
    throw cause;
  } finally {
    await disk.remove(scratch).catch(() => undefined);
  }
}

async function placeWithoutLink(disk: Disk, path: string, record: LockRecord): Promise<boolean> {
  try {
    const file = await disk.create(path);
    await writeFully(file, encodeLock(record), 0).finally(() => file.close());
    return true;
  } catch (cause) {
    if (diskCode(cause) === "EEXIST") return false;
    throw cause;
  }
}

/**
 * Replaces the expected record at a path by another, or removes it; false when it is not there any more or somebody
 * else is at it. Whoever changes a lock first claims it: a file named after the id of the record to be replaced,
 * created exclusively. Ids are unique, so between the claim and the check that follows it nobody can have put the
 * same record back, and of two takers of one dead lock exactly one wins. A claim whose maker died is itself taken
 * over in the same way. `force` breaks claims whoever made them.
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
    if (found.kind !== "held" || !isSameLock(found.record, change.expected)) return false;
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
  if (found.kind === "free") return false;
  if (found.kind === "unreadable")
    return force && (await port.disk.remove(path)) && placeLock(port, path, claim);
  // Left by this holder when removing it failed.
  if (found.record.id === claim.id) return true;
  if (!force && !(await isDead(port.disk, found.record, self, port.isAlive))) return false;
  return swapLock(port, self, { path, expected: found.record, next: claim }, force);
}
