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
  const listed = plan.changes.filter((change) => isWritten(change, plan));
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

/** Whether an expected digest is that of a plan, or of the same plan as it looks without the text of any secret. */
export const isExpected = ({ digest, openDigest }: Plan, expected: string): boolean =>
  expected === digest || expected === openDigest;

/** Digests of each change without its secrets, by address: where two plans differ. */
export const digestChanges = (plan: Digested): ReadonlyMap<Address, string> =>
  new Map(
    plan.changes
      .filter((change) => isWritten(change, plan))
      .map((change) => [change.address, sha256(canonicalJson(contentOf(change, plan)))]),
  );

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

function contentOf(change: Change, plan: Pick<Plan, "options">): Plain {
  const { action, id, previousAddress, onRemove, lifecycle = [] } = change;
  const fields = plan.options.mode === "refresh-only" ? (change.drift ?? []) : change.attributes;
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

/** What its functions make of the names of what it refers to; null where they take no such text. */
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
