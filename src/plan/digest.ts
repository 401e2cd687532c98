import { Secret } from "../model/secret";
import { sha256 } from "../model/sha256";
import {
  Computed,
  canonicalJson,
  type DesiredValue,
  type Plain,
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

/**
 * The parts of a plan that its digest is over (DESIGN section 15): addresses, actions, ids of resources, and values before
 * and after. Serials, times, causes, costs, positions in files, ids of deployments and orders do not change it. Secrets
 * have keyed fingerprints beside it.
 */
export type Digested = Pick<Plan, "options" | "changes" | "instances" | "outputs">;

export interface DigestEntry {
  readonly address: string;
  readonly action: string;
  readonly unknown: readonly string[];
  /** Leaves out the fields at these paths; the id is part of it by default. */
  readonly contentWithout: (paths: readonly string[], options?: { readonly hasId: boolean }) => Plain;
  readonly change?: Change;
  readonly instance?: PlannedInstance;
}

export const digestPlan = (plan: Digested): string => digestOf(entriesOf(plan));

export const digestOf = (entries: readonly DigestEntry[]): string =>
  hash(Object.fromEntries(entries.map(({ address, contentWithout }) => [address, contentWithout([])])));

export const hash = (content: Plain): string => sha256(canonicalJson(content));

export const shortHash = (content: Plain): string => hash(content).slice(0, 16);

export const shortDigest = 12;

export function entriesOf(plan: Digested): readonly DigestEntry[] {
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

export function entryOf(
  change: Change,
  instance: PlannedInstance,
  { options, changes }: Digested,
): DigestEntry {
  const { address, action, id, onRemove, lifecycle = [], reason, withParent } = change;
  const isRecorded = options.mode === "refresh-only";
  const fields = isRecorded ? (change.drift ?? []) : change.attributes;
  const ends = action === "delete" || action === "forget";
  // A deployment is the same after a failed deployment, or after that of another review: ids and earlier runs are not compared.
  const isRun = reason !== undefined && !ends && action !== "replace";
  const parentId = isRun ? changes.find((one) => one.address === change.parent)?.id : undefined;
  const isParent = ({ after }: AttributeChange): boolean =>
    after.kind === "unknown" || (after.kind === "value" && after.value === parentId);
  const contentWithout: DigestEntry["contentWithout"] = (paths, { hasId } = { hasId: true }) => {
    const content = {
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
    };
    return isRecorded ? { ...content, records: true } : content;
  };
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

/** Returns the digest of the text around a value that only apply knows. */
export const textDigest = ({ instance }: DigestEntry, path: string): string =>
  shortHash(recipeOf(instance?.desired?.attributes.get(path)?.value));

/** Returns the result of a value's functions for the names that it refers to; null where they take no such text. */
function probe({ references, compute }: Computed): Plain {
  try {
    const made = compute(references.map(({ address, attribute }) => `${address}.${attribute}`));
    return made instanceof Secret ? null : made;
  } catch {
    return null;
  }
}
