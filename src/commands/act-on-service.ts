import { ApiError, diagnosticOf } from "../api/api-error";
import type { Connection } from "../api/connection";
import {
  type ActionDoor,
  type ActionOrder,
  act,
  leftBy,
  recordedPart,
  unknownEnd,
  type VerbAction,
} from "../apply/action";
import { journaledSend } from "../apply/journaled-send";
import { RunJournal } from "../apply/run-journal";
import { badEnd, recordedAtCheckout, type WaitResult, waitUntilSettled } from "../apply/settle";
import { type Diagnostic, DiagnosticsError, error, failure, hasErrors } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Pending } from "../model/live";
import type { Made } from "../model/resource-operations";
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
import { recoverWrites, startingState } from "./recover";
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
  readonly confirm: ActionDoor["confirm"];
  /** Called when nothing is sent, because the action that the same command began at `since` is waited for. */
  readonly onGoingOn: (since: string) => void;
  readonly onWaiting: (elapsedSeconds: number, status: string, note: string | undefined) => void;
}

export type RuntimeOutcome = Outcome & {
  /** The accepted operation or deployment; undefined when nothing was sent. */
  readonly accepted?: Pending;
  readonly result: "done" | "accepted" | "cancelled" | "failed";
};

interface Acting {
  readonly context: Context;
  readonly connection: Connection;
  readonly request: RuntimeRequest;
}

interface LockedAction extends Acting {
  readonly address: Address;
  readonly recorded: RecordedResource;
  readonly action: VerbAction;
  readonly asked: Command;
  readonly before: State;
  readonly state: State;
  readonly journal: RunJournal;
  /** What the same command left open: it is sent again under its own key. */
  readonly retriableIntents: readonly Intent[];
}

interface SentAction extends Acting, Pick<LockedAction, "address" | "action"> {
  readonly pending: Pending;
  /** The state that it was sent from; absent where an earlier run sent it. */
  readonly sentFrom?: State | undefined;
  readonly warnings: readonly Diagnostic[];
  readonly run: RunRecord;
}

/**
 * Finds the service, sends the action exactly once, as `apply` sends its writes, and waits until it has settled. The
 * lock is free while it waits: the accepted action is recorded, and `rnv cancel` must be possible. A run that
 * ends before the end is seen leaves that in its record, and the same command continues it. What the manifest declares as
 * secret is masked.
 */
export async function runtimeAction(context: Context, request: RuntimeRequest): Promise<RuntimeOutcome> {
  const connection = await connectWithRedaction(context, await context.backend.read());
  const lock = { command: verbOf(request), timeoutMs: request.lockTimeoutMs };
  const sent = await holdLock(context, lock, (session) =>
    sendLocked({ context, connection, request }, session).catch((failure: unknown) => {
      if (!(failure instanceof DiagnosticsError)) throw failure;
      return failed(failure.diagnostics, context.signal.aborted ? 130 : failure.exitCode);
    }),
  );
  if (sent === undefined) return { ...failed([], 1), result: "cancelled" };
  if ("exitCode" in sent) return sent;
  const { pending: accepted, warnings } = sent;
  if (!request.wait) return { ...succeeded, diagnostics: warnings, accepted, result: "accepted" };
  const ended = await awaitEnd(sent);
  return { accepted, ...ended, diagnostics: [...ended.diagnostics, ...warnings] };
}

const verbOf = ({ action }: RuntimeRequest): string => (action === "clear-cache" ? "deploy" : action);

const failed = (diagnostics: readonly Diagnostic[], exitCode: number): RuntimeOutcome => ({
  ...succeeded,
  diagnostics,
  exitCode,
  result: "failed",
});

/** Settles what earlier runs left open, and sends the action unless one of them did. Undefined where it is not confirmed. */
async function sendLocked(acting: Acting, session: StateSession): Promise<SentAction | undefined> {
  const { context, connection, request } = acting;
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
  const about = { address, recorded, action, asked };
  const locked = { ...acting, ...about, before, state, journal, retriableIntents };
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

/** Returns what a failure says; a write that stays open may have happened. */
function diagnosticsOf(failure: unknown, { address, asked, journal }: LockedAction): readonly Diagnostic[] {
  if (failure instanceof DiagnosticsError) return failure.diagnostics;
  const told = diagnosticOf(failure, { address });
  const isOpen = journal.openAt(address).some(({ command }) => command !== undefined);
  const hint = `Run \`${commandText(address, asked)}\` again: it first finds out what happened, and sends nothing twice.`;
  return [isOpen ? { ...told, code: "apply.uncertain", hint } : told];
}

/** How long the same command surely means the same wish; later it does only while that is under way. */
const sameWishMs = 30 * 60_000;

/** Returns what an earlier run of the same command has begun: the recovery has found it, or that run was waiting for its end. */
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
  const { connection, address, recorded, action, asked, before, state, journal, retriableIntents } = locked;
  connection.reads.remember(state);
  const { name, liveDeploymentId } = await serviceNow(connection, address, recorded.id);
  const order = { address, id: recorded.id, name, ...(retriableIntents[0]?.command ?? asked) };
  const [, last] = (action.makes && recordedPart(journal, address, action.makes.type)) || [];
  const aim =
    retriableIntents.length > 0
      ? { preexistingIds: state.run?.fences[address] ?? [] }
      : await action.aim?.(connection.reads, order, last);
  const touched = { address, before: (action.makes && liveDeploymentId) || undefined };
  const accepted = await act(doorOf(locked, touched), action, order, aim);
  const { run } = journal;
  return accepted && run ? { ...locked, ...accepted, sentFrom: before, run } : undefined;
}

