import type { Catalog } from "../model/catalog";
import type { Money } from "../model/resource-type";
import type { ResolvedValue } from "../model/value";
import type { Decision } from "./decision";
import { type ResourceInstance, recordedValue } from "./subject";

export interface ChangeCost {
  readonly before: Money | null;
  readonly after: Money | null;
}

/** Estimated monthly price of a resource before and after the plan; undefined for a type without prices. */
export function costOf(decision: Decision, catalog: Catalog): ChangeCost | undefined {
  const { instance, action } = decision;
  const { monthlyCost } = instance.type;
  if (!monthlyCost) return undefined;
  const isManaged = instance.recorded !== undefined && instance.read.kind !== "gone";
  const get = (path: string): ResolvedValue | undefined => fieldBefore(instance, path);
  const before = isManaged ? (monthlyCost({ get }, catalog) ?? null) : null;
  if (action === "delete" || action === "forget") return { before, after: null };
  if (action === "no-op") return { before, after: before };
  return { before, after: monthlyCost({ get: (path) => fieldAfter(decision, path) }, catalog) ?? null };
}

/** What is live over the defaults; where nothing could be read, what is recorded. */
function fieldBefore(instance: ResourceInstance, path: string): ResolvedValue | undefined {
  const known = instance.live ? instance.live.attributes.get(path) : recordedValue(instance, path);
  return known ?? instance.defaults.get(path);
}

function fieldAfter({ instance, action, resolved, attributes }: Decision, path: string) {
  const declared = resolved.get(path);
  if (declared !== undefined) return declared;
  const isReset = attributes.some((change) => change.path === path && change.cause === "removed");
  return isReset || action === "create" ? instance.defaults.get(path) : fieldBefore(instance, path);
}

/** Sum over all resources; what has no price counts as nothing. */
export function totalCost(costs: Iterable<ChangeCost>): { readonly before: Money; readonly after: Money } {
  const before = { usd: 0, ngn: 0 };
  const after = { usd: 0, ngn: 0 };
  for (const cost of costs) {
    add(before, cost.before);
    add(after, cost.after);
  }
  return { before, after };
}

function add(sum: { usd: number; ngn: number }, money: Money | null): void {
  sum.usd += money?.usd ?? 0;
  sum.ngn += money?.ngn ?? 0;
}
