import type { Endpoints } from "../api/endpoints";
import type { Reads, Resource } from "../api/reads";
import type { Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource, Pending } from "../model/live";
import type { AppliableValue } from "../model/resource-operations";
import { isSetting, type ResourceType, ruleAt } from "../model/resource-type";
import { Secret } from "../model/secret";
import type { AppliedValue, RecordedResource } from "../model/state";
import type { Clock } from "../model/time";
import {
  GeneratedSecret,
  isPlain,
  type Plain,
  plainEqual,
  type ResolvedValue,
  Unknown,
  UnreadSecret,
} from "../model/value";
import { asksForRun } from "../plan/decision";
import { isIgnored } from "../plan/diff";
import { initialSettings } from "../plan/instances";
import type { Change, PlannedInstance } from "../plan/plan";
import { type JournaledAnswer, type JournaledWrites, journaledSend } from "./journaled-send";
import type { Run, RunTask, Slot } from "./run";
import type { RunJournal } from "./run-journal";

/** One change of a run, with its own keyed and journaled endpoints. */
export interface ChangeContext extends Pick<RunTask, "around"> {
  readonly run: Run;
  readonly change: Change;
  readonly instance: PlannedInstance;
  readonly type: Resource;
  readonly slot: Slot;
  readonly endpoints: Endpoints;
  /** Id of its project or service. */
  readonly parentId?: string;
  /** Returns the record of a write as soon as its id is known, so that no id is ever only in memory. */
  readonly recordOnAccept: (id: string | undefined, madeAt?: string) => RecordedResource | null;
}

export function changeContext(run: Run, task: RunTask, slot: Slot): ChangeContext {
  const { change, instance, phase, around } = task;
  const type = run.types.get(change.type);
  if (!type) throw new Error(`no resource type ${change.type}`);
  const known = change.parent && run.lookup(change.parent, "id");
  const parentId = typeof known === "string" ? known : undefined;
  const makes = change.action === "create" || phase === "create";
  const made = makes ? madeWith(instance, type) : undefined;
  const shared = { run, change, instance, type, slot, parentId, around };
  const recordOnAccept = (id: string | undefined, madeAt?: string) =>
    recordOfAccepted(shared, made, id, madeAt);
  const writes: JournaledWrites = {
    run,
    secretKey: run.fingerprintKey,
    address: change.address,
    type: change.type,
    name: change.liveName,
    parentId,
    takesEffect: asksForRun(change, type) ? undefined : "at once",
    ...made,
    after: (answered) => {
      const { method, id, madeAt } = answered;
      const resource = method === "DELETE" ? deletedRecord(shared, answered) : recordOnAccept(id, madeAt);
      return { recording: { address: change.address, resource } };
    },
  };
  return { ...shared, recordOnAccept, endpoints: run.endpoints(journaledSend(writes)) };
}

type SharedContext = Omit<ChangeContext, "endpoints" | "recordOnAccept">;

function recordOfAccepted(
  { run, change, instance, type, parentId }: SharedContext,
  made: Pick<RecordedResource, "madeWith"> | undefined,
  answeredId: string | undefined,
  madeAt: string | undefined,
): RecordedResource | null {
  const makes = made !== undefined;
  const recorded = run.journal.recorded(change.address);
  // What is created again has an id of its own, and nothing of what was recorded holds for it.
  const id = type.reacts || makes ? answeredId : (recorded?.id ?? change.id ?? answeredId);
  if (id === undefined) return recorded ?? null;
  const previous = makes && recorded?.id !== id ? undefined : recorded;
  const bare = bareRecord({ type: change.type, id, name: change.liveName });
  const { name, dependsOn, applied, fingerprintAddress, computed, initial } = previous ?? {
    ...bare,
    applied: placement(instance, type, parentId),
  };
  return {
    ...declaredOf(change, instance, previous),
    id,
    name,
    dependsOn,
    applied,
    fingerprintAddress,
    computed,
    initial,
    updatedAt: madeAt ?? (previous?.id === id ? previous.updatedAt : undefined),
    writtenAt: writtenNow(run),
    madeWith: previous?.madeWith ?? made?.madeWith,
    writes: writesAfter(change, instance, type),
    inputs: inputsOf(run, instance, type),
    pending: answeredId ? type.runs?.pendingOf(answeredId, parentId, instance.resolved) : undefined,
  };
}

/** Returns the parts of a record that do not depend on what the service shows. */
function declaredOf({ type, onRemove }: Change, { desired }: PlannedInstance, previous?: RecordedResource) {
  const { preventDestroy = false, ignoreChanges = [] } = desired?.lifecycle ?? previous ?? {};
  return {
    type,
    preventDestroy,
    onRemove,
    parent: desired?.parent ?? previous?.parent,
    ignoreChanges: ignoreChanges.length > 0 ? ignoreChanges : undefined,
  };
}

