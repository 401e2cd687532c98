import { diagnosticOf, isConflict, isUncertain } from "../api/api-error";
import type { Endpoints } from "../api/endpoints";
import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, DiagnosticsError, error, failure, warning } from "../diagnostics/diagnostic";
import { type Address, addressOf, nameOf, typeOf } from "../model/address";
import type { Pending } from "../model/live";
import type { ActionAim, ActionInput, Made } from "../model/resource-operations";
import { type Command, commandText, type RecordedResource, type RunRecord, type State } from "../model/state";
import type { Attributes } from "../model/value";
import { createOrFind } from "./create-or-find";
import { type JournaledAnswer, type JournaledWrites, journaledSend } from "./journaled-send";
import { inputsIn, recordOfWritten } from "./record";
import type { Run } from "./run-context";
import type { RunJournal, SentRecord } from "./run-journal";

/** The part of a run that records an action; `state` is from before it. */
type ActionRecorder = Pick<Run, "reads" | "record" | "clock" | "types"> & { readonly state: State };

export type VerbAction = NonNullable<Resource["actions"]>[string];

export interface ActionOrder extends ActionInput, Command {}

/** Returns the name that confirms an action, or undefined to cancel. `standing`: the release that serves. */
export type ConfirmAction = (order: ActionInput, standing?: string) => Promise<string | undefined>;

/** An action with its target, confirmed where it must be. */
export interface AimedAction {
  readonly action: VerbAction;
  readonly order: ActionOrder;
  /** IDs that could be mistaken for its result. */
  readonly preexistingIds: readonly string[];
  readonly warnings: readonly Diagnostic[];
}

/** Adds the target to an action, and has it confirmed. `confirm` returns the name that confirms it; undefined cancels. */
export async function confirmAction(
  action: VerbAction,
  asked: ActionOrder,
  confirm: ConfirmAction,
  aim: ActionAim = {},
): Promise<AimedAction | undefined> {
  const { address, name } = asked;
  const { releaseCommit = asked.releaseCommit, isNewest = asked.isNewest } = aim;
  const { preexistingIds = [], warnings = [] } = aim;
  const { deploymentId = aim.deploymentId, commit = aim.commit } = asked;
  const isNamed = deploymentId === asked.deploymentId && commit === asked.commit;
  const isChosen = isNamed ? asked.isChosen : true;
  const order: ActionOrder = { ...asked, deploymentId, commit, releaseCommit, isNewest, isChosen };
  const typed = action.mustBeConfirmed ? await confirm(order, aim.standing) : name;
  if (typed === undefined) return undefined;
  // Terraform sends composed text (NFC).
  if (typed.normalize() !== name.normalize())
    throw failure("guard.name_changed", `${JSON.stringify(typed)} is not the name of ${address}`, {
      address,
      attribute: "confirm",
      hint: `its name is ${JSON.stringify(name)}`,
    });
  const found = warnings.map(({ code, summary, ...more }) => warning(code, summary, { ...more, address }));
  return { action, order, preexistingIds, warnings: found };
}

/** Sends an action as `apply` sends a change: its intent is durable before the first byte, its outcome is recorded. */
export function sendAction(
  run: JournaledWrites["run"] & ActionRecorder & Pick<Run, "endpoints">,
  aimed: AimedAction,
): Promise<Pending> {
  const { journal, record, reads } = run;
  const { action, order } = aimed;
  const { address, id: _id, name, ...command } = order;
  const recordMade = (made: Made) => leftBy(run, action, order, made);
  const after = ({ id = order.deploymentId ?? "", madeAt }: JournaledAnswer) => recordMade({ id, madeAt });
  const secretKey = Buffer.from(record.id, "hex");
  const send = journaledSend({ run, address, name, command, type: typeOf(address), secretKey, after });
  return sendOrFindAction(aimed, {
    reads,
    writes: run.endpoints(send),
    close: (id) =>
      id === undefined
        ? journal.closeAt(address, { result: "refused", status: 0 })
        : journal.closeAt(address, { result: "done", status: 0, id }, recordMade({ id })),
    // Reported once: the intent is closed. If the journal cannot be written, the next run reports it again.
    unknown: async (why) => {
      await journal.closeAt(address, { result: "done", status: 0 }).catch(() => undefined);
      return unknownEnd(error, address, order, why);
    },
    command: commandText(address, command),
  });
}

interface ActionSending {
  readonly reads: Reads;
  readonly writes: Endpoints;
  /** Records the result of a search: the ID that was made, or that nothing was. */
  readonly close?: (id?: string) => Promise<void>;
  /** Returns the error of an action whose effect stays unknown. */
  readonly unknown: (why: Uncertainty) => Diagnostic | Promise<Diagnostic>;
  /** The command that asks for the action again. */
  readonly command: string;
}

/**
 * Sends an action. Without a certain answer its result is looked for, and the write repeated only if nothing is found.
 * Throws `DiagnosticsError` if the result stays unknown: nothing is sent again.
 */
