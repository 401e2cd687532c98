import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import type { TerminalStreams } from "./terminal";

type Write = (fd: number, bytes: Uint8Array) => number;

/**
 * The stream to write to in place of `stream` where that is a file: a disk that is about to be full takes less than it
 * is given, and only who writes the rest is told. Anything else is returned as it is.
 */
export function wholeWrites(
  stream: TerminalStreams["stdout"] & { readonly fd?: number },
  write: Write = writeSync,
): TerminalStreams["stdout"] {
  const { fd } = stream;
  if (fd === undefined || stream.isTTY === true || !isFile(fd)) return stream;
  return new Writable({
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => {
      try {
        for (let rest: Uint8Array = chunk; rest.length > 0; ) {
          const written = write(fd, rest);
          if (written === 0) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
          rest = rest.subarray(written);
        }
        done();
      } catch (cause) {
        done(cause as Error);
      }
    },
  });
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}
