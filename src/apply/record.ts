import type { Resource } from "../api/reads";
import type { Address } from "../model/address";
import type { LiveResource, Pending } from "../model/live";
import type { AppliableValue } from "../model/resource-operations";
import { isSetting, ruleAt } from "../model/resource-type";
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
import type { JournaledAnswer } from "./journaled-send";
import type { ChangeContext, Run } from "./run-context";
import type { RunJournal } from "./run-journal";

/** A live resource, as far as an answer shows it. */
type ShownResource = Pick<LiveResource, "type" | "id" | "name"> &
  Partial<Pick<LiveResource, "computed" | "updatedAt">>;

/**
 * Returns the state record of a resource: as shown, with the fields that are declared for it. All other fields are
 * those of the `previous` record, or empty.
 */
export function recordOf(
  live: ShownResource,
  declared: Partial<RecordedResource> = {},
  previous?: RecordedResource,
): RecordedResource {
  const { type, id, name, computed, updatedAt } = live;
  const base = previous ?? emptyRecord;
  return {
    ...base,
    type,
    id,
    name,
    computed: computed ? Object.fromEntries(computed) : base.computed,
    updatedAt: updatedAt ?? (previous?.id === id ? previous.updatedAt : undefined),
    ...declared,
  };
}

const emptyRecord = {
  dependsOn: [],
  applied: {},
  computed: {},
  preventDestroy: false,
  onRemove: "delete",
  writes: 0,
} as const;

export function without(
  record: RecordedResource,
  fields: readonly (keyof RecordedResource)[],
): RecordedResource {
  const names: readonly string[] = fields;
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => !names.includes(name)),
  ) as RecordedResource;
}

/** Fields that describe an earlier write: the next accepted write ends them. */
export const endedByWrite = ["content", "rolledBack", "retained", "deletionFailed"] as const;

export const recordWhileDeleted = (record: RecordedResource, pending: Pending): RecordedResource =>
  without({ ...record, pending }, ["deletionFailed"]);

export const recordAfterFailedDeletion = (record: RecordedResource, reason: string): RecordedResource =>
  without({ ...record, deletionFailed: reason }, ["pending"]);

/** Returns the record of a resource that may have been written since, in the second of our last write. */
export const withoutContent = (record: RecordedResource): RecordedResource => without(record, ["content"]);

/** Returns the latest time of a write that was answered just now, by the service's clock if it shows it. ISO 8601. */
export function writtenNow({ reads, clock }: Pick<Run, "reads"> & { readonly clock: Pick<Clock, "now"> }) {
  // A Date counts whole seconds.
  return new Date((reads.serviceTime() ?? clock.now() - 999) + 999).toISOString();
}

/** Returns the record of a resource, as `recordOf` does, whose write was answered just now. */
export const recordOfWritten = (
  run: Parameters<typeof writtenNow>[0],
  ...[live, declared, previous]: Parameters<typeof recordOf>
): RecordedResource => recordOf(live, { ...declared, writtenAt: writtenNow(run) }, previous);

type AnsweredChange = Pick<ChangeContext, "run" | "change" | "instance" | "type" | "parentId" | "created">;

/** Returns the record after an answered write, from the answer alone; null: it was deleted. */
export const recordOfAnswer = (context: AnsweredChange, answer: JournaledAnswer): RecordedResource | null =>
  answer.method === "DELETE" ? recordOfDeleted(context, answer) : recordOfAccepted(context, answer);

/** Returns the record of an accepted write. Without an ID it is the record from before. */
export function recordOfAccepted(
  { run, change, instance, type, parentId, created }: AnsweredChange,
  { id: answeredId, madeAt }: Pick<JournaledAnswer, "id" | "madeAt">,
): RecordedResource | null {
  const recorded = run.journal.recorded(change.address);
  // A re-created resource has a new ID; its old record does not apply.
  const id = type.reacts || created ? answeredId : (recorded?.id ?? change.id ?? answeredId);
  if (id === undefined) return recorded ?? null;
  const previous = created && recorded?.id !== id ? undefined : recorded;
  const { name, applied, madeWith } = previous ?? {
    name: change.liveName,
    applied: parentAttribute(instance, type, parentId),
    madeWith: undefined,
  };
  const declared = {
    ...declaredOf(change, instance, previous),
    applied,
    madeWith: madeWith ?? created?.madeWith,
    writes: writesAfter(change, instance, type),
    inputs: inputsOf(run, instance, type),
    pending: answeredId ? type.runs?.pendingOf(answeredId, parentId, instance.resolved) : undefined,
  };
  const shown = { type: change.type, id, name, updatedAt: madeAt };
  return recordOfWritten(run, shown, declared, previous && without(previous, endedByWrite));
}

