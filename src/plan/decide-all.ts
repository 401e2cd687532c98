import type { Address } from "../model/address";
import { decideDeclared } from "./decide-declared";
import { decideReaction } from "./decide-reaction";
import { decideRefresh } from "./decide-refresh";
import { decideRemoval } from "./decide-removal";
import type { DecisionContext } from "./deciding";
import { type Decision, decideNothing, withLifecycle } from "./decision";
import { childrenByParent } from "./graph";
import { recordedOwners } from "./owners";
import type { PlanInput } from "./plan";
import { lookupIn } from "./resolve";
import { isGone, isRetained, type ResourceInstance, type ResourceInstances } from "./subject";

/** Decides every instance once, each after what it waits for. What is out of scope stays as it is. */
export function decideAll(
  input: PlanInput,
  instances: ResourceInstances,
  order: readonly Address[],
  scope: ReadonlySet<Address>,
): ReadonlyMap<Address, Decision> {
  const decisions = new Map<Address, Decision>();
  let owners: DecisionContext["owners"] | undefined;
  const context: DecisionContext = {
    input,
    instances,
    children: childrenByParent(instances),
    decisions,
    lookup: lookupIn(decisions),
    // Few plans ask.
    get owners() {
      owners ??= recordedOwners(instances);
      return owners;
    },
  };
  for (const address of order) {
    const instance = instances.get(address);
    if (!instance) continue;
    decisions.set(address, scope.has(address) ? decide(instance, context) : decideNothing(instance));
  }
  return decisions;
}

function decide(instance: ResourceInstance, context: DecisionContext): Decision {
  if (isRetained(instance)) return decideRetained(instance, context);
  if (context.input.options.mode === "refresh-only") return decideRefresh(instance);
  if (instance.removed) return decideRemoval(instance, context);
  const decision = instance.type.reacts
    ? decideReaction(instance, context)
    : decideDeclared(instance, context);
  // What stands against it is resolved first.
  return decision.diagnostics.some(({ severity }) => severity === "error")
    ? decision
    : withLifecycle(decision);
}

/** It stays as it is, unless somebody deleted it: then it is forgotten, with what was in it. */
function decideRetained(instance: ResourceInstance, { decisions }: DecisionContext): Decision {
  const nothing = decideNothing(instance);
  const around = instance.parent === undefined ? undefined : decisions.get(instance.parent);
  const wentWith = around !== undefined && isRetained(around.instance) && around.action === "forget";
  return isGone(instance) || wentWith
    ? { ...nothing, action: "forget", reason: "it was archived here, and deleted outside of rnv" }
    : nothing;
}
