import { diagnosticOf } from "../api/api-error";
import type { Service } from "../api/wire/shapes";
import {
  type ActionOrder,
  type ActionRun,
  closeOrder,
  findSent,
  recordedPart,
  sendAction,
  unknownEnd,
} from "../apply/action";
import { keyStillCounts } from "../apply/journaled-send";
import type { RunJournal } from "../apply/run-journal";
import { type Diagnostic, DiagnosticsError, error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Pending } from "../model/live";
import type { ActionAim, ActionInput } from "../model/resource-operations";
import { type Command, commandText, type Intent, type RunRecord, type State } from "../model/state";
import { sha256 } from "../model/text";
import { canonicalJson } from "../model/value";
import { typeNamed, typesByName } from "../resources";
import type { Connection, Context } from "./context";

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

/** An action that is about to be sent, under the lock. */
export interface ActionStart {
  readonly context: Context;
  readonly connection: Connection;
  readonly request: RuntimeRequest;
  readonly asked: Command;
  readonly address: Address;
  readonly service: Service;
  readonly state: State;
  readonly journal: RunJournal;
  /** Writes of the same command that were not answered. */
  readonly open: readonly Intent[];
}

/** How the sending of an action ended. */
export interface ActionEnd {
  readonly pending?: Pending;
  readonly diagnostics: readonly Diagnostic[];
  readonly exitCode: number;
  readonly wasBegun?: true;
  readonly isCancelled?: true;
}

/** Continues the write that the same command left open, else sends the action. Failures are diagnostics. */
export async function carryOut(start: ActionStart): Promise<ActionEnd> {
  let wasBegun = false;
  const begin = async (run: ActionRun): Promise<void> => {
    await start.journal.begin(run.record, undefined);
    wasBegun = true;
  };
  const ended = async (): Promise<ActionEnd> => {
    try {
      return (await goOn(start, begin)) ?? (await sendNew(start, begin));
    } catch (failure) {
      return failed(start, failure);
    }
  };
  const end = await ended();
  return wasBegun ? { ...end, wasBegun } : end;
}

/** Returns undefined where no write is open, or the open one did not happen and its key no longer counts. */
async function goOn(
  start: ActionStart,
  begin: (run: ActionRun) => Promise<void>,
): Promise<ActionEnd | undefined> {
  const { context, address, service, state, open, asked } = start;
  const command = open[0]?.command;
  if (command === undefined) return undefined;
  const { deploymentId, commit } = command;
  const input = { address, id: service.id, name: service.name, deploymentId, commit };
  const order: ActionOrder = { command, input, preexistingIds: state.run?.fences[address] ?? [] };
  const run = runOf(start, order);
  const isKeyed = open.every((intent) => keyStillCounts({ ...context, ...start.connection, state }, intent));
  const [{ at } = { at: "" }] = open;
  const pending = await findSent(run, order, { at, forMs: isKeyed ? 2000 : 30_000 });
  if (pending) start.request.onGoingOn(at);
  if (pending) return { pending, diagnostics: [], exitCode: 0 };
  if (!typeNamed(recordedType(start))?.actions?.[asked.action]?.find) {
    await closeOrder(run, address, { result: "done" });
    throw unknownEnd(address, command, { at });
  }
  if (isKeyed) return confirmAndSend(start, order, {}, begin);
  await closeOrder(run, address, { result: "refused" });
  return undefined;
}

async function sendNew(start: ActionStart, begin: (run: ActionRun) => Promise<void>): Promise<ActionEnd> {
  const { connection, address, service, journal, asked } = start;
  const action = typeNamed(recordedType(start))?.actions?.[asked.action];
  const [, last] = (action?.lastOf && recordedPart(journal, address, action.lastOf)) || [];
  const { deploymentId, commit } = asked;
  const named: ActionInput = { address, id: service.id, name: service.name, deploymentId, commit };
  const aim: ActionAim = (await action?.aim?.(connection.reads, named, last)) ?? { preexistingIds: [] };
  const input = {
    ...named,
    deploymentId: deploymentId ?? aim.deploymentId,
    commit: commit ?? aim.commit,
  };
  const isChosen = input.deploymentId !== deploymentId || input.commit !== commit;
  const command: Command = {
    action: asked.action,
    ...(input.deploymentId === undefined ? {} : { deploymentId: input.deploymentId }),
    ...(input.commit === undefined ? {} : { commit: input.commit }),
    ...(isChosen ? { isChosen } : {}),
  };
  return confirmAndSend(start, { command, input, preexistingIds: aim.preexistingIds }, aim, begin);
}

async function confirmAndSend(
  start: ActionStart,
  order: ActionOrder,
  { commitSha, warnings = [] }: Pick<ActionAim, "commitSha" | "warnings">,
  begin: (run: ActionRun) => Promise<void>,
): Promise<ActionEnd> {
  const { request, address } = start;
  const { name, deploymentId = "" } = order.input;
  if (typeNamed(recordedType(start))?.actions?.[order.command.action]?.mustBeConfirmed) {
    const typed = await request.confirm({ address, name, deploymentId, commitSha });
    if (typed === undefined) return { diagnostics: [], exitCode: 1, isCancelled: true };
    if (typed !== name) {
      const summary = `${JSON.stringify(typed)} is not the name of ${address}`;
      const hint = `its name is ${JSON.stringify(name)}`;
      return { diagnostics: [error("guard.name_changed", summary, { address, hint })], exitCode: 4 };
    }
  }
  const run = runOf(start, order);
  await begin(run);
  const pending = await sendAction(run, order);
  const diagnostics = warnings.map(({ code, summary, detail, hint }) =>
    warning(code, summary, { address, detail, hint }),
  );
  return { pending, diagnostics, exitCode: 0 };
}

const recordedType = ({ state, address }: ActionStart): string => state.resources[address]?.type ?? "";

function runOf(
  { context, connection, state, journal, open, address }: ActionStart,
  order: ActionOrder,
): ActionRun {
  const { send, endpoints, reads } = connection;
  // Other open writes still need the ids that existed before them.
  const others = state.open.length > 0 ? state.run?.fences : {};
  const record: RunRecord = {
    id: Buffer.from(context.randomBytes(16)).toString("hex"),
    planDigest: sha256(canonicalJson({ address, ...order.command })),
    credential: context.credential(),
    startedAt: new Date(context.clock.now()).toISOString(),
    origin: { command: order.command.action, ...(context.startedBy?.([]) ?? { by: context.host }) },
    fences: { ...others, [address]: order.preexistingIds },
  };
  const { clock, signal } = context;
  return {
    send,
    endpoints,
    reads,
    journal,
    record,
    retriableIntents: open,
    clock,
    signal,
    types: typesByName,
  };
}

function failed({ context, address, asked, journal }: ActionStart, failure: unknown): ActionEnd {
  const exitCode = context.signal.aborted ? 130 : 1;
  const line = commandText(address, asked);
  if (failure instanceof DiagnosticsError)
    return { diagnostics: failure.diagnostics, exitCode: Math.max(exitCode, failure.exitCode) };
  const told = diagnosticOf(failure, { address });
  const isOpen = journal.openAt(address).some(({ command }) => command !== undefined);
  const hint = `Run \`${line}\` again: it first finds out what happened, and sends nothing twice.`;
  return { diagnostics: [isOpen ? { ...told, code: "apply.uncertain", hint } : told], exitCode };
}
