import { DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { touching, withRuns } from "../model/history";
import type { State, Touched } from "../model/state";
import { durationText, reminderAfter } from "../model/time";
import { escapeText } from "../report/escape-text";
import { elapsedText } from "../report/time-text";
import type { LockWait, StateSession } from "../state/backend";
import type { Context } from "./context";

interface StateLock {
  readonly command: string;
  readonly timeoutMs: number;
  readonly repair?: boolean | undefined;
  readonly anyRepository?: boolean;
  /** A state that names no repository is refused, too, where the run has one. */
  readonly isSweep?: boolean | undefined;
}

/**
 * Runs `work` as the only writer of the state. Throws `DiagnosticsError` when the lock stays held (exit 6), and for the
 * state of another repository (exit 4).
 */
export async function holdLock<T>(
  context: Context,
  lock: StateLock,
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
    onHeld: reportLock(context, lock.timeoutMs),
  });
  try {
    if (lock.anyRepository !== true) refuseOtherRepository(context, session.state, lock.isSweep);
    const { name: repository } = context.repository ?? {};
    const commit = session.commit.bind(session);
    // A state that names no repository takes that of the run with the next snapshot.
    if (repository !== undefined) session.commit = (state) => commit({ repository, ...state });
    return await work(session);
  } finally {
    const kept = await session.release();
    if (kept !== undefined) context.warn?.(kept);
  }
}

/** Throws `DiagnosticsError` (exit 4) for a state of another repository, and in a sweep for a state that names none. */
export function refuseOtherRepository({ backend, repository }: Context, state?: State, sweeps = false): void {
  const { repository: owner, stage } = state ?? {};
  if (state === undefined || repository === undefined || owner === repository.name) return;
  if (owner === undefined && !sweeps) return;
  const claim = `rnv state claim${stage === undefined ? "" : ` --stage ${stage}`}`;
  if (owner === undefined)
    throw failure("guard.repository", `${backend.location} names no repository, and is not swept`, {
      detail: `This run is of the repository ${repository.name}. The state may be that of another.`,
      hint: `If it is of this repository: ${claim}`,
    });
  if (repository.name === undefined && !repository.isJob) return;
  const own = repository.name ?? "none that is known";
  throw failure("guard.repository", `${backend.location} is the state of the repository ${owner}`, {
    detail: `This run is of the repository ${own}. It would delete or change what the other repository deploys.`,
    hint: `use a state of its own (RNV_STATE, or state: of the stage). If ${owner} was renamed: ${claim}`,
  });
}

/** Throws `DiagnosticsError` (exit 4) where this run must not create the state. */
export function refuseNewState({ refusedState }: Pick<Context, "refusedState">): void {
  if (refusedState) throw new DiagnosticsError([refusedState]);
}

/** Returns an edited state with the run that edited it. */
export function withEdit(
  { clock, randomBytes, host, startedBy }: Context,
  { command, touched }: { readonly command: string; readonly touched: readonly Touched[] },
  state: State,
  id = Buffer.from(randomBytes(16)).toString("hex"),
): State {
  const at = new Date(clock.now()).toISOString();
  const by = startedBy?.([]) ?? { by: host };
  const run = { ...by, id, command, ...touching(touched), startedAt: at, endedAt: at };
  return { ...state, history: withRuns(state.history, null, { ...run, digest: "", exitCode: 0 }) };
}

/** Says at once who holds the lock and how long it is waited for, and again after a while and for another holder. */
function reportLock({ clock, say }: Pick<Context, "clock" | "say">, timeoutMs: number): LockWait["onHeld"] {
  const startedAt = clock.elapsed();
  let reported: string | undefined;
  let times = 0;
  return (holder) => {
    const named = holder && escapeText(`${holder.command} (pid ${holder.pid} on ${holder.host})`);
    const who = named ?? "another run";
    const waited = clock.elapsed() - startedAt;
    const isNew = who !== reported;
    if (!isNew && waited < reminderAfter(times)) return;
    if (!isNew) times += 1;
    reported = who;
    const remaining = `at most ${durationText(Math.max(0, timeoutMs - waited))} more`;
    const heldMs = clock.now() - Date.parse(holder?.since ?? "");
    const since = heldMs >= 0 ? ` for ${elapsedText(heldMs / 1000)}` : "";
    say?.(
      isNew
        ? `The state is locked by ${who}${since}; waiting ${remaining}`
        : `Still waiting for the lock of ${who} (${elapsedText(waited / 1000)} so far, ${remaining})`,
    );
  };
}
