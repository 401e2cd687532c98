import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { keptRuns } from "../model/history";
import { Secret } from "../model/secret";
import type { PastRun } from "../model/state";
import { isPlain, type Plain, plainEqual, Template } from "../model/value";
import {
  type DigestEntry,
  type Digested,
  digestOf,
  entriesOf,
  entryOf,
  hash,
  shortDigest,
  shortHash,
  textDigest,
} from "./digest";
import { type Change, instanceOf, type Plan, type PlannedInstance } from "./plan";
import { hasRecordedSource, unboundSecrets } from "./resolve-value";

interface ReviewedChange {
  /** Begins with `blocked` where the review showed it as blocked. */
  readonly action: string;
  /** Digest of its content without secrets and without the fields that were not known yet, shortened. */
  readonly digest: string;
  /** Fingerprint of its secrets; empty where there are none, or they could not be read. */
  readonly print: string;
  /** Fingerprints of the fields that were not known yet, by path: of the secrets in them, a space, of their text. */
  readonly unknown: Readonly<Record<string, string>>;
  readonly rest?: ReviewedChange;
  /** Only a saved plan has it. */
  readonly bound?: BoundChange;
  /** Paths of secrets that a saved plan was made without. */
  readonly unread?: readonly string[];
}

/** Demands of a saved plan on a resource that a review does not make. */
interface BoundChange {
  readonly live: Change["binding"];
  /** Digest of the declared values that are no secrets. */
  readonly declared: string;
  readonly cost: Change["cost"];
  readonly dependsOn: Change["dependsOn"];
}

/** The record of a plan that was reviewed or saved: another plan is compared with it. It holds no value. */
export interface PlanRecord {
  /** The whole digest, or its first digits at a terminal. */
  readonly digest: string;
  /** Digest of the record that it was joined to; a run of that has applied it, too. */
  readonly joined?: string;
  /** By address; absent where that would be too long for a comment, and where the digest alone is expected. */
  readonly changes?: Readonly<Record<string, ReviewedChange>>;
  /** Fingerprint of all secrets; absent where the digest alone is expected. */
  readonly print?: string;
  /** Id of the newest run before the review; absent where there was none. */
  readonly after?: string | undefined;
  /** Addresses of the values that could not be read, with fingerprints of their sources; absent where none was reviewed. */
  readonly unread?: Readonly<Record<string, string>>;
  /** State, workspace and base URL of a saved plan. */
  readonly binding?: Plan["binding"];
}

/** The records of reviewed plans, or why there are none; `hasNone`: no pull request showed a plan. */
export type Reviewed = readonly PlanRecord[] | { readonly problem: Diagnostic; readonly hasNone?: true };

/** Returns the HMAC under the key of fingerprints that authenticates a record and its context. */
export const signRecord = (key: Uint8Array, ...parts: readonly (string | number)[]): string =>
  new Secret(Buffer.from(key).toString("hex")).sign(JSON.stringify(parts));

/**
 * Joins records of plans that were reviewed apart and are applied as one plan, and returns that record and each. An address
 * that two of them change in different ways has no reviewed change: no review saw both.
 */
export function joinRecords(records: readonly PlanRecord[]): readonly PlanRecord[] {
  const joined = new Map<string, ReviewedChange>();
  const conflicts = new Set<string>();
  for (const { changes = {} } of records)
    for (const [address, change] of Object.entries(changes)) {
      const before = joined.get(address) ?? change;
      if (JSON.stringify(before) !== JSON.stringify(change)) conflicts.add(address);
      joined.set(address, change);
    }
  const changes = [...joined].filter(([address]) => !conflicts.has(address));
  const whole: PlanRecord = {
    digest: hash(records.map(({ digest }) => digest).sort()),
    after: records.at(-1)?.after,
    unread: Object.assign({}, ...records.map(({ unread }) => unread)),
    changes: records.every((record) => record.changes) ? Object.fromEntries(changes) : undefined,
  };
  return [whole, ...records.map((record) => ({ ...record, joined: whole.digest }))];
}

/** Returns the record of a plan for its review. Without the key of fingerprints it binds no secret. */
export function recordPlan(
  plan: Plan,
  key: Uint8Array | undefined,
): PlanRecord & Required<Pick<PlanRecord, "changes" | "unread">> {
  const entries = entriesOf(plan);
  const changes = entries.map((entry) => [entry.address, reviewedChange(entry, plan, key)] as const);
  const values = plan.unchecked.filter(({ attribute }) => attribute !== undefined);
  const unread = new Set<string>(values.map(({ address }) => address));
  const bound = entries.filter(({ address }) => !unread.has(address));
  const sources = plan.changes.filter(({ address }) => unread.has(address));
  const printOfSource = (change: Change) => sourcePrint(change.address, instanceOf(plan, change), key);
  return {
    digest: plan.digest ?? "",
    changes: Object.fromEntries(changes),
    print: printOfAll(bound, key),
    after: plan.lastRun,
    unread: Object.fromEntries(sources.map((change) => [change.address, printOfSource(change)])),
  };
}

