import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { diskCode } from "./disk";

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "there is no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk reported an error",
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is not a file",
  ENOTDIR: "a part of the path is not a folder",
  EFBIG: "it is too large",
};

const reasonOf = (cause: unknown): string => {
  const code = diskCode(cause);
  if (code === undefined) return cause instanceof Error ? cause.message : String(cause);
  return `${reasons[code] ?? "the disk refused"} (${code})`;
};

/** What to throw when the state could not be written; a `DiagnosticsError` passes unchanged. */
export function writeFailed(path: string, cause: unknown): DiagnosticsError {
  if (cause instanceof DiagnosticsError) return cause;
  const failure = new DiagnosticsError([
    error("state.write_failed", `cannot write ${path}: ${reasonOf(cause)}`, {
      detail: "Nothing that was recorded before is lost; the last snapshot and its journal are untouched.",
      hint: "make the disk writable, then run the same command again: it settles what was left open",
    }),
  ]);
  failure.cause = cause;
  return failure;
}

/** What to throw when a file of the state is there and cannot be read. */
export function readFailed(path: string, cause: unknown): DiagnosticsError {
  if (cause instanceof DiagnosticsError) return cause;
  const failure = new DiagnosticsError([
    error("state.unreadable", `cannot read ${path}: ${reasonOf(cause)}`, {
      hint: "check the path, its permissions and the disk",
    }),
  ]);
  failure.cause = cause;
  return failure;
}
