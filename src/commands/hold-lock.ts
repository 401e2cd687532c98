import type { StateSession } from "../state/backend";
import type { Context } from "./context";

/** Runs `work` as the one writer of the state. Throws `DiagnosticsError` (exit 6) when the lock stays held. */
export async function holdLock<T>(
  context: Context,
  lock: { readonly command: string; readonly timeoutMs: number; readonly repair?: boolean },
  work: (session: StateSession) => Promise<T>,
): Promise<T> {
  const holder = {
    id: Buffer.from(context.randomBytes(8)).toString("hex"),
    host: context.host,
    pid: context.pid,
    command: lock.command,
    since: new Date(context.clock.now()).toISOString(),
  };
  const session = await context.backend.lock(holder, lock.timeoutMs, { repair: lock.repair });
  try {
    return await work(session);
  } finally {
    await session.release();
  }
}
