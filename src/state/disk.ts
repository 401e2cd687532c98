/** An open file. Positions and sizes are bytes. */
export interface DiskFile {
  /** Writes at a position; may write less than asked, and returns how much. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** The content survives a power cut once this returns. After a failure nothing is known about the content. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface FileStatus {
  readonly size: number;
  /** Permission bits: 0o600. */
  readonly mode: number;
  /** Another value means that another file, or another version of it, stands at the path. */
  readonly identity: string;
}

/**
 * The few things the state needs of a file system, so that tests can cut its power and fill it up. Failures reject
 * with an error that has a `code` such as `ENOSPC`.
 */
export interface Disk {
  /** A new file with mode 0600; rejects with `EEXIST` when the path is taken, also by a link. */
  create(path: string): Promise<DiskFile>;
  /** The whole content; undefined when there is no such file. Rejects with `EFBIG` above `limit` bytes. */
  read(path: string, limit: number): Promise<Uint8Array | undefined>;
  /** Undefined when there is no such file. */
  stat(path: string): Promise<FileStatus | undefined>;
  /** Replaces what stands at `to`, in one step. */
  rename(from: string, to: string): Promise<void>;
  /** A second name for a file; rejects with `EEXIST` when `to` is taken. */
  link(from: string, to: string): Promise<void>;
  /** False when there was nothing. */
  remove(path: string): Promise<boolean>;
  /** Creates a folder and its parents with mode 0700 where they are missing. */
  makeFolder(path: string): Promise<void>;
  /** Names created, renamed and removed in the folder survive a power cut once this returns. */
  syncFolder(path: string): Promise<void>;
  /** What a symbolic link says; undefined when there is none. */
  readLink(path: string): Promise<string | undefined>;
}

/** The `code` of a failed disk call: `ENOENT`; undefined for anything else. */
export function diskCode(cause: unknown): string | undefined {
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** The file system cannot make hard links. */
export const isLinkUnsupported = (cause: unknown): boolean =>
  ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(diskCode(cause) ?? "");