/** Returns the fields of a record that a change decides, not the service. */
function declaredOf({ onRemove }: Change, { desired }: PlannedInstance, previous?: RecordedResource) {
  const { preventDestroy = false, ignoreChanges = [] } = desired?.lifecycle ?? previous ?? {};
  return {
    preventDestroy,
    onRemove,
    parent: desired?.parent ?? previous?.parent,
    ignoreChanges: ignoreChanges.length > 0 ? ignoreChanges : undefined,
  };
}

/** Returns the `writes` to record once a change is sent: plus 1 if the change needs a deployment. */
export const writesAfter = (
  change: Change,
  { recorded }: PlannedInstance,
  type: Pick<Resource, "rules" | "open">,
): number => (recorded?.writes ?? 0) + (asksForRun(change, type) ? 1 : 0);

/** Returns the attribute paths of the settings that a create sends; empty for a type without settings. */
export function madeWith({ desired }: PlannedInstance, type: Resource): Pick<RecordedResource, "madeWith"> {
  if (type.groups.length === 0) return {};
  // The service chooses the value of a null setting.
  const sent = [...(desired?.attributes ?? [])].flatMap(([path, { value }]) =>
    value !== null && isSetting(type, path) ? [path] : [],
  );
  return { madeWith: sent.sort() };
}

/** Returns the parent attribute to record: without it, a resource that cannot be read would seem to have moved. */
function parentAttribute({ desired }: PlannedInstance, type: Resource, parentId: string | undefined) {
  const parent = type.parents.find(({ attribute }) => desired?.attributes.has(attribute));
  return parent === undefined || parentId === undefined ? {} : { [parent.attribute]: parentId };
}

function recordOfDeleted({ run, change, type }: AnsweredChange, { id, hasEnded }: JournaledAnswer) {
  const recorded = run.journal.recorded(change.address);
  if (recorded === undefined) return null;
  if (!type.deletes) return hasEnded ? null : recorded;
  // The recorded parent holds it; the declared parent may be another.
  const parentId = recorded.parent && run.journal.recorded(recorded.parent)?.id;
  const pending = type.deletes.pendingOf(recorded.id, hasEnded ? undefined : id, parentId);
  return recordWhileDeleted(recorded, hasEnded ? { ...pending, isAnswered: true } : pending);
}

/** Returns the recorded `inputs` of a run: the `writes` that it deploys. Undefined for a type that does not react. */
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

interface Written extends Pick<RecordedResource, "id" | "writes" | "inputs" | "pending" | "writtenAt"> {
  readonly live?: LiveResource;
  /** Declared values as sent, or as found equal. */
  readonly values: ReadonlyMap<string, AppliableValue | ResolvedValue>;
  readonly previous?: RecordedResource;
  readonly isNew?: boolean;
}

/** Returns the record of a resource that is as declared: after its write, or found so. */
export function recordAfter(context: ChangeContext, written: Written): RecordedResource {
  const { run, change, instance, type } = context;
  const { previous, live, id, writes, inputs, pending } = written;
  const same = previous?.id === id ? previous : undefined;
  const updatedAt = live?.updatedAt ?? live?.asOf ?? same?.updatedAt;
  const applied = appliedValues(context, written);
  // Unchanged fingerprints were made with the address before the move.
  const isKept = previous?.fingerprintAddress && plainEqual(applied, previous.applied);
  const shown = { type: type.type, id, name: live?.name ?? change.liveName, updatedAt };
  return recordOf(shown, {
    ...declaredOf(change, instance, previous),
    dependsOn: dependenciesOf(instance),
    applied,
    fingerprintAddress: isKept ? previous.fingerprintAddress : undefined,
    computed: computedOf(context, written),
    content: run.reads.contentAt(id, updatedAt),
    writtenAt: written.writtenAt ?? previous?.writtenAt,
    ...initialOf(context, written),
    rolledBack: same?.rolledBack,
    writes,
    inputs,
    pending,
  });
}

