import type { JournalEntry } from "../model/state";
import type { Disk, DiskFile } from "./disk";
import { openNew, syncFolderOf, writeFully } from "./durable-file";
import { boundToLine, encodeLine, type JournalHeader } from "./journal-text";
import type { Sealed } from "./sealed-text";

/** Bytes kept free for the outcome and the resource of each write that is under way. */
const reservePerIntent = 32 * 1024;
const chunk = 256 * 1024;

/** Encrypts a text, bound to its place. */
export type Seal = (text: string, bound: string) => Sealed;

/** There is no room for an intent together with its outcome. Nothing was written, the journal is whole. */
export class NoRoomForIntent extends Error {
  constructor(override readonly cause: unknown) {
    super("no room for an intent and its outcome");
    this.name = "NoRoomForIntent";
  }
}

/**
 * The journal file of one session. Space is taken ahead as zeros, which readers pass over, so that a full disk stops
 * an intent before its request is sent and never the outcome after it.
 */
export class Journal {
  #lines: number;
  #synced: number;
  #end: number;
  #reserved: number;
  #intents = 0;
  #broken: unknown;

  private constructor(
    readonly id: string,
    readonly file: DiskFile,
    lines: number,
    end: number,
    private readonly seal: Seal | undefined,
  ) {
    this.#lines = lines;
    this.#synced = lines;
    this.#end = end;
    this.#reserved = end;
  }

  /** A new file in place of whatever journal stands there: a holder that lost its lock keeps writing into the old. */
  static async create(
    disk: Disk,
    path: string,
    scratch: string,
    header: JournalHeader,
    entries: readonly JournalEntry[],
    seal?: Seal,
  ): Promise<Journal> {
    const lines = entries.map((entry, i) => encodeLine(i + 1, 0, sealed(entry, header.id, i + 1, seal)));
    const text = [encodeLine(0, 0, header), ...lines].join("");
    const bytes = Buffer.from(text);
    const file = await openNew(disk, scratch, bytes);
    try {
      await disk.rename(scratch, path);
      await syncFolderOf(disk, path);
    } catch (cause) {
      await file.close().catch(() => undefined);
      throw cause;
    }
    return new Journal(header.id, file, entries.length + 1, bytes.length, seal);
  }

  /** Writes entries in one go; returns once they are durable when that is asked for. Throws the disk's error. */
  async append(entries: readonly JournalEntry[], durable: boolean): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const text = entries
      .map((entry, i) => {
        const n = this.#lines + i;
        return encodeLine(n, this.#synced, sealed(entry, this.id, n, this.seal));
      })
      .join("");
    const bytes = Buffer.from(text);
    await this.#reserve(bytes.length, countOf(entries, "intent"));
    try {
      await writeFully(this.file, bytes, this.#end);
      if (durable) await this.file.sync();
    } catch (cause) {
      // What reached the disk is unknown from here on, and after a failed sync a later one proves nothing.
      this.#broken = cause;
      throw cause;
    }
    this.#end += bytes.length;
    this.#lines += entries.length;
    if (durable) this.#synced = this.#lines;
    this.#intents += countOf(entries, "intent") - countOf(entries, "outcome");
  }

  close(): Promise<void> {
    return this.file.close();
  }

  async #reserve(length: number, intents: number): Promise<void> {
    const wanted = this.#end + length + reservePerIntent * (Math.max(0, this.#intents) + intents + 1);
    if (wanted <= this.#reserved) return;
    // Outcomes may stand beyond what could be reserved earlier.
    const from = Math.max(this.#reserved, this.#end);
    const zeros = new Uint8Array(Math.ceil((wanted - from) / chunk) * chunk);
    try {
      await writeFully(this.file, zeros, from);
      this.#reserved = from + zeros.length;
    } catch (cause) {
      // Outcomes go into what was reserved for them.
      if (intents > 0) throw new NoRoomForIntent(cause);
    }
  }
}

const sealed = (entry: JournalEntry, id: string, n: number, seal: Seal | undefined) =>
  seal === undefined
    ? entry
    : ({ kind: "sealed", ...seal(JSON.stringify(entry), boundToLine(id, n)) } as const);

const countOf = (entries: readonly JournalEntry[], kind: JournalEntry["kind"]): number =>
  entries.reduce((count, entry) => count + (entry.kind === kind ? 1 : 0), 0);
