import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { error } from "../diagnostics/diagnostic";
import type { Report } from "./findings";
import { reasonOf } from "./paths";

/** Bytes of one manifest file: what YAML of any shape takes below two seconds and 256 MiB for. */
const maxFileBytes = 4 * 1024 * 1024;

/** Bytes of all files together. */
export const maxTotalBytes = 16 * 1024 * 1024;

/**
 * The text of a manifest file, or of `given` bytes, without a byte order mark; undefined after a problem, which is
 * reported.
 */
export function readSource(
  file: string,
  cwd: string,
  left: number,
  report: Report,
  given?: Uint8Array,
): string | undefined {
  try {
    const limit = Math.min(left, maxFileBytes);
    const bytes = given === undefined ? readBytes(resolve(cwd, file), limit) : limited(given, limit);
    if (bytes === "large") {
      const most =
        left < maxFileBytes
          ? `all files together hold more than ${maxTotalBytes}`
          : `${file} holds more than ${maxFileBytes}`;
      report(
        error("manifest.too_large", `${most} bytes`, { hint: "split the workspace into several manifests" }),
      );
      return undefined;
    }
    return decode(file, bytes, report);
  } catch (cause) {
    report(error("manifest.unreadable", `cannot read ${file}: ${reasonOf(cause)}`));
    return undefined;
  }
}

const limited = (bytes: Uint8Array, limit: number): Buffer | "large" =>
  bytes.length > limit ? "large" : Buffer.from(bytes);

/** Size is checked before anything is read; a pipe or device does not block. */
function readBytes(path: string, limit: number): Buffer | "large" {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new Error("it is not a regular file");
    return stat.size > limit ? "large" : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The first line that does not decode. */
function badLine(bytes: Buffer): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(10, start);
    const end = newline === -1 ? bytes.length : newline + 1;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = end;
  }
  return line;
}

function decode(file: string, bytes: Buffer, report: Report): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    report(
      error(
        "manifest.syntax",
        `${file} is not UTF-8 text${isUtf16 ? ", but UTF-16" : ` (line ${badLine(bytes)})`}`,
        {
          range: { file, start: 0, end: 0 },
          hint: "save it as UTF-8",
        },
      ),
    );
    return undefined;
  }
}
