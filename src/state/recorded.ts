import { type Diagnostic, DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { withRuns } from "../model/history";
import type { DeletedResource, Intent, JournalEntry, RecordedResource, State } from "../model/state";
import type { StateCipher } from "./cipher";
import { type DecodedJournal, decodeJournal } from "./journal";
import type { ParsedState } from "./state-text";

/** Returns a state without any record; serial 0 until its first commit. */
export const emptyState = (origin: Origin & { readonly lineage: string }): State => ({
  format: "rnv-state",
  version: 1,
  lineage: origin.lineage,
  serial: 0,
  workspaceId: origin.workspaceId,
  baseUrl: origin.baseUrl,
  ...{ stack: origin.stack, stage: origin.stage?.name },
  keyId: null,
  resources: {},
  outputs: {},
  run: null,
  open: [],
});

/** Milliseconds that a deletion is remembered; older deletions are dropped as the next is recorded. */
const rememberedMs = 120_000;

/** Returns `deleted` with `more`, which are later, without those that are too old to matter. */
function withDeleted(
  deleted: State["deleted"],
  more: readonly (readonly [id: string, DeletedResource])[],
): State["deleted"] {
  const latest = more.at(-1)?.[1].at;
  if (latest === undefined) return deleted;
  const oldest = Date.parse(latest) - rememberedMs;
  const kept = Object.entries(deleted ?? {}).filter(([, { at }]) => Date.parse(at) > oldest);
  return Object.fromEntries([...kept, ...more]);
}

/** Returns the state with journal entries taken in, in their order. Neither argument is changed. */
export function replayJournal(state: State, entries: readonly JournalEntry[]): State {
  if (entries.length === 0) return state;
  const resources: Record<Address, RecordedResource> = { ...state.resources };
  const open = new Map<number, Intent>(state.open.map((intent) => [intent.seq, intent]));
  const deleted: (readonly [id: string, DeletedResource])[] = [];
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
          const { address, deletedAt: at } = entry;
          const before = resources[address];
          if (before && at !== undefined)
            deleted.push([before.id, { type: before.type, name: before.name, address, at }]);
          delete resources[address];
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
    ...{ ...state, keyId, resources, outputs, run, open: [...open.values()], lastRunAt, history },
    ...(lately && { deleted: lately }),
  };
}

/** The workspace, the stack and the stage that a state must belong to. */
export interface Origin {
  readonly workspaceId: string;
  readonly baseUrl: string;
  /** Undefined where no stack is read: a state of any stack is taken. */
  readonly stack?: string | undefined;
  readonly isStackUndeclared?: true | undefined;
  /**
   * `preview/12`; null without stages, undefined where a state of any stage is accepted. With `takesUnnamed`, a state
   * without a stage, from before stages existed, becomes that of this stage.
   */
  readonly stage?: { readonly name: string; readonly takesUnnamed: boolean } | null | undefined;
}

export interface StoredBytes {
  readonly snapshot?: Uint8Array | undefined;
  readonly journal?: Uint8Array | undefined;
  /** Version of a snapshot outside this machine: differs whenever its content does. */
  readonly version?: string | undefined;
}

export interface Recorded {
  readonly stored: StoredBytes;
  /** Snapshot and journal; undefined where there is no snapshot yet. */
  readonly state: State | undefined;
  readonly serial: number;
  /** Highest generation that wrote any of it. */
  readonly generation: number;
  /** The journal has entries that the snapshot does not hold. */
  readonly hasPending: boolean;
  readonly encrypted: boolean;
  /** Why it could not be read, where it is to be replaced. */
  readonly damage?: readonly Diagnostic[];
}

export async function decodeRecorded(
  stored: StoredBytes,
  location: string,
  origin: Origin,
  cipher: StateCipher,
): Promise<Recorded> {
  const snapshot = stored.snapshot && (await decodeSnapshot(stored.snapshot, location, origin, cipher));
  const journal = stored.journal && (await decodeJournal(stored.journal, `${location}.journal`, cipher));
  const pending = journal === undefined ? [] : pendingOf(journal, snapshot, location);
  return {
    stored,
    state: snapshot && replayJournal(snapshot.state, pending),
    serial: snapshot?.state.serial ?? 0,
    generation: Math.max(snapshot?.writer.generation ?? 0, journal?.header.generation ?? 0),
    hasPending: pending.length > 0,
    encrypted: snapshot?.encrypted ?? journal?.encrypted ?? false,
  };
}

