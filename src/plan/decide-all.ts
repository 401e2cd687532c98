import type { Address } from "../model/address";
import { decideDeclared } from "./decide-declared";
import { decideReaction } from "./decide-reaction";
import { decideRefresh } from "./decide-refresh";
import { decideRemoval } from "./decide-removal";
import type { Deciding } from "./deciding";
import { type Decision, decideNothing, withLifecycle } from "./decision";
import { childrenByParent } from "./graph";
import { recordedOwners } from "./owners";
import type { PlanInput } from "./plan";
import { lookupIn } from "./resolve";
import { isGone, isRetained, type Subject, type Subjects } from "./subject";

/** Decides every subject once, each after what it waits for. What is out of scope stays as it is. */
export function decideAll(
  input: PlanInput,
  subjects: Subjects,
  order: readonly Address[],
  scope: ReadonlySet<Address>,
): ReadonlyMap<Address, Decision> {
  const decisions = new Map<Address, Decision>();
  let owners: Deciding["owners"] | undefined;
  const deciding: Deciding = {
    input,
    subjects,
    children: childrenByParent(subjects),
    decisions,
    lookup: lookupIn(decisions),
    // Few plans ask.
    get owners() {
      owners ??= recordedOwners(subjects);
      return owners;
    },
  };
  for (const address of order) {
    const subject = subjects.get(address);
    if (!subject) continue;
    decisions.set(address, scope.has(address) ? decide(subject, deciding) : decideNothing(subject));
  }
  return decisions;
}

function decide(subject: Subject, deciding: Deciding): Decision {
  if (isRetained(subject)) return decideRetained(subject, deciding);
  if (deciding.input.options.mode === "refresh-only") return decideRefresh(subject);
  if (subject.removed) return decideRemoval(subject, deciding);
  const decision = subject.type.reaction
    ? decideReaction(subject, deciding)
    : decideDeclared(subject, deciding);
  // What stands against it is resolved first.
  return decision.diagnostics.some(({ severity }) => severity === "error")
    ? decision
    : withLifecycle(decision);
}

/** It stays as it is, unless somebody deleted it: then it is forgotten, with what was in it. */
function decideRetained(subject: Subject, { decisions }: Deciding): Decision {
  const nothing = decideNothing(subject);
  const around = subject.parent === undefined ? undefined : decisions.get(subject.parent);
  const wentWith = around !== undefined && isRetained(around.subject) && around.action === "forget";
  return isGone(subject) || wentWith
    ? { ...nothing, action: "forget", reason: "it was archived here, and deleted outside of rnv" }
    : nothing;
}
