import type { Disk } from "./disk";

/** The names beside a state file; all of them lie in its folder. */
export interface StateFiles {
  readonly snapshot: string;
  readonly journal: string;
  readonly lock: string;
}

export const keptBackups = 10;

/** Bytes; a state of 5,000 resources takes about six million. */
export const largestSnapshot = 32 * 1024 * 1024;
export const largestJournal = 128 * 1024 * 1024;

export const filesOf = (path: string): StateFiles => ({
  snapshot: path,
  journal: `${path}.journal`,
  lock: `${path}.lock`,
});

/** Where a session writes a file before it takes its place. */
export const scratchOf = (path: string, session: string): string => `${path}.${session}.tmp`;

/** The n-th last snapshot before the one that stands; 1 is the newest. */
export const backupPath = (files: StateFiles, n: number): string => `${files.snapshot}.backup.${n}`;

/** Backups that are there, newest first. */
export async function listBackups(disk: Disk, files: StateFiles): Promise<string[]> {
  const found: string[] = [];
  for (let n = 1; n <= keptBackups; n += 1)
    if ((await disk.stat(backupPath(files, n))) !== undefined) found.push(backupPath(files, n));
  return found;
}
