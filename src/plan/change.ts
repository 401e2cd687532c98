import type { Address } from "../model/address";
import type { Catalog } from "../model/catalog";
import { append } from "../model/collections";
import { type Effect, type Money, pathsWith, ruleAt, withoutOpenFields } from "../model/resource-type";
import { sha256 } from "../model/sha256";
import { canonicalJson, type Plain } from "../model/value";
import { changesRecordOnly, changesSomething, type Decision, type Decisions, isDeletion } from "./decision";
import type { Graph } from "./graph";
import type { Guards } from "./guards";
import { isGone, liveValue, type ResourceInstance } from "./instances";
import { type Action, type Change, type Plan, type PlannedInstance, type Rest, shownValue } from "./plan";
import { attributesAfter, createdAttributes } from "./resolve-value";

export function makeChange(
  decision: Decision,
  { dependsOn, deletesAfter }: ReturnType<typeof dependenciesOf>,
  { blockedBy, removalDeclared }: Pick<Change, "blockedBy" | "removalDeclared">,
  catalog: Catalog,
): Change {
  const { instance, action, attributes, released, lifecycle, drift } = decision;
  const { reason, retains, held, withParent, onRemove } = decision;
  const { address, type, desired, recorded, live, previousAddress } = instance;
  const cost = costOf(decision, catalog);
  const isQuiet = !changesSomething(decision);
  const references = referencesOf(instance);
  // Each part is named: objects made by rest and spread take ten times the memory, and every resource has one.
  return {
    address,
    action,
    attributes,
    released,
    lifecycle,
    drift,
    reason,
    retains,
    held,
    withParent,
    onRemove,
    removalDeclared,
    type: type.type,
    id: action === "create" ? undefined : (live?.id ?? recorded?.id),
    liveName: nameOf(decision),
    previousAddress,
    construct: constructOf(decision),
    missing: isGone(instance) && !type.reacts && action !== "delete" ? true : undefined,
    restores: recorded?.retained,
    blockedBy,
    cost,
    effects: isQuiet ? [] : effectsOf(decision, cost),
    references: references.length > 0 ? references : undefined,
    dependsOn: isQuiet ? [] : (dependsOn.get(address) ?? []),
    deletesAfter: action === "replace" ? deletesAfter.get(address) : undefined,
    binding: isQuiet ? null : bindingOf(instance),
    parent: desired?.parent ?? recorded?.parent,
    range: desired?.range,
  };
}

export function makeInstance(decision: Decision): PlannedInstance {
  const { instance, action, attributes, resolved, fingerprints, isRevealed } = decision;
  const { desired, recorded, live, defaults, read } = instance;
  const ending = read.kind === "gone" ? read.ending : undefined;
  const rest = restOf(decision, action, attributes);
  return { desired, recorded, live, defaults, resolved, fingerprints, isRevealed, ending, rest };
}

/**
 * Returns the rest of a change after its first write. A replacement leaves its creation, an update that archives leaves
 * that, an update that restores leaves the other fields.
 */
function restOf(decision: Decision, action: Action, attributes: Change["attributes"]): Rest | undefined {
  if (action === "replace") {
    const created = createdAttributes(decision);
    return { action: "create", attributes: created, rest: restOf(decision, "create", created) };
  }
  const { archives } = decision.instance.type;
  const flag = attributes.find(({ path }) => path === archives?.attribute);
  if (flag?.after.kind !== "value" || action === "adopt") return undefined;
  const isLast = flag.after.value === true;
  const remaining = isLast
    ? [{ ...flag, before: shownValue(false) }]
    : attributes.filter((one) => one !== flag);
  return { action: "update", attributes: remaining };
}

/** Returns the addresses that a resource refers to besides its parent; of a removed one, those that were. */
const referencesOf = ({ desired, recorded }: ResourceInstance): readonly Address[] => {
  const { dependsOn = [], parent } = desired ?? recorded ?? {};
  return dependsOn.filter((on) => on !== parent);
};

/** A construct names its resource, and its address may be a hash: the plan says its place now and its new one. */
function constructOf({ instance: { desired, type }, resolved }: Decision): Change["construct"] {
  const path = desired?.constructPath;
  if (path === undefined) return undefined;
  if (desired?.parent !== undefined) return { path, in: desired.parent };
  const parent = type.parents.find(({ attribute }) => resolved.has(attribute));
  if (parent === undefined) return { path };
  const id = resolved.get(parent.attribute);
  return { path, in: typeof id === "string" ? `${parent.type} ${id}` : `a ${parent.type} known after apply` };
}

function nameOf({ instance, resolved }: Decision): string {
  const { address, live, recorded, type } = instance;
  const declared = type.nameAttribute && resolved.get(type.nameAttribute);
  return (
    live?.name ??
    (typeof declared === "string" ? declared : undefined) ??
    recorded?.name ??
    address.slice(address.lastIndexOf(".") + 1)
  );
}

