import type { Endpoints } from "../api/endpoints";
import type { Resource } from "../api/resource";
import type { Address } from "../model/address";
import { plainName } from "../model/plain-name";
import { isSetting } from "../model/resource-type";
import type { RecordedResource } from "../model/state";
import { asksForRun } from "../plan/asks-for-run";
import type { Change } from "../plan/plan";
import { type JournaledWrites, journaledSend } from "./journaled-send";
import { ignoreChangesOf, recordedWhileDeleted, writtenNow } from "./record";
import type { Run } from "./run";
import type { RunJournal } from "./run-journal";
import type { ReplacePhase } from "./run-tasks";
import type { Slot } from "./schedule";

/** One change of a run, with its own keyed and journaled endpoints. */
export interface ChangeContext {
  readonly run: Run;
  readonly change: Change;
  readonly type: Resource;
  readonly slot: Slot;
  readonly endpoints: Endpoints;
  /** The same for a write that was answered already and is to happen once more: its key is another one. */
  readonly endpointsAgain: () => Endpoints;
  /** Id of the project or service it lies in. */
  readonly parentId?: string;
  readonly startedAt: number;
  /** What to record of the thing as soon as its id is known, so that no id is ever only in memory. */
  readonly recordOnAccept: (id: string | undefined, madeAt?: string) => RecordedResource | null;
}

export function changeContext(run: Run, change: Change, phase: ReplacePhase, slot: Slot): ChangeContext {
  const type = run.types.get(change.type);
  if (!type) throw new Error(`no resource type ${change.type}`);
  const parentId = parentIdOf(run, change);
  const makes = change.action === "create" || phase === "create";
  const recordOnAccept = (id: string | undefined, madeAt?: string) =>
    recordOfAccepted(run, change, type, { parentId, makes, id, madeAt });
  const writes: JournaledWrites = {
    send: run.send,
    journal: run.journal,
    run: run.record,
    retriableIntents: run.retriableIntents,
    clock: run.clock,
    secretKey: run.fingerprintKey,
    address: change.address,
    type: change.type,
    name: change.name,
    parentId,
    takesEffectAtOnce: !asksForRun(change, type),
    ...(makes ? madeWith(change, type) : {}),
    ...(makes || type.reacts ? { isOther: (id, isCarried) => isOtherThing(run, change, id, isCarried) } : {}),
    after: ({ method, id, madeAt, hasEnded }) => ({
      recording: {
        address: change.address,
        resource:
          method === "DELETE" ? deletedRecord(run, change, type, hasEnded, id) : recordOnAccept(id, madeAt),
      },
    }),
  };
  return {
    ...{ run, change, type, slot, parentId, recordOnAccept },
    startedAt: run.clock.elapsed(),
    endpoints: run.endpoints(journaledSend(writes)),
    endpointsAgain: () => run.endpoints(journaledSend({ ...writes, isAgain: true })),
  };
}

/**
 * What a create makes was not there before it, and is recorded nowhere else. What an interrupted run may have made
 * under the same key may have come into view since, under its own name.
 */
function isOtherThing(
  { before, record, journal }: Run,
  change: Change,
  id: string,
  isCarried: boolean,
): boolean {
  if (journal.addressOf(id) !== undefined) return true;
  const name = before.get(id);
  if ((record.fences[change.address] ?? []).includes(id)) return true;
  return name !== undefined && !(isCarried && plainName(name) === plainName(change.name));
}

function parentIdOf(run: Run, change: Change): string | undefined {
  const parent = change.instance.desired?.parent ?? change.instance.recorded?.parent;
  if (parent === undefined) return undefined;
  const id = run.lookup(parent, "id");
  return typeof id === "string" ? id : undefined;
}

