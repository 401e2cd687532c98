import { ApiError, diagnosticOf } from "../api/api-error";
import type { Service } from "../api/wire/shapes";
import { type ActionOrder, type ActionRun, recordedPart, sendAction } from "../apply/action";
import { keyLifetimeMs } from "../apply/journaled-send";
import { RunJournal } from "../apply/run-journal";
import { type WaitResult, waitUntilSettled } from "../apply/settle";
import { type Diagnostic, DiagnosticsError, error, hasErrors, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Pending } from "../model/live";
import type { ActionAim, ActionInput } from "../model/resource-operations";
import {
  type Command,
  commandText,
  type Intent,
  isAskedAgain,
  type RecordedResource,
  type RunRecord,
  type State,
} from "../model/state";
import { sha256 } from "../model/text";
import { canonicalJson } from "../model/value";
import { typeNamed, typesByName } from "../resources";
import type { StateSession } from "../state/backend";
import { type Connection, type Context, type Outcome, succeeded } from "./context";
import { holdLock } from "./hold-lock";
import { recoverWrites, startingState } from "./recover";
import { findRecorded } from "./state-verbs";

export type RuntimeAction =
  | "deploy"
  | "clear-cache"
  | "restart"
  | "suspend"
  | "resume"
  | "rollback"
  | "cancel";

/** Asks for an action on a recorded service, outside of a plan (interface, "Endpoints / Services"). */
export interface RuntimeRequest {
  readonly address: string;
  readonly action: RuntimeAction;
  /** For `rollback` and `cancel`. Default: the newest deployment that fits. */
  readonly deploymentId?: string;
  /** For `deploy`: pins the commit. */
  readonly commit?: string;
  /** False returns once the service has accepted it. */
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly lockTimeoutMs: number;
  /** For `rollback`: the name that the user typed, or undefined to cancel. */
  readonly confirm: (subject: RollbackSubject) => Promise<string | undefined>;
  /** Called when nothing is sent, because the action that the same command began at `since` is waited for. */
  readonly onGoingOn: (since: string) => void;
  readonly onWaiting: (elapsedSeconds: number, status: string, note: string | undefined) => void;
}

export interface RollbackSubject {
  readonly address: Address;
  /** Live name of the service, which the answer must equal. */
  readonly name: string;
  readonly deploymentId: string;
  /** Commit of that deployment, where it is known. */
  readonly commitSha?: string;
}

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
  const { type } = recorded;
  if (!typeNamed(type)?.actions?.[request.action]) {
    const hint = "name a service.… address";
    return refused([error("command.usage", `${address} is not a service`, { hint })]);
  }
  const { action, deploymentId, commit } = request;
  const asked: Command = { action, ...(deploymentId && { deploymentId }), ...(commit && { commit }) };
  const repeats = ({ command, address: at }: Intent): boolean =>
    at === address && command !== undefined && isAskedAgain(command, asked);
  const earlier = session.state;
  const from = { state: earlier, writes: true };
  const recovery = await recoverWrites(context, connection, from, { settlesPending: false, repeats });
  const { accepted, diagnostics } = recovery;
  const state = await startingState(context, session, recovery.entries);
  const journal = new RunJournal(session, state, context.clock);
  const finish = async (pending?: Pending): Promise<State> => {
    const isChanged = recovery.entries.length > 0 || journal.hasChanges || state.run !== null;
    return isChanged ? journal.finish(null, { goesOn: pending !== undefined && request.wait }) : state;
  };
  if (hasErrors(diagnostics)) {
    await finish();
    return refused(diagnostics);
  }
  const before = accepted ?? (await goesOnWith({ context, connection, type }, state, address, asked));
  if (before) {
    const { pending, startedAt } = before;
    request.onGoingOn(startedAt);
    const part = partOf(await finish(pending), pending, accepted && earlier);
    return { address, type, pending, ...part, diagnostics };
  }
  connection.reads.remember(state);
  const service = await readService(connection, address, recorded.id);
  const open = recovery.retriableIntents.filter(repeats);
  const start = { context, connection, request, asked, address, service, state, journal, open };
  const sent = await send(start).catch((failure: unknown) => failed(start, failure));
  if (!("pending" in sent)) {
    await finish();
    return { ...sent, diagnostics: [...diagnostics, ...sent.diagnostics] };
  }
  const { pending } = sent;
  const part = partOf(await finish(pending), pending, state);
  return { address, type, pending, ...part, diagnostics: [...diagnostics, ...sent.diagnostics] };
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
  const look = await actionOf(at.type, asked.action).poll(at.connection.reads, pending);
  return look.kind === "waiting" ? { pending, startedAt } : undefined;
}

