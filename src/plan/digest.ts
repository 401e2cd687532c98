import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { keptRuns } from "../model/history";
import { Secret } from "../model/secret";
import { sha256 } from "../model/sha256";
import type { PastRun } from "../model/state";
import {
  Computed,
  canonicalJson,
  type DesiredValue,
  type Plain,
  plainEqual,
  type Reference,
  Template,
} from "../model/value";
import {
  type AttributeChange,
  type Change,
  instanceOf,
  isWritten,
  type Plan,
  type PlannedInstance,
  type ShownValue,
  unknownIn,
} from "./plan";
import { hasRecordedSource } from "./resolve";

/**
 * The digest of a plan, and the record of its review (DESIGN section 15): over addresses, actions, ids of what exists, and
 * values before and after. Serials, times, causes, costs, positions in files, ids of deployments and the order of anything
 * do not change them. Values of secrets are no part of the digest; the record holds their keyed fingerprints.
 */
type Digested = Pick<Plan, "options" | "changes" | "instances" | "outputs">;

interface DigestEntry {
  readonly address: string;
  readonly action: string;
  readonly unknown: readonly string[];
  /** Without the fields at these paths, and unless said with the id. */
  readonly contentWithout: (paths: readonly string[], hasId?: boolean) => Plain;
  readonly change?: Change;
  readonly instance?: PlannedInstance;
}

export const digestPlan = (plan: Digested): string => digestOf(entriesOf(plan));

const digestOf = (entries: readonly DigestEntry[]): string =>
  hash(Object.fromEntries(entries.map(({ address, contentWithout }) => [address, contentWithout([])])));

const hash = (content: Plain): string => sha256(canonicalJson(content));

export const shortDigest = 12;

export const isExpected = ({ digest }: Pick<Plan, "digest">, expected: string): boolean =>
  digest === expected || (expected.length === shortDigest && digest?.slice(0, shortDigest) === expected);

export interface ReviewedChange {
  /** Begins with `blocked` where the review showed it as blocked. */
  readonly action: string;
  /** Of its content without secrets and without the fields that were not known yet; the first digits are enough. */
  readonly digest: string;
  /** Of the fingerprints of its secrets; empty where there are none, or they could not be read. */
  readonly print: string;
  /** Fingerprints of the secrets in the fields that were not known yet, by path; empty where there are none. */
  readonly unknown: Readonly<Record<string, string>>;
  readonly rest?: ReviewedChange;
}

/** What a review was about: another plan is compared with it. It holds no value. */
export interface PlanRecord {
  readonly digest: string;
  /** By address; absent where that would be too long for a comment. */
  readonly changes?: Readonly<Record<string, ReviewedChange>>;
  readonly print: string;
  /** Id of the newest run before the review; absent where there was none. */
  readonly after?: string | undefined;
  /** Addresses of the values that could not be read, with fingerprints of their sources; absent where none was reviewed. */
  readonly unread?: Readonly<Record<string, string>>;
}

/** The records of reviewed plans, or why there are none; `hasNone`: no pull request showed a plan. */
export type Reviewed = readonly PlanRecord[] | { readonly problem: Diagnostic; readonly hasNone?: true };

const shortHash = (content: Plain): string => hash(content).slice(0, 16);

/**
 * Joins records of plans that were reviewed apart and are applied as one. An address that two of them change in ways of
 * their own has no reviewed change: no review saw both.
 */
export function joinRecords(records: readonly [PlanRecord, ...PlanRecord[]]): PlanRecord {
  const [first, ...others] = records;
  if (others.length === 0) return first;
  const joined = new Map<string, ReviewedChange>();
  const torn = new Set<string>();
  for (const { changes = {} } of records)
    for (const [address, change] of Object.entries(changes)) {
      const before = joined.get(address) ?? change;
      if (!plainEqual(before as unknown as Plain, change as unknown as Plain)) torn.add(address);
      joined.set(address, change);
    }
  const changes = [...joined].filter(([address]) => !torn.has(address));
  return {
    digest: hash(records.map(({ digest }) => digest).sort()),
    print: "",
    after: records.at(-1)?.after,
    unread: Object.assign({}, ...records.map(({ unread }) => unread)),
    changes: records.every((record) => record.changes) ? Object.fromEntries(changes) : undefined,
  };
}

/** Returns the record of a plan. Without the key of fingerprints it binds no secret. */
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