function recordOfAccepted(
  run: Run,
  change: Change,
  type: Resource,
  answered: {
    readonly parentId: string | undefined;
    readonly makes: boolean;
    readonly id: string | undefined;
    readonly madeAt: string | undefined;
  },
): RecordedResource | null {
  const { parentId, makes, id: answeredId, madeAt } = answered;
  const recorded = run.journal.recorded(change.address);
  // What is made anew has an id of its own, and nothing of what was recorded holds for it.
  const id = type.reacts || makes ? answeredId : (recorded?.id ?? change.id ?? answeredId);
  if (id === undefined) return recorded ?? null;
  const previous = makes && recorded?.id !== id ? undefined : recorded;
  const parent = change.instance.desired?.parent ?? previous?.parent;
  const updatedAt = madeAt ?? previous?.updatedAt;
  return {
    type: change.type,
    id,
    name: previous?.name ?? change.name,
    ...(parent === undefined ? {} : { parent }),
    dependsOn: previous?.dependsOn ?? [],
    applied: previous?.applied ?? placement(change, type, parentId),
    computed: previous?.computed ?? {},
    ...(updatedAt === undefined ? {} : { updatedAt }),
    writtenAt: writtenNow(run.clock),
    preventDestroy: change.instance.desired?.lifecycle.preventDestroy ?? previous?.preventDestroy ?? false,
    onRemove: change.onRemove,
    ...ignoreChangesOf(change, previous),
    ...(previous?.initial ? { initial: previous.initial } : {}),
    ...(previous?.madeWith ? { madeWith: previous.madeWith } : makes ? madeWith(change, type) : {}),
    writes: writesAfter(change, type),
    ...(type.reacts ? { inputs: inputsOf(run, change, type) } : {}),
    ...(type.runs && answeredId !== undefined
      ? {
          pending: {
            ...type.runs.pendingOf(answeredId, parentId, change.instance.resolved),
            ...(madeAt && { madeAt }),
          },
        }
      : {}),
  };
}

/** The `writes` to record once a change is sent: one more where it is a reason for a deployment. */
export const writesAfter = (change: Change, type: Pick<Resource, "rules" | "open">): number =>
  (change.instance.recorded?.writes ?? 0) + (asksForRun(change, type) ? 1 : 0);

/** Attribute paths of the settings that a create sends; nothing for a type that has none. */
function madeWith(change: Change, type: Resource): Pick<RecordedResource, "madeWith"> {
  if (type.groups.length === 0) return {};
  // What is null is left to the service.
  const sent = [...(change.instance.desired?.attributes ?? [])].flatMap(([path, { value }]) =>
    value !== null && isSetting(type, path) ? [path] : [],
  );
  return { madeWith: sent.sort() };
}

/** Where it was made: without it, one that cannot be read would look as if it lay elsewhere. */
function placement(
  change: Change,
  type: Resource,
  parentId: string | undefined,
): RecordedResource["applied"] {
  const declared = change.instance.desired?.attributes;
  const held = type.parents.find(({ attribute }) => declared?.has(attribute));
  return held === undefined || parentId === undefined ? {} : { [held.attribute]: parentId };
}

function deletedRecord(
  run: Run,
  change: Change,
  type: Resource,
  hasEnded: boolean,
  operationId: string | undefined,
): RecordedResource | null {
  const recorded = run.journal.recorded(change.address);
  if (recorded === undefined || hasEnded) return null;
  if (!type.deletes) return recorded;
  // It is deleted where it was, which may not be where it is declared to be.
  const parentId = recorded.parent && run.journal.recorded(recorded.parent)?.id;
  return recordedWhileDeleted(recorded, type.deletes.pendingOf(recorded.id, operationId, parentId));
}

/** The `writes` of everything a reacting resource reacts to, by id: what it is about to deploy. */
export function inputsOf(
  run: Run,
  change: Change,
  type: Pick<Resource, "follows">,
): NonNullable<RecordedResource["inputs"]> {
  const parent = change.instance.desired?.parent;
  return parent === undefined ? {} : inputsIn(run.journal, parent, type);
}

/** The `writes` of `parent` and of what in it is followed, by id. */
export function inputsIn(
  journal: Pick<RunJournal, "recorded" | "inside">,
  parent: Address,
  type: Pick<Resource, "follows">,
): NonNullable<RecordedResource["inputs"]> {
  const around = journal.recorded(parent);
  const inside = journal.inside(parent).map(([, resource]) => resource);
  const followed = inside.filter((resource) => type.follows.includes(resource.type));
  const upstream = around ? [around, ...followed] : followed;
  return Object.fromEntries(upstream.map(({ id, writes }) => [id, writes]));
}

/** Closes earlier attempts of a write that merely sets something: what they meant to set is set now. */
export async function closeEarlier({ run, change }: ChangeContext, id: string): Promise<void> {
  const open = run.journal.openAt(change.address).map((intent) => intent.seq);
  if (open.length > 0) await run.journal.close(open, { result: "done", status: 0, id });
}
