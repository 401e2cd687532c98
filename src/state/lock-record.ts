import * as z from "zod";
import { parseJson } from "../api/transport";
import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { sha256 } from "../model/sha256";
import { backoff, type Clock, durationText } from "../model/time";
import type { LockHolder, LockWait } from "./backend";
import type { Disk } from "./disk";

/** Tells a process from another with the same pid; each part is absent where the system does not say. */
const processIdentity = z.object({
  /** A digest of the name of this installation of the system: the name itself is not for others to read. */
  machine: z.string().optional(),
  boot: z.string().optional(),
  /** Containers count their processes apart. */
  namespace: z.string().optional(),
  /** In ticks since the boot. */
  started: z.string().optional(),
});

type ProcessIdentity = Readonly<z.infer<typeof processIdentity>>;

const largestProcFile = 4096;

async function line(disk: Disk, path: string): Promise<string | undefined> {
  try {
    const bytes = await disk.read(path, largestProcFile);
    return bytes && (Buffer.from(bytes).toString("utf8").trim() || undefined);
  } catch {
    return undefined;
  }
}

/** When the process with this pid started; undefined when there is none or the system does not say. */
async function startOf(disk: Disk, pid: number): Promise<string | undefined> {
  const stat = await line(disk, `/proc/${pid}/stat`);
  // Field 22; the second is the command in brackets, which may hold spaces and brackets.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

async function identityOf(disk: Disk, pid: number): Promise<ProcessIdentity> {
  const [machine, boot, namespace, started] = await Promise.all([
    line(disk, "/etc/machine-id"),
    line(disk, "/proc/sys/kernel/random/boot_id"),
    disk.readLink("/proc/self/ns/pid").catch(() => undefined),
    startOf(disk, pid),
  ]);
  return { machine: machine && sha256(`rnv lock ${machine}`), boot, namespace, started };
}

const lockText = z.string().max(1000);
const lockRecord = z.object({
  format: z.literal("rnv-lock"),
  id: lockText,
  host: lockText,
  pid: z.int(),
  command: lockText,
  since: lockText,
  /** Rises with every holder; writes are checked against it. */
  generation: z.int(),
  process: processIdentity.catch({}),
  free: z.literal(true).optional(),
});

export type LockRecord = Readonly<Omit<z.infer<typeof lockRecord>, "format" | "free">>;

/** `unreadable`: it does not say whose it is. */
export type FoundLock = LockRecord | "free" | "unreadable";

export const largestLock = 64 * 1024;

export const encodeLock = (record: LockRecord & { readonly free?: true }): Uint8Array =>
  Buffer.from(`${JSON.stringify({ format: "rnv-lock", ...record }, null, 2)}\n`);

const parseLock = (bytes: Uint8Array | undefined) =>
  bytes && lockRecord.safeParse(parseJson(Buffer.from(bytes).toString("utf8"))).data;

export const generationIn = (bytes: Uint8Array | undefined): number => parseLock(bytes)?.generation ?? 0;

/** Returns the record that a lock's bytes hold; undefined bytes are a lock that is free. */
export function decodeLock(bytes: Uint8Array | undefined): FoundLock {
  if (bytes === undefined) return "free";
  const found = parseLock(bytes);
  if (found === undefined) return "unreadable";
  const { format: _format, free, ...record } = found;
  return free ? "free" : record;
}

export const isSameLock = (a: FoundLock, b: LockRecord): boolean =>
  typeof a !== "string" && a.id === b.id && a.generation === b.generation;

export const holderOf = (found: FoundLock): LockRecord | undefined =>
  typeof found === "string" ? undefined : found;

/**
 * Returns true if the holder has certainly ended. On the same host, its pid is dead or belongs to a later process, or
 * the machine was restarted since. Age proves nothing: a suspended holder looks old and may wake up.
 */
export async function isDead(
  disk: Disk,
  record: LockRecord,
  self: LockRecord,
  isAlive: (pid: number) => boolean,
): Promise<boolean> {
  if (record.host !== self.host) return false;
  const [theirs, ours] = [record.process, self.process];
  const differs = (part: keyof ProcessIdentity): boolean =>
    theirs[part] !== undefined && ours[part] !== undefined && theirs[part] !== ours[part];
  if (differs("machine")) return false;
  // Another boot of a machine that may be a namesake proves nothing.
  if (differs("boot")) return theirs.machine !== undefined && theirs.machine === ours.machine;
  if (differs("namespace")) return false;
  if (!isAlive(record.pid)) return true;
  const started = await startOf(disk, record.pid);
  return theirs.started !== undefined && started !== undefined && theirs.started !== started;
}

/** The store of a state's lock. Every method throws `DiagnosticsError`. */
export interface LockStore {
  readonly location: string;
  /** Returns the holder of the lock: `record`, with its generation, if it has the lock now; else the other run. */
  takeLock(record: LockRecord): Promise<LockRecord | "unreadable">;
  /** Puts one record in place of another in one step. Absent where the store cannot. */
  readonly replaceLock?: ((from: LockRecord, to: LockRecord) => Promise<boolean>) | undefined;
  /** Reads the lock. Absent where the store does not tell without taking it. */
  readonly readLock?: (() => Promise<FoundLock>) | undefined;
  /** Finds the holder of the lock for `self`, which looks for the lock of this id. Absent where `readLock` tells. */
  readonly findLock?: (id: string, self: LockRecord) => Promise<LockRecord | undefined>;
  /** Frees the lock of a record; false when it is not that record's. `by` is another run that breaks it. */
  freeLock(record: LockRecord, by?: LockRecord): Promise<boolean>;
  readonly unreadable: DiagnosticsError;
}

/** Throws `state.lock_lost` where the lock can be read and is not this record's; `otherwise` says why, where it is free. */
export async function checkLock(
  { readLock }: Pick<LockStore, "readLock">,
  record: LockRecord,
  otherwise: string,
): Promise<void> {
  const found = (await readLock?.()) ?? record;
  if (!isSameLock(found, record)) throw lockLost(holderOf(found), otherwise);
}

export interface LockAsker {
  readonly clock: Clock;
  readonly disk: Disk;
  readonly isAlive: (pid: number) => boolean;
}

export const recordFor = async (disk: Disk, holder: LockHolder): Promise<LockRecord> => ({
  ...holder,
  generation: 1,
  process: await identityOf(disk, holder.pid),
});

/** A lock that was taken, and the record of the dead holder that it was taken over from. */
export interface TakenLock {
  readonly record: LockRecord;
  readonly replaced?: LockRecord;
}

/**
 * Waits for a lock up to `timeoutMs`; takes over from a holder that is certainly dead, where the store can swap (DESIGN
 * section 7).
 */
export async function acquireLock(
  store: LockStore,
  self: LockRecord,
  { clock, disk, isAlive }: LockAsker,
  wait: LockWait & { readonly timeoutMs: number },
): Promise<TakenLock> {
  const deadline = clock.elapsed() + wait.timeoutMs;
  for (let attempt = 0; ; attempt += 1) {
    const found = await store.takeLock(self);
    if (holderOf(found)?.id === self.id) return { record: found as LockRecord };
    const held = holderOf(found);
    if (held && store.replaceLock && (await isDead(disk, held, self, isAlive))) {
      const next = { ...self, generation: held.generation + 1 };
      if (await store.replaceLock(held, next)) return { record: next, replaced: held };
    }
    const left = deadline - clock.elapsed();
    if (left <= 0) throw held ? lockHeld(held, store.location, clock.now()) : store.unreadable;
    wait.onHeld?.(held);
    await clock.sleep(Math.min(left, backoff(attempt, 200, 2000)), wait.signal);
  }
}

function lockHeld(holder: LockHolder, where: string, now: number): DiagnosticsError {
  const { id, command, host, pid, since } = holder;
  const age = now - Date.parse(since);
  const held = age >= 0 ? `, for ${durationText(age)}` : "";
  return failure("state.lock_held", `the state is locked by ${command} (pid ${pid} on ${host})${held}`, {
    detail: `Lock ${id}, taken ${since}, in ${where}.`,
    hint: `wait for it to end (-lock-timeout=5m); if it is certainly gone: rnv force-unlock ${id}`,
  });
}

export const lockUnreadable = (where: string, hint: string): DiagnosticsError =>
  failure("state.lock_held", `${where} is there, but it does not say who holds the lock`, { hint });

/** Returns the error for a lock that this run has lost; `otherwise` stands in for its holder. `wrote`: without the lock. */
export function lockLost(
  holder: LockHolder | undefined,
  otherwise: string,
  wrote?: string,
): DiagnosticsError {
  const by = holder ? `${holder.command} (pid ${holder.pid} on ${holder.host}) holds it now` : otherwise;
  const summary = `the lock on the state was taken away from this run: ${by}`;
  const hint = "let the other run end, then run the same command again: it settles what was left open";
  if (wrote === undefined) {
    const detail = "Nothing was written after that. What this run had begun is in the journal.";
    return failure("state.lock_lost", summary, { detail, hint });
  }
  return failure("state.lock_lost", summary, {
    detail:
      `This run wrote ${wrote} before it found out, which may have replaced what another run wrote there. ` +
      "Nothing was sent to the platform after that." +
      (holder === undefined ? " A server that gives one lock to everybody looks the same." : ""),
    hint: `${hint}, and names what is there and no longer recorded (--adopt takes it over)`,
  });
}