const effectOrder: readonly Effect[] = ["destructive", "billing", "deploys", "restarts"];

/**
 * Returns the effects of the changed fields. Nothing runs yet in a new resource, so that only its bill counts. A reacting
 * resource that runs has all effects of its type.
 */
function effectsOf(decision: Decision, cost: Change["cost"]): Effect[] {
  const { instance, action, attributes } = decision;
  const { rules, reacts } = instance.type;
  const effects = new Set<Effect>();
  if (reacts && (action === "create" || (action === "update" && !changesRecordOnly(decision))))
    for (const rule of Object.values(rules)) for (const effect of rule.effects ?? []) effects.add(effect);
  for (const { path } of attributes)
    for (const effect of ruleAt(instance.type, path)?.effects ?? []) effects.add(effect);
  if (isDeletion(decision)) effects.add("destructive");
  // A type without prices may change the bill; one with prices does when the estimate says so.
  if (cost && sameMoney(cost.before ?? free, cost.after ?? free)) effects.delete("billing");
  return effectOrder.filter(
    (effect) => effects.has(effect) && (action !== "create" || reacts !== undefined || effect === "billing"),
  );
}

export const free: Money = { usd: 0, ngn: 0 };
export const sameMoney = (a: Money, b: Money): boolean => a.usd === b.usd && a.ngn === b.ngn;

function bindingOf({ live, type }: ResourceInstance): Change["binding"] {
  if (!live) return null;
  const attributes = canonicalJson(Object.fromEntries(withoutOpenFields(type, live.attributes)) as Plain);
  // Only the time of a secret tells that it was changed; other times move by themselves.
  const updatedAt = pathsWith(type, "secret").length > 0 ? (live.updatedAt ?? null) : null;
  return { id: live.id, updatedAt, digest: sha256(attributes) };
}

function costOf(decision: Decision, catalog: Catalog): Change["cost"] {
  const { instance, action } = decision;
  const { monthlyCost } = instance.type;
  if (!monthlyCost) return undefined;
  const isManaged = instance.recorded !== undefined && instance.read.kind !== "gone";
  const get = (path: string) => liveValue(instance, path) ?? instance.defaults.get(path);
  const before = isManaged ? (monthlyCost({ get }, catalog) ?? null) : null;
  if (action === "delete" || action === "forget") return { before, after: null };
  if (action === "no-op") return { before, after: before };
  return { before, after: monthlyCost(attributesAfter(decision), catalog) ?? null };
}

export function totalCost(
  costs: readonly NonNullable<Change["cost"]>[],
): Pick<Plan["cost"], "before" | "after"> {
  const sum = (side: "before" | "after"): Money => ({
    usd: costs.reduce((total, cost) => total + (cost[side]?.usd ?? 0), 0),
    ngn: costs.reduce((total, cost) => total + (cost[side]?.ngn ?? 0), 0),
  });
  return { before: sum("before"), after: sum("after") };
}

/**
 * Returns the changes that each change waits for, through resources that do not change. A deletion does not wait for a
 * deletion that protection holds back, unless that is in it: a protected resource outlives its references.
 */
export function dependenciesOf(
  order: readonly Address[],
  { waits }: Graph,
  decisions: Decisions,
  guards: Guards,
) {
  const dependsOn = new Map<Address, readonly Address[]>();
  for (const address of order) {
    const isWaitedFor = (on: Address): boolean =>
      !(guards.get(on)?.code === "guard.prevent_destroy" && decisions.get(address)?.action === "delete") ||
      decisions.get(on)?.instance.parent === address ||
      decisions.get(address)?.instance.parent === on;
    // A later resource in the order is part of a ring that cannot be kept.
    const before = (waits.get(address) ?? []).filter((on) => dependsOn.has(on) && isWaitedFor(on));
    dependsOn.set(address, nearestChanges(before, decisions, dependsOn));
  }
  return { dependsOn, deletesAfter: deletionsBefore(decisions) };
}

function nearestChanges(
  before: readonly Address[],
  decisions: Decisions,
  dependsOn: ReadonlyMap<Address, readonly Address[]>,
): readonly Address[] {
  const nearest = new Set<Address>();
  for (const on of before) {
    const decision = decisions.get(on);
    if (decision && changesSomething(decision)) nearest.add(on);
    else for (const further of dependsOn.get(on) ?? []) nearest.add(further);
  }
  return [...nearest].sort();
}

/** For each replacement, the deletions and replacements recorded as depending on it that need their own request. */
function deletionsBefore(decisions: Decisions): ReadonlyMap<Address, readonly Address[]> {
  const before = new Map<Address, Address[]>();
  for (const decision of decisions.values()) {
    const { recorded, address } = decision.instance;
    if (!recorded || !isDeletion(decision) || decision.withParent) continue;
    for (const on of new Set([...(recorded.parent ? [recorded.parent] : []), ...recorded.dependsOn]))
      if (decisions.get(on)?.action === "replace") append(before, on, address);
  }
  return before;
}