export async function sendOrFindAction(
  { action, order, preexistingIds }: AimedAction,
  { reads, writes, close, unknown, command }: ActionSending,
): Promise<Pending> {
  const unknownError = async (why: Uncertainty) => new DiagnosticsError([await unknown(why)]);
  const { id } = await createOrFind(reads.excluding(preexistingIds), {
    send: () => action.send(writes, order),
    look: async (now) => action.find?.(now, order),
    take: async (id: string) => {
      await close?.(id);
      return { id };
    },
    refuse: async () => close?.(),
    several: (found) => unknownError({ found }),
    command,
  }).catch(async (failure: unknown) => {
    if (!action.find && isUncertain(failure)) throw await unknownError({ failure });
    if (!isConflict(failure)) throw failure;
    const why = await action.whyRefused?.(reads, order);
    throw new DiagnosticsError([{ ...diagnosticOf(failure, { address: order.address }), ...why }]);
  });
  return pendingOf(action, order, id);
}

const pendingOf = ({ waitsFor: kind }: VerbAction, { id: serviceId, commit }: ActionOrder, id: string) =>
  ({ kind, serviceId, id, commit }) satisfies Pending;

export interface Uncertainty {
  /** IDs of its possible results; empty: it did nothing. */
  readonly found?: readonly string[] | undefined;
  readonly failure?: unknown;
  /** When it was sent, where that was an earlier run. */
  readonly at?: string;
  /** False where the current command only reads: the write stays open. */
  readonly wait?: boolean;
}

/** Returns the diagnostic of a command with an unknown effect, or without any. */
export function unknownEnd(
  severity: typeof error | typeof warning,
  address: Address,
  command: Command,
  { found, failure, at, wait = true }: Uncertainty,
): Diagnostic {
  const text = commandText(address, command);
  const line = `\`${text}\`${at === undefined ? "" : ` of ${at}`}`;
  const ids = found?.join(", ");
  const answer = failure === undefined ? "The API did not answer." : `${diagnosticOf(failure).summary}.`;
  return severity(
    "apply.uncertain",
    found?.length === 0 ? `${line} did nothing` : `unknown whether ${line} had an effect`,
    {
      address,
      detail: ids ? `Found: ${ids}. Any of them may be it.` : answer,
      hint: wait
        ? `Nothing was sent again. ${ids ? "Look at them in the dashboard. " : ""}If you still want it: \`${text}\``
        : `Run \`${text}\` before any other command that writes. It finds out what happened and sends nothing twice.`,
    },
  );
}

/** Returns the record of an accepted action, with the wait for its end: after a crash the same command continues it. */
export function leftBy(
  run: ActionRecorder,
  action: VerbAction,
  order: ActionOrder,
  made: Made,
): SentRecord & { readonly run: RunRecord } {
  const { address, id: _id, name: _name, ...command } = order;
  const accepted: RunRecord["accepted"] = { address, command, pending: pendingOf(action, order, made.id) };
  const recording = recordingOf(run, action, order, made);
  const { origin } = run.record;
  const release = recording && { address: recording.address, after: made.id };
  const touched = origin?.touched?.map((one) => ({ ...one, ...release }));
  return { recording, run: { ...run.record, accepted, origin: origin && { ...origin, touched } } };
}

export function recordsOf({ resources }: State): Pick<RunJournal, "recorded" | "inside"> {
  const all = Object.entries(resources) as [Address, RecordedResource][];
  return {
    recorded: (address) => resources[address],
    inside: (parent) => all.filter(([, resource]) => resource.parent === parent),
  };
}

export const recordedPart = (state: State, address: Address, type: string) =>
  recordsOf(state)
    .inside(address)
    .find(([, resource]) => resource.type === type);

/** Returns the record of the deployment that an action made: the next plan sees that all changes were deployed with it. */
function recordingOf(
  run: ActionRecorder,
  { makes }: VerbAction,
  order: ActionOrder,
  { id, madeAt }: Made,
): SentRecord["recording"] {
  const type = makes && run.types.get(makes.type);
  if (!type) return undefined;
  const names = nameOf(order.address).split(".");
  const [at, before] = recordedPart(run.state, order.address, type.type) ?? [addressOf(type.type, ...names)];
  const applied = makes.applied(before?.applied ?? {}, order);
  const pending = type.runs?.pendingOf(id, order.id, new Map(Object.entries(applied)) as Attributes);
  const shown = { type: type.type, id, name: before?.name ?? names.at(-1) ?? "" };
  const declared = {
    parent: order.address,
    updatedAt: madeAt,
    applied,
    writes: (before?.writes ?? 0) + 1,
    // A release that exists brings no later write.
    inputs: order.deploymentId ? before?.inputs : inputsIn(recordsOf(run.state), order.address, type),
    rolledBack: order.isNewest ? undefined : order.deploymentId,
    pending: pending ?? before?.pending,
  };
  const resource = recordOfWritten(run, shown, declared, before);
  return { address: at, resource };
}