/** Returns the record of a plan to save. It also binds state, workspace and live resources, and no secret may rotate. */
export function recordSavedPlan(plan: Plan, key: Uint8Array | undefined): PlanRecord {
  const record = recordPlan(plan, key);
  const changes = entriesOf(plan).map((entry) => {
    const { address, instance } = entry;
    const unread = instance && unboundSecrets(instance);
    return [address, { ...record.changes[address], bound: boundChange(entry), unread }];
  });
  return { ...record, changes: Object.fromEntries(changes), unread: {}, binding: plan.binding };
}

function boundChange({ change, instance }: DigestEntry): BoundChange | undefined {
  if (!change || !instance) return undefined;
  const { binding: live, cost, dependsOn } = change;
  const declared = Object.fromEntries([...instance.resolved].filter(([, value]) => isPlain(value)));
  return { declared: shortHash(declared as Record<string, Plain>), live, cost, dependsOn };
}

function reviewedChange(entry: DigestEntry, plan: Plan, key: Uint8Array | undefined): ReviewedChange {
  const rest = restIn(entry, plan);
  return {
    action: `${entry.change?.blockedBy ? "blocked " : ""}${entry.action}`,
    digest: shortHash(entry.contentWithout(entry.unknown)),
    print: printOf(entry, key),
    unknown: Object.fromEntries(entry.unknown.map((path) => [path, unknownPrint(entry, path, key)])),
    rest: rest && reviewedChange(rest, plan, key),
  };
}

/** Returns the remainder of a change after a run that stopped half-way; the id of a created resource is not known before. */
function restIn({ change, instance }: DigestEntry, plan: Digested): DigestEntry | undefined {
  if (!change || !instance?.rest) return undefined;
  const { action, attributes, rest } = instance.rest;
  const created =
    change.action === "update" ? {} : { id: undefined, lifecycle: undefined, reason: undefined };
  const remainder = { ...change, blockedBy: undefined, ...created, action, attributes };
  return entryOf(remainder, { ...instance, rest }, plan);
}

export interface PlanDifference {
  readonly address: string;
  /**
   * - `new`: it was not reviewed. `gone`: it would no longer be done. `other`: it would do something else.
   * - `value`: a secret differs. `unblocked`: it was blocked, and is confirmed now.
   * - A key of `BoundChange`: that differs from the saved plan.
   * - Of the whole plan: `applied`, `forgotten` where that is not known, `somewhere` where the record has no changes, or a
   *   key of its binding.
   */
  readonly kind:
    | ("new" | "gone" | "other" | "value" | "unblocked" | "applied" | "forgotten" | "somewhere")
    | keyof BoundChange
    | keyof Plan["binding"];
}

/**
 * Returns the differences of a plan from its record, or from the rest that a run of the recorded plan left; sorted by
 * address. A review counts once: not after a finished run of it, nor after a run of another plan over its rest. `runs` are
 * those that the state remembers, newest first.
 */
