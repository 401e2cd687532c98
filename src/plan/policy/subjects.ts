import type { SourceRange } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import type { LiveResource } from "../../model/live";
import type { ResourceType } from "../../model/resource-type";
import type { Change, Plan } from "../plan";
import { Change as ChangeView, Money } from "./members";
import { ResourceValues, viewOf } from "./resource-view";

/** One thing that a policy is judged for. */
export interface PolicySubject {
  /** Undefined for the plan as a whole. */
  readonly address?: Address;
  /** Where it is declared. */
  readonly range?: SourceRange;
  /** The variables of the expression. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Input of the policies besides the plan. */
export interface PolicyScope {
  /** `preview/12`; empty where there are no stages. */
  readonly stage: string;
  readonly types: readonly ResourceType[];
}

/** Returns how to find the subjects of a scope (`plan`, `change`, a resource type), each made once for all policies. */
export function subjectsOf(plan: Plan, scope: PolicyScope): (each: string) => readonly PolicySubject[] {
  const written = plan.changes.filter(({ action }) => action !== "no-op");
  const whole = planValue(plan, scope, written);
  const parts = once(() => partsOf(plan.changes));
  const known = new Map<string, readonly PolicySubject[]>();
  const make = (each: string): readonly PolicySubject[] => {
    if (each === "plan") return [{ variables: { plan: whole } }];
    const about = (change: Change, value: object): PolicySubject => ({
      address: change.address,
      variables: { [each]: value, plan: whole },
      ...(change.instance.desired && { range: change.instance.desired.range }),
    });
    if (each === "change") return written.map((change) => about(change, new ChangeView(change, scope.stage)));
    const type = scope.types.find((one) => one.type === each);
    if (type === undefined) return [];
    const view = viewOf(type);
    const partsIn = ({ address }: Change) => parts().get(address) ?? [];
    return plan.changes
      .filter((change) => change.type === each && isThereAfter(change))
      .map((change) => {
        const around = { stage: scope.stage, parts: () => partsIn(change) };
        return about(change, view.of(new ResourceValues(change, around)));
      });
  };
  return (each) => {
    const subjects = known.get(each) ?? make(each);
    known.set(each, subjects);
    return subjects;
  };
}

/** A resource as it was read after an apply, for its postconditions. */
export function settledSubject(
  plan: Plan,
  change: Change,
  { attributes, computed }: Pick<LiveResource, "attributes" | "computed">,
  scope: PolicyScope,
): PolicySubject {
  const settled = {
    ...change,
    attributes: [],
    instance: { ...change.instance, live: undefined, resolved: attributes },
  };
  const type = scope.types.find((one) => one.type === change.type) as ResourceType;
  const parts = () => partsOf(plan.changes).get(change.address) ?? [];
  const value = viewOf(type, true).of(new ResourceValues(settled, { stage: scope.stage, parts, computed }));
  return { address: change.address, variables: { [change.type]: value, plan: planValue(plan, scope, []) } };
}

const isThereAfter = ({ action }: Change): boolean => action !== "delete" && action !== "forget";

function planValue(
  { options, summary, cost, binding, unmanaged }: Plan,
  { stage }: PolicyScope,
  written: readonly Change[],
) {
  const counts = Object.entries(summary).map(([name, count]) => [name, BigInt(count)]);
  const { before, after } = cost;
  const changes = once(() => written.map((change) => new ChangeView(change, stage)));
  return {
    ...{ mode: options.mode, stage, workspace: binding.workspaceId },
    get changes() {
      return changes();
    },
    summary: Object.fromEntries(counts),
    cost: {
      ...{ before: new Money(before), after: new Money(after) },
      increase: new Money({ usd: after.usd - before.usd, ngn: after.ngn - before.ngn }),
    },
    unmanaged: BigInt(unmanaged.length),
  };
}

/** Makes a value when it is first asked for. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The parts of each resource by its address. */
function partsOf(changes: readonly Change[]): ReadonlyMap<Address, readonly Change[]> {
  const found = new Map<Address, Change[]>();
  for (const change of changes) {
    const parent = change.instance.desired?.parent ?? change.instance.recorded?.parent;
    if (parent === undefined || !isThereAfter(change)) continue;
    const known = found.get(parent);
    if (known === undefined) found.set(parent, [change]);
    else known.push(change);
  }
  return found;
}
