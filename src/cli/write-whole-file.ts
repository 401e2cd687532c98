import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";

/**
 * Writes a file whole or not at all: beside it, synced, then renamed. Only its user can read it unless `mode` says. With
 * `keep`, a file that is there already stays and is an error. Throws `DiagnosticsError`.
 */
export function writeWholeFile(path: string, text: string, { keep = false, mode = 0o600 } = {}): void {
  const scratch = `${path}.${process.pid}.tmp`;
  try {
    writeScratch(scratch, text, mode);
    // A link never replaces what stands there; a rename does.
    if (keep) linkSync(scratch, path);
    else renameSync(scratch, path);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    const summary = code === "EEXIST" && keep ? `${path} is there already` : `cannot write ${path} (${code})`;
    throw new DiagnosticsError([error("command.usage", summary)]);
  } finally {
    rmSync(scratch, { force: true });
  }
}

function writeScratch(path: string, text: string, mode: number): void {
  rmSync(path, { force: true });
  const file = openSync(path, "wx", mode);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