/** Returns true if two records differ in computed attributes at most, which move with each read. */
export function isSameRecord(recorded: RecordedResource, next: RecordedResource): boolean {
  const moving = { computed: undefined, updatedAt: undefined, content: undefined };
  const fixedIn = (record: RecordedResource) => ({ ...record, ...moving }) as unknown as Plain;
  return plainEqual(fixedIn(recorded), fixedIn(next));
}

/** Returns the computed attributes to record. An undeclared place keeps its recorded value: a move stays drift. */
function computedOf({ type: { place }, instance }: ChangeContext, { live, previous, id }: Written) {
  const before = previous?.computed ?? {};
  if (!live) return before;
  const computed = Object.fromEntries(live.computed);
  const isKept = place && previous?.id === id && !instance.desired?.attributes.has(place.attribute);
  return isKept && place.id in before ? { ...computed, [place.id]: before[place.id] as Plain } : computed;
}

/** Gap "defaults of kinds": the first read after a create, in this run or the next, shows its own defaults. */
function initialOf(
  { run, instance, type }: ChangeContext,
  { live, values, previous, isNew }: Written,
): Pick<RecordedResource, "initial" | "madeWith"> {
  const madeWith = isNew ? undefined : previous?.madeWith;
  if (!isNew && madeWith === undefined) return { initial: previous?.initial };
  const declared = [...values].flatMap(([path, value]) => ((value ?? null) === null ? [] : [path]));
  const seen = isNew ? live : instance.live;
  if (madeWith && !seen) return { madeWith };
  const sent = new Set(madeWith ?? declared);
  const initial = seen ? initialSettings(type, seen.attributes, run.defaults(type.type), sent) : {};
  return Object.keys(initial).length === 0 ? {} : { initial };
}

/** Declared fields by path; a secret as its fingerprint, an ignored field as it was recorded. */
function appliedValues(context: ChangeContext, written: Written): Record<string, AppliedValue> {
  const { instance, type } = context;
  const { values, previous } = written;
  const ignoring = previous && instance.desired?.lifecycle;
  const applied: Record<string, AppliedValue> = {};
  for (const path of instance.desired?.attributes.keys() ?? []) {
    if (ruleAt(type, path)?.change === "local") continue;
    const value = isIgnored(ignoring, path)
      ? previous?.applied[path]
      : appliedValue(context, path, values.get(path), previous);
    if (value !== undefined && value !== null) applied[path] = value;
  }
  return applied;
}

function appliedValue(
  { run, change, instance }: ChangeContext,
  path: string,
  value: AppliableValue | ResolvedValue | undefined,
  previous: RecordedResource | undefined,
): AppliedValue | undefined {
  if (value instanceof Secret || value instanceof GeneratedSecret) {
    const fingerprint =
      instance.fingerprints[path] ??
      (value instanceof Secret ? value.fingerprint(run.fingerprintKey, change.address) : undefined);
    const source = instance.desired?.attributes
      .get(path)
      ?.origin?.fingerprint(run.fingerprintKey, change.address);
    return fingerprint === undefined ? undefined : { fingerprint, source };
  }
  if (value === undefined || value instanceof Unknown || value instanceof UnreadSecret)
    return previous?.applied[path];
  return isPlain(value) ? value : undefined;
}

/** Returns the addresses that a resource waits for besides its parent, for the order of a later deletion. */
function dependenciesOf({ desired, recorded }: PlannedInstance): readonly Address[] {
  if (!desired) return recorded?.dependsOn ?? [];
  const others = desired.dependsOn.filter((address) => address !== desired.parent);
  return others.length < 2 ? others : [...new Set(others)].sort();
}
