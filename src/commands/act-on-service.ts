import { ApiError, diagnosticOf } from "../api/api-error";
import type { Connection } from "../api/connection";
import { recentMs } from "../api/consistent-reads";
import {
  type AimedAction,
  type ConfirmAction,
  confirmAction,
  recordedPart,
  sendAction,
  type VerbAction,
} from "../apply/action";
import { RunJournal } from "../apply/run-journal";
import { finalStatus, recordedAtCheckout, type WaitResult, waitUntilSettled } from "../apply/settle";
import { type Diagnostic, DiagnosticsError, error, failure, hasErrors } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Pending } from "../model/live";
import { sha256 } from "../model/sha256";
import {
  type Command,
  commandText,
  type Intent,
  type RecordedResource,
  type RunRecord,
  type State,
  type Touched,
} from "../model/state";
import { canonicalJson } from "../model/value";
import { typeNamed, typesByName } from "../resources";
import type { serviceActions } from "../resources/service/actions";
import type { StateSession } from "../state/backend";
import { type Context, type Outcome, succeeded } from "./context";
import { holdLock } from "./hold-lock";
import { connectWithRedaction } from "./load";
import { recoverWrites, startingState } from "./recover-and-read";
import { findRecorded } from "./state-verbs";

export type RuntimeAction = keyof typeof serviceActions;

/** Asks for an action on a recorded service, outside of a plan (interface, "Endpoints / Services"). */
export interface RuntimeRequest {
  readonly address: string;
  readonly action: RuntimeAction;
  /** For `rollback` and `cancel`. Default: the newest deployment that fits. */
  readonly deploymentId?: string | undefined;
  readonly commit?: string | undefined;
  /** False returns once the service has accepted it. */
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly lockTimeoutMs: number;
  /** For `rollback`. */
  readonly confirm: ConfirmAction;
  /** Called when nothing is sent, because the action that the same command began at `since` is waited for. */
  readonly onGoingOn: (since: string) => void;
  readonly onWaiting: (elapsedSeconds: number, status: string, note: string | undefined) => void;
}

export type RuntimeOutcome = Outcome & {
  /** The accepted operation or deployment; undefined when nothing was sent. */
  readonly accepted?: Pending;
  readonly result: "done" | "accepted" | "cancelled" | "failed";
};

interface LockedAction {
  readonly context: Context;
  readonly connection: Connection;
  readonly request: RuntimeRequest;
  readonly address: Address;
  readonly recorded: RecordedResource;
  readonly action: VerbAction;
  readonly asked: Command;
  readonly before: State;
  readonly state: State;
  readonly journal: RunJournal;
  /** Open writes of the same command, which are sent again under their own keys. */
  readonly retriableIntents: readonly Intent[];
}

interface SentAction extends LockedAction {
  readonly pending: Pending;
  /** The state that it was sent from; absent where an earlier run sent it. */
  readonly sentFrom?: State | undefined;
  readonly warnings: readonly Diagnostic[];
  readonly run: RunRecord;
}

/**
 * Sends the action exactly once, as `apply` sends its writes, and waits until it has settled. The lock is free meanwhile:
 * the accepted action is recorded, and `rnv cancel` must be possible. If the run is cut short, the same command
 * continues the wait. Secrets of the manifest are masked.
 */
export async function runtimeAction(context: Context, request: RuntimeRequest): Promise<RuntimeOutcome> {
  const connection = await connectWithRedaction(context, await context.backend.read());
  const lock = { command: verbOf(request), timeoutMs: request.lockTimeoutMs };
  const sent = await holdLock(context, lock, (session) =>
    sendLocked({ context, connection, request }, session).catch((failure: unknown): Outcome => {
      if (!(failure instanceof DiagnosticsError)) throw failure;
      const { diagnostics, exitCode } = failure;
      return { diagnostics, exitCode: context.signal.aborted ? 130 : exitCode };
    }),
  );
  if (sent === undefined) return { diagnostics: [], exitCode: 1, result: "cancelled" };
  if ("exitCode" in sent) return { ...sent, result: "failed" };
  const { pending: accepted, warnings } = sent;
  if (!request.wait) return { ...succeeded, diagnostics: warnings, accepted, result: "accepted" };
  const { diagnostics, exitCode } = await awaitEnd(sent);
  const result = exitCode === 0 ? "done" : "failed";
  return { accepted, exitCode, diagnostics: [...diagnostics, ...warnings], result };
}

const verbOf = ({ action }: RuntimeRequest): string => (action === "clear-cache" ? "deploy" : action);

