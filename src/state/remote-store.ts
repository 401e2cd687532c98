import type { LockRecord } from "./lock-record";

export interface StoredState {
  readonly bytes: Uint8Array;
  /** Differs whenever the content does: an ETag, or a digest of the bytes. */
  readonly version: string;
}

export type WriteAnswer =
  | { readonly kind: "written"; readonly version: string }
  /** Something other than what was expected stands there; nothing was written. */
  | { readonly kind: "changed" }
  /** The lock is not ours; nothing was written. */
  | { readonly kind: "not-ours"; readonly holder?: LockRecord };

export type LockAnswer =
  | { readonly kind: "taken" }
  /** Without a record the lock does not say whose it is. */
  | { readonly kind: "held"; readonly record?: LockRecord };

/** Who holds a lock that was ours: `untold` where the server refuses without a name. */
export type LockProof = "ours" | "free" | "untold" | LockRecord;

/**
 * A place outside this machine that keeps one state and its lock. Every method throws `NoAnswer` when it is not known
 * what happened, and `DiagnosticsError` when the store said no for good.
 */
export interface RemoteStore {
  /** For messages: no credentials, no query. */
  readonly location: string;
  /** Undefined when nothing is stored yet. */
  read(): Promise<StoredState | undefined>;
  /** Replaces exactly the version expected; undefined expects nothing to be there. */
  write(bytes: Uint8Array, expected: string | undefined, lock: LockRecord): Promise<WriteAnswer>;
  /** Says `taken` also when the lock is this record's already: an earlier answer may have been lost. */
  takeLock(record: LockRecord): Promise<LockAnswer>;
  /** Puts one record in place of another in one step. Absent where the store cannot. */
  readonly replaceLock?: (from: LockRecord, to: LockRecord) => Promise<boolean>;
  /** What stands there. Absent where the store does not tell without taking the lock. */
  readonly readLock?: () => Promise<LockRecord | "free" | "unreadable">;
  /**
   * Asks whether the lock is still this record's, after a write: a server that takes a write from whoever sends it once
   * the lock is free lets a run that stood still replace what another one wrote. Absent where writes are conditional.
   */
  readonly proveLock?: (record: LockRecord) => Promise<LockProof>;
  /** False when the lock is not this record's. */
  freeLock(record: LockRecord): Promise<boolean>;
  /** How to be rid of a lock that does not say whose it is. */
  readonly unlockHint: string;
  readonly backups: BackupSlots;
}

/** Ten places for previous snapshots; 0 to 9. */
export interface BackupSlots {
  /** For messages: a path or an address. */
  name(slot: number): string;
  read(slot: number): Promise<Uint8Array | undefined>;
  write(slot: number, bytes: Uint8Array): Promise<void>;
}
