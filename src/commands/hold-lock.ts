import { durationText } from "../model/time";
import { escapeText } from "../render/escape-text";
import { elapsedText } from "../render/time-text";
import type { LockHolder, LockWait, StateSession } from "../state/backend";
import type { Context } from "./context";

/** Runs `work` as the only writer of the state. Throws `DiagnosticsError` (exit 6) when the lock stays held. */
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
  const session = await context.backend.lock(holder, lock.timeoutMs, {
    repair: lock.repair,
    signal: context.signal,
    onHeld: tellHeld(context, lock.timeoutMs),
  });
  try {
    return await work(session);
  } finally {
    await session.release();
  }
}

/** Milliseconds after which a wait is told again, and from then on each minute. */
const reminders = [10_000, 30_000, 60_000];
const lastReminder = 60_000;

/** Says at once who holds the lock and how long it is waited for, and again after a while and for another holder. */
function tellHeld({ clock, say }: Pick<Context, "clock" | "say">, timeoutMs: number): LockWait["onHeld"] {
  const startedAt = clock.elapsed();
  let told: string | undefined;
  let times = 0;
  return (holder) => {
    const who = nameOf(holder);
    const waited = clock.elapsed() - startedAt;
    const isNew = who !== told;
    if (!isNew && waited < (reminders[times] ?? lastReminder * (times - 1))) return;
    if (!isNew) times += 1;
    told = who;
    const left = `at most ${durationText(Math.max(0, timeoutMs - waited))} more`;
    const since = holder === undefined ? "" : heldSince(holder, clock.now());
    say?.(
      isNew
        ? `The state is locked by ${who}${since}; waiting ${left}`
        : `Still waiting for the lock of ${who} (${elapsedText(waited / 1000)} so far, ${left})`,
    );
  };
}

const nameOf = (holder: LockHolder | undefined): string =>
  holder === undefined
    ? "another run"
    : escapeText(`${holder.command} (pid ${holder.pid} on ${holder.host})`);

function heldSince({ since }: LockHolder, now: number): string {
  const seconds = (now - Date.parse(since)) / 1000;
  return seconds >= 0 ? ` for ${elapsedText(seconds)}` : "";
}
