import { type Diagnostic, error, type warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Attributes } from "../model/attributes";
import type { Clock } from "../model/clock";
import type { LiveResource } from "../model/live";
import type { Pending } from "../model/pending";
import type { AppliableValue } from "../model/resource-operations";
import type { ResourceType } from "../model/resource-type";
import { ruleAt } from "../model/resource-type";
import { Secret } from "../model/secret";
import type { AppliedValue, RecordedResource } from "../model/state";
import { GeneratedSecret, isPlain, type ResolvedValue, Unknown, UnreadSecret } from "../model/value";
import { initialSettings } from "../plan/initial-settings";
import type { Change } from "../plan/plan";

export interface Recording {
  readonly change: Change;
  readonly type: ResourceType;
  readonly id: string;
  /** As the last answer showed it. */
  readonly live?: LiveResource;
  /** Declared values as sent, or as found equal. */
  readonly values: ReadonlyMap<string, AppliableValue | ResolvedValue>;
  readonly previous?: RecordedResource;
  /** The defaults of its type. */
  readonly defaults: Attributes;
  /** It was made by this change. */
  readonly isNew?: boolean;
  readonly writes: number;
  readonly inputs?: Readonly<Record<string, number>>;
  readonly pending?: Pending;
  /** Of a write, when it was answered. */
  readonly writtenAt?: string;
  readonly fingerprintKey: Uint8Array;
}

/** The time of a write that was answered just now. */
export const writtenNow = (clock: Pick<Clock, "now">): string => new Date(clock.now()).toISOString();

/** What the state holds while a deletion that was asked for goes on. */
export function recordedWhileDeleted(recorded: RecordedResource, pending: Pending): RecordedResource {
  const { deletionFailed: _before, ...rest } = recorded;
  return { ...rest, pending };
}

/** What the state holds after a deletion that failed: the resource as it was, with the reason. */
export function recordedAfterFailedDeletion(recorded: RecordedResource, reason: string): RecordedResource {
  const { pending: _ended, ...rest } = recorded;
  return { ...rest, deletionFailed: reason };
}

/** The diagnostic of a deletion that failed. */
export const deletionFailed = (
  severity: typeof error | typeof warning,
  address: Address,
  { summary, detail }: { readonly summary: string; readonly detail?: string },
  details: Partial<Diagnostic> = {},
): Diagnostic =>
  severity("apply.delete_failed", `${address} was not deleted: ${summary}`, {
    ...details,
    address,
    ...(detail === undefined ? {} : { detail }),
    hint: "it stays recorded; run the command again to ask for its deletion again",
  });

/** The diagnostic of a deletion whose end is not proven. */
export const nothingShown = (address: Address): Diagnostic =>
  error("live.gone_unproven", `${address} is not shown any more, and nothing else that is recorded is`, {
    address,
    detail: "A key that lost its membership sees the same, so this is no proof that it was deleted.",
    hint: "check the key and the workspace, then run the same command again: it looks at the deletion first",
  });

/** The diagnostic of a deletion that nothing shows the end of: `unseen` says what is not shown. */
export const endUnproven = (
  severity: typeof error | typeof warning,
  address: Address,
  unseen: string,
  hint = "check the key and what it may read; it stays recorded, and the same command again looks at the deletion first",
): Diagnostic =>
  severity("live.gone_unproven", `nobody can tell whether ${address} was deleted: ${unseen}`, {
    address,
    detail:
      "Its deletion was accepted. It was looked for again for 30 seconds; a key that lost its membership or a role sees the same.",
    hint,
  });