function reviewedChange(entry: DigestEntry, plan: Plan, key: Uint8Array | undefined): ReviewedChange {
  const rest = restIn(entry, plan);
  return {
    action: `${entry.change?.blockedBy ? "blocked " : ""}${entry.action}`,
    digest: shortHash(entry.contentWithout(entry.unknown)),
    print: printOf(entry, key),
    unknown: Object.fromEntries(entry.unknown.map((path) => [path, printOf(entry, key, [path])])),
    rest: rest && reviewedChange(rest, plan, key),
  };
}

/** Returns what a run that stopped half-way leaves of a change; the id of what it has made is not known before. */
function restIn({ change, instance }: DigestEntry, plan: Digested): DigestEntry | undefined {
  if (!change || !instance?.rest) return undefined;
  const { action, attributes, rest } = instance.rest;
  const made = change.action === "update" ? {} : { id: undefined, lifecycle: undefined, reason: undefined };
  const left = { ...change, blockedBy: undefined, ...made, action, attributes };
  return entryOf(left, { ...instance, rest }, plan);
}

export interface PlanDifference {
  readonly address: string;
  /**
   * `new`: it was not reviewed. `gone`: it would no longer be done. `other`: it would do something else. `value`: a secret
   * differs. `unblocked`: it was blocked, and is confirmed now. Of the whole plan: `applied`, `forgotten` where that is
   * not known, `somewhere` where the record has no changes.
   */
  readonly kind: "new" | "gone" | "other" | "value" | "unblocked" | "applied" | "forgotten" | "somewhere";
}

/**
 * Returns where a plan differs from a reviewed one, or from what a run of that one left; sorted by address. A review counts
 * once: not after a run of it came to its end, nor after a run of another plan over what it left. `runs` are those that
 * the state remembers, newest first: what one of this review left is the rest of it.
 */
export function compareWithRecord(
  reviewed: PlanRecord,
  plan: Plan,
  { key, runs = [] }: { readonly key?: Uint8Array | undefined; readonly runs?: readonly Begun[] },
): readonly PlanDifference[] {
  const entries = entriesOf(plan);
  const { changes, unread } = reviewed;
  const progress = progressOf(reviewed, runs);
  if (progress === "forgotten" || progress === "applied") return [{ address: "the plan", kind: progress }];
  const hasBegun = progress === "begun";
  const isFree = ({ address, instance, change }: DigestEntry): boolean => {
    if (instance === undefined || change === undefined) return false;
    if (unread) return address in unread && unread[address] === sourcePrint(address, instance, key);
    const one = { ...instance, address: change.address };
    return change.attributes.every(({ path }) => hasRecordedSource(one, path, { fingerprintKey: key }));
  };
  if (changes === undefined) {
    const bound = entries.filter((entry) => !isFree(entry));
    const isSame = digestOf(entries) === reviewed.digest && printOfAll(bound, key) === reviewed.print;
    return isSame ? [] : [{ address: "the plan", kind: "somewhere" }];
  }
  const fresh = new Map(entries.map((entry) => [entry.address, entry]));
  const rotated = entries.filter(
    (one) => isFree(one) && (hasBegun || changes[one.address] === undefined) && isOfSecretAlone(one),
  );
  const parents = new Set(rotated.map(({ change }) => change?.parent));
  const runsRotated = ({ change }: DigestEntry): boolean =>
    change?.reason !== undefined && parents.has(change.parent);
  const { confirmedDeletes, confirmedConsumers = [] } = plan.options;
  const confirmed = new Set<string>([...confirmedDeletes, ...confirmedConsumers]);
  const kindOf = (before: ReviewedChange, entry: DigestEntry, hasId: boolean) => {
    const unknown = Object.keys(before.unknown);
    const wasBlocked = before.action === `blocked ${entry.action}`;
    // Who confirms at the command line knows what it ends; a manifest has to be reviewed as it is.
    if (wasBlocked && !entry.change?.blockedBy && !confirmed.has(entry.address)) return "unblocked";
    const secrets = Object.keys(printsOf(entry, key));
    // What could not be read was no part of a replacement that sends it.
    const without = isFree(entry) ? [unknown, [...unknown, ...secrets]] : [unknown];
    const isAsReviewed = without.some(
      (paths) => shortHash(entry.contentWithout(paths, hasId)) === before.digest,
    );
    if (!isAsReviewed || (!wasBlocked && before.action !== entry.action)) return "other";
    const isEqual = (path: string): boolean =>
      !entry.unknown.includes(path) || before.unknown[path] === printOf(entry, key, [path]);
    const known = secrets.filter((path) => !unknown.includes(path));
    const isSame = before.print === printOf(entry, key, known) && unknown.every(isEqual);
    return isSame || isFree(entry) ? undefined : "value";
  };
  const kindAt = (address: string): PlanDifference["kind"] | undefined => {
    const whole = changes[address];
    const entry = fresh.get(address);
    if (!entry) return hasBegun ? undefined : "gone";
    if (rotated.includes(entry)) return undefined;
    if (!whole) return runsRotated(entry) ? undefined : "new";
    const steps = hasBegun ? stepsOf(whole) : [whole];
    // The id of what a creation has made was not known to its review.
    const isMade = !whole.action.endsWith("update");
    const kinds = steps.map((step) => kindOf(step, entry, step === whole || !isMade));
    return kinds.includes(undefined) ? undefined : (kinds.find((kind) => kind === "value") ?? kinds[0]);
  };
  return [...new Set([...Object.keys(changes), ...fresh.keys()])]
    .sort()
    .flatMap((address): PlanDifference[] => {
      const kind = kindAt(address);
      return kind === undefined ? [] : [{ address, kind }];
    });
}