/** Journals the intent of the write before its first byte, and its outcome after the answer. */
function doorOf(locked: LockedAction, touched: Touched): ActionDoor {
  const { context, connection, request, address, recorded, action, asked } = locked;
  const { state, journal, retriableIntents } = locked;
  const { clock, host: by, startedBy } = context;
  const writing = { ...connection, journal, clock, retriableIntents, types: typesByName };
  const run = () => ({ ...writing, record: journal.run as RunRecord });
  const left = (order: ActionOrder, made: Made) => leftBy(run(), action, order, made);
  return {
    reads: connection.reads,
    confirm: request.confirm,
    begin: async (order, preexistingIds) => {
      const { id: _id, name, address: _address, ...command } = order;
      // Other open writes still need the ids that existed before them.
      const others = state.open.length > 0 ? state.run?.fences : {};
      const record = {
        id: connection.runId,
        planDigest: sha256(canonicalJson({ address, ...command })),
        credential: context.credential(),
        startedAt: new Date(clock.now()).toISOString(),
        origin: { command: command.action, touched: [touched], ...(startedBy?.([]) ?? { by }) },
        fences: { ...others, [address]: preexistingIds },
      };
      await journal.begin(record, undefined);
      return connection.endpoints(
        journaledSend({
          ...{ run: run(), address, name, command, type: recorded.type },
          secretKey: Buffer.from(record.id, "hex"),
          after: ({ id = order.deploymentId ?? "", madeAt }) => left(order, { id, madeAt }),
        }),
      );
    },
    close: (order, id) => {
      const result = id === undefined ? "refused" : "done";
      return journal.closeAt(address, { result, status: 0, id }, id === undefined ? {} : left(order, { id }));
    },
    // It is reported once where the journal can be written, and can be asked for again.
    uncertain: async (order, why) => {
      await journal.closeAt(address, { result: "done", status: 0 }).catch(() => undefined);
      return new DiagnosticsError([unknownEnd(error, address, order, why)]);
    },
    command: commandText(address, asked),
  };
}

async function serviceNow({ reads }: Connection, address: Address, id: string) {
  const read = await reads.service(id);
  if (read.kind === "found") return read.value;
  const why = read.kind === "gone" ? "no longer exists" : `cannot be read: ${read.reason}`;
  throw failure("live.failed", `${address} ${why}`, { address, hint: "run `rnv drift`" });
}

/** Waits for the end of an accepted action, and records it. A run whose end was not seen stays recorded with it. */
async function awaitEnd(sent: SentAction): Promise<RuntimeOutcome> {
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
    return failed([error("apply.deploy_timeout", summary, { ...about, detail })], 7);
  }
  if (result.kind === "interrupted")
    return failed([error("apply.interrupted", `stopped waiting for the ${what}`, about)], 130);
  const bad = result.kind === "done" ? undefined : badEnd(what, result, { about: { address }, timeoutMs });
  const outcome = bad ? failed([bad.diagnostic], bad.exitCode) : { ...succeeded, result: "done" as const };
  if (result.kind !== "timeout") await recordEnd(sent, result, outcome.exitCode);
  return outcome;
}

const noCounts = { added: 0, changed: 0, destroyed: 0, adopted: 0, forgotten: 0, failed: 0, skipped: 0 };

function endedRun(run: RunRecord, exitCode: number) {
  const failed = exitCode === 0 || exitCode === 8 ? undefined : (true as const);
  const touched = run.origin?.touched?.map((one) => ({ ...one, failed }));
  return { run, end: { counts: noCounts, exitCode, touched } };
}

/**
 * Ends the run and records the end of what the action made. Where another run writes the state now, or was cut short, that or
 * the next one settles it; one that waits too goes on.
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
