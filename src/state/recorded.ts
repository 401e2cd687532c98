import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { JournalEntry, State } from "../model/state";
import type { Disk } from "./disk";
import { readFailed } from "./disk-failure";
import { emptyState, fold } from "./fold";
import { type DecodedJournal, decodeJournal, type JournalHeader, journalKey } from "./journal-text";
import { noCipher, type StateCipher } from "./state-cipher";
import { largestJournal, largestSnapshot, listBackups, type StateFiles } from "./state-files";
import type { Writer } from "./state-text";

/** The workspace that a state must belong to. */
export interface Origin {
  readonly workspaceId: string;
  readonly baseUrl: string;
}

/** What the files of a state say together. */
export interface Recorded {
  /** Snapshot and journal; undefined when there is neither. */
  readonly state: State | undefined;
  /** Of the snapshot; null and 0 when there is none. */
  readonly lineage: string | null;
  readonly serial: number;
  /** Highest generation that wrote any of it. */
  readonly generation: number;
  /** Ids of journals that may stand on the disk and whose entries `state` holds. */
  readonly journals: readonly string[];
  /** Entries of the journal that the snapshot does not hold. */
  readonly pending: readonly JournalEntry[];
  /** Whether what stands on the disk is encrypted. */
  readonly encrypted: boolean;
}

interface Pair {
  readonly snapshot: Uint8Array | undefined;
  readonly journal: Uint8Array | undefined;
}

/** Reads snapshot and journal without a lock. Throws `DiagnosticsError`; never throws anything else. */
export async function readRecorded(
  disk: Disk,
  files: StateFiles,
  origin: Origin,
  cipher: StateCipher = noCipher,
): Promise<Recorded> {
  try {
    const pair = await readPair(disk, files);
    return await combine(pair, files, origin, cipher);
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw readFailed(files.snapshot, cause);
    const backups = await listBackups(disk, files).catch(() => []);
    throw new DiagnosticsError(
      cause.diagnostics.map((diagnostic) => withBackups(diagnostic, files.snapshot, backups)),
      cause.exitCode,
    );
  }
}

/** Both files of one moment: a commit between the two reads would show an old snapshot with a new journal. */
async function readPair(disk: Disk, files: StateFiles): Promise<Pair> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const before = await disk.stat(files.snapshot);
    const snapshot = await readOrExplain(disk, files.snapshot, largestSnapshot);
    const journal = await readOrExplain(disk, files.journal, largestJournal);
    const after = await disk.stat(files.snapshot);
    if (before?.identity === after?.identity) return { snapshot, journal };
  }
  throw new DiagnosticsError([
    error("state.unreadable", `${files.snapshot} changes faster than it can be read`, {
      hint: "wait for the other run to end",
    }),
  ]);
}

const readOrExplain = (disk: Disk, path: string, limit: number): Promise<Uint8Array | undefined> =>
  disk.read(path, limit).catch((cause) => {
    throw readFailed(path, cause);
  });

async function combine(
  pair: Pair,
  files: StateFiles,
  origin: Origin,
  cipher: StateCipher,
): Promise<Recorded> {
  const snapshot = pair.snapshot && (await decodeSnapshot(pair.snapshot, files.snapshot, origin, cipher));
  const key = pair.journal && journalKey(pair.journal);
  const open = key === undefined ? undefined : await cipher.opener(key, files.journal);
  const journal = pair.journal && decodeJournal(pair.journal, files.journal, open);
  const pending = journal === undefined ? [] : pendingOf(journal, snapshot, files);
  const start =
    snapshot?.state ??
    (journal === undefined ? undefined : emptyState({ lineage: journal.header.lineage, ...origin }));
  return {
    state: start && fold(start, pending),
    lineage: snapshot?.state.lineage ?? null,
    serial: snapshot?.state.serial ?? 0,
    generation: Math.max(snapshot?.writer.generation ?? 0, journal?.header.generation ?? 0),
    // A journal removed after its snapshot may come back after a power cut, so later snapshots keep naming it.
    journals: [...(snapshot?.writer.journals ?? []), ...(journal === undefined ? [] : [journal.header.id])],
    pending,
    encrypted: snapshot?.encrypted ?? key !== undefined,
  };
}

