import { copyFile, type Disk, isLinkUnsupported, writeNew } from "./disk";

/** The names beside a state file; all of them lie in its folder. */
export interface StateFiles {
  readonly snapshot: string;
  readonly journal: string;
  readonly lock: string;
}

export const keptBackups = 10;

/** Bytes. */
export const largestSnapshot = 32 * 1024 * 1024;
export const largestJournal = 128 * 1024 * 1024;

export const filesOf = (path: string): StateFiles => ({
  snapshot: path,
  journal: `${path}.journal`,
  lock: `${path}.lock`,
});

/** Returns the path at which a session writes a file before its rename. */
export const scratchOf = (path: string, session: string): string => `${path}.${session}.tmp`;

/** Returns the path of a backup; 1 is the newest. */
const backupPath = (files: StateFiles, n: number): string => `${files.snapshot}.backup.${n}`;

/** Lists the backups, newest first. */
export async function listBackups(disk: Disk, files: StateFiles): Promise<string[]> {
  const found: string[] = [];
  for (let n = 1; n <= keptBackups; n += 1)
    if ((await disk.stat(backupPath(files, n))) !== undefined) found.push(backupPath(files, n));
  return found;
}

/** Writes the new snapshot under another name and keeps the current snapshot as the newest backup. */
export async function prepareSnapshot(
  disk: Disk,
  files: StateFiles,
  scratch: string,
  bytes: Uint8Array,
): Promise<void> {
  await writeNew(disk, scratch, bytes);
  if ((await disk.stat(files.snapshot)) === undefined) return;
  await shiftBackups(disk, files);
  const newest = backupPath(files, 1);
  try {
    await disk.link(files.snapshot, newest);
  } catch (cause) {
    if (!isLinkUnsupported(cause)) throw cause;
    await copyFile(disk, files.snapshot, newest, `${scratch}.backup`);
  }
}

/** Makes the name of the newest backup free; the oldest goes only when all of them are there. */
async function shiftBackups(disk: Disk, files: StateFiles): Promise<void> {
  let gap = 1;
  while (gap < keptBackups && (await disk.stat(backupPath(files, gap))) !== undefined) gap += 1;
  for (let n = gap; n > 1; n -= 1) await disk.rename(backupPath(files, n - 1), backupPath(files, n));
}