export function compareWithRecord(
  reviewed: PlanRecord,
  plan: Plan,
  { key, runs = [] }: { readonly key?: Uint8Array | undefined; readonly runs?: readonly RememberedRun[] },
): readonly PlanDifference[] {
  const entries = entriesOf(plan);
  const { changes, unread } = reviewed;
  const progress = differingKey(reviewed.binding, plan.binding) ?? progressOf(reviewed, runs);
  if (progress !== "new" && progress !== "begun") return [{ address: "the plan", kind: progress }];
  const hasBegun = progress === "begun";
  const mayRotate = ({ address, instance, change }: DigestEntry): boolean => {
    if (instance === undefined || change === undefined) return false;
    if (unread) return address in unread && unread[address] === sourcePrint(address, instance, key);
    const source = { ...instance, address: change.address };
    return change.attributes.every(({ path }) => hasRecordedSource(source, path, { fingerprintKey: key }));
  };
  if (changes === undefined) {
    const bound = entries.filter((entry) => !mayRotate(entry));
    const isExpected = reviewed.digest.length >= shortDigest && digestOf(entries).startsWith(reviewed.digest);
    const isSame = reviewed.print === undefined || printOfAll(bound, key) === reviewed.print;
    return isExpected && isSame ? [] : [{ address: "the plan", kind: "somewhere" }];
  }
  const fresh = new Map(entries.map((entry) => [entry.address, entry]));
  const rotated = entries.filter(
    (entry) =>
      mayRotate(entry) && (hasBegun || changes[entry.address] === undefined) && sendsSecretsAlone(entry),
  );
  const parents = new Set(rotated.map(({ change }) => change?.parent));
  // A new commit was not reviewed.
  const deploysRotated = ({ change }: DigestEntry): boolean =>
    change?.action === "update" && isReaction(change) && parents.has(change.parent);
  const kindAt = (address: string): PlanDifference["kind"] | undefined => {
    const whole = changes[address];
    const entry = fresh.get(address);
    if (!entry) return hasBegun ? undefined : "gone";
    if (rotated.includes(entry)) return undefined;
    if (!whole) return deploysRotated(entry) ? undefined : "new";
    const steps = hasBegun ? stepsOf(whole) : [whole];
    // The id of a created resource was not known to its review.
    const isCreated = !whole.action.endsWith("update");
    const rules = { key, options: plan.options, mayRotate: mayRotate(entry) };
    const kinds = steps.map((step) =>
      differenceOf(step, entry, { ...rules, hasId: step === whole || !isCreated }),
    );
    return kinds.includes(undefined) ? undefined : (kinds.find((kind) => kind === "value") ?? kinds[0]);
  };
  return [...new Set([...Object.keys(changes), ...fresh.keys()])]
    .sort()
    .flatMap((address): PlanDifference[] => {
      const kind = kindAt(address);
      return kind === undefined ? [] : [{ address, kind }];
    });
}

interface ComparisonRules extends Pick<Plan, "options"> {
  readonly key: Uint8Array | undefined;
  readonly mayRotate: boolean;
  readonly hasId: boolean;
}

/** Returns how a change differs from the reviewed change of its address. */
function differenceOf(
  before: ReviewedChange,
  entry: DigestEntry,
  { key, options, mayRotate, hasId }: ComparisonRules,
): PlanDifference["kind"] | undefined {
  const moved = differingKey(before.bound, boundChange(entry));
  if (moved !== undefined) return moved;
  const unknown = Object.keys(before.unknown);
  const { confirmedDeletes, confirmedConsumers = [] } = options;
  const isConfirmed = [...confirmedDeletes, ...confirmedConsumers].some((one) => one === entry.address);
  const wasBlocked = before.action === `blocked ${entry.action}`;
  // A confirmation at the command line names the deletion; a manifest has to be reviewed as it is.
  if (wasBlocked && !entry.change?.blockedBy && !isConfirmed) return "unblocked";
  const secrets = Object.keys(printsOf(entry, key));
  // A value that could not be read was no part of a replacement that sends it.
  const without = mayRotate ? [unknown, [...unknown, ...secrets]] : [unknown];
  const isAsReviewed = without.some(
    (paths) => shortHash(entry.contentWithout(paths, { hasId })) === before.digest,
  );
  if (!isAsReviewed || (!wasBlocked && before.action !== entry.action)) return "other";
  // Records of earlier versions have the fingerprint of the secrets alone.
  const isEqual = (path: string): boolean =>
    !entry.unknown.includes(path) ||
    [unknownPrint(entry, path, key), printOf(entry, key, [path])].includes(before.unknown[path] ?? "-");
  const uncompared = [...unknown, ...(before.unread ?? [])];
  const known = secrets.filter((path) => !uncompared.includes(path));
  const isSame = before.print === printOf(entry, key, known) && unknown.every(isEqual);
  return isSame || mayRotate ? undefined : "value";
}

/** Returns the first key whose value is not that of the record. */
function differingKey<Bound extends object>(before: Bound | undefined, now: Bound | undefined) {
  if (!before || !now) return undefined;
  const [recorded, found] = [before, now] as Readonly<Record<string, Plain>>[];
  const keys = Object.keys(now) as (keyof Bound & string)[];
  return keys.find((key) => !plainEqual(recorded?.[key] ?? null, found?.[key] ?? null));
}

/** Returns a reviewed change, and the rest of it after a run that stopped between two of its writes. */
const stepsOf = (change: ReviewedChange): readonly ReviewedChange[] =>
  change.rest ? [change, ...stepsOf(change.rest)] : [change];

/** Returns the runs since a record was made, newest first; all where its newest run is not remembered. */
export function runsSince<Run extends RememberedRun>({ after }: PlanRecord, runs: readonly Run[]) {
  const since = runs.findIndex(({ id }) => id !== undefined && id === after);
  return since < 0 ? runs : runs.slice(0, since);
}