/** The `writes` to record once a change is sent: one more where it is a reason for a deployment. */
export const writesAfter = (
  change: Change,
  { recorded }: PlannedInstance,
  type: Pick<Resource, "rules" | "open">,
): number => (recorded?.writes ?? 0) + (asksForRun(change, type) ? 1 : 0);

/** Returns the attribute paths of the settings that a create sends; empty for a type without settings. */
function madeWith({ desired }: PlannedInstance, type: Resource): Pick<RecordedResource, "madeWith"> {
  if (type.groups.length === 0) return {};
  // What is null is left to the service.
  const sent = [...(desired?.attributes ?? [])].flatMap(([path, { value }]) =>
    value !== null && isSetting(type, path) ? [path] : [],
  );
  return { madeWith: sent.sort() };
}

/** Returns the parent attribute to record: without it, a resource that cannot be read would seem to have moved. */
function placement({ desired }: PlannedInstance, type: Resource, parentId: string | undefined) {
  const held = type.parents.find(({ attribute }) => desired?.attributes.has(attribute));
  return held === undefined || parentId === undefined ? {} : { [held.attribute]: parentId };
}

function deletedRecord({ run, change, type }: SharedContext, { id, hasEnded }: JournaledAnswer) {
  const recorded = run.journal.recorded(change.address);
  if (recorded === undefined) return null;
  if (!type.deletes) return hasEnded ? null : recorded;
  // It is deleted where it was, which may not be where it is declared to be.
  const parentId = recorded.parent && run.journal.recorded(recorded.parent)?.id;
  const pending = type.deletes.pendingOf(recorded.id, hasEnded ? undefined : id, parentId);
  return recordedWhileDeleted(recorded, hasEnded ? { ...pending, isAnswered: true } : pending);
}

/** Returns the `writes` of the resources that it reacts to, by id: those it is about to deploy. Undefined for one that does not. */
export function inputsOf({ journal }: Run, { desired }: PlannedInstance, type: Resource) {
  if (!type.reacts) return undefined;
  return desired?.parent === undefined ? {} : inputsIn(journal, desired.parent, type);
}

/** Returns the `writes` of `parent` and of the followed resources in it, by id. */
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

interface Recording
  extends Pick<ChangeContext, "change" | "instance">,
    Pick<RecordedResource, "id" | "writes" | "inputs" | "pending" | "writtenAt"> {
  readonly run: Pick<Run, "defaults" | "fingerprintKey"> & { readonly reads: Pick<Reads, "contentAt"> };
  readonly type: ResourceType;
  readonly live?: LiveResource;
  /** Declared values as sent, or as found equal. */
  readonly values: ReadonlyMap<string, AppliableValue | ResolvedValue>;
  readonly previous?: RecordedResource;
  readonly isNew?: boolean;
}

/** Returns the latest time of a write that was answered just now: the service's, where its answers tell it. ISO 8601. */
export function writtenNow({ reads, clock }: Pick<Run, "reads"> & { readonly clock: Pick<Clock, "now"> }) {
  // A Date counts whole seconds.
  return new Date((reads.serviceTime() ?? clock.now() - 999) + 999).toISOString();
}

export function recordedWhileDeleted(recorded: RecordedResource, pending: Pending): RecordedResource {
  const { deletionFailed: _before, ...rest } = recorded;
  return { ...rest, pending };
}

/** Returns the record of a resource after a failed deletion: as it was, with the reason. */
export function recordedAfterFailedDeletion(recorded: RecordedResource, reason: string): RecordedResource {
  const { pending: _ended, ...rest } = recorded;
  return { ...rest, deletionFailed: reason };
}

export const deletionFailed = (
  severity: typeof error | typeof warning,
  address: Address,
  { summary, detail }: { readonly summary: string; readonly detail?: string },
  details: Partial<Diagnostic> = {},
): Diagnostic =>
  severity("apply.delete_failed", `${address} was not deleted: ${summary}`, {
    ...details,
    address,
    detail,
    hint: "It stays in the state. To try again, run the same command.",
  });

/** The diagnostic of a deletion that nothing shows the end of: `unseen` says what is not shown. */
export const endUnproven = (
  severity: typeof error | typeof warning,
  address: Address,
  unseen: string,
  hint = "Check what the key may read, then run the same command again. It stays in the state.",
): Diagnostic =>
  severity("live.gone_unproven", `unknown whether ${address} was deleted: ${unseen}`, {
    address,
    detail: "The API accepted its deletion. A key that has lost its membership or role sees the same.",
    hint,
  });

