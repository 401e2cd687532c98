import type { Disk } from "./disk";
import { isLinkUnsupported } from "./disk";
import { copyFile, writeNew } from "./durable-file";
import { backupPath, keptBackups, type StateFiles } from "./state-files";

/** Writes the new snapshot under another name and keeps the one that stands as the newest backup. */
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