/** Returns how far runs since a review, newest first, have come with its plan; `forgotten` where they are not all known. */
function progressOf(reviewed: PlanRecord, runs: readonly RememberedRun[]) {
  const later = runsSince(reviewed, runs);
  if (later === runs && later.length >= keptRuns) return "forgotten";
  const begun = later.findIndex(
    ({ digest }) => digest && [reviewed.digest, reviewed.joined].includes(digest),
  );
  if (later.slice(0, begun + 1).some(isEndedApply)) return "applied";
  return begun < 0 ? "new" : "begun";
}

function sendsSecretsAlone({ change }: DigestEntry): boolean {
  const { action, previousAddress, attributes = [], lifecycle = [] } = change ?? {};
  if (action !== "update" || previousAddress !== undefined || attributes.length === 0) return false;
  return lifecycle.length === 0 && attributes.every(({ after }) => after.kind === "secret");
}

/**
 * Returns the declared changes of a plan that its review lacks: they are ahead of it in a queue, and are not applied yet.
 * Empty where the plan differs in another way, or a live resource has moved.
 */
export function declaredBesides(differences: readonly PlanDifference[], plan: Plan): readonly Address[] {
  if (differences.some(({ kind }) => kind !== "new")) return [];
  const besides = new Set(differences.map(({ address }) => address));
  const changes = plan.changes.filter(({ address }) => besides.has(address));
  const hasMoved = ({ missing, drift = [], attributes }: Change): boolean =>
    missing === true || drift.length > 0 || attributes.some(({ cause }) => cause === "drift");
  return changes.some(hasMoved) ? [] : changes.map(({ address }) => address);
}

/** Returns true if nothing that is declared for a resource itself makes it run. */
const isReaction = ({ reason, attributes, released }: Change): boolean =>
  reason !== undefined && attributes.length + released.length === 0;

/** A run that the state remembers, as far as it says if a plan was applied to its end. */
type RememberedRun = Pick<PastRun, "digest" | "exitCode"> & Partial<Pick<PastRun, "id" | "command">>;

/** Returns true after `apply` and `destroy`: a verb that only acts on a service leaves a plan as it is. */
const isEndedApply = ({ command = "apply", exitCode }: RememberedRun): boolean =>
  exitCode === 0 && /^(?:apply|destroy)/.test(command);

/** Returns true if a plan without a review does nothing but send new values of recorded sources, and deploy them. */
export const takesRecordedSources = (plan: Plan, key: Uint8Array | undefined): boolean =>
  compareWithRecord({ digest: "", changes: {} }, plan, { key }).length === 0;

/** Returns the keyed fingerprints of the secrets that a change sends, by path. */
function printsOf({ change, instance }: DigestEntry, key: Uint8Array | undefined): Record<string, Plain> {
  if (!change || !instance || !key) return {};
  const { address, attributes } = change;
  const prints: Record<string, Plain> = {};
  for (const { path, after } of attributes) {
    const print = instance.fingerprints[path];
    if (after.kind === "secret" && print !== undefined) prints[path] = print;
    const value = instance.desired?.attributes.get(path)?.value;
    if (after.kind === "unknown" && value instanceof Template) {
      const parts = value.parts.filter((part) => part instanceof Secret);
      if (parts.length > 0) prints[path] = parts.map((part) => part.fingerprint(key, address));
    }
  }
  return prints;
}

/** Returns a fingerprint of the secrets at `paths`, by default of those known before apply; empty if there are none. */
function printOf(entry: DigestEntry, key: Uint8Array | undefined, paths?: readonly string[]): string {
  const prints = Object.entries(printsOf(entry, key)).filter(([path]) =>
    paths ? paths.includes(path) : !entry.unknown.includes(path),
  );
  return prints.length === 0 ? "" : shortHash(Object.fromEntries(prints));
}

const unknownPrint = (entry: DigestEntry, path: string, key: Uint8Array | undefined): string =>
  `${printOf(entry, key, [path])} ${textDigest(entry, path)}`;

const printOfAll = (entries: readonly DigestEntry[], key: Uint8Array | undefined): string =>
  shortHash(entries.map((entry) => printsOf(entry, key)));

/** Returns a fingerprint of the declared sources of secrets. */
function sourcePrint(address: string, { desired }: PlannedInstance, key: Uint8Array | undefined): string {
  const sources = [...(desired?.attributes ?? [])].flatMap(([path, { origin }]): Plain[] =>
    origin === undefined ? [] : [[path, key ? origin.fingerprint(key, address) : null]],
  );
  return shortHash(sources);
}