/** A reviewed change, and what is left of it once a run has stopped between two of its writes. */
const stepsOf = (change: ReviewedChange): readonly ReviewedChange[] =>
  change.rest ? [change, ...stepsOf(change.rest)] : [change];

/** Returns how far runs since a review, newest first, have come with its plan; `forgotten` where they are not all known. */
function progressOf({ after, digest }: PlanRecord, runs: readonly Begun[]) {
  const since = runs.findIndex(({ id }) => id !== undefined && id === after);
  const later = since < 0 ? runs : runs.slice(0, since);
  if (since < 0 && later.length >= keptRuns) return "forgotten";
  const begun = later.findIndex((one) => one.digest === digest);
  if (later.slice(0, begun + 1).some(isEndedApply)) return "applied";
  return begun < 0 ? "new" : "begun";
}

function isOfSecretAlone({ change }: DigestEntry): boolean {
  const { action, previousAddress, attributes = [], lifecycle = [] } = change ?? {};
  if (action !== "update" || previousAddress !== undefined || attributes.length === 0) return false;
  return lifecycle.length === 0 && attributes.every(({ after }) => after.kind === "secret");
}

/**
 * Returns what a plan does besides a reviewed one of which it does everything, as long as the manifest asks for it: changes
 * that are ahead of it in a queue, and are not applied yet. Empty where it is another plan, or what is live has moved.
 */
export function declaredBesides(differences: readonly PlanDifference[], plan: Plan): readonly Address[] {
  if (differences.some(({ kind }) => kind !== "new")) return [];
  const besides = new Set(differences.map(({ address }) => address));
  const changes = plan.changes.filter(({ address }) => besides.has(address));
  const hasMoved = ({ missing, drift = [], attributes }: Change): boolean =>
    missing === true || drift.length > 0 || attributes.some(({ cause }) => cause === "drift");
  return changes.some(hasMoved) ? [] : changes.map(({ address }) => address);
}

export const changesBeyondRepair = ({ changes }: Plan): readonly Address[] =>
  changes
    .filter(({ action, missing, reason, attributes }) => {
      const repairs = attributes.length > 0 && attributes.every(({ cause }) => cause === "drift");
      return action !== "no-op" && !missing && reason === undefined && !repairs;
    })
    .map(({ address }) => address);

/** A run that the state remembers, as far as it tells whether a plan was brought to its end. */
type Begun = Pick<PastRun, "digest" | "exitCode"> & Partial<Pick<PastRun, "id" | "command">>;

/** Returns true after `apply` and `destroy`: a verb that only acts on a service leaves a plan as it is. */
const isEndedApply = ({ command = "apply", exitCode }: Begun): boolean =>
  exitCode === 0 && /^(?:apply|destroy)/.test(command);

const printOf = (entry: DigestEntry, key: Uint8Array | undefined, paths?: readonly string[]): string => {
  const prints = Object.entries(printsOf(entry, key)).filter(([path]) =>
    paths ? paths.includes(path) : !entry.unknown.includes(path),
  );
  return prints.length === 0 ? "" : shortHash(Object.fromEntries(prints));
};

