import type { DiagnosticsError } from "../diagnostics/diagnostic";
import type { Clock } from "../model/time";
import { backoff } from "../model/time";
import type { LockHolder, LockWait } from "./backend";
import { readFailed, writeFailed } from "./disk-failure";
import { lockHeld, lockLost, lockUnreadable } from "./lock-messages";
import { type FoundLock, isDead, isSameLock, type LockRecord, readLock } from "./lock-record";
import { type LockPort, placeLock, swapLock } from "./lock-swap";
import { identityOf } from "./process-identity";

export interface LocalLockPort extends LockPort {
  readonly clock: Clock;
}

/** The lock of one state, ours until somebody takes it away. */
export class LocalLock {
  constructor(
    readonly port: LocalLockPort,
    private record: LockRecord,
    /** The dead holder that it was taken over from. */
    readonly replaced?: LockRecord,
  ) {}

  get generation(): number {
    return this.record.generation;
  }

  /** The verb that holds it. */
  get command(): string {
    return this.record.command;
  }

  /** Throws `state.lock_lost` when the lock is not ours any more. */
  async check(): Promise<void> {
    const { disk, path } = this.port;
    const found = await readLock(disk, path).catch((cause) => {
      throw readFailed(path, cause);
    });
    if (found.kind === "held" && isSameLock(found.record, this.record)) return;
    const by =
      found.kind === "held"
        ? `${found.record.command} (pid ${found.record.pid} on ${found.record.host}) holds it now`
        : "the lock file was removed";
    throw lockLost(by);
  }

  /** Raises the generation above those that wrote what is on the disk. */
  async raise(generation: number): Promise<void> {
    if (generation <= this.record.generation) return;
    const next = { ...this.record, generation };
    const change = { path: this.port.path, expected: this.record, next };
    if (await swapLock(this.port, this.record, change)) this.record = next;
    else await this.check();
  }

  /** Quiet when the lock is lost already. */
  async release(): Promise<void> {
    await swapLock(this.port, this.record, { path: this.port.path, expected: this.record });
  }
}

/** Waits for the lock up to `timeoutMs`; takes over from a holder that is certainly dead (DESIGN section 7). */
export async function acquireLock(
  port: LocalLockPort,
  holder: LockHolder,
  timeoutMs: number,
  { onHeld, signal }: LockWait = {},
): Promise<LocalLock> {
  const { disk, clock, path } = port;
  const deadline = clock.elapsed() + timeoutMs;
  const self: LockRecord = { ...holder, generation: 1, process: await identityOf(disk, holder.pid) };
  for (let attempt = 0; ; attempt += 1) {
    const { won, found } = await tryLock(port, self).catch((cause) => {
      throw writeFailed(path, cause);
    });
    if (won !== undefined) return new LocalLock(port, won, found.kind === "held" ? found.record : undefined);
    // The lock may have become free between two looks at it.
    if (attempt < 2 && found.kind === "free") continue;
    const left = deadline - clock.elapsed();
    if (left <= 0) throw heldBy(found, path, clock.now());
    if (found.kind !== "free") onHeld?.(found.kind === "held" ? found.record : undefined);
    await clock.sleep(Math.min(left, backoff(attempt, 100, 800)), signal);
  }
}

async function tryLock(
  port: LocalLockPort,
  self: LockRecord,
): Promise<{ readonly won?: LockRecord; readonly found: FoundLock }> {
  const found = await readLock(port.disk, port.path);
  if (found.kind === "free")
    return { found, won: (await placeLock(port, port.path, self)) ? self : undefined };
  if (found.kind === "unreadable" || !(await isDead(port.disk, found.record, self, port.isAlive)))
    return { found };
  const next = { ...self, generation: found.record.generation + 1 };
  const change = { path: port.path, expected: found.record, next };
  return { found, won: (await swapLock(port, self, change)) ? next : undefined };
}

const heldBy = (found: FoundLock, path: string, now: number): DiagnosticsError =>
  found.kind === "held"
    ? lockHeld(found.record, path, now)
    : lockUnreadable(path, `make sure that no other run is going on, then remove ${path}`);
