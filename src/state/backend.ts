import type { JournalEntry, State } from "../model/state";

/** Who holds a lock; shown to whoever waits for it. */
export interface LockHolder {
  /** Unique per holder; `force-unlock` takes it. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** The verb: `apply`. */
  readonly command: string;
  /** ISO 8601. */
  readonly since: string;
}

/**
 * Where the recorded state lives. Reading needs no lock and writes nothing. All writing goes through a session,
 * which holds the lock.
 */
export interface StateBackend {
  /** For messages: a path or a URL without credentials. */
  readonly location: string;
  /** Snapshot with the journal folded in; undefined when there is no state yet. Throws `DiagnosticsError`. */
  read(): Promise<State | undefined>;
  /** Throws `DiagnosticsError` with exit code 6 when the lock stays held for `timeoutMs`. */
  lock(holder: LockHolder, timeoutMs: number): Promise<StateSession>;
  /** Removes a lock by its holder's id; returns the holder removed, undefined when there was none. */
  forceUnlock(id: string): Promise<LockHolder | undefined>;
  /** Previous snapshots, newest first. */
  backups(): Promise<readonly string[]>;
}

/** The right to write one state, until `release`. Every write first checks that the lock is still ours. */
export interface StateSession {
  /** As read under the lock. */
  readonly state: State | undefined;
  /** Appends entries; `durable` returns only once they would survive a power cut. Concurrent calls share one sync. */
  append(entries: readonly JournalEntry[], options: { readonly durable: boolean }): Promise<void>;
  /** Writes a new snapshot with the next serial and empties the journal. Returns what was written. */
  commit(state: State): Promise<State>;
  release(): Promise<void>;
}
