import type { Address } from "../model/address";
import { decideDeclared } from "./decide-declared";
import { decideReaction } from "./decide-reaction";
import { decideRefresh } from "./decide-refresh";
import { decideRemoval } from "./decide-removal";
import { type Decision, decideNothing } from "./decision";
import { childrenByParent } from "./graph";
import type { PlanInput } from "./plan";
import { type Lookup, lookupIn } from "./resolve";
import type { Subject, Subjects } from "./subject";

/** What every decision may look at. */
export interface Deciding {
  readonly input: PlanInput;
  readonly subjects: Subjects;
  readonly children: ReadonlyMap<Address, readonly Subject[]>;
  /** Everything decided so far: all that the subject at hand waits for. */
  readonly decisions: ReadonlyMap<Address, Decision>;
  readonly lookup: Lookup;
  /** Live ids that an address of this plan owns, by `type id`. */
  readonly owners: Map<string, Address>;
}

/** Decides every subject once, each after what it waits for. What is out of scope stays as it is. */
export function decideAll(
  input: PlanInput,
  subjects: Subjects,
  order: readonly Address[],
  scope: ReadonlySet<Address>,
): ReadonlyMap<Address, Decision> {
  const decisions = new Map<Address, Decision>();
  const deciding: Deciding = {
    input,
    subjects,
    children: childrenByParent(subjects),
    decisions,
    lookup: lookupIn(decisions),
    owners: recordedOwners(subjects),
  };
  for (const address of order) {
    const subject = subjects.get(address);
    if (!subject) continue;
    decisions.set(address, scope.has(address) ? decide(subject, deciding) : decideNothing(subject));
  }
  return decisions;
}

function decide(subject: Subject, deciding: Deciding): Decision {
  if (deciding.input.options.mode === "refresh-only") return decideRefresh(subject);
  if (subject.removed) return decideRemoval(subject, deciding);
  return subject.type.reaction ? decideReaction(subject, deciding) : decideDeclared(subject, deciding);
}

export const ownerKey = (type: string, id: string): string => `${type} ${id}`;

function recordedOwners(subjects: Subjects): Map<string, Address> {
  const owners = new Map<string, Address>();
  for (const { address, recorded, type } of subjects.values())
    if (recorded) owners.set(ownerKey(type.type, recorded.id), address);
  return owners;
}