/** Reads serial and generation out of a damaged state: nothing built on it passes for newer than its replacement. */
export function decodeDamaged(stored: StoredBytes, damage: readonly Diagnostic[]): Recorded {
  const { snapshot = Buffer.of(), journal = Buffer.of() } = stored;
  const text = Buffer.concat([snapshot, journal]).toString("utf8");
  return {
    stored,
    state: undefined,
    serial: highest(text, "serial"),
    generation: highest(text, "generation"),
    hasPending: false,
    encrypted: text.includes('"rnv-state-encrypted"') || text.includes('"kind":"sealed"'),
    damage,
  };
}

/** Returns the largest number behind the key anywhere in the text. */
export function highest(text: string, key: "serial" | "generation"): number {
  const found = text.matchAll(new RegExp(`"${key}"\\s*:\\s*(\\d{1,12})`, "g"));
  let most = 0;
  for (const [, digits] of found) most = Math.max(most, Number(digits));
  return most;
}

/**
 * The entries of a journal that its snapshot does not hold. A journal behind an earlier snapshot was taken in if its
 * run or a later run has written since. It was left by a removal that failed or that a power cut undid, or by a
 * suspended run that lost its lock.
 */
function pendingOf(
  { header, entries }: DecodedJournal,
  snapshot: ParsedState | undefined,
  location: string,
): readonly JournalEntry[] {
  if (entries.length === 0) return [];
  const { state, writer } = snapshot ?? {};
  if (state && header.lineage === state.lineage) {
    if (header.serial === state.serial) return entries;
    if (header.serial < state.serial && header.generation <= (writer?.generation ?? 0)) return [];
  }
  const found = state === undefined ? "is missing" : `has serial ${state.serial}`;
  const summary = `${location}.journal goes on from serial ${header.serial}, but ${location} ${found}`;
  throw failure("state.unreadable", summary, {
    detail:
      "The journal holds writes that this snapshot does not. The snapshot was replaced by an older or a foreign one.",
    hint: `put the snapshot with serial ${header.serial} of lineage ${header.lineage} back, or move ${location}.journal away`,
  });
}

/** Reads the bytes of a whole state; `path` is its name in messages. Throws `DiagnosticsError`. */
export async function decodeSnapshot(
  bytes: Uint8Array,
  path: string,
  origin: Origin,
  cipher: StateCipher,
): Promise<ParsedState> {
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
  ...{ stack: state.stack ?? stack, stage: state.stage ?? stage?.name },
});

/** Returns the error for a state of another stage, or of none where a stage is disposable. */
function stageMismatch(state: State, name: string, { stage }: Origin): Diagnostic | undefined {
  if (stage === undefined || state.stage === stage?.name) return undefined;
  if (state.stage === undefined) {
    const isEmpty = Object.keys(state.resources).length === 0 && state.open.length === 0;
    if (stage?.takesUnnamed || isEmpty) return undefined;
    return error("guard.stage", `${name} names no stage, and ${stage?.name} is disposable`, {
      detail: "What it records would be deleted without a confirmation.",
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

function stackMismatch(state: State, name: string, origin: Origin): Diagnostic | undefined {
  const { stack, isStackUndeclared } = origin;
  if (stack === undefined || state.stack === stack) return undefined;
  if (state.stack === undefined && !isStackUndeclared) return undefined;
  const owner = state.stack === undefined ? "no stack" : `the stack ${state.stack}`;
  return error("guard.stack", `${name} is the state of ${owner}, not of ${stack}`, {
    detail: "Each stack has a state of its own: what one stack makes, another would rename or delete.",
    hint: `let RNV_STATE (or --state) hold \${stack}, or leave it unset; where the stack was renamed, write its new name into the state: rnv state pull --state ${name}, then rnv state push --force --state ${name}`,
  });
}

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