/** Settles the open writes of earlier runs, and sends the action unless such a run did. Undefined: it was not confirmed. */
async function sendLocked(
  { context, connection, request }: Pick<LockedAction, "context" | "connection" | "request">,
  session: StateSession,
): Promise<SentAction | undefined> {
  const { state: before, address, recorded } = findRecorded(session.state, request.address);
  const action = typeNamed(recorded.type)?.actions?.[request.action];
  if (!action)
    throw failure("command.usage", `${address} is not a service`, { hint: "name a service.… address" });
  const { deploymentId, commit } = request;
  const asked: Command = { action: request.action, deploymentId, commit };
  const repeats = (intent: Intent): boolean =>
    intent.address === address && intent.command !== undefined && isAskedAgain(intent.command, asked);
  const from = { state: before, writes: true };
  const recovery = await recoverWrites(context, connection, from, { settlesPending: false, repeats });
  const state = await startingState(context, session, recovery.entries);
  const journal = new RunJournal(session, state, context.clock);
  const retriableIntents = recovery.retriableIntents.filter(repeats);
  const about = { context, connection, request, address, recorded, action, asked };
  const locked = { ...about, before, state, journal, retriableIntents };
  let accepted: SentAction | undefined;
  try {
    if (hasErrors(recovery.diagnostics)) throw new DiagnosticsError([]);
    accepted = (await acceptedBefore(locked)) ?? (await send(locked));
    return accepted && { ...accepted, warnings: [...recovery.diagnostics, ...accepted.warnings] };
  } catch (failure) {
    const exitCode = failure instanceof DiagnosticsError ? failure.exitCode : 1;
    throw new DiagnosticsError([...recovery.diagnostics, ...diagnosticsOf(failure, locked)], exitCode);
  } finally {
    const goesOn = accepted !== undefined && request.wait;
    const run = accepted?.run ?? (journal.run?.id === connection.runId ? journal.run : undefined);
    const ended = goesOn ? undefined : run && endedRun(run, accepted ? 0 : 1);
    if (recovery.entries.length > 0 || journal.hasChanges || state.run !== null)
      await journal.finish(null, { goesOn, ended });
  }
}

/** Returns the diagnostics of a failure; a write that stays open may have happened. */
function diagnosticsOf(failure: unknown, { address, asked, journal }: LockedAction): readonly Diagnostic[] {
  if (failure instanceof DiagnosticsError) return failure.diagnostics;
  const diagnostic = diagnosticOf(failure, { address });
  const isOpen = journal.openAt(address).some(({ command }) => command !== undefined);
  const hint = `Run \`${commandText(address, asked)}\` again: it first finds out what happened, and sends nothing twice.`;
  return [isOpen ? { ...diagnostic, code: "apply.uncertain", hint } : diagnostic];
}

/** Within this time the same command means the same wish; later only while that action is under way. */
const sameWishMs = 30 * 60_000;

/** Returns the action of an earlier run of the same command: found by the recovery, or recorded as waited for. */
async function acceptedBefore(locked: LockedAction): Promise<SentAction | undefined> {
  const { context, connection, request, address, action, asked, before, state } = locked;
  const { run, open } = state;
  const accepted = run?.accepted;
  const isFound = accepted?.pending.id !== before.run?.accepted?.pending.id;
  if (!run || accepted?.address !== address || (open.length > 0 && !isFound)) return undefined;
  if (!isAskedAgain(accepted.command, asked)) return undefined;
  const { pending } = accepted;
  const isRecent = Math.abs(context.clock.now() - Date.parse(run.startedAt)) < sameWishMs;
  const isWanted = isFound || isRecent || (await action.poll(connection.reads, pending)).kind === "waiting";
  if (!isWanted) return undefined;
  request.onGoingOn(run.startedAt);
  return { ...locked, pending, sentFrom: isFound ? before : undefined, warnings: [], run };
}

/** Returns whether a user asks for `command` again, by naming its `deploymentId` and `commit`, or neither. */
const isAskedAgain = (command: Command, asked: Omit<Command, "isChosen">): boolean =>
  command.action === asked.action &&
  (asked.deploymentId === undefined && asked.commit === undefined
    ? command.isChosen === true || (command.deploymentId === undefined && command.commit === undefined)
    : command.deploymentId === asked.deploymentId && command.commit === asked.commit);

/** Sends the action; under its own key where the same command left it open. Undefined where it is not confirmed. */
async function send(locked: LockedAction): Promise<SentAction | undefined> {
  const { context, connection, request, address, recorded, action, before, state, journal } = locked;
  const { reads } = connection;
  const [resent] = locked.retriableIntents;
  reads.remember(state);
  const read = await reads.service(recorded.id);
  if (read.kind !== "found") {
    const why = read.kind === "gone" ? "no longer exists" : `cannot be read: ${read.reason}`;
    throw failure("live.failed", `${address} ${why}`, { address, hint: "run `rnv drift`" });
  }
  const { name, liveDeploymentId } = read.value;
  const command = resent?.command ?? locked.asked;
  const order = { address, id: recorded.id, name, ...command };
  const [, last] = (action.makes && recordedPart(state, address, action.makes.type)) || [];
  const aim = resent
    ? { preexistingIds: state.run?.fences[address] ?? [] }
    : await action.aim?.(reads, order, last);
  const aimed = await confirmAction(action, order, request.confirm, aim);
  if (aimed === undefined) return undefined;
  const touched = { address, before: (action.makes && liveDeploymentId) || undefined };
  const record = runRecord(locked, aimed, touched);
  await journal.begin(record, undefined);
  const run = { ...connection, ...locked, clock: context.clock, types: typesByName, record };
  const pending = await sendAction(run, aimed);
  return { ...locked, pending, sentFrom: before, warnings: aimed.warnings, run: journal.run ?? record };
}

