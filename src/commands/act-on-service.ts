import { ApiError } from "../api/api-error";
import type { Service } from "../api/wire/shapes";
import { keyLifetimeMs } from "../apply/journaled-send";
import { RunJournal } from "../apply/run-journal";
import { type WaitResult, waitUntilSettled } from "../apply/settle";
import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Pending } from "../model/live";
import { type Command, type Intent, isAskedAgain, type RecordedResource, type State } from "../model/state";
import { typeNamed } from "../resources";
import type { StateSession } from "../state/backend";
import { carryOut, type RuntimeRequest } from "./carry-out-action";
import { type Connection, type Context, type Outcome, succeeded } from "./context";
import { holdLock } from "./hold-lock";
import { recoverWrites, startingState } from "./recover";
import { findRecorded } from "./state-verbs";

export type RuntimeOutcome = Outcome & {
  /** The accepted operation or deployment; undefined when nothing was sent. */
  readonly accepted?: Pending;
  readonly result: "done" | "accepted" | "cancelled" | "failed";
};

/** An accepted action, with the record that it replaces. */
interface Sent {
  readonly address: Address;
  readonly type: string;
  readonly pending: Pending;
  readonly part?: { readonly at: Address; readonly before?: RecordedResource };
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Finds the service, sends the action exactly once, as `apply` sends its writes, and waits until it has settled. The
 * lock is free while it waits: the accepted action is recorded, and `rnv cancel` must be possible. A run that
 * ends before the end is seen leaves that in its record, and the same command continues it.
 */
export async function actOnService(
  context: Context,
  connection: Connection,
  request: RuntimeRequest,
): Promise<RuntimeOutcome> {
  const lock = { command: verbOf(request), timeoutMs: request.lockTimeoutMs };
  const sent = await holdLock(context, lock, (session) => sendLocked(context, connection, session, request));
  if ("exitCode" in sent) return sent;
  const { pending: accepted, diagnostics } = sent;
  if (!request.wait) return { ...succeeded, diagnostics, accepted, result: "accepted" };
  const ended = await settle(context, connection, request, sent);
  return { accepted, ...ended, diagnostics: [...ended.diagnostics, ...diagnostics] };
}

const verbOf = ({ action }: RuntimeRequest): string => (action === "clear-cache" ? "deploy" : action);

const refused = (diagnostics: readonly Diagnostic[], exitCode = 1): RuntimeOutcome => ({
  ...succeeded,
  diagnostics,
  exitCode,
  result: "failed",
});

async function sendLocked(
  context: Context,
  connection: Connection,
  session: StateSession,
  request: RuntimeRequest,
): Promise<Sent | RuntimeOutcome> {
  const found = findRecorded(session.state, request.address);
  if (found.diagnostic || session.state === undefined)
    return refused(found.diagnostic ? [found.diagnostic] : []);
  const { address, recorded } = found;
  if (!typeNamed(recorded.type)?.actions?.[request.action]) {
    const hint = "name a service.… address";
    return refused([error("command.usage", `${address} is not a service`, { hint })]);
  }
  const asked: Command = {
    action: request.action,
    ...(request.deploymentId === undefined ? {} : { deploymentId: request.deploymentId }),
    ...(request.commit === undefined ? {} : { commit: request.commit }),
  };
  const { type } = recorded;
  const before = await goesOnWith({ context, connection, type }, session.state, address, asked);
  if (before) {
    request.onGoingOn(before.startedAt);
    if (!request.wait) await new RunJournal(session, session.state, context.clock).finish(null);
    return { address, type, ...partOf(session.state, before.pending), ...before, diagnostics: [] };
  }
  const from = { state: session.state, writes: true };
  const repeats = ({ command, address: at }: Intent): boolean =>
    at === address && command !== undefined && isAskedAgain(command, asked);
  const recovery = await recoverWrites(context, connection, from, { settlesPending: false, repeats });
  if (hasErrors(recovery.diagnostics)) return refused(recovery.diagnostics);
  const state = await startingState(context, session, recovery.entries);
  const journal = new RunJournal(session, state, context.clock);
  const open = recovery.retriableIntents.filter(repeats);
  connection.reads.remember(state);
  const service = await readService(connection, address, recorded.id);
  const start = { context, connection, request, asked, address, service, state, journal, open };
  const { pending, ...ended } = await carryOut(start);
  const goesOn = pending !== undefined && request.wait;
  const after =
    journal.hasChanges || state.run !== null || ended.wasBegun
      ? await journal.finish(null, { goesOn })
      : state;
  const diagnostics = [...recovery.diagnostics, ...ended.diagnostics];
  if (pending === undefined)
    return { ...refused(diagnostics, ended.exitCode), ...(ended.isCancelled && { result: "cancelled" }) };
  return { address, type, pending, ...partOf(after, pending, state), diagnostics };
}

/** How long the same command surely means the same wish; later it does only while that is under way. */
const sameWishMs = 30 * 60_000;

/** Returns what an earlier run of the same command was waiting for when it ended. */
async function goesOnWith(
  at: { readonly context: Context; readonly connection: Connection; readonly type: string },
  { run, open }: State,
  address: Address,
  asked: Command,
): Promise<{ readonly pending: Pending; readonly startedAt: string } | undefined> {
  const accepted = run?.accepted;
  if (!run || !accepted || open.length > 0) return undefined;
  const { startedAt } = run;
  const { pending } = accepted;
  const ageMs = Math.abs(at.context.clock.now() - Date.parse(startedAt));
  if (ageMs >= keyLifetimeMs || accepted.address !== address || !isAskedAgain(accepted.command, asked))
    return undefined;
  if (ageMs < sameWishMs) return { pending, startedAt };
  const look = await pollOf(at.type, asked.action)(at.connection.reads, pending);
  return look.kind === "waiting" ? { pending, startedAt } : undefined;
}

function pollOf(type: string, action: string) {
  const poll = typeNamed(type)?.actions?.[action]?.poll;
  if (poll === undefined) throw new Error(`a ${type} knows no ${action}`);
  return poll;
}

/** Returns the address whose record waits for `pending`, with its earlier record. */
function partOf(state: State, pending: Pending, earlier?: State): Pick<Sent, "part"> {
  const entries = Object.entries(state.resources) as [Address, RecordedResource][];
  const [at] = entries.find(([, recorded]) => recorded.pending?.id === pending.id) ?? [];
  return at === undefined ? {} : { part: { at, before: earlier?.resources[at] } };
}

async function readService({ reads }: Connection, address: Address, id: string): Promise<Service> {
  const read = await reads.service(id);
  if (read.kind === "found") return read.value;
  const why = read.kind === "gone" ? "no longer exists" : `cannot be read: ${read.reason}`;
  throw new DiagnosticsError([
    error("live.failed", `${address} ${why}`, { address, hint: "run `rnv drift`" }),
  ]);
}

async function settle(
  context: Context,
  { reads }: Connection,
  request: RuntimeRequest,
  sent: Sent,
): Promise<RuntimeOutcome> {
  const poll = pollOf(sent.type, request.action);
  let latest = sent.pending;
  const wait = waitUntilSettled(latest, {
    type: { poll },
    reads,
    clock: context.clock,
    signal: context.signal,
    timeoutMs: request.timeoutMs,
    onWaiting: request.onWaiting,
    onNext: async (next) => {
      latest = next;
    },
  });
  const result = await wait.catch((failure: unknown): WaitResult | Unseen => {
    if (!(failure instanceof ApiError)) throw failure;
    return { kind: "unseen", failure };
  });
  await recordEnd(context, request, sent, result.kind === "done" ? { ...result, id: latest.id } : result);
  return outcomeOf(request, sent, result);
}

/** The service could not be asked for the end. */
interface Unseen {
  readonly kind: "unseen";
  readonly failure: ApiError;
}

function outcomeOf(request: RuntimeRequest, sent: Sent, result: WaitResult | Unseen): RuntimeOutcome {
  const { address, pending } = sent;
  const action = `${request.action} of ${address}`;
  const ended = (exitCode: number, ...[code, summary, more]: Parameters<typeof error>): RuntimeOutcome =>
    refused([error(code, summary, { address, ...more })], exitCode);
  switch (result.kind) {
    case "done":
      return { ...succeeded, result: "done" };
    case "failed":
      return ended(7, "apply.deploy_failed", `${action}: ${result.summary}`, { detail: result.detail });
    case "checkout":
      return ended(8, "apply.awaiting_checkout", `${action}: ${result.summary}`);
    case "timeout":
      return result.unseen === undefined
        ? ended(7, "apply.deploy_timeout", `${action} has not settled: it is ${result.status}`, {
            hint: "It is still running. Run the same command again to keep waiting, or raise --timeout.",
          })
        : ended(7, "live.stale", `${action} was accepted, but ${result.unseen}`, {
            detail: "rnv looked for it for 30 seconds.",
            hint: "It is still running. Run the same command again to look for it: nothing is sent twice.",
          });
    case "unseen":
      return ended(7, "apply.deploy_timeout", `${action} was accepted, but its result could not be read`, {
        detail: `${pending.kind} ${pending.id}: ${result.failure.message}`,
        hint: "It is still running. Run the same command again to follow it.",
      });
    case "interrupted":
      return ended(130, "apply.interrupted", `stopped waiting: ${action} is still running`, {
        hint: "Run the same command again to follow it.",
      });
  }
}

/** An action changes no resource of the plan. */
const noCounts = { added: 0, changed: 0, destroyed: 0, adopted: 0, forgotten: 0, failed: 0, skipped: 0 };

const endsSeen: readonly string[] = ["done", "failed", "checkout"];

/**
 * Ends the run and records the end of the accepted action. A run whose end was not seen stays recorded with it. Where
 * another run writes the state now, or has done so meanwhile, that run has settled the action, or will.
 */
async function recordEnd(
  context: Context,
  request: RuntimeRequest,
  { part, pending }: Sent,
  end: { readonly kind: string; readonly id?: string },
): Promise<void> {
  if (!endsSeen.includes(end.kind)) return;
  await holdLock(context, { command: verbOf(request), timeoutMs: 0 }, async (session) => {
    const { state } = session;
    const isOurs = state?.run?.accepted?.pending.id === pending.id;
    if (!state || (state.run !== null && !isOurs)) return;
    const journal = new RunJournal(session, state, context.clock);
    const recorded = part && state.resources[part.at];
    if (part && recorded?.pending?.id === pending.id && (end.kind === "done" || end.kind === "failed")) {
      const { pending: _ended, ...settled } = recorded;
      // A failed deployment does not serve: the deployment recorded before it does.
      const before = part.before ? { ...part.before, writes: settled.writes } : { ...settled, inputs: {} };
      await journal.record(part.at, end.id === undefined ? before : { ...settled, id: end.id });
    }
    const exitCode = end.kind === "done" ? 0 : end.kind === "checkout" ? 8 : 7;
    const ended = state.run ? { run: state.run, counts: noCounts, exitCode } : undefined;
    if (isOurs || journal.hasChanges) await journal.finish(null, ended && { ended });
  }).catch((failure: unknown) => {
    if (!(failure instanceof DiagnosticsError && failure.exitCode === 6)) throw failure;
  });
}
