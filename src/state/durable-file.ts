import { dirname } from "node:path";
import type { Disk, DiskFile } from "./disk";

/** Writes all of it: one write of a file may be short, on a full disk without an error. */
export async function writeFully(file: DiskFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const written = await file.write(bytes.subarray(done), position + done);
    if (written <= 0) throw Object.assign(new Error("nothing more could be written"), { code: "ENOSPC" });
    done += written;
  }
}

/** A new file with this content, open; durable under its name only after a sync of the folder. */
export async function openNew(disk: Disk, path: string, bytes: Uint8Array): Promise<DiskFile> {
  // What a run that was cut short left under this name.
  await disk.remove(path);
  const file = await disk.create(path);
  try {
    await writeFully(file, bytes, 0);
    await file.sync();
    return file;
  } catch (cause) {
    await file.close().catch(() => undefined);
    await disk.remove(path).catch(() => undefined);
    throw cause;
  }
}

/** As `openNew`, closed. */
export const writeNew = async (disk: Disk, path: string, bytes: Uint8Array): Promise<void> =>
  (await openNew(disk, path, bytes)).close();

/** A copy of a file, whole or not there at all. */
export async function copyFile(disk: Disk, from: string, to: string, scratch: string): Promise<void> {
  const bytes = await disk.read(from, Number.MAX_SAFE_INTEGER);
  if (bytes === undefined) return;
  await writeNew(disk, scratch, bytes);
  await disk.rename(scratch, to);
}

/** Makes names created, renamed or removed beside `path` durable. */
export const syncFolderOf = (disk: Disk, path: string): Promise<void> => disk.syncFolder(dirname(path));