interface Snapshot {
  readonly state: State;
  readonly writer: Writer;
  readonly encrypted: boolean;
}

function pendingOf(
  journal: DecodedJournal,
  snapshot: Snapshot | undefined,
  files: StateFiles,
): readonly JournalEntry[] {
  const { header, entries } = journal;
  if (entries.length === 0 || snapshot?.writer.journals.includes(header.id)) return [];
  const fits =
    snapshot === undefined
      ? header.serial === 0
      : header.lineage === snapshot.state.lineage && header.serial === snapshot.state.serial;
  if (fits) return entries;
  if (snapshot !== undefined && isFenced(header, snapshot)) return [];
  const found = snapshot === undefined ? "is missing" : `has serial ${snapshot.state.serial}`;
  throw new DiagnosticsError([
    error(
      "state.unreadable",
      `${files.journal} goes on from serial ${header.serial}, but ${files.snapshot} ${found}`,
      {
        detail:
          "The journal holds writes that this snapshot does not. The snapshot was replaced by an older or a foreign one.",
        hint: `put the snapshot with serial ${header.serial} of lineage ${header.lineage} back, or move ${files.journal} away`,
      },
    ),
  ]);
}

/**
 * A holder that lost its lock while it stood still may put its journal in place after a later holder has written.
 * None of its entries was confirmed after that, and those before were read by whoever took the lock.
 */
const isFenced = (header: JournalHeader, { state, writer }: Snapshot): boolean =>
  header.lineage === state.lineage && header.serial < state.serial && header.generation <= writer.generation;

/** The bytes of a whole state; `name` is what messages call it. Throws `DiagnosticsError`. */
export async function decodeSnapshot(
  bytes: Uint8Array,
  path: string,
  origin: Origin,
  cipher: StateCipher,
): Promise<Snapshot> {
  const parsed = await cipher.parse(Buffer.from(bytes).toString(), path);
  if (parsed.state === undefined) throw new DiagnosticsError(parsed.diagnostics);
  const mismatch = workspaceMismatch(parsed.state, path, origin);
  if (mismatch !== undefined) throw new DiagnosticsError([mismatch]);
  return parsed;
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

/** The error when a state belongs to another workspace or service; what `origin` leaves empty may be any. */
export function workspaceMismatch(state: State, name: string, origin: Origin): Diagnostic | undefined {
  const isWorkspace = origin.workspaceId === "" || state.workspaceId === origin.workspaceId;
  const isService = origin.baseUrl === "" || withoutSlash(state.baseUrl) === withoutSlash(origin.baseUrl);
  if (isWorkspace && isService) return undefined;
  return error(
    "state.workspace",
    `${name} belongs to workspace ${state.workspaceId} at ${state.baseUrl}, not to ${origin.workspaceId} at ${origin.baseUrl}`,
    { hint: "set RNV_WORKSPACE_ID and RNV_BASE_URL to those of the state, or use another state (RNV_STATE)" },
  );
}

function withBackups(diagnostic: Diagnostic, path: string, backups: readonly string[]): Diagnostic {
  if (diagnostic.code !== "state.unreadable" || diagnostic.hint !== undefined) return diagnostic;
  const hint =
    backups.length === 0
      ? `there is no backup beside it; restore ${path} from your own, or remove it and import what exists`
      : `restore the newest backup (rnv state restore 1), or by hand: cp ${backups[0]} ${path}`;
  const list = backups.length === 0 ? undefined : `Backups: ${backups.join(", ")}`;
  return { ...diagnostic, hint, ...(list === undefined ? {} : { detail: list }) };
}
