import * as z from "zod";
import { parseJson } from "../api/transport";
import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { sha256 } from "../model/sha256";
import { type JournalEntry, journalEntrySchema } from "../model/state";
import { asEncryptedEntry, type EncryptedEntry, type StateCipher } from "./cipher";
import type { Disk, DiskFile } from "./disk";
import { openNew, syncFolderOf, writeFully } from "./disk";
import { isTooDeep, newer } from "./state-text";

/** The first line of a journal: the snapshot it goes on from. */
const journalHeader = z.object({
  format: z.literal("rnv-journal"),
  version: z.literal(1),
  /** Unique: the encryption of an entry is bound to it. */
  id: z.string(),
  lineage: z.string(),
  serial: z.int(),
  generation: z.int(),
});
export type JournalHeader = Readonly<z.infer<typeof journalHeader>>;

/**
 * One line: `{"n":7,"synced":5,"sum":"…","entry":{…}}`. `n` counts lines from 0, the header. Lines before `synced` were
 * durable when this line was written. The sum covers all of the line.
 */
export function encodeLine(
  n: number,
  synced: number,
  entry: JournalHeader | JournalEntry | EncryptedEntry,
): string {
  const json = JSON.stringify(entry);
  return `{"n":${n},"synced":${synced},"sum":"${sumOf(n, synced, json)}","entry":${json}}\n`;
}

const boundToLine = (id: string, n: number): string => `rnv-journal ${id} ${n}`;

type Decrypt = Awaited<ReturnType<StateCipher["decrypter"]>>;

export interface DecodedJournal {
  readonly header: JournalHeader;
  readonly entries: readonly JournalEntry[];
  readonly encrypted: boolean;
}

/**
 * Reads a journal up to its last whole line. The rest that a power cut or a full disk left is skipped: a torn line or
 * padding. Whole lines behind a hole are skipped as well, unless a line says that the hole had been durable. Any other
 * damage throws, naming the line.
 */
export async function decodeJournal(
  bytes: Uint8Array,
  path: string,
  cipher: Pick<StateCipher, "decrypter">,
): Promise<DecodedJournal> {
  const [first, ...rest] = decodeLines(bytes, path);
  if (first === undefined) throw damaged(path, 1, "it has no header");
  const header = checkedHeader(first, path);
  // All entries of a journal are encrypted, under one key, or none is.
  const key = asEncryptedEntry(rest[0]);
  const open = key && (await cipher.decrypter(key, path));
  const entries = rest.map((entry, i) => {
    const opened = key === undefined ? entry : openEntry(entry, boundToLine(header.id, i + 1), open);
    if (opened === undefined) throw damaged(path, i + 2, "it cannot be decrypted");
    return checkedEntry(opened, path, i + 2);
  });
  return { header, entries, encrypted: key !== undefined };
}

function decodeLines(bytes: Uint8Array, path: string): unknown[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: unknown[] = [];
  let torn = false;
  let start = 0;
  for (let end = buffer.indexOf(10); end !== -1; end = buffer.indexOf(10, start)) {
    const line = parseLine(buffer.toString("utf8", start, end));
    start = end + 1;
    if (!torn && line?.n === entries.length) entries.push(line.entry);
    else torn = true;
    if (torn && line !== undefined && line.synced > entries.length)
      throw damaged(path, entries.length + 1, "it is not as it was written, and later lines are");
  }
  return entries;
}

const linePattern = /^\{"n":(\d{1,15}),"synced":(\d{1,15}),"sum":"([0-9a-f]{16})","entry":(.*)\}$/s;

function parseLine(text: string): { n: number; synced: number; entry: unknown } | undefined {
  const [, n, synced, sum, json] = linePattern.exec(text) ?? [];
  if (json === undefined || sum !== sumOf(Number(n), Number(synced), json)) return undefined;
  return { n: Number(n), synced: Number(synced), entry: parseJson(json) };
}

const sumOf = (n: number, synced: number, json: string): string =>
  sha256(`${n} ${synced} ${json}`).slice(0, 16);

function checkedHeader(value: unknown, path: string): JournalHeader {
  const header = journalHeader.safeParse(value).data;
  if (header !== undefined) return header;
  const { version } = (value ?? {}) as { readonly version?: unknown };
  if (typeof version === "number" && version > 1) throw newer(path);
  throw damaged(path, 1, "it is not the header of a journal");
}

