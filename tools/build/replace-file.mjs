import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file whole: a program that starts meanwhile finds the old content or the new. */
export function replaceFile(path, content, mode) {
  const fresh = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(fresh, content);
  if (mode !== undefined) chmodSync(fresh, mode);
  renameSync(fresh, path);
}
