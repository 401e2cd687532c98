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

/** How much of which journal is meant. */
interface JournalExtent {
  readonly inode: number;
  readonly size: number;
}

/** Loads a folder into a store, then keeps it there; a journal above `compactAbove` bytes is folded in. */
export class FolderPersistence implements Persistence {
  readonly #snapshotPath: string;
  readonly #journalPath: string;
  /** The records of the store. */
  #seen: JournalExtent = { inode: 0, size: 0 };

  constructor(
    folder: string,
    private readonly store: Store,
    private readonly compactAbove: number = 4 * 1024 * 1024,
  ) {
    this.#snapshotPath = join(folder, "snapshot.ndjson");
    this.#journalPath = join(folder, "journal.ndjson");
    this.#load();
    const { size } = this.#look();
    const isCutShort = size > this.#seen.size;
    if (isCutShort || size > compactAbove) this.#compact();
  }

  refresh(): void {
    const now = this.#look();
    if (isSame(now, this.#seen)) return;
    if (now.inode === this.#seen.inode && now.size > this.#seen.size) this.#replayTail();
    else this.#load();
  }

  commit(): void {
    const changes = this.store.takeChanges();
    if (changes.length === 0) return;
    const line = `${JSON.stringify(changes)}\n`;
    const before = this.#look();
    try {
      appendFileSync(this.#journalPath, line, { mode: 0o600 });
    } catch (cause) {
      if (before.inode !== 0) truncateSync(this.#journalPath, before.size);
      this.#load();
      throw cause;
    }
    const now = this.#look();
    // Another process may have written in between: then the next refresh reads both.
    if (now.size === this.#seen.size + Buffer.byteLength(line)) this.#seen = now;
    if (now.size > this.compactAbove) this.#compact();
  }

  #look(): JournalExtent {
    const stats = statSync(this.#journalPath, { throwIfNoEntry: false });
    return { inode: stats?.ino ?? 0, size: stats?.size ?? 0 };
  }

  #load(): void {
    this.store.clear();
    this.#seen = { inode: 0, size: 0 };
    for (const line of readIfThere(this.#snapshotPath).split("\n")) {
      if (line !== "") this.store.replay([JSON.parse(line) as StoreChange]);
    }
    this.#replayTail();
  }

  #replayTail(): void {
    const { inode } = this.#look();
    if (inode === 0) return;
    const tail = readFileSync(this.#journalPath).subarray(this.#seen.size);
    const whole = tail.lastIndexOf("\n") + 1;
    for (const line of tail.toString("utf8", 0, whole).split("\n")) {
      if (line !== "") this.store.replay(JSON.parse(line) as StoreChange[]);
    }
    this.#seen = { inode, size: this.#seen.size + whole };
  }

  /**
   * The journal last: replaying an old journal over a newer snapshot ends in the same records. It is left alone
   * when another process wrote to it meanwhile.
   */
  #compact(): void {
    const before = this.#look();
    const lines = [...this.store.everything()].map((change) => `${JSON.stringify(change)}\n`);
    replaceFile(this.#snapshotPath, lines.join(""));
    if (!isSame(this.#look(), before)) return;
    replaceFile(this.#journalPath, "");
    this.#seen = this.#look();
  }
}

const isSame = (a: JournalExtent, b: JournalExtent): boolean => a.inode === b.inode && a.size === b.size;

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
