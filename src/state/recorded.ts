import { type Diagnostic, DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { withRuns } from "../model/history";
import type { DeletedResource, Intent, JournalEntry, RecordedResource, State } from "../model/state";
import { sha256 } from "../model/text";
import { largestSnapshot } from "./backend";
import { noCipher, type StateCipher } from "./cipher";
import type { Disk } from "./local/disk";
import { largestJournal, listBackups, readFailed, type StateFiles } from "./local/disk";
import { type DecodedJournal, decodeJournal, type JournalHeader } from "./local/journal";
import type { StoredState } from "./remote/remote-store";
import type { ParsedState } from "./state-text";

/** Returns a state without any record; serial 0 until its first commit. */
export const emptyState = (origin: Origin & { readonly lineage: string }): State => ({
  format: "rnv-state",
  version: 1,
  lineage: origin.lineage,
  serial: 0,
  workspaceId: origin.workspaceId,
  baseUrl: origin.baseUrl,
  ...(origin.stack !== undefined && { stack: origin.stack }),
  ...(origin.stage && { stage: origin.stage.name }),
  keyId: null,
  resources: {},
  outputs: {},
  run: null,
  open: [],
});

/** How long a deletion is remembered after it, as the next one is recorded, milliseconds. */
const rememberedMs = 120_000;

/** Returns `deleted` with `more`, which are later, without those that are too old to matter. */
export function withDeleted(
  deleted: State["deleted"],
  more: readonly (readonly [id: string, DeletedResource])[],
): State["deleted"] {
  const latest = more.at(-1)?.[1].at;
  if (latest === undefined) return deleted;
  const oldest = Date.parse(latest) - rememberedMs;
  const kept = Object.entries(deleted ?? {}).filter(([, { at }]) => Date.parse(at) > oldest);
  return Object.fromEntries([...kept, ...more]);
}

/** Returns the entry of a resource recorded at `address` that was deleted `at` that time, ISO 8601. */
export const deletedFrom = (
  address: Address,
  { id, type, name }: RecordedResource,
  at: string,
): readonly [id: string, DeletedResource] => [id, { type, name, address, at }];

/** Returns the state with journal entries taken in, in their order. Neither argument is changed. */
export function replayJournal(state: State, entries: readonly JournalEntry[]): State {
  if (entries.length === 0) return state;
  const resources: Record<Address, RecordedResource> = { ...state.resources };
  const open = new Map<number, Intent>(state.open.map((intent) => [intent.seq, intent]));
  const deleted: ReturnType<typeof deletedFrom>[] = [];
  let { outputs, run, keyId, lastRunAt, history } = state;
  for (const entry of entries) {
    switch (entry.kind) {
      case "run":
        if (run?.id !== entry.run.id) history = withRuns(history, run);
        run = entry.run;
        lastRunAt = run.startedAt;
        keyId = entry.keyId ?? keyId;
        break;
      case "intent":
        open.set(entry.intent.seq, entry.intent);
        break;
      case "outcome":
        open.delete(entry.seq);
        break;
      case "resource":
        if (entry.resource === null) {
          const before = resources[entry.address];
          if (before && entry.deletedAt !== undefined)
            deleted.push(deletedFrom(entry.address, before, entry.deletedAt));
          delete resources[entry.address];
        } else resources[entry.address] = entry.resource;
        break;
      case "outputs":
        outputs = entry.outputs;
        break;
      case "end":
        history = withRuns(history, run);
        run = null;
        break;
    }
  }
  const lately = withDeleted(state.deleted, deleted);
  return {
    ...{ ...state, keyId, resources, outputs, run, open: [...open.values()] },
    ...(lately && { deleted: lately }),
    ...(lastRunAt !== undefined && { lastRunAt }),
    ...(history && { history }),
  };
}

/** Makes the UUID of a state whose first entries are written before its first snapshot. */
export function lineageFrom(id: string): string {
  const hex = sha256(`lineage of ${id}`);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/**
 * Reads serial and generation out of a damaged state: its replacement gets higher ones, so that nothing built on the
 * damaged state passes for newer.
 */
export async function readDamaged(disk: Disk, files: StateFiles): Promise<Recorded> {
  const bytesOf = async (path: string, limit: number) =>
    (await disk.read(path, limit).catch(() => undefined)) ?? Buffer.of();
  return readDamagedText(
    Buffer.concat([
      await bytesOf(files.snapshot, largestSnapshot),
      await bytesOf(files.journal, largestJournal),
    ]),
  );
}

/** As `readDamaged`, for one text; none stands for nothing. */
export function readDamagedText(bytes: Uint8Array = Buffer.of()): Recorded {
  const text = Buffer.from(bytes).toString("utf8");
  return {
    ...nothingRecorded,
    serial: highest(text, "serial"),
    generation: highest(text, "generation"),
    encrypted: text.includes('"rnv-state-encrypted"') || text.includes('"kind":"sealed"'),
  };
}

/** Returns the largest number behind the key anywhere in the text. */
function highest(text: string, key: string): number {
  const found = text.matchAll(new RegExp(`"${key}"\\s*:\\s*(\\d{1,12})`, "g"));
  let most = 0;
  for (const [, digits] of found) most = Math.max(most, Number(digits));
  return most;
}

/** The stage that a state must belong to. */
export interface StageOrigin {
  /** `preview/12`. */
  readonly name: string;
  /** A state that names no stage, from before there were any, becomes that of this one. */
  readonly takesUnnamed: boolean;
}

/** The workspace, the stack and the stage that a state must belong to. */
export interface Origin {
  readonly workspaceId: string;
  readonly baseUrl: string;
  /** Undefined where no stack is read: a state of any stack is taken. */
  readonly stack?: string | undefined;
  /** Null for what has no stages; undefined where a state of any stage is taken. */
  readonly stage?: StageOrigin | null | undefined;
}

/** All that is stored of a state. */
export interface Recorded {
  /** Snapshot and journal; undefined when there is neither. */
  readonly state: State | undefined;
  /** Of the snapshot; 0 when there is none. */
  readonly serial: number;
  /** Highest generation that wrote any of it. */
  readonly generation: number;
  /** Ids of journals that may stand on the disk and whose entries `state` holds. */
  readonly journals: readonly string[];
  /** Entries of the journal that the snapshot does not hold. */
  readonly pending: readonly JournalEntry[];
  readonly encrypted: boolean;
  /** Of a state outside this machine: as its store answered. */
  readonly stored?: StoredState | undefined;
  /** Why it could not be read, where it is to be replaced. */
  readonly damage?: readonly Diagnostic[];
}

/** The content of a place without a state. */
export const nothingRecorded: Recorded = {
  state: undefined,
  serial: 0,
  generation: 0,
  journals: [],
  pending: [],
  encrypted: false,
};

/** Reads snapshot and journal without a lock. Throws `DiagnosticsError`; never throws anything else. */
export async function readRecorded(
  disk: Disk,
  files: StateFiles,
  origin: Origin,
  cipher: StateCipher = noCipher,
): Promise<Recorded> {
  try {
    return await readFiles(disk, files, origin, cipher);
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw readFailed(files.snapshot, cause);
    const backups = await listBackups(disk, files).catch(() => []);
    throw new DiagnosticsError(
      cause.diagnostics.map((diagnostic) => withBackups(diagnostic, files.snapshot, backups)),
      cause.exitCode,
    );
  }
}

const readOrExplain = (disk: Disk, path: string, limit: number): Promise<Uint8Array | undefined> =>
  disk.read(path, limit).catch((cause) => {
    throw readFailed(path, cause);
  });

/** The journal first: a snapshot that is written in between names it, or goes on from it. */
async function readFiles(
  disk: Disk,
  files: StateFiles,
  origin: Origin,
  cipher: StateCipher,
): Promise<Recorded> {
  const journalBytes = await readOrExplain(disk, files.journal, largestJournal);
  const bytes = await readOrExplain(disk, files.snapshot, largestSnapshot);
  const snapshot = bytes && (await decodeSnapshot(bytes, files.snapshot, origin, cipher));
  const journal =
    journalBytes &&
    (await decodeJournal(journalBytes, files.journal, (key) => cipher.decrypter(key, files.journal)));
  const pending = journal === undefined ? [] : pendingOf(journal, snapshot, files);
  const start =
    snapshot?.state ??
    (journal === undefined ? undefined : emptyState({ lineage: journal.header.lineage, ...origin }));
  return {
    state: start && replayJournal(start, pending),
    serial: snapshot?.state.serial ?? 0,
    generation: Math.max(snapshot?.writer.generation ?? 0, journal?.header.generation ?? 0),
    // A journal removed after its snapshot may come back after a power cut, so later snapshots keep naming it.
    journals: [...(snapshot?.writer.journals ?? []), ...(journal === undefined ? [] : [journal.header.id])],
    pending,
    encrypted: snapshot?.encrypted ?? journal?.encrypted ?? false,
  };
}

interface Snapshot extends ParsedState {
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
  const summary = `${files.journal} goes on from serial ${header.serial}, but ${files.snapshot} ${found}`;
  throw failure("state.unreadable", summary, {
    detail:
      "The journal holds writes that this snapshot does not. The snapshot was replaced by an older or a foreign one.",
    hint: `put the snapshot with serial ${header.serial} of lineage ${header.lineage} back, or move ${files.journal} away`,
  });
}

/**
 * Whether a journal is of a holder that lost its lock while it was suspended, and put in place after a later holder has
 * written. None of its entries was confirmed after that, and the later holder has read those before.
 */
const isFenced = (header: JournalHeader, { state, writer }: Snapshot): boolean =>
  header.lineage === state.lineage && header.serial < state.serial && header.generation <= writer.generation;

/** Reads the bytes of a whole state; `path` is its name in messages. Throws `DiagnosticsError`. */
export async function decodeSnapshot(
  bytes: Uint8Array,
  path: string,
  origin: Origin,
  cipher: StateCipher,
): Promise<Snapshot> {
  const parsed = await cipher.parse(Buffer.from(bytes).toString(), path);
  const mismatch =
    workspaceMismatch(parsed.state, path, origin) ??
    stackMismatch(parsed.state, path, origin) ??
    stageMismatch(parsed.state, path, origin);
  if (mismatch !== undefined) throw new DiagnosticsError([mismatch]);
  return { ...parsed, state: withOwner(parsed.state, origin) };
}

/** A state that was written before states named their stack and stage belongs to those that it is used for. */
const withOwner = (state: State, { stack, stage }: Origin): State => ({
  ...state,
  ...(state.stack === undefined && stack !== undefined && { stack }),
  ...(state.stage === undefined && stage && { stage: stage.name }),
});

/** Returns the error for a state of another stage, or of none where a stage is disposable. */
function stageMismatch(state: State, name: string, { stage }: Origin): Diagnostic | undefined {
  if (stage === undefined || state.stage === stage?.name) return undefined;
  if (state.stage === undefined) {
    const isEmpty = Object.keys(state.resources).length === 0 && state.open.length === 0;
    if (stage?.takesUnnamed || isEmpty) return undefined;
    return error("guard.stage", `${name} names no stage, and ${stage?.name} is disposable`, {
      detail: "What it records would be deleted without a confirmation by name.",
      hint: "use a state of its own, or read this one without --stage",
    });
  }
  const other = stage === null ? "and this run is about none" : `not of ${stage.name}`;
  return error("guard.stage", `${name} is the state of the stage ${state.stage}, ${other}`, {
    detail: "Each stage has a state of its own: what one made, another would rename or delete.",
    hint:
      stage === null
        ? `name the stage: --stage ${state.stage}`
        : "let --state and RNV_STATE hold ${stage.name} and ${stage.id}, or leave them unset; where the stage was renamed, write its new name into the state: rnv state pull, then rnv state push -force",
  });
}

/** Returns the error for a state of another stack. */
function stackMismatch(state: State, name: string, { stack }: Origin): Diagnostic | undefined {
  if (stack === undefined || state.stack === undefined || state.stack === stack) return undefined;
  return error("guard.stack", `${name} is the state of the stack ${state.stack}, not of ${stack}`, {
    detail: "Each stack has a state of its own: what one stack makes, another would rename or delete.",
    hint: `let RNV_STATE (or --state) hold \${stack}, or leave it unset; where the stack was renamed, write its new name into the state: rnv state pull --state ${name}, then rnv state push --force --state ${name}`,
  });
}

/** Returns an address without slashes at its end. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

/** Returns the error for a state of another workspace or service; a part that `origin` leaves empty may be any. */
export function workspaceMismatch(
  state: State,
  name: string,
  origin: Pick<Origin, "workspaceId" | "baseUrl">,
): Diagnostic | undefined {
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