export const bareRecord = (
  known: Pick<RecordedResource, "type" | "id" | "name" | "updatedAt" | "parent">,
): RecordedResource => ({
  ...known,
  dependsOn: [],
  applied: {},
  computed: {},
  preventDestroy: false,
  onRemove: "delete",
  writes: 0,
});

export function recordedAfter(recording: Recording): RecordedResource {
  const { change, instance, previous, live, id, writes, inputs, pending } = recording;
  const same = previous?.id === id ? previous : undefined;
  const updatedAt = live?.updatedAt ?? live?.asOf ?? same?.updatedAt;
  const applied = appliedValues(recording);
  // What is kept as it was has the fingerprints of before its move.
  const isKept = previous?.fingerprintAddress && plainEqual(applied, previous.applied);
  return {
    ...declaredOf(change, instance, previous),
    id,
    name: live?.name ?? change.liveName,
    dependsOn: dependenciesOf(instance),
    applied,
    fingerprintAddress: isKept ? previous.fingerprintAddress : undefined,
    computed: computedOf(recording),
    updatedAt,
    ...recording.run.reads.contentAt(id, updatedAt),
    writtenAt: recording.writtenAt ?? previous?.writtenAt,
    ...initialOf(recording),
    rolledBack: same?.rolledBack,
    writes,
    inputs,
    pending,
  };
}

/** Returns the computed attributes to record. The place of what declares none stays: a move is drift until it is accepted. */
function computedOf({ type: { place }, instance, live, previous, id }: Recording) {
  const before = previous?.computed ?? {};
  if (!live) return before;
  const computed = Object.fromEntries(live.computed);
  const isKept = place && previous?.id === id && !instance.desired?.attributes.has(place.attribute);
  return isKept && place.id in before ? { ...computed, [place.id]: before[place.id] as Plain } : computed;
}

/** Gap "defaults of kinds": what was made is asked once what it started with, in this run or, after a kill, in the next. */
function initialOf(recording: Recording): Pick<RecordedResource, "initial" | "madeWith"> {
  const { run, instance, type, live, values, previous, isNew } = recording;
  const isUnseen = previous?.madeWith !== undefined && !isNew;
  if (!isNew && !isUnseen) return { initial: previous?.initial };
  const declared = [...values].flatMap(([path, value]) => ((value ?? null) === null ? [] : [path]));
  const seen = isUnseen ? instance.live : live;
  if (isUnseen && !seen) return { madeWith: previous.madeWith };
  const sent = isUnseen ? previous.madeWith : declared;
  const initial = seen ? initialSettings(type, seen.attributes, run.defaults(type.type), new Set(sent)) : {};
  return Object.keys(initial).length === 0 ? {} : { initial };
}

/** Declared fields by path; a secret as its fingerprint, an ignored field as it was recorded. */
function appliedValues(recording: Recording): Record<string, AppliedValue> {
  const { instance, type, values, previous } = recording;
  const ignoring = previous && instance.desired?.lifecycle;
  const applied: Record<string, AppliedValue> = {};
  for (const path of instance.desired?.attributes.keys() ?? []) {
    if (ruleAt(type, path)?.change === "local") continue;
    const value = isIgnored(ignoring, path)
      ? previous?.applied[path]
      : appliedValue(recording, path, values.get(path));
    if (value !== undefined && value !== null) applied[path] = value;
  }
  return applied;
}

function appliedValue(
  { run, change, instance, previous }: Recording,
  path: string,
  value: AppliableValue | ResolvedValue | undefined,
): AppliedValue | undefined {
  if (value instanceof Secret || value instanceof GeneratedSecret) {
    const fingerprint =
      instance.fingerprints[path] ??
      (value instanceof Secret ? value.fingerprint(run.fingerprintKey, change.address) : undefined);
    const source = instance.desired?.attributes
      .get(path)
      ?.origin?.fingerprint(run.fingerprintKey, change.address);
    return fingerprint === undefined ? undefined : { fingerprint, ...(source && { source }) };
  }
  if (value === undefined || value instanceof Unknown || value instanceof UnreadSecret)
    return previous?.applied[path];
  return isPlain(value) ? value : undefined;
}

/** Addresses this resource waits for besides its parent, for the order of a later deletion. */
function dependenciesOf({ desired, recorded }: PlannedInstance): readonly Address[] {
  if (!desired) return recorded?.dependsOn ?? [];
  const others = desired.dependsOn.filter((address) => address !== desired.parent);
  return others.length < 2 ? others : [...new Set(others)].sort();
}
