import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { LockHolder } from "./backend";

const lockHeldExit = 6;

/** What to throw when somebody holds the lock; `where` names its file or address. */
export function lockHeld(holder: LockHolder, where: string, now: number): DiagnosticsError {
  const { id, command, host, pid, since } = holder;
  return new DiagnosticsError(
    [
      error(
        "state.lock_held",
        `the state is locked by ${command} (pid ${pid} on ${host}), for ${ageOf(since, now)}`,
        {
          detail: `Lock ${id}, taken ${since}, in ${where}.`,
          hint: `wait for it to end (-lock-timeout=5m); if it is certainly gone: rnv force-unlock ${id}`,
        },
      ),
    ],
    lockHeldExit,
  );
}

/** What to throw when there is a lock that does not say whose it is; `hint` says how to be rid of it. */
export const lockUnreadable = (where: string, hint: string): DiagnosticsError =>
  new DiagnosticsError(
    [error("state.lock_held", `${where} is there, but it does not say who holds the lock`, { hint })],
    lockHeldExit,
  );

/** What to throw when the lock is not this run's any more; `by` says what stands there now. */
export const lockLost = (by: string): DiagnosticsError =>
  new DiagnosticsError(
    [
      error("state.lock_lost", `the lock on the state was taken away from this run: ${by}`, {
        detail: "Nothing was written after that. What this run had begun stands in the journal.",
        hint: "let the other run end, then run the same command again: it settles what was left open",
      }),
    ],
    lockHeldExit,
  );

/** What to throw when a write turns out to have been sent without the lock; `holder` is who has it now, if anybody. */
export const lockLostAfterWrite = (where: string, holder: LockHolder | undefined): DiagnosticsError =>
  new DiagnosticsError(
    [
      error(
        "state.lock_lost",
        `the lock on the state was taken away from this run: ${
          holder === undefined
            ? "it is free"
            : `${holder.command} (pid ${holder.pid} on ${holder.host}) holds it now`
        }`,
        {
          detail:
            `This run wrote ${where} before it found out, which may have replaced what another run wrote there. ` +
            "Nothing was sent to the service after that." +
            (holder === undefined ? " A server that gives one lock to everybody looks the same." : ""),
          hint: "let the other run end, then run the same command again: it settles what was left open, and names what is there and no longer recorded (--adopt takes it over)",
        },
      ),
    ],
    lockHeldExit,
  );

function ageOf(since: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1000));
  if (!Number.isFinite(seconds)) return "an unknown time";
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
