import { type AttributeLookup, knownValue, UnknownReference } from "../apply/run";
import type { RunJournal } from "../apply/run-journal";
import type { Desired } from "../model/desired";
import { Secret } from "../model/secret";
import type { RecordedResource } from "../model/state";
import { isPlain, type Plain } from "../model/value";
import type { Change, Plan } from "../plan/plan";

/**
 * What references resolve to while a plan runs: a resource that the plan leaves alone as it is live, one that it
 * changes as its last answer showed it.
 */
export function runLookup(plan: Plan, journal: RunJournal): AttributeLookup {
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  return (address, attribute) => {
    const change = changes.get(address);
    const instance = change?.action === "no-op" ? change.instance : undefined;
    const live = instance?.live;
    const recorded = journal.recorded(address);
    const declared = instance?.resolved.get(attribute);
    return (
      live?.computed.get(attribute) ??
      (declared !== undefined && isPlain(declared) ? declared : undefined) ??
      live?.attributes.get(attribute) ??
      recorded?.computed[attribute] ??
      plainOf(recorded?.applied[attribute]) ??
      (recorded && change ? plannedOf(change, recorded, attribute) : undefined) ??
      (attribute === "id" ? (live?.id ?? recorded?.id) : undefined)
    );
  };
}

/** A field that was not sent, of what this plan has changed by now: its name, what it starts with, or as it was. */
function plannedOf(
  { action, attributes, instance: { resolved, live, defaults } }: Change,
  { initial }: RecordedResource,
  attribute: string,
): Plain | undefined {
  const declared = resolved.get(attribute);
  if (declared !== undefined && declared !== null) return isPlain(declared) ? declared : undefined;
  const isReset = attributes.some(({ path }) => path === attribute);
  const before = isReset || action === "create" || action === "replace" ? undefined : live?.attributes;
  return before?.get(attribute) ?? initial?.[attribute] ?? defaults.get(attribute);
}

const plainOf = (value: unknown): Plain | undefined =>
  value !== null && typeof value === "object" && "fingerprint" in value
    ? undefined
    : (value as Plain | undefined);

/** Outputs whose references are all known; a secret is never one. */
export function knownOutputs(desired: Desired, lookup: AttributeLookup): Record<string, Plain> {
  const known: Record<string, Plain> = {};
  for (const [name, { value }] of desired.outputs) {
    try {
      const output = knownValue(value, lookup, () => new Secret(""));
      if (!(output instanceof Secret)) known[name] = output;
    } catch (failure) {
      if (!(failure instanceof UnknownReference)) throw failure;
    }
  }
  return known;
}
