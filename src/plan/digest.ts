import type { Address } from "../model/address";
import { Secret } from "../model/secret";
import { sha256 } from "../model/text";
import {
  Computed,
  canonicalJson,
  type DesiredValue,
  isPlain,
  type Plain,
  type Reference,
  Template,
} from "../model/value";
import { type AttributeChange, type Change, isWritten, type Plan, type ShownValue } from "./plan";

/**
 * The digests of a plan (DESIGN section 15): over addresses, actions, ids of what is there, and values before and
 * after. Serials, times, causes, costs, places in files and the order of anything move neither. SHA-256, hex.
 */
export interface PlanDigests {
  /** With secrets by their fingerprints; the same as `open` while one of them has none. */
  readonly digest: string;
  /** As a plan has it that knows the text of no secret. */
  readonly open: string;
}

type Digested = Pick<Plan, "options" | "changes" | "outputs">;

/**
 * Returns the digests of a plan. The key of fingerprints is part of the first: those who share a state share the key,
 * and without it the text of a secret would be open to guesses from a comment that anyone may read.
 */
export function digestPlan(plan: Digested, fingerprintKey: Uint8Array | undefined): PlanDigests {
  const listed = listedChanges(plan);
  const open = digestOf(
    plan,
    listed.map((change) => [change.address, contentOf(change, plan)]),
  );
  if (!fingerprintKey || listed.some(hasUnreadSecret)) return { digest: open, open };
  const full = listed.map((change): [Address, Plain] => [
    change.address,
    [contentOf(change, plan), printsOf(change, fingerprintKey)],
  ]);
  const hasSecrets = listed.some((change) => Object.keys(printsOf(change, fingerprintKey)).length > 0);
  return { digest: hasSecrets ? digestOf(plan, full) : open, open };
}

/** Whether a plan is a reviewed one, or all of those that were joined. */
export const isReviewed = (plan: Plan, reviewed: PlanRecord): boolean =>
  [reviewed.digest, ...(reviewed.joins ?? [])].some((digest) => isExpected(plan, digest)) ||
  (reviewed.joins !== undefined && compareWithRecord(reviewed, plan)?.length === 0);

/** Characters of a digest that a terminal shows. */
export const shortDigest = 12;

/** Returns true if an expected digest, whole or short, is that of a plan or of the same plan without secrets. */
export const isExpected = ({ digest, openDigest }: Plan, expected: string): boolean =>
  [digest, openDigest].some(
    (found) =>
      found === expected || (expected.length === shortDigest && found?.slice(0, shortDigest) === expected),
  );

/** A change of a reviewed plan, as far as another plan is compared with it. */
export interface ReviewedChange {
  readonly action: string;
  /** Of its content without secrets and without the fields that were not known yet; the first digits are enough. */
  readonly digest: string;
  /** Paths of the fields that were not known yet. */
  readonly unknown: readonly string[];
}

/** The digests of a plan, with which another plan is compared: they hold no value. */
export interface PlanRecord {
  readonly digest: string;
  /** By address; absent where only the digest is known. */
  readonly changes?: Readonly<Record<string, ReviewedChange>>;
  /** Of several plans that are applied as one: their digests, of which its own is none. */
  readonly joins?: readonly string[];
}

/**
 * Joins records of plans that were reviewed apart and are applied as one. An address that two of them change in ways of
 * their own has no reviewed change: nobody saw both.
 */
export function joinRecords(records: readonly [PlanRecord, ...PlanRecord[]]): PlanRecord {
  const [first, ...others] = records;
  if (others.length === 0) return first;
  const joins = records.map((record) => record.digest).sort();
  const digest = sha256(canonicalJson(joins));
  if (records.some(({ changes }) => changes === undefined)) return { digest, joins };
  const joined = new Map<string, ReviewedChange>();
  const torn = new Set<string>();
  for (const { changes = {} } of records)
    for (const [address, change] of Object.entries(changes)) {
      const before = joined.get(address);
      if (before && canonicalJson(before as unknown as Plain) !== canonicalJson(change as unknown as Plain))
        torn.add(address);
      joined.set(address, change);
    }
  const changes = [...joined].filter(([address]) => !torn.has(address));
  return { digest, changes: Object.fromEntries(changes), joins };
}

/** Returns the record of a plan. */
export function recordPlan(plan: Plan): Required<Omit<PlanRecord, "joins">> {
  const changes = listedChanges(plan).map((change): [string, ReviewedChange] => {
    const unknown = change.attributes.flatMap(({ path, after }) => (after.kind === "unknown" ? [path] : []));
    return [change.address, { action: change.action, digest: contentDigest(change, plan, unknown), unknown }];
  });
  return { digest: plan.digest ?? "", changes: Object.fromEntries(changes) };
}

/** How a plan differs from a reviewed one at an address. */
export interface PlanDifference {
  readonly address: string;
  /** `new`: it was not reviewed. `gone`: it would no longer be done. `other`: it would do something else. */
  readonly kind: "new" | "gone" | "other";
}

/**
 * Returns where a plan differs from a reviewed one, by address; nothing where only a secret or an output does. Undefined
 * where only the digest of the reviewed one is known.
 */
