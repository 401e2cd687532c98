import type { SourceRange } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import type { LiveResource } from "../../model/live";
import { append } from "../../model/multimap";
import type { ResourceType } from "../../model/resource-type";
import { type Change, instanceOf, type Plan } from "../plan";
import { changeView, type Planned, planView, viewOf } from "./views";

export interface PolicySubject {
  /** Undefined for the plan as a whole. */
  readonly address?: Address;
  readonly range?: SourceRange;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface PolicyScope {
  /** `preview/12`; empty where there are no stages. */
  readonly stage: string;
  readonly types: readonly ResourceType[];
}

/** Returns how to find the subjects of a scope (`plan`, `change`, a resource type), each made once for all policies. */
export function subjectsOf(plan: Plan, scope: PolicyScope): (each: string) => readonly PolicySubject[] {
  const { stage, types } = scope;
  const all = plannedIn(plan, stage);
  const written = all.filter(({ change }) => change.action !== "no-op");
  const whole = planView.of({ plan, stage, changes: written.map(changeView.of) });
  const parts = partsOf(all);
  const known = new Map<string, readonly PolicySubject[]>();
  const make = (each: string): readonly PolicySubject[] => {
    if (each === "plan") return [{ variables: { plan: whole } }];
    const about = ({ change: { address, range } }: Planned, value: object): PolicySubject => ({
      ...{ address, range, variables: { [each]: value, plan: whole } },
    });
    if (each === "change") return written.map((one) => about(one, changeView.of(one)));
    const type = types.find((one) => one.type === each);
    if (type === undefined) return [];
    const view = viewOf(type);
    return all
      .filter(({ change }) => change.type === each && isThereAfter(change))
      .map((one) => about(one, view.of({ ...one, parts: parts.get(one.change.address) ?? [] })));
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
  const settled = { ...change, attributes: [] };
  const instance = { ...instanceOf(plan, change), live: undefined, resolved: new Map(attributes) };
  const type = types.find((one) => one.type === change.type) as ResourceType;
  const parts = partsOf(plannedIn(plan, stage)).get(change.address) ?? [];
  const value = viewOf(type, true).of({ change: settled, instance, stage, parts, computed });
  const whole = planView.of({ plan, stage, changes: [] });
  return { address: change.address, variables: { [change.type]: value, plan: whole } };
}

const plannedIn = (plan: Plan, stage: string): readonly Planned[] =>
  plan.changes.map((change) => ({ change, instance: instanceOf(plan, change), stage }));

const isThereAfter = ({ action }: Change): boolean => action !== "delete" && action !== "forget";

function partsOf(all: readonly Planned[]): ReadonlyMap<Address, readonly Planned[]> {
  const found = new Map<Address, Planned[]>();
  for (const one of all)
    if (one.change.parent !== undefined && isThereAfter(one.change)) append(found, one.change.parent, one);
  return found;
}
