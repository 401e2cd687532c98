import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parseReadings, type Readings, readingsText } from "./readings";
import type { Store, StoreChange } from "./records";

/** The 32-byte key that seals variable values, and the readings; both are made with the folder, and kept. */
export function openFolder(
  folder: string,
  chosen: Readings,
): { readonly key: Buffer; readonly readings: Readings } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const path = join(folder, "key");
  const made = `${randomBytes(32).toString("hex")} ${readingsText(chosen)}`;
  try {
    writeFileSync(path, made, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
  // An older folder has a key alone.
  const [key = "", readings = "0"] = readFileSync(path, "utf8").split(" ");
  return { key: Buffer.from(key, "hex"), readings: parseReadings(readings) };
}

interface JournalExtent {
  readonly inode: number;
  readonly size: number;
}

/**
 * Keeps a store in a folder that only its user can read: in a journal with one line per commit. A line is whole or, after
 * a crash, cut short and dropped: no commit is ever half there.
 */
export class FolderPersistence {
  readonly #path: string;
  /** The part of the journal that the store holds. */
  #seen: JournalExtent = { inode: 0, size: 0 };
  #changesSeen = 0;

  /** A journal above `compactAbove` bytes whose records changed again and again is replaced. */
  constructor(
    folder: string,
    private readonly store: Store,
    compactAbove: number = 4 * 1024 * 1024,
  ) {
    this.#path = join(folder, "journal.ndjson");
    this.#load();
    const { size } = this.#look();
    const isCutShort = size > this.#seen.size;
    const records = [...store.everything()];
    if (isCutShort || (size > compactAbove && this.#changesSeen > 2 * records.length)) this.#compact(records);
  }

  /** Takes over the commits of other processes since the last call. */
  refresh(): void {
    const now = this.#look();
    if (isSame(now, this.#seen)) return;
    if (now.inode === this.#seen.inode && now.size > this.#seen.size) this.#replayTail();
    else this.#load();
  }

  /** Writes the changes since the last call; if that fails, the store returns to its data on disk. */
  commit(): void {
    const changes = this.store.takeChanges();
    if (changes.length === 0) return;
    const line = `${JSON.stringify(changes)}\n`;
    const before = this.#look();
    try {
      appendFileSync(this.#path, line, { mode: 0o600 });
    } catch (cause) {
      if (before.inode !== 0) truncateSync(this.#path, before.size);
      this.#load();
      throw cause;
    }
    const now = this.#look();
    // Another process may have written in between: then the next refresh reads both.
    if (now.size === this.#seen.size + Buffer.byteLength(line)) this.#seen = now;
  }

  #look(): JournalExtent {
    const stats = statSync(this.#path, { throwIfNoEntry: false });
    return { inode: stats?.ino ?? 0, size: stats?.size ?? 0 };
  }

  #load(): void {
    this.store.clear();
    this.#seen = { inode: 0, size: 0 };
    this.#changesSeen = 0;
    this.#replayTail();
  }

  #replayTail(): void {
    const { inode } = this.#look();
    if (inode === 0) return;
    const tail = readFileSync(this.#path).subarray(this.#seen.size);
    const whole = tail.lastIndexOf("\n") + 1;
    for (const line of tail.toString("utf8", 0, whole).split("\n")) {
      if (line === "") continue;
      const changes = JSON.parse(line) as StoreChange[];
      this.store.replay(changes);
      this.#changesSeen += changes.length;
    }
    this.#seen = { inode, size: this.#seen.size + whole };
  }

  /** Replaces the journal by one change for each record; not where another process wrote to it meanwhile. */
  #compact(records: readonly StoreChange[]): void {
    const before = this.#look();
    const temporary = `${this.#path}.${randomBytes(6).toString("hex")}.tmp`;
    const lines = records.map((change) => `${JSON.stringify([change])}\n`);
    writeFileSync(temporary, lines.join(""), { flush: true, mode: 0o600 });
    if (isSame(this.#look(), before)) {
      renameSync(temporary, this.#path);
      this.#seen = this.#look();
    } else rmSync(temporary);
  }
}

const isSame = (a: JournalExtent, b: JournalExtent): boolean => a.inode === b.inode && a.size === b.size;