function actionOf(type: string, name: string) {
  const action = typeNamed(type)?.actions?.[name];
  if (action === undefined) throw new Error(`a ${type} knows no ${name}`);
  return action;
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

/** An action that is about to be sent, under the lock. */
interface ActionStart {
  readonly context: Context;
  readonly connection: Connection;
  readonly request: RuntimeRequest;
  readonly asked: Command;
  readonly address: Address;
  readonly service: Service;
  readonly state: State;
  readonly journal: RunJournal;
  /** Writes of the same command that were not answered and whose key still counts. */
  readonly open: readonly Intent[];
}

/** Sends the action; under its own key where the same command left it open. */
async function send(start: ActionStart): Promise<RuntimeOutcome | Pick<Sent, "pending" | "diagnostics">> {
  const { request, address, service } = start;
  const { command, aim } = await aimOf(start);
  const { deploymentId, commit } = command;
  const input: ActionInput = { address, id: service.id, name: service.name, deploymentId, commit };
  if (actionOf(recordedType(start), command.action).mustBeConfirmed) {
    const { name } = input;
    const subject = { address, name, deploymentId: deploymentId ?? "", commitSha: aim.commitSha };
    const typed = await request.confirm(subject);
    if (typed === undefined) return { ...refused([]), result: "cancelled" };
    if (typed !== name) {
      const summary = `${JSON.stringify(typed)} is not the name of ${address}`;
      const hint = `its name is ${JSON.stringify(name)}`;
      return refused([error("guard.name_changed", summary, { address, hint })], 4);
    }
  }
  const order = { command, input, preexistingIds: aim.preexistingIds };
  const run = runOf(start, order);
  await start.journal.begin(run.record, undefined);
  const pending = await sendAction(run, order);
  const diagnostics = (aim.warnings ?? []).map(({ code, summary, detail, hint }) =>
    warning(code, summary, { address, detail, hint }),
  );
  return { pending, diagnostics };
}

const recordedType = ({ state, address }: ActionStart): string => state.resources[address]?.type ?? "";

/** Returns the command with its target, which one that was left open has already. */
async function aimOf(start: ActionStart): Promise<{ readonly command: Command; readonly aim: ActionAim }> {
  const { connection, address, service, state, journal, asked, open } = start;
  const resumed = open[0]?.command;
  if (resumed) return { command: resumed, aim: { preexistingIds: state.run?.fences[address] ?? [] } };
  const action = actionOf(recordedType(start), asked.action);
  const [, last] = (action.makes && recordedPart(journal, address, action.makes.type)) || [];
  const { deploymentId, commit } = asked;
  const named: ActionInput = { address, id: service.id, name: service.name, deploymentId, commit };
  const aim: ActionAim = (await action.aim?.(connection.reads, named, last)) ?? { preexistingIds: [] };
  const chosen = { deploymentId: deploymentId ?? aim.deploymentId, commit: commit ?? aim.commit };
  const isChosen = chosen.deploymentId !== deploymentId || chosen.commit !== commit;
  const command: Command = {
    action: asked.action,
    ...(chosen.deploymentId === undefined ? {} : { deploymentId: chosen.deploymentId }),
    ...(chosen.commit === undefined ? {} : { commit: chosen.commit }),
    ...(isChosen ? { isChosen } : {}),
  };
  return { command, aim };
}

function runOf(start: ActionStart, { command, preexistingIds }: ActionOrder): ActionRun {
  const { context, state, journal, open, address } = start;
  const { send: sendRequest, endpoints, reads } = start.connection;
  // Other open writes still need the ids that existed before them.
  const others = state.open.length > 0 ? state.run?.fences : {};
  const record: RunRecord = {
    id: start.connection.runId,
    planDigest: sha256(canonicalJson({ address, ...command })),
    credential: context.credential(),
    startedAt: new Date(context.clock.now()).toISOString(),
    origin: { command: command.action, ...(context.startedBy?.([]) ?? { by: context.host }) },
    fences: { ...others, [address]: preexistingIds },
  };
  const { clock, signal } = context;
  return {
    ...{ send: sendRequest, endpoints, reads, journal, record, clock, signal },
    retriableIntents: open,
    types: typesByName,
  };
}

function failed({ context, address, asked, journal }: ActionStart, failure: unknown): RuntimeOutcome {
  const exitCode = context.signal.aborted ? 130 : 1;
  if (failure instanceof DiagnosticsError)
    return refused(failure.diagnostics, Math.max(exitCode, failure.exitCode));
  const told = diagnosticOf(failure, { address });
  const isOpen = journal.openAt(address).some(({ command }) => command !== undefined);
  const hint = `Run \`${commandText(address, asked)}\` again: it first finds out what happened, and sends nothing twice.`;
  return refused([isOpen ? { ...told, code: "apply.uncertain", hint } : told], exitCode);
}

async function settle(
  context: Context,
  { reads }: Connection,
  request: RuntimeRequest,
  sent: Sent,
): Promise<RuntimeOutcome> {
  let latest = sent.pending;
  const wait = waitUntilSettled(latest, {
    type: actionOf(sent.type, request.action),
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
