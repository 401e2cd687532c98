import type { SourceRange } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import { append } from "../../model/graph";
import type { LiveResource } from "../../model/live";
import type { ResourceType } from "../../model/resource-type";
import { type Change, type Plan, parentOf } from "../plan";
import { changeView, planView, viewOf } from "./views";

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
  const { stage, types } = scope;
  const written = plan.changes.filter(({ action }) => action !== "no-op");
  const whole = planView.of({
    plan,
    stage,
    changes: written.map((change) => changeView.of({ change, stage })),
  });
  const parts = partsOf(plan.changes);
  const known = new Map<string, readonly PolicySubject[]>();
  const make = (each: string): readonly PolicySubject[] => {
    if (each === "plan") return [{ variables: { plan: whole } }];
    const about = (change: Change, value: object): PolicySubject => ({
      address: change.address,
      variables: { [each]: value, plan: whole },
      range: change.instance.desired?.range ?? change.instance.told?.range,
    });
    if (each === "change") return written.map((change) => about(change, changeView.of({ change, stage })));
    const type = types.find((one) => one.type === each);
    if (type === undefined) return [];
    const view = viewOf(type);
    return plan.changes
      .filter((change) => change.type === each && isThereAfter(change))
      .map((change) => about(change, view.of({ change, stage, parts: parts.get(change.address) ?? [] })));
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
  { stage, types }: PolicyScope,
): PolicySubject {
  const settled = {
    ...change,
    attributes: [],
    instance: { ...change.instance, live: undefined, resolved: new Map(attributes) },
  };
  const type = types.find((one) => one.type === change.type) as ResourceType;
  const parts = partsOf(plan.changes).get(change.address) ?? [];
  const value = viewOf(type, true).of({ change: settled, stage, parts, computed });
  const whole = planView.of({ plan, stage, changes: [] });
  return { address: change.address, variables: { [change.type]: value, plan: whole } };
}

const isThereAfter = ({ action }: Change): boolean => action !== "delete" && action !== "forget";

/** The parts of each resource by its address. */
function partsOf(changes: readonly Change[]): ReadonlyMap<Address, readonly Change[]> {
  const found = new Map<Address, Change[]>();
  for (const change of changes) {
    const parent = parentOf(change);
    if (parent === undefined || !isThereAfter(change)) continue;
    append(found, parent, change);
  }
  return found;
}
