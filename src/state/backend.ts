import type { Diagnostic } from "../diagnostics/diagnostic";
import type { JournalEntry, State } from "../model/state";
import type { ParsedState } from "./encode";

export const largestSnapshot = 32 * 1024 * 1024;

export const keptBackups = 10;

/** The holder of a lock; shown to those who wait for it. */
export interface LockHolder {
  /** Unique per holder; `force-unlock` takes it. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly command: string;
  readonly since: string;
}

export interface LockOptions extends LockWait {
  readonly repair?: boolean;
}

export interface LockWait {
  /** Called before each pause; without a holder where the lock does not say whose it is. */
  readonly onHeld?: (holder: LockHolder | undefined) => void;
  readonly signal?: AbortSignal;
}

/** Keeps the recorded state. Reading needs no lock and writes nothing. A session, which holds the lock, does all writing. */
export interface StateBackend {
  /** For messages: a path or a URL without credentials. */
  readonly location: string;
  /** Snapshot with the journal folded in; undefined when there is no state yet. Throws `DiagnosticsError`. */
  read(): Promise<State | undefined>;
  /**
   * Throws `DiagnosticsError` with exit code 6 when the lock stays held for `timeoutMs`. With `repair` also a state
   * that cannot be read can be locked, and replaced: the session then names the damage.
   */
  lock(holder: LockHolder, timeoutMs: number, options?: LockOptions): Promise<StateSession>;
  /** Removes a lock by its holder's id; returns the holder removed, undefined when there was none. */
  forceUnlock(id: string): Promise<LockHolder | undefined>;
  /** Names of previous snapshots, newest first; each for `readBackup`. */
  backups(): Promise<readonly string[]>;
  readBackup(name: string): Promise<string | undefined>;
  parse(text: string, name: string): Promise<ParsedState>;
}

/** The right to write a state, until `release`. Every write first checks that the lock is still ours. */
export interface StateSession {
  /** As read under the lock. */
  readonly state: State | undefined;
  /** The stored state has another form than the next snapshot: in the clear or encrypted, or under the previous key. */
  readonly isFormOutdated: boolean;
  /** Why the stored state could not be read; set only for `repair`. */
  readonly damage?: readonly Diagnostic[];
  /** Appends entries; `durable` returns only once they would survive a power cut. Concurrent calls share one sync. */
  append(entries: readonly JournalEntry[], durability: Durability): Promise<void>;
  /** Writes a new snapshot with the next serial and empties the journal. Returns the written state. */
  commit(state: State): Promise<State>;
  /** Removes the state, its journal and its backups; nothing but `release` may follow. False where the store removes nothing. */
  erase(): Promise<boolean>;
  /** Returns a warning where the lock could not be freed. */
  release(): Promise<Diagnostic | undefined>;
}

export interface Durability {
  readonly durable: boolean;
}

export interface Backup {
  readonly name: string;
  readonly bytes: number;
  readonly parsed?: ParsedState;
}
