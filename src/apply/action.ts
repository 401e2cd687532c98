import { diagnosticOf, isUncertain } from "../api/api-error";
import type { Resource } from "../api/reads";
import { type Diagnostic, DiagnosticsError, error, type warning } from "../diagnostics/diagnostic";
import { type Address, addressOf, nameOf } from "../model/address";
import type { Pending } from "../model/live";
import type { ActionInput, Made } from "../model/resource-operations";
import { type Command, commandText, type RecordedResource, type RunRecord, type State } from "../model/state";
import type { Attributes } from "../model/value";
import { bareRecord, inputsIn, writtenNow } from "./change-context";
import { createOrFind } from "./create-or-find";
import { journaledSend } from "./journaled-send";
import type { Run } from "./run";
import type { RunJournal, SentRecord } from "./run-journal";

type ActionRun = Pick<
  Run,
  "send" | "endpoints" | "reads" | "journal" | "record" | "retriableIntents" | "clock" | "signal" | "types"
>;

export type VerbAction = NonNullable<Resource["actions"]>[string];

export interface ActionOrder extends ActionInput, Command {}

/**
 * Sends the one write of an action, with its intent durable before the first byte and its outcome after the answer.
 * Without a certain answer it is looked for, and sent again only where nothing is found that did not exist before. Throws
 * `DiagnosticsError` where it cannot be looked for, or several could be it: nothing is sent again.
 */
export async function sendAction(
  run: ActionRun,
  action: VerbAction,
  order: ActionOrder,
  preexistingIds: readonly string[],
): Promise<Pending> {
  const { address, id: _id, name, ...command } = order;
  const writes = run.endpoints(
    journaledSend({
      ...{ run, address, name, command, secretKey: Buffer.from(run.record.id, "hex") },
      type: run.journal.recorded(address)?.type ?? "",
      after: ({ id, madeAt }) => leftBy(run, action, order, { id: id ?? order.deploymentId ?? "", madeAt }),
    }),
  );
  // It is reported once where the journal can be written, and can be asked for again.
  const neverKnown = async (why: Uncertainty): Promise<DiagnosticsError> => {
    await run.journal.closeAt(address, { result: "done", status: 0 }).catch(() => undefined);
    return new DiagnosticsError([unknownEnd(error, address, command, why)]);
  };
  return createOrFind(run.reads, {
    send: async () => action.pendingOf(order, await action.send(writes, order)),
    look: async () => action.find?.(run.reads, order, preexistingIds),
    take: async (id) => {
      const left = leftBy(run, action, order, { id });
      await run.journal.closeAt(address, { result: "done", status: 0, id }, left);
      return action.pendingOf(order, { id });
    },
    refuse: () => run.journal.closeAt(address, { result: "refused", status: 0 }),
    several: (found) => neverKnown({ found }),
    command: commandText(address, command),
  }).catch(async (failure: unknown) => {
    throw action.find || !isUncertain(failure) ? failure : await neverKnown({ failure });
  });
}

interface Uncertainty {
  /** Ids of what it may have made; empty: it did nothing. */
  readonly found?: readonly string[] | undefined;
  readonly failure?: unknown;
  /** When it was sent, where that was an earlier run. */
  readonly at?: string;
  /** False where the command at hand only looks: what is open stays so. */
  readonly wait?: boolean;
}

/** The diagnostic of a command whose effect cannot be found out, or that had none. */
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

/** Returns the record of an answered action and of the wait for its end: after a crash the same command continues with it. */
export function leftBy(
  run: Pick<ActionRun, "types" | "record" | "reads" | "clock"> & { readonly journal: Records },
  { makes, pendingOf }: VerbAction,
  order: ActionOrder,
  made: Made,
): SentRecord & { readonly run: RunRecord } {
  const { address, id: _id, name: _name, ...command } = order;
  const accepted: RunRecord["accepted"] = { address, command, pending: pendingOf(order, made) };
  const recording = makes && recordOfMade(run, makes, order, made);
  return { recording, run: { ...run.record, accepted } };
}

type Records = Pick<RunJournal, "recorded" | "inside">;

export function recordsOf({ resources }: State): Records {
  const all = Object.entries(resources) as [Address, RecordedResource][];
  return {
    recorded: (address) => resources[address],
    inside: (parent) => all.filter(([, resource]) => resource.parent === parent),
  };
}

export const recordedPart = (
  records: Records,
  address: Address,
  type: string,
): readonly [Address, RecordedResource] | undefined =>
  records.inside(address).find(([, resource]) => resource.type === type);

/** Returns the record of what an action made: the next plan sees that everything was deployed with it. */
function recordOfMade(
  run: Parameters<typeof leftBy>[0],
  makes: NonNullable<VerbAction["makes"]>,
  order: ActionOrder,
  { id, madeAt }: Made,
): SentRecord["recording"] {
  const type = run.types.get(makes.type);
  if (type === undefined) return undefined;
  const { journal } = run;
  const { address } = order;
  const names = nameOf(address).split(".");
  const [at, before] = recordedPart(journal, address, type.type) ?? [addressOf(type.type, ...names)];
  const applied = makes.applied(before?.applied ?? {}, order);
  const pending = type.runs?.pendingOf(id, order.id, new Map(Object.entries(applied)) as Attributes);
  const resource: RecordedResource = {
    ...(before ?? bareRecord({ type: type.type, id, name: names.at(-1) ?? "", parent: address })),
    id,
    updatedAt: madeAt,
    applied,
    writtenAt: writtenNow(run),
    writes: (before?.writes ?? 0) + 1,
    inputs: makes.isEarlier ? before?.inputs : inputsIn(journal, address, type),
    rolledBack: makes.isEarlier && order.deploymentId,
    pending: pending ?? before?.pending,
  };
  return { address: at, resource };
}
