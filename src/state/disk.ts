import { dirname, isAbsolute } from "node:path";
import { DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { reasonOf } from "../model/file-error";
import { keptBackups } from "./backend";

/** An open file. Positions and sizes are bytes. */
export interface DiskFile {
  /** Writes at a position; may write less than asked, and returns how much. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** The content survives a power cut once this returns. After a failure nothing is known about the content. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The file system as the state needs it, so that tests can cut its power and fill it up. Failures have a `code`: `ENOSPC`. */
export interface Disk {
  /** Creates a file with mode 0600; rejects with `EEXIST` when the path is taken, also by a link. */
  create(path: string): Promise<DiskFile>;
  /** Reads the whole content; undefined when there is no such file. Rejects with `EFBIG` above `limit` bytes. */
  read(path: string, limit: number): Promise<Uint8Array | undefined>;
  mode(path: string): Promise<number | undefined>;
  rename(from: string, to: string): Promise<void>;
  /** Makes a second name for a file; rejects with `EEXIST` when `to` is taken. */
  link(from: string, to: string): Promise<void>;
  remove(path: string): Promise<boolean>;
  /** Creates a folder and its parents with mode 0700 where they are missing. */
  makeFolder(path: string): Promise<void>;
  /** Names created, renamed and removed in the folder survive a power cut once this returns. */
  syncFolder(path: string): Promise<void>;
  readLink(path: string): Promise<string | undefined>;
}

export function diskCode(cause: unknown): string | undefined {
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Returns the error for a state that could not be written; a `DiagnosticsError` passes unchanged. */
export const writeFailed = (path: string, cause: unknown): DiagnosticsError =>
  diskFailed(cause, "state.write_failed", `cannot write ${path}`, {
    detail: "Nothing that was recorded before is lost; the last snapshot and its journal are untouched.",
    hint: "make the disk writable, then run the same command again: it settles what was left open",
  });

export const readFailed = (path: string, cause: unknown): DiagnosticsError =>
  diskFailed(cause, "state.unreadable", `cannot read ${path}`, {
    hint: "check the path, its permissions and the disk",
  });

function diskFailed(cause: unknown, ...[code, what, more]: Parameters<typeof failure>): DiagnosticsError {
  if (cause instanceof DiagnosticsError) return cause;
  const failed = failure(code, `${what}: ${reasonOf(cause)}`, more);
  failed.cause = cause;
  return failed;
}

/** Writes all bytes: a single write may be short, on a full disk without an error. */
export async function writeFully(file: DiskFile, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const written = await file.write(bytes.subarray(done), position + done);
    if (written <= 0) throw Object.assign(new Error("nothing more could be written"), { code: "ENOSPC" });
    done += written;
  }
}

/** Creates a file with this content and returns it open; its name is durable only after a sync of the folder. */
export async function openNew(disk: Disk, path: string, bytes: Uint8Array): Promise<DiskFile> {
  // A run that was cut short may have left a file of this name.
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

export const writeNew = async (disk: Disk, path: string, bytes: Uint8Array): Promise<void> =>
  (await openNew(disk, path, bytes)).close();

/** Puts a new file at `path`, whole or not at all, through a link to `scratch`; false when the path is taken. */
export async function placeNew(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  scratch: string,
): Promise<boolean> {
  await writeNew(disk, scratch, bytes);
  try {
    await disk.link(scratch, path);
    return true;
  } catch (cause) {
    if (diskCode(cause) === "EEXIST") return false;
    throw cause;
  } finally {
    await disk.remove(scratch).catch(() => undefined);
  }
}

export const syncFolderOf = (disk: Disk, path: string): Promise<void> => disk.syncFolder(dirname(path));

export const largestJournal = 128 * 1024 * 1024;

export const filesOf = (path: string) => ({
  snapshot: path,
  journal: `${path}.journal`,
  lock: `${path}.lock`,
});

export type StateFiles = Readonly<ReturnType<typeof filesOf>>;

export const scratchOf = (path: string, session: string): string => `${path}.${session}.tmp`;

const backupPath = (files: StateFiles, n: number): string => `${files.snapshot}.backup.${n}`;

export async function listBackups(disk: Disk, files: StateFiles): Promise<string[]> {
  const found: string[] = [];
  for (let n = 1; n <= keptBackups; n += 1)
    if ((await disk.mode(backupPath(files, n))) !== undefined) found.push(backupPath(files, n));
  return found;
}

/**
 * Removes all that a state consists of, the lock apart. The snapshot goes last, once the rest is gone for good: a journal
 * or a backup without it would be taken for the state.
 */
export async function removeState(disk: Disk, files: StateFiles): Promise<void> {
  await disk.remove(files.journal);
  for (const backup of await listBackups(disk, files)) await disk.remove(backup);
  await syncFolderOf(disk, files.snapshot);
  await disk.remove(files.snapshot);
  await syncFolderOf(disk, files.snapshot);
}

/** Writes the new snapshot under another name and keeps the current snapshot as the newest backup. */
export async function prepareSnapshot(
  disk: Disk,
  files: StateFiles,
  scratch: string,
  bytes: Uint8Array,
): Promise<void> {
  await writeNew(disk, scratch, bytes);
  if ((await disk.mode(files.snapshot)) === undefined) return;
  await shiftBackups(disk, files);
  await disk.link(files.snapshot, backupPath(files, 1));
}

/** Makes the name of the newest backup free; the oldest goes only when all of them are there. */
async function shiftBackups(disk: Disk, files: StateFiles): Promise<void> {
  let gap = 1;
  while (gap < keptBackups && (await disk.mode(backupPath(files, gap))) !== undefined) gap += 1;
  for (let n = gap; n > 1; n -= 1) await disk.rename(backupPath(files, n - 1), backupPath(files, n));
}

const mostLinks = 40;

/**
 * Resolves a link to a state; its target need not exist yet. Writes replace the target and leave the link, and two
 * links to a state share its lock.
 */
export async function throughLinks(disk: Disk, path: string): Promise<string> {
  let at = path;
  for (let followed = 0; followed < mostLinks; followed += 1) {
    const target = await disk.readLink(at).catch(() => undefined);
    if (target === undefined) return at;
    // Not normalised: `..` of a folder that is a link itself is where that leads to.
    at = isAbsolute(target) ? target : `${dirname(at)}/${target}`;
  }
  return at;
}
