import { diagnosticOf, isConflict, isUncertain } from "../api/api-error";
import type { Endpoints } from "../api/endpoints";
import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, DiagnosticsError, type error, failure, warning } from "../diagnostics/diagnostic";
import { type Address, addressOf, nameOf } from "../model/address";
import type { Pending } from "../model/live";
import type { ActionAim, ActionInput, Made } from "../model/resource-operations";
import { type Command, commandText, type RecordedResource, type RunRecord, type State } from "../model/state";
import type { Attributes } from "../model/value";
import { bareRecord, inputsIn, writtenNow } from "./change-context";
import { createOrFind } from "./create-or-find";
import type { Run } from "./run";
import type { RunJournal, SentRecord } from "./run-journal";

type ActionRun = Pick<Run, "reads" | "record" | "clock" | "types"> & { readonly journal: Records };

export type VerbAction = NonNullable<Resource["actions"]>[string];

export interface ActionOrder extends ActionInput, Command {}

/** The command line, or Terraform: it has an action confirmed, sent and recorded. */
export interface ActionDoor {
  readonly reads: Reads;
  /** Returns the name that confirms it, or undefined to cancel. */
  readonly confirm: (order: ActionInput, standing?: string) => Promise<string | undefined>;
  /** Returns the endpoints for the one write, once all that must be durable before it is. */
  readonly begin: (order: ActionOrder, preexistingIds: readonly string[]) => Promise<Endpoints>;
  /** Records the result of a search: the ID that was made, or that nothing was. */
  readonly close: (order: ActionOrder, id?: string) => Promise<void>;
  /** Returns the error of an action whose effect stays unknown. It is reported once. */
  readonly uncertain: (order: ActionOrder, why: Uncertainty) => Promise<Error>;
  readonly command: string;
}

/**
 * Finds the target of an action, has it confirmed and sends its one write. Without a certain answer the result is looked
 * for, and the write repeated only where nothing new is found. Undefined: it was not confirmed. Throws `DiagnosticsError`
 * where the result cannot be looked for, or several could be it: nothing is sent again.
 */
export async function act(
  door: ActionDoor,
  action: VerbAction,
  asked: ActionOrder,
  aim: ActionAim = { preexistingIds: [] },
) {
  const { reads } = door;
  const { address, name } = asked;
  const { preexistingIds, releaseCommit = asked.releaseCommit, warnings = [] } = aim;
  const { deploymentId = aim.deploymentId, commit = aim.commit } = asked;
  const isChosen = deploymentId !== asked.deploymentId || commit !== asked.commit;
  const order: ActionOrder = { ...asked, deploymentId, commit, releaseCommit, ...(isChosen && { isChosen }) };
  if (action.mustBeConfirmed) {
    const typed = await door.confirm(order, aim.standing);
    if (typed === undefined) return undefined;
    // Terraform composes every text that it is given.
    if (typed.normalize() !== name.normalize())
      throw failure("guard.name_changed", `${JSON.stringify(typed)} is not the name of ${address}`, {
        address,
        attribute: "confirm",
        hint: `its name is ${JSON.stringify(name)}`,
      });
  }
  const writes = await door.begin(order, preexistingIds);
  const pendingOf = (made: Made): Pending => action.pendingOf(order, made);
  const pending = await createOrFind(reads, {
    send: async () => pendingOf(await action.send(writes, order)),
    look: async (now) => action.find?.(now, order, preexistingIds),
    take: async (id: string) => {
      await door.close(order, id);
      return pendingOf({ id });
    },
    refuse: () => door.close(order),
    several: (found) => door.uncertain(order, { found }),
    command: door.command,
  }).catch(async (failure: unknown) => {
    if (!action.find && isUncertain(failure)) throw await door.uncertain(order, { failure });
    if (!isConflict(failure)) throw failure;
    const why = await action.whyRefused?.(reads, order);
    throw new DiagnosticsError([{ ...diagnosticOf(failure, { address }), ...why }]);
  });
  return {
    pending,
    warnings: warnings.map(({ code, summary, ...more }) => warning(code, summary, { ...more, address })),
  };
}

export interface Uncertainty {
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
  run: ActionRun,
  { makes, pendingOf }: VerbAction,
  order: ActionOrder,
  made: Made,
): SentRecord & { readonly run: RunRecord } {
  const { address, id: _id, name: _name, ...command } = order;
  const accepted: RunRecord["accepted"] = { address, command, pending: pendingOf(order, made) };
  const recording = makes && recordOfMade(run, makes, order, made);
  const { origin } = run.record;
  const release = recording && { address: recording.address, after: made.id };
  const touched = origin?.touched?.map((one) => ({ ...one, ...release }));
  return { recording, run: { ...run.record, accepted, origin: origin && { ...origin, touched } } };
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
  run: ActionRun,
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