const printOfAll = (entries: readonly DigestEntry[], key: Uint8Array | undefined): string =>
  shortHash(entries.map((entry) => printsOf(entry, key)));

/** A fingerprint of what the manifest says of where the secrets of a resource come from. */
function sourcePrint(address: string, { desired }: PlannedInstance, key: Uint8Array | undefined): string {
  const said = [...(desired?.attributes ?? [])].flatMap(([path, { origin }]): Plain[] =>
    origin === undefined ? [] : [[path, key ? origin.fingerprint(key, address) : null]],
  );
  return shortHash(said);
}

/** Returns true if a plan without a review does nothing but send new values of recorded sources, and deploy them. */
export const takesRecordedSources = (plan: Plan, key: Uint8Array | undefined): boolean =>
  compareWithRecord({ digest: "", changes: {}, print: "" }, plan, { key }).length === 0;

function entriesOf(plan: Digested): readonly DigestEntry[] {
  const changes = plan.changes.filter((change) => isWritten(change, plan));
  const outputs = plan.outputs.map(
    ({ name, before, after }): DigestEntry => ({
      address: `output.${name}`,
      action: "output",
      unknown: after.kind === "unknown" ? ["value"] : [],
      contentWithout: (paths) => (paths.length > 0 ? null : [sideOf(before), sideOf(after)]),
    }),
  );
  return [...changes.map((change) => entryOf(change, instanceOf(plan, change), plan)), ...outputs];
}

function entryOf(change: Change, instance: PlannedInstance, { options, changes }: Digested): DigestEntry {
  const { address, action, id, onRemove, lifecycle = [], reason, withParent } = change;
  const isRecorded = options.mode === "refresh-only";
  const fields = isRecorded ? (change.drift ?? []) : change.attributes;
  const ends = action === "delete" || action === "forget";
  // A deployment after one that failed, or after that of another review, is the same: its id, and what ran before, are not compared.
  const isRun = reason !== undefined && !ends && action !== "replace";
  const parentId = isRun ? changes.find((one) => one.address === change.parent)?.id : undefined;
  const isParent = ({ after }: AttributeChange): boolean =>
    after.kind === "unknown" || (after.kind === "value" && after.value === parentId);
  const contentWithout = (paths: readonly string[], hasId = true): Plain => ({
    action: isRun ? "run" : ends ? `${action} ${onRemove}` : action,
    id: isRun || withParent || !hasId ? null : (id ?? null),
    // The id binds a move, which is done once a run has begun. Digests of earlier versions have this key.
    from: null,
    fields: Object.fromEntries(
      fields
        .filter((field) => !paths.includes(field.path) && !(isRun && isParent(field)))
        .map((field) => [field.path, isRun ? sideOf(field.after) : fieldOf(field, instance)]),
    ),
    lifecycle: Object.fromEntries(lifecycle.map((field) => [field.path, fieldOf(field, instance)])),
    ...(isRecorded && { records: true }),
  });
  const unknown = unknownIn(change);
  return { address, action: isRun ? "run" : action, unknown, contentWithout, change, instance };
}

const fieldOf = ({ path, before, after }: AttributeChange, { desired }: PlannedInstance): Plain => [
  sideOf(before),
  after.kind === "unknown" ? { unknown: recipeOf(desired?.attributes.get(path)?.value) } : sideOf(after),
];

const sideOf = (side: ShownValue): Plain => (side.kind === "value" ? { value: side.value } : side.kind);

function recipeOf(value: DesiredValue | undefined): Plain {
  if (value instanceof Template)
    return value.parts.map((part) =>
      typeof part === "string" ? part : part instanceof Secret ? { secret: true } : nameOf(part),
    );
  if (value instanceof Computed) return [value.references.map(nameOf), probe(value)];
  return null;
}

const nameOf = ({ address, attribute }: Reference): Plain => ({ of: `${address}.${attribute}` });

/** Returns the result of a value's functions for the names that it refers to; null where they take no such text. */
function probe({ references, compute }: Computed): Plain {
  try {
    const made = compute(references.map(({ address, attribute }) => `${address}.${attribute}`));
    return made instanceof Secret ? null : made;
  } catch {
    return null;
  }
}

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
