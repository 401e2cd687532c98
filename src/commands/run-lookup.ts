import { knownValue, type Lookup, UnknownReference } from "../apply/known-values";
import type { RunJournal } from "../apply/run-journal";
import type { Desired } from "../model/desired";
import { Secret } from "../model/secret";
import { isPlain, type Plain } from "../model/value";
import type { Plan } from "../plan/plan";

/**
 * What references resolve to while a plan runs: a resource that the plan leaves alone as it is live, one that it
 * changes as its last answer showed it.
 */
export function runLookup(plan: Plan, journal: RunJournal): Lookup {
  const untouched = new Map(
    plan.changes.filter(({ action }) => action === "no-op").map((change) => [change.address, change.subject]),
  );
  return (address, attribute) => {
    const subject = untouched.get(address);
    const live = subject?.live;
    const recorded = journal.recorded(address);
    const declared = subject?.resolved.get(attribute);
    return (
      live?.computed.get(attribute) ??
      (declared !== undefined && isPlain(declared) ? declared : undefined) ??
      live?.attributes.get(attribute) ??
      recorded?.computed[attribute] ??
      plainOf(recorded?.applied[attribute]) ??
      (attribute === "id" ? (live?.id ?? recorded?.id) : undefined)
    );
  };
}

const plainOf = (value: unknown): Plain | undefined =>
  value !== null && typeof value === "object" && "fingerprint" in value
    ? undefined
    : (value as Plain | undefined);

/** Outputs whose references are all known; a secret is never one. */
export function knownOutputs(desired: Desired, lookup: Lookup): Record<string, Plain> {
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