function runRecord(
  { context, connection, address, state }: LockedAction,
  { order: { id: _id, name: _name, ...command }, preexistingIds }: AimedAction,
  touched: Touched,
): RunRecord {
  const startedBy = context.startedBy?.([]) ?? { by: context.host };
  // Other open writes still need the IDs that existed before them.
  const others = state.open.length > 0 ? state.run?.fences : {};
  return {
    id: connection.runId,
    planDigest: sha256(canonicalJson(command)),
    credential: context.credential(),
    startedAt: new Date(context.clock.now()).toISOString(),
    origin: { command: command.action, touched: [touched], ...startedBy },
    fences: { ...others, [address]: preexistingIds },
  };
}

/** Waits for the end of an accepted action, and records it. A run whose end was not seen stays recorded with it. */
async function awaitEnd(sent: SentAction): Promise<Outcome> {
  const { context, connection, request, address, action, pending } = sent;
  const { timeoutMs, onWaiting } = request;
  const { clock, signal } = context;
  const what = `${request.action} of ${address}`;
  const about = { address, hint: "It is still running. Run the same command again to follow it." };
  const waiting = { type: action, reads: connection.reads, clock, signal, timeoutMs, onWaiting };
  const result = await waitUntilSettled(pending, waiting).catch((failure: unknown) => {
    if (failure instanceof ApiError) return failure;
    throw failure;
  });
  if (result instanceof ApiError) {
    const summary = `${what} was accepted, but its result could not be read`;
    const detail = `${pending.kind} ${pending.id}: ${result.message}`;
    return { diagnostics: [error("apply.deploy_timeout", summary, { ...about, detail })], exitCode: 7 };
  }
  if (result.kind === "interrupted") {
    const summary = `stopped waiting for the ${what}`;
    return { diagnostics: [error("apply.interrupted", summary, about)], exitCode: 130 };
  }
  // Reads would show it by now: the platform forgets operations that have ended.
  const isOld = Math.abs(clock.now() - Date.parse(sent.run.startedAt)) > recentMs;
  const isForgotten = result.kind === "unproven" && pending.kind === "operation" && isOld;
  const next = isForgotten ? "It has probably ended. Run the command again if you still want it." : undefined;
  const end = { about: { address }, timeoutMs, next };
  const bad = result.kind === "done" ? undefined : finalStatus(what, result, end);
  const outcome = bad ? { diagnostics: [bad.diagnostic], exitCode: bad.exitCode } : succeeded;
  const goesOn = result.kind === "timeout" || (result.kind === "unproven" && !isForgotten);
  if (!goesOn) await recordEnd(sent, result, outcome.exitCode);
  return outcome;
}

const noCounts = { added: 0, changed: 0, destroyed: 0, adopted: 0, forgotten: 0, failed: 0, skipped: 0 };

function endedRun(run: RunRecord, exitCode: number) {
  const failed = exitCode === 0 || exitCode === 8 ? undefined : (true as const);
  const touched = run.origin?.touched?.map((one) => ({ ...one, failed }));
  return { run, end: { counts: noCounts, exitCode, touched } };
}

/**
 * Ends the run and records how the deployment of the action ended. Where another run writes the state, or was cut short,
 * that run or the next settles it. A run that waits, too, goes on.
 */
async function recordEnd(
  { context, request, action, pending, sentFrom, run }: SentAction,
  { kind, pending: { id } }: WaitResult,
  exitCode: number,
): Promise<void> {
  await holdLock(context, { command: verbOf(request), timeoutMs: 2000 }, async (session) => {
    const { state } = session;
    const other = state?.run?.id === run.id ? null : state?.run;
    if (!state || (other && !other.accepted)) return;
    const journal = new RunJournal(session, state, context.clock);
    const made = action.makes && journal.all().find(([, one]) => one.pending?.id === pending.id);
    const [at, recorded] = made ?? [];
    // A checkout is waited for by the next run.
    if (at && recorded && kind === "checkout") await journal.record(at, recordedAtCheckout(recorded));
    if (at && recorded && (kind === "done" || kind === "failed")) {
      const { pending: _ended, ...settled } = recorded;
      const earlier = sentFrom?.resources[at];
      // A failed deployment does not serve: the deployment recorded before it does.
      const failure = earlier ? { ...earlier, writes: settled.writes } : { ...settled, inputs: {} };
      await journal.record(at, kind === "done" ? { ...settled, id } : failure);
    }
    await journal.finish(null, { goesOn: Boolean(other), ended: endedRun(run, exitCode) });
  }).catch((failure: unknown) => {
    if (!(failure instanceof DiagnosticsError && failure.exitCode === 6)) throw failure;
  });
}
