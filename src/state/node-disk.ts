import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import * as fs from "node:fs/promises";
import { platform } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Disk, type DiskFile, diskCode } from "./disk";

/** The path of the innermost `.rnv` in a path: the folder of states, keys and the emulator's data. */
const ownFolder = /^(?:.*[\\/])?\.rnv(?=[\\/]|$)/;

/** Makes a folder and those above it; returns the outermost new one. Below `/proc`, `recursive` of Node never ends. */
function makeFolders(path: string): string | undefined {
  const above = dirname(path);
  const first = above === path || existsSync(above) ? undefined : makeFolders(above);
  try {
    mkdirSync(path, { mode: 0o700 });
    return first ?? path;
  } catch (cause) {
    if (diskCode(cause) === "EEXIST" && statSync(path).isDirectory()) return first;
    throw cause;
  }
}

/**
 * Makes a folder that its user alone reads, and keeps a new `.rnv` around it out of git, whatever the repository ignores.
 * Returns the outermost folder that was made.
 */
export function makeIgnoredFolder(path: string): string | undefined {
  const first = makeFolders(path);
  const own = ownFolder.exec(path)?.[0];
  try {
    if (first !== undefined && own?.startsWith(first))
      writeFileSync(join(own, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 });
  } catch {
    // A disk that is full says so with the file that matters.
  }
  return first;
}

const syncData = promisify(fdatasync);

function createFile(path: string): DiskFile {
  const descriptor = openSync(path, "wx", 0o600);
  return {
    // At once: the kernel takes it into memory, which is quicker than a trip to another thread and back.
    write: async (bytes, position) => writeSync(descriptor, bytes, 0, bytes.length, position),
    sync: () => syncData(descriptor),
    close: async () => closeSync(descriptor),
  };
}

async function unlessMissing<T>(call: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (cause) {
    if (diskCode(cause) === "ENOENT") return undefined;
    throw cause;
  }
}

/** At once, as writes: the lock is read before each group of them. */
function readWhole(path: string, limit: number): Uint8Array {
  // O_NONBLOCK: opening a named pipe must not wait for a writer.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    const code = !status.isFile() ? "EISDIR" : status.size > limit ? "EFBIG" : undefined;
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows has no handles for folders to sync; there a rename is as durable as it gets.
  if (platform() === "win32") return;
  const handle = await fs.open(path, "r");
  try {
    await handle.sync();
  } catch (cause) {
    if (!["EINVAL", "ENOTSUP"].includes(diskCode(cause) ?? "")) throw cause;
  } finally {
    await handle.close();
  }
}

export const nodeDisk: Disk = {
  create: async (path) => createFile(path),
  read: (path, limit) => unlessMissing(() => readWhole(path, limit)),
  mode: (path) => unlessMissing(() => statSync(path).mode & 0o777),
  rename: (from, to) => fs.rename(from, to),
  link: (from, to) => fs.link(from, to),
  remove: async (path) => (await unlessMissing(() => fs.unlink(path).then(() => true))) ?? false,
  async makeFolder(path) {
    const first = makeIgnoredFolder(path);
    if (first !== undefined) await syncFolder(dirname(first));
  },
  syncFolder,
  readLink: (path) => unlessMissing(() => fs.readlink(path)),
};
