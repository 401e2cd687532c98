import type { Attributes } from "../model/attributes";
import type { Catalog } from "../model/catalog";
import type { Money } from "../model/resource-type";
import type { ResolvedValue } from "../model/value";
import type { Decision } from "./decision";
import { recordedValue } from "./subject";

export interface ChangeCost {
  readonly before: Money | null;
  readonly after: Money | null;
}

/** Estimated monthly price of a resource before and after the plan; undefined for a type without prices. */
export function costOf(decision: Decision, catalog: Catalog): ChangeCost | undefined {
  const { subject, action, resolved } = decision;
  const { monthlyCost } = subject.type;
  if (!monthlyCost) return undefined;
  const price = (attributes: Attributes<ResolvedValue>): Money | null =>
    monthlyCost(attributes, catalog) ?? null;

  const isManaged = subject.recorded !== undefined && subject.read.kind !== "gone";
  const attributesBefore = isManaged ? valuesBefore(decision) : undefined;
  const before = attributesBefore ? price(attributesBefore) : null;
  if (action === "delete" || action === "forget") return { before, after: null };
  if (action === "no-op") return { before, after: before };

  const after = new Map<string, ResolvedValue>(
    action === "create" ? subject.defaults : valuesBefore(decision),
  );
  for (const { path, cause } of decision.attributes)
    if (cause === "removed") after.set(path, subject.defaults.get(path) ?? null);
  for (const [path, value] of resolved) after.set(path, value);
  return { before, after: price(after) };
}

/** What is live over the defaults; where nothing could be read, what is recorded. */
function valuesBefore({ subject }: Decision): Attributes<ResolvedValue> {
  const { defaults, live, recorded } = subject;
  // A service reports all of its fields: then there is nothing to lay over, and nothing to copy.
  if (live && hasAll(live.attributes, defaults)) return live.attributes;
  const values = new Map<string, ResolvedValue>(defaults);
  for (const [path, value] of live?.attributes ?? []) values.set(path, value);
  for (const path of live ? [] : Object.keys(recorded?.applied ?? {})) {
    const value = recordedValue(subject, path);
    if (value !== undefined) values.set(path, value);
  }
  return values;
}

function hasAll(attributes: Attributes, defaults: Attributes): boolean {
  for (const path of defaults.keys()) if (!attributes.has(path)) return false;
  return true;
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