function openEntry(entry: unknown, bound: string, open: Decrypt | undefined): unknown {
  const ciphertext = asEncryptedEntry(entry);
  return parseJson((ciphertext && open?.(ciphertext, bound)) ?? "");
}

function checkedEntry(value: unknown, path: string, line: number): JournalEntry {
  const issue = journalEntrySchema.safeParse(value).error?.issues[0]?.message;
  const why = isTooDeep(value) ? "it nests too deeply" : issue;
  if (why !== undefined) throw damaged(path, line, why);
  return value as JournalEntry;
}

const damaged = (path: string, line: number, why: string): DiagnosticsError =>
  failure("state.unreadable", `${path}: line ${line} is damaged: ${why}`, {
    detail: "The journal holds what the last run wrote after the snapshot; some of it cannot be trusted.",
    hint: `keep a copy of ${path}; removing it goes back to the last snapshot, and the next plan shows what differs`,
  });

/** Bytes kept free for the outcome and the resource of each write that is under way. */
const reservePerIntent = 32 * 1024;
const chunk = 256 * 1024;

type Encrypt = Awaited<ReturnType<StateCipher["encrypter"]>>;

/** The file that a session begins; it is written whole as `scratch` and then put in place at `path`. */
interface NewJournal {
  readonly path: string;
  readonly scratch: string;
  readonly header: JournalHeader;
  readonly encrypt: Encrypt | undefined;
}

/**
 * The journal file of a session. Space is reserved ahead as zeros, which readers skip. A full disk thus stops an intent
 * before its request is sent, and never the outcome after it.
 */
export class Journal {
  /** The header is the first, and durable. */
  #lines = 1;
  #synced = 1;
  #end: number;
  #reserved: number;
  #intents = 0;
  #broken: unknown;

  private constructor(
    private readonly id: string,
    private readonly file: DiskFile,
    end: number,
    private readonly encrypt: Encrypt | undefined,
  ) {
    this.#end = end;
    this.#reserved = end;
  }

  /** Creates a file in place of any journal: a holder that lost its lock keeps writing into the old file. */
  static async create(disk: Disk, { path, scratch, header, encrypt }: NewJournal): Promise<Journal> {
    const bytes = Buffer.from(encodeLine(0, 0, header));
    const file = await openNew(disk, scratch, bytes);
    try {
      await disk.rename(scratch, path);
      await syncFolderOf(disk, path);
    } catch (cause) {
      await file.close().catch(() => undefined);
      throw cause;
    }
    return new Journal(header.id, file, bytes.length, encrypt);
  }

  /** Writes entries in one go; returns once they are durable when that is asked for. Throws the disk's error. */
  async append(entries: readonly JournalEntry[], durable: boolean): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const text = entries
      .map((entry, i) => {
        const n = this.#lines + i;
        return encodeLine(n, this.#synced, this.#encrypted(entry, n));
      })
      .join("");
    const bytes = Buffer.from(text);
    await this.#reserve(bytes.length, countOf(entries, "intent"));
    try {
      await writeFully(this.file, bytes, this.#end);
      if (durable) await this.file.sync();
    } catch (cause) {
      // The content of the disk is unknown from here on, and after a failed sync a later sync proves nothing.
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

  #encrypted(entry: JournalEntry, n: number): JournalEntry | EncryptedEntry {
    if (this.encrypt === undefined) return entry;
    return { kind: "sealed", ...this.encrypt(JSON.stringify(entry), boundToLine(this.id, n)) };
  }

  async #reserve(length: number, intents: number): Promise<void> {
    const wanted = this.#end + length + reservePerIntent * (Math.max(0, this.#intents) + intents + 1);
    if (wanted <= this.#reserved) return;
    // Outcomes may extend beyond the space that was reserved earlier.
    const from = Math.max(this.#reserved, this.#end);
    const zeros = new Uint8Array(Math.ceil((wanted - from) / chunk) * chunk);
    try {
      await writeFully(this.file, zeros, from);
      this.#reserved = from + zeros.length;
    } catch (cause) {
      // Outcomes go into the space that was reserved for them.
      if (intents > 0) throw cause;
    }
  }
}

const countOf = (entries: readonly JournalEntry[], kind: JournalEntry["kind"]): number =>
  entries.reduce((count, entry) => count + (entry.kind === kind ? 1 : 0), 0);
