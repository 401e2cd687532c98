import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Store, StoreChange } from "./records";

const defaultCompactAbove = 4 * 1024 * 1024;

/**
 * Keeps a store in a folder that only its user can read: a snapshot, and a journal with one line per commit.
 * A line is whole or, after a crash, cut short and dropped: no commit is ever half there.
 */
export interface Persistence {
  /** Takes over what another process committed since the last call. */
  refresh(): void;
  /** Writes what changed since the last call; when that fails the store goes back to what is on disk. */
  commit(): void;
}

/** The 32-byte key that seals variable values; made with the folder. */
export function openFolder(folder: string): { readonly key: Buffer } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const path = join(folder, "key");
  try {
    writeFileSync(path, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
  return { key: Buffer.from(readFileSync(path, "utf8"), "hex") };
}

/** Loads the folder into the store, then keeps it there; a journal above `compactAbove` bytes is folded in. */
export function createPersistence(
  folder: string,
  store: Store,
  compactAbove: number = defaultCompactAbove,
): Persistence {
  const snapshotPath = join(folder, "snapshot.ndjson");
  const journalPath = join(folder, "journal.ndjson");
  /** How much of which journal the store holds. */
  let seen = { inode: 0, size: 0 };

  const look = (): { inode: number; size: number } => {
    const stats = statSync(journalPath, { throwIfNoEntry: false });
    return { inode: stats?.ino ?? 0, size: stats?.size ?? 0 };
  };

  const replayTail = (): void => {
    const now = look();
    if (now.inode === 0) return;
    const tail = readFileSync(journalPath).subarray(seen.size);
    const whole = tail.lastIndexOf("\n") + 1;
    for (const line of tail.toString("utf8", 0, whole).split("\n")) {
      if (line !== "") store.replay(JSON.parse(line) as StoreChange[]);
    }
    seen = { inode: now.inode, size: seen.size + whole };
  };

  const load = (): void => {
    store.clear();
    seen = { inode: 0, size: 0 };
    for (const line of readIfThere(snapshotPath).split("\n")) {
      if (line !== "") store.replay([JSON.parse(line) as StoreChange]);
    }
    replayTail();
  };

  /**
   * The journal last: replaying an old journal over a newer snapshot ends in the same records. It is left alone
   * when another process wrote to it meanwhile.
   */
  const compact = (): void => {
    const before = look();
    const lines = [...store.everything()].map((change) => `${JSON.stringify(change)}\n`);
    replaceFile(snapshotPath, lines.join(""));
    const now = look();
    if (now.inode !== before.inode || now.size !== before.size) return;
    replaceFile(journalPath, "");
    seen = look();
  };

  load();
  const loaded = look();
  const isCutShort = loaded.size > seen.size;
  if (isCutShort || loaded.size > compactAbove) compact();

  return {
    refresh() {
      const now = look();
      if (now.inode === seen.inode && now.size === seen.size) return;
      if (now.inode === seen.inode && now.size > seen.size) replayTail();
      else load();
    },
    commit() {
      const changes = store.takeChanges();
      if (changes.length === 0) return;
      const line = `${JSON.stringify(changes)}\n`;
      const before = look();
      try {
        appendFileSync(journalPath, line, { mode: 0o600 });
      } catch (cause) {
        if (before.inode !== 0) truncateSync(journalPath, before.size);
        load();
        throw cause;
      }
      const now = look();
      // Another process may have written in between: then the next refresh reads both.
      if (now.size === seen.size + Buffer.byteLength(line)) seen = now;
      if (now.size > compactAbove) compact();
    },
  };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw cause;
  }
}

function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const descriptor = openSync(temporary, "w", 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
}
