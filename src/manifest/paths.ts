import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";

/** Whether a real path lies below one of the folders, with their links followed. */
export function isWithin(real: string, folders: readonly string[]): boolean {
  for (const folder of folders) {
    const base = realPath(folder);
    if (base === undefined) continue;
    const inside = relative(base, real);
    if (inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)))
      return true;
  }
  return false;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** A short reason for a failed file operation, without the path. */
export function reasonOf(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException).code;
  const known: Record<string, string> = {
    ENOENT: "it does not exist",
    EACCES: "access is denied",
    EPERM: "access is denied",
    EISDIR: "it is a folder",
    ENOTDIR: "a part of its path is not a folder",
    ELOOP: "its links form a loop",
  };
  return known[code ?? ""] ?? (code === undefined ? (cause as Error).message : code);
}
