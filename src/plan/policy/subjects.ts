import type { SourceRange } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import type { LiveResource } from "../../model/live";
import type { Money } from "../../model/resource-type";
import { isPlain, type Plain, unflatten } from "../../model/value";
import type { Change, Plan, ShownValue } from "../plan";
import { member } from "./members";

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
}

/** Returns how to find the subjects of a scope (`plan`, `change`, a resource type), each made once for all policies. */
export function subjectsOf(plan: Plan, scope: PolicyScope): (each: string) => readonly PolicySubject[] {
  const changes = plan.changes.map((change) => ({ change, value: changeValue(change, scope) }));
  const written = changes.filter(({ change }) => change.action !== "no-op");
  const whole = planValue(
    plan,
    scope,
    written.map(({ value }) => value),
  );
  const parts = partsOf(plan.changes);
  const known = new Map<string, readonly PolicySubject[]>();
  const make = (each: string): readonly PolicySubject[] => {
    if (each === "plan") return [{ variables: { plan: whole } }];
    const about = (change: Change, value: unknown): PolicySubject => ({
      address: change.address,
      variables: { [each]: value, plan: whole },
      ...(change.instance.desired && { range: change.instance.desired.range }),
    });
    if (each === "change") return written.map(({ change, value }) => about(change, value));
    return plan.changes
      .filter((change) => change.type === each && isThereAfter(change))
      .map((change) => about(change, resourceValue(change, scope, parts.get(change.address) ?? [])));
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
  const known = [...computed].filter(([, value]) => value !== null);
  const settled = {
    ...change,
    attributes: [],
    instance: { ...change.instance, live: undefined, resolved: attributes },
  };
  const value = {
    ...Object.fromEntries(known),
    ...resourceValue(settled, scope, partsOf(plan.changes).get(change.address) ?? []),
  };
  const whole = planValue(plan, scope, []);
  return { address: change.address, variables: { [change.type]: value, plan: whole } };
}

const isThereAfter = ({ action }: Change): boolean => action !== "delete" && action !== "forget";

const nothing: Money = { usd: 0, ngn: 0 };

const moneyOf = ({ usd, ngn }: Money): object => member("Money", { usd, ngn });

function planValue(
  { options, summary, cost, binding, unmanaged }: Plan,
  scope: PolicyScope,
  changes: unknown[],
) {
  const counts = Object.entries(summary).map(([name, count]) => [name, BigInt(count)]);
  const { before, after } = cost;
  return {
    ...{ mode: options.mode, stage: scope.stage, workspace: binding.workspaceId, changes },
    summary: Object.fromEntries(counts),
    cost: {
      ...{ before: moneyOf(before), after: moneyOf(after) },
      increase: moneyOf({ usd: after.usd - before.usd, ngn: after.ngn - before.ngn }),
    },
    unmanaged: BigInt(unmanaged.length),
  };
}

function changeValue(change: Change, { stage }: PolicyScope): object {
  const { address, type, name, action, reason = "", effects, cost, attributes, instance } = change;
  return member("Change", {
    ...{ address, type, name, action, stage, reason, effects },
    declared: instance.desired !== undefined,
    removed: change.isRemovalDeclared === true,
    cost: member("Cost", {
      before: moneyOf(cost?.before ?? nothing),
      after: moneyOf(cost?.after ?? nothing),
    }),
    fields: attributes.map(({ path, before, after, cause }) =>
      member("Field", { path, cause, before: sideValue(before), after: sideValue(after) }),
    ),
  });
}

function resourceValue(change: Change, { stage }: PolicyScope, parts: readonly unknown[]) {
  const { address, action, effects, cost, instance } = change;
  const { values, unknown } = valuesAfter(change);
  return {
    ...(unflatten(new Map([...values].map(([path, value]) => [path, celValue(value)]))) as object),
    ...{ address, action, stage, effects, unknown, parts },
    parent: instance.desired?.parent ?? instance.recorded?.parent ?? "",
    declared: instance.desired !== undefined,
    cost: moneyOf(cost?.after ?? nothing),
  };
}

/** The parts of each resource by its address, as far as a plan says what they are: no value of a secret. */
function partsOf(changes: readonly Change[]): ReadonlyMap<Address, readonly unknown[]> {
  const found = new Map<Address, unknown[]>();
  for (const change of changes) {
    const parent = change.instance.desired?.parent ?? change.instance.recorded?.parent;
    if (parent === undefined || !isThereAfter(change)) continue;
    const { address, type, name, action, instance } = change;
    const sources = [...(instance.desired?.attributes.values() ?? [])].flatMap(({ source = [] }) => source);
    const part = member("Part", { address, type, name, action, source: sources[0] ?? "" });
    const known = found.get(parent);
    if (known === undefined) found.set(parent, [part]);
    else known.push(part);
  }
  return found;
}

/** Fields as they are once the plan is applied: planned over declared over live over the defaults. No secret is among them. */
export function valuesAfter({ instance, attributes }: Change): {
  readonly values: ReadonlyMap<string, Plain>;
  readonly unknown: readonly string[];
} {
  const { defaults, live, resolved, fingerprints } = instance;
  const values = new Map<string, Plain>();
  const unknown: string[] = [];
  const take = (path: string, value: Plain): void => {
    if (value !== null && !(path in fingerprints)) values.set(path, value);
  };
  for (const [path, value] of defaults) take(path, value);
  for (const [path, value] of live?.attributes ?? []) take(path, value);
  for (const [path, value] of resolved) if (isPlain(value)) take(path, value);
  for (const { path, after } of attributes) {
    if (after.kind === "value") take(path, after.value);
    else values.delete(path);
    if (after.kind === "unknown") unknown.push(path);
  }
  return { values, unknown };
}

const sideValue = (side: ShownValue): unknown =>
  side.kind === "value" ? celValue(side.value) : side.kind === "absent" ? null : `(${side.kind})`;

/** Whole numbers are whole in CEL, too. */
function celValue(value: Plain): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(celValue);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, celValue(member as Plain)]));
}
