/** Returns a short reason for a failed file operation, without the path. */
export function reasonOf(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException).code;
  const known: Record<string, string> = {
    ENOENT: "it does not exist",
    EEXIST: "it is there already",
    ENAMETOOLONG: "its name is too long",
    EACCES: "access is denied",
    EPERM: "access is denied",
    EISDIR: "it is not a file",
    ENOTDIR: "a part of its path is not a folder",
    ELOOP: "its links form a loop",
    ENOSPC: "there is no space left on the disk",
    EDQUOT: "the disk quota is used up",
    EIO: "the disk reported an error",
    EROFS: "the file system is read-only",
    ENOTSUP: "the file system has no hard links",
    EFBIG: "it is too large",
  };
  return known[code ?? ""] ?? (code === undefined ? (cause as Error).message : code);
}
