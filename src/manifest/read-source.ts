import { isAscii } from "node:buffer";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { error } from "../diagnostics/diagnostic";
import { utf8Text } from "../model/utf8";
import type { Report } from "./findings";
import { reasonOf } from "./paths";

/** Bytes of one manifest file: what YAML of any shape takes below two seconds and 256 MiB for. */
const maxFileBytes = 4 * 1024 * 1024;

/** Bytes of all files together. */
export const maxTotalBytes = 16 * 1024 * 1024;

/** The text of a manifest file without a byte order mark; undefined after a problem, which is reported. */
export async function readSource(
  file: string,
  cwd: string,
  left: number,
  report: Report,
): Promise<string | undefined> {
  try {
    const bytes = await readBytes(resolve(cwd, file), Math.min(left, maxFileBytes));
    if (bytes === "large") {
      const limit =
        left < maxFileBytes
          ? `all files together hold more than ${maxTotalBytes}`
          : `${file} holds more than ${maxFileBytes}`;
      report(
        error("manifest.too_large", `${limit} bytes`, { hint: "split the workspace into several manifests" }),
      );
      return undefined;
    }
    return decode(file, bytes, report);
  } catch (cause) {
    report(error("manifest.unreadable", `cannot read ${file}: ${reasonOf(cause)}`));
    return undefined;
  }
}

/** Size is checked before anything is read; a pipe or device does not block. */
async function readBytes(path: string, limit: number): Promise<Buffer | "large"> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error("it is not a regular file");
    return stat.size > limit ? "large" : await handle.readFile();
  } finally {
    await handle.close();
  }
}

function decode(file: string, bytes: Buffer, report: Report): string | undefined {
  try {
    return isAscii(bytes) ? utf8Text(bytes) : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    report(
      error("manifest.syntax", `${file} is not UTF-8 text`, {
        range: { file, start: 0, end: 0 },
        hint: "save it as UTF-8",
      }),
    );
    return undefined;
  }
}
