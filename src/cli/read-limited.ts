import { closeSync, openSync, readSync } from "node:fs";

/**
 * The bytes of a file or a pipe that the user named; throws the error of the file system, or one with the code EFBIG
 * above `limit` bytes. A device may be endless: its size says nothing.
 */
export function readLimited(path: string, limit: number): Buffer {
  const file = openSync(path, "r");
  try {
    const parts: Buffer[] = [];
    for (let size = 0; size <= limit; ) {
      const part = Buffer.allocUnsafe(Math.min(65_536, limit + 1 - size));
      const read = readSync(file, part);
      if (read === 0) return Buffer.concat(parts);
      parts.push(part.subarray(0, read));
      size += read;
    }
  } finally {
    closeSync(file);
  }
  throw Object.assign(new Error(`${path} holds more than ${limit} bytes`), { code: "EFBIG" });
}
