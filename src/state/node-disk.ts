import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { platform } from "node:os";
import { dirname } from "node:path";
import { type Disk, type DiskFile, diskCode } from "./disk";

class NodeFile implements DiskFile {
  constructor(readonly handle: fs.FileHandle) {}

  async write(bytes: Uint8Array, position: number): Promise<number> {
    return (await this.handle.write(bytes, 0, bytes.length, position)).bytesWritten;
  }

  sync(): Promise<void> {
    return this.handle.datasync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (cause) {
    if (diskCode(cause) === "ENOENT") return undefined;
    throw cause;
  }
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

async function readWhole(path: string, limit: number): Promise<Uint8Array> {
  // O_NONBLOCK: opening a named pipe must not wait for somebody to write into it.
  const handle = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw failure("EISDIR", `${path} is not a file`);
    if (status.size > limit) throw failure("EFBIG", `${path} is larger than ${limit} bytes`);
    // Files of /proc say that they are empty.
    if (status.size === 0) return await handle.readFile();
    const bytes = Buffer.allocUnsafe(status.size + 1);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytesRead <= status.size ? bytes.subarray(0, bytesRead) : await handle.readFile();
  } finally {
    await handle.close();
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

/** The file system of this machine. */
export const nodeDisk: Disk = {
  create: async (path) => new NodeFile(await fs.open(path, "wx", 0o600)),
  read: (path, limit) => unlessMissing(readWhole(path, limit)),
  async stat(path) {
    const found = await unlessMissing(fs.stat(path, { bigint: true }));
    return (
      found && {
        size: Number(found.size),
        mode: Number(found.mode) & 0o777,
        identity: `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`,
      }
    );
  },
  rename: (from, to) => fs.rename(from, to),
  link: (from, to) => fs.link(from, to),
  remove: async (path) => (await unlessMissing(fs.unlink(path).then(() => true))) ?? false,
  async makeFolder(path) {
    const first = await fs.mkdir(path, { recursive: true, mode: 0o700 });
    if (first !== undefined) await syncFolder(dirname(first));
  },
  syncFolder,
  readLink: (path) => unlessMissing(fs.readlink(path)),
};
