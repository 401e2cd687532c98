import type { LockHolder } from "./backend";
import type { Disk } from "./disk";
import { type ProcessIdentity, startOf } from "./process-identity";

/** What a lock file says. */
export interface LockRecord extends LockHolder {
  /** Rises with every holder; writes are checked against it. */
  readonly generation: number;
  readonly process: ProcessIdentity;
}

export type FoundLock =
  | { readonly kind: "free" }
  | { readonly kind: "held"; readonly record: LockRecord }
  /** There is a file which is not a lock. */
  | { readonly kind: "unreadable" };

const limit = 64 * 1024;

export const encodeLock = (record: LockRecord): Uint8Array =>
  Buffer.from(`${JSON.stringify({ format: "rnv-lock", ...record }, null, 2)}\n`);

/** What stands in the lock file. Rejects with the disk's error. */
export async function readLock(disk: Disk, path: string): Promise<FoundLock> {
  const bytes = await disk.read(path, limit);
  if (bytes === undefined) return { kind: "free" };
  const record = decodeLockText(Buffer.from(bytes).toString("utf8"));
  return record === undefined ? { kind: "unreadable" } : { kind: "held", record };
}

/** The record that a lock's text holds; undefined for anything else. */
export function decodeLockText(text: string): LockRecord | undefined {
  let value: Partial<Record<string, unknown>>;
  try {
    value = JSON.parse(text) ?? {};
  } catch {
    return undefined;
  }
  const { format, id, host, pid, command, since, generation } = value;
  const isWhole =
    format === "rnv-lock" &&
    [id, host, command, since].every((part) => typeof part === "string" && part.length <= 1000) &&
    Number.isSafeInteger(pid) &&
    Number.isSafeInteger(generation);
  if (!isWhole) return undefined;
  const process = value.process !== null && typeof value.process === "object" ? value.process : {};
  return { id, host, pid, command, since, generation, process } as LockRecord;
}

export const isSameLock = (a: LockRecord, b: LockRecord): boolean =>
  a.id === b.id && a.generation === b.generation;

/**
 * Whether the holder has certainly ended: same host, and its pid is dead or belongs to a later process, or the
 * machine was restarted since. Never from age: a suspended holder looks old and may wake up.
 */
export async function isDead(
  disk: Disk,
  record: LockRecord,
  self: LockRecord,
  isAlive: (pid: number) => boolean,
): Promise<boolean> {
  if (record.host !== self.host) return false;
  const [theirs, ours] = [record.process, self.process];
  const differs = (part: keyof ProcessIdentity): boolean =>
    theirs[part] !== undefined && ours[part] !== undefined && theirs[part] !== ours[part];
  if (differs("machine")) return false;
  // Another boot of a machine that cannot be told from a namesake proves nothing.
  if (differs("boot")) return theirs.machine !== undefined && theirs.machine === ours.machine;
  if (differs("namespace")) return false;
  if (!isAlive(record.pid)) return true;
  const started = await startOf(disk, record.pid);
  return theirs.started !== undefined && started !== undefined && theirs.started !== started;
}