export function compareWithRecord(
  { changes }: PlanRecord,
  plan: Plan,
): readonly PlanDifference[] | undefined {
  if (changes === undefined) return undefined;
  const fresh = new Map(listedChanges(plan).map((change) => [String(change.address), change]));
  const addresses = [...new Set([...Object.keys(changes), ...fresh.keys()])].sort();
  return addresses.flatMap((address): PlanDifference[] => {
    const before = changes[address];
    const change = fresh.get(address);
    if (!before) return [{ address, kind: "new" }];
    if (!change) return [{ address, kind: "gone" }];
    const isSame =
      before.action === change.action &&
      contentDigest(change, plan, before.unknown).startsWith(before.digest);
    return isSame ? [] : [{ address, kind: "other" }];
  });
}

/**
 * Returns whether a plan is the rest of a reviewed one that was begun and not brought to its end: nothing in it does
 * anything else than was reviewed. `runs` are those that the state remembers, newest first.
 */
export const isRestOf = (reviewed: PlanRecord, plan: Plan, runs: readonly Begun[]): boolean =>
  isLeft(runs.find(({ digest }) => digest === reviewed.digest)) &&
  compareWithRecord(reviewed, plan)?.every(({ kind }) => kind === "gone") === true;

/**
 * Returns whether a plan is a reviewed one in which what only another apply could tell is known by now: the stack that it
 * waited for was applied. Everything else is as it was reviewed.
 */
export const isMadeKnown = (reviewed: PlanRecord, plan: Plan): boolean =>
  compareWithRecord(reviewed, plan)?.length === 0 &&
  listedChanges(plan).some(({ address, attributes }) =>
    attributes.some(
      ({ path, after }) =>
        after.kind !== "unknown" && reviewed.changes?.[address]?.unknown.includes(path) === true,
    ),
  );

/**
 * Returns what a plan does besides a reviewed one of which it does everything, as long as the manifest asks for it: changes
 * that stand before it in a queue, and are not applied yet. Empty where it is another plan, or what is live has moved.
 */
export function declaredBesides(reviewed: PlanRecord, plan: Plan): readonly Address[] {
  const differences = compareWithRecord(reviewed, plan) ?? [];
  if (differences.some(({ kind }) => kind !== "new")) return [];
  const besides = new Set(differences.map(({ address }) => address));
  const changes = listedChanges(plan).filter(({ address }) => besides.has(address));
  const hasMoved = ({ missing, drift = [], attributes }: Change): boolean =>
    missing === true || drift.length > 0 || attributes.some(({ cause }) => cause === "drift");
  return changes.some(hasMoved) ? [] : changes.map(({ address }) => address);
}

/** A run that the state remembers, as far as it tells whether a plan was brought to its end. */
interface Begun {
  readonly digest: string;
  readonly exitCode?: number | undefined;
}

const isLeft = (run: Begun | undefined): boolean => run !== undefined && run.exitCode !== 0;

const listedChanges = (plan: Digested): readonly Change[] =>
  plan.changes.filter((change) => isWritten(change, plan));

const contentDigest = (change: Change, plan: Digested, without: readonly string[]): string =>
  sha256(canonicalJson(contentOf(change, plan, without)));

function digestOf({ options, outputs }: Digested, changes: readonly (readonly [Address, Plain])[]): string {
  const shown = outputs.map(({ name, before, after }): [string, Plain] => [
    name,
    [sideOf(before), sideOf(after)],
  ]);
  // What a refresh records is written to the state alone.
  const records = options.mode === "refresh-only";
  const content = { changes: Object.fromEntries(changes), outputs: Object.fromEntries(shown), records };
  return sha256(canonicalJson(content as Plain));
}

function contentOf(change: Change, plan: Pick<Plan, "options">, without: readonly string[] = []): Plain {
  const { action, id, previousAddress, onRemove, lifecycle = [] } = change;
  const all = plan.options.mode === "refresh-only" ? (change.drift ?? []) : change.attributes;
  const fields = all.filter(({ path }) => !without.includes(path));
  const ends = action === "delete" || action === "forget";
  return {
    action: ends ? `${action} ${onRemove}` : action,
    id: id ?? null,
    from: previousAddress ?? null,
    fields: Object.fromEntries(fields.map((field) => [field.path, fieldOf(field, change)])),
    lifecycle: Object.fromEntries(lifecycle.map((field) => [field.path, fieldOf(field, change)])),
  };
}

const fieldOf = ({ path, before, after }: AttributeChange, { instance }: Change): Plain => [
  sideOf(before),
  after.kind === "unknown"
    ? { unknown: recipeOf(instance.desired?.attributes.get(path)?.value) }
    : sideOf(after),
];

const sideOf = (side: ShownValue): Plain => (side.kind === "value" ? { value: side.value } : side.kind);

/** How a value is made that only apply knows: what it refers to, and the text around that. */
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

const hasUnreadSecret = ({ attributes, instance: { resolved, fingerprints } }: Change): boolean =>
  attributes.some(({ path, after }) => {
    const value = resolved.get(path);
    return after.kind === "secret" && value !== undefined && !isPlain(value) && !(path in fingerprints);
  });

/** Fingerprints of the secrets that a change sends, by path. */
function printsOf({ address, attributes, instance }: Change, key: Uint8Array): Record<string, Plain> {
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