/** What the state holds for a resource once a change of it is done, or was found not needed. */
export function recordedAfter(recording: Recording): RecordedResource {
  const { change, previous, live } = recording;
  const desired = change.instance.desired;
  const updatedAt = live?.updatedAt ?? live?.asOf ?? previous?.updatedAt;
  const writtenAt = recording.writtenAt ?? previous?.writtenAt;
  const parent = desired?.parent ?? previous?.parent;
  return {
    type: change.type,
    id: recording.id,
    name: live?.name ?? change.name,
    ...(parent === undefined ? {} : { parent }),
    dependsOn: dependenciesOf(change),
    applied: appliedValues(recording),
    computed: live ? Object.fromEntries(live.computed) : (previous?.computed ?? {}),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(writtenAt === undefined ? {} : { writtenAt }),
    preventDestroy: desired?.lifecycle.preventDestroy ?? previous?.preventDestroy ?? false,
    onRemove: change.onRemove,
    ...ignoreChangesOf(change, previous),
    ...initialOf(recording),
    writes: recording.writes,
    ...(recording.inputs ? { inputs: recording.inputs } : {}),
    ...(recording.pending ? { pending: recording.pending } : {}),
  };
}

/** What the state keeps of `lifecycle.ignoreChanges`: nothing where there is none. */
export function ignoreChangesOf(
  { instance: { desired } }: Change,
  previous: RecordedResource | undefined,
): Pick<RecordedResource, "ignoreChanges"> {
  const ignoreChanges = desired ? desired.lifecycle.ignoreChanges : (previous?.ignoreChanges ?? []);
  return ignoreChanges.length === 0 ? {} : { ignoreChanges };
}

/** Gap "defaults of kinds": what was made is asked once what it started with, in this run or, after a kill, in the next. */
function initialOf({
  change,
  type,
  live,
  values,
  previous,
  defaults,
  isNew,
}: Recording): Pick<RecordedResource, "initial" | "madeWith"> {
  const isUnseen = previous?.madeWith !== undefined && !isNew;
  if (!isNew && !isUnseen) return previous?.initial ? { initial: previous.initial } : {};
  const declared = [...values].flatMap(([path, value]) => ((value ?? null) === null ? [] : [path]));
  const seen = isUnseen ? change.instance.live : live;
  if (isUnseen && !seen) return { madeWith: previous.madeWith };
  const sent = isUnseen ? previous.madeWith : declared;
  const initial = seen ? initialSettings(type, seen.attributes, defaults, new Set(sent)) : {};
  return Object.keys(initial).length === 0 ? {} : { initial };
}

/** Declared fields by path; a secret as its fingerprint, an ignored field as it was recorded. */
function appliedValues(recording: Recording): Record<string, AppliedValue> {
  const { change, type, values, previous } = recording;
  const ignored = previous ? (change.instance.desired?.lifecycle.ignoreChanges ?? []) : [];
  const applied: Record<string, AppliedValue> = {};
  for (const path of change.instance.desired?.attributes.keys() ?? []) {
    if (ruleAt(type, path)?.change === "local") continue;
    const value = ignored.some((ignore) => path === ignore || path.startsWith(`${ignore}.`))
      ? previous?.applied[path]
      : appliedValue(recording, path, values.get(path));
    if (value !== undefined && value !== null) applied[path] = value;
  }
  return applied;
}

function appliedValue(
  recording: Recording,
  path: string,
  value: AppliableValue | ResolvedValue | undefined,
): AppliedValue | undefined {
  const fingerprint = recording.change.instance.fingerprints[path];
  if (value instanceof Secret || value instanceof GeneratedSecret) {
    if (fingerprint !== undefined) return { fingerprint };
    return value instanceof Secret
      ? { fingerprint: value.fingerprint(recording.fingerprintKey, recording.change.address) }
      : undefined;
  }
  if (value === undefined || value instanceof Unknown || value instanceof UnreadSecret)
    return recording.previous?.applied[path];
  return isPlain(value) ? value : undefined;
}

/** Addresses this resource waits for besides what it lies in, for the order of a later deletion. */
function dependenciesOf({ instance: { desired, recorded } }: Change): readonly Address[] {
  if (!desired) return recorded?.dependsOn ?? [];
  const others = desired.dependsOn.filter((address) => address !== desired.parent);
  return others.length < 2 ? others : [...new Set(others)].sort();
}
