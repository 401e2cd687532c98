import type { Catalog } from "../model/catalog";
import { sha256 } from "../model/digest";
import type { Effect } from "../model/resource-type";
import { ruleAt, withoutOpenFields } from "../model/resource-type";
import { canonicalJson, type Plain } from "../model/value";
import { costOf } from "./cost";
import { changesSomething, type Decision } from "./decision";
import type { Dependencies } from "./dependencies";
import { changesRecordOnly } from "./diff-lifecycle";
import { isDeletion } from "./guards";
import type { Binding, Change, Guard } from "./plan";
import { isGone, type ResourceInstance } from "./subject";

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * One decision with all that a plan says about it. What it has no value for is left out, by assignments: thousands of
 * changes are made here, and spreading an object for each optional field takes as long as context them.
 */
export function makeChange(
  decision: Decision,
  { dependsOn, deletesAfter }: Dependencies,
  guard: Guard | undefined,
  catalog: Catalog,
): Change {
  const { instance, action, resolved, fingerprints, reason } = decision;
  const { address, type, desired, recorded, live, read, previousAddress } = instance;
  const id = action === "create" ? undefined : (live?.id ?? recorded?.id);
  const cost = costOf(decision, catalog);
  const deletions = action === "replace" ? deletesAfter.get(address) : undefined;
  const isQuiet = !changesSomething(decision);
  const about: Writable<Change["instance"]> = { resolved, defaults: instance.defaults, fingerprints };
  if (desired) about.desired = desired;
  if (decision.isRevealed) about.isRevealed = true;
  if (recorded) about.recorded = recorded;
  if (live) about.live = live;
  if (read.kind === "gone" && read.ending) about.ending = read.ending;
  if (decision.trigger) about.trigger = decision.trigger;
  const change: Writable<Change> = {
    address,
    type: type.type,
    action,
    name: nameOf(decision),
    attributes: decision.attributes,
    released: decision.released,
    drift: decision.drift,
    effects: isQuiet ? [] : effectsOf(decision, cost),
    dependsOn: isQuiet ? [] : (dependsOn.get(address) ?? []),
    withParent: decision.withParent,
    onRemove: decision.onRemove,
    binding: isQuiet ? null : bindingOf(instance),
    instance: about,
  };
  if (decision.lifecycle) change.lifecycle = decision.lifecycle;
  if (id !== undefined) change.id = id;
  if (previousAddress) change.previousAddress = previousAddress;
  if (isGone(instance) && !type.reacts) change.missing = true;
  if (reason !== undefined) change.reason = reason;
  if (deletions) change.deletesAfter = deletions;
  if (decision.retains) change.retains = true;
  if (recorded?.retained) change.restores = true;
  if (decision.held !== undefined) change.held = decision.held;
  if (guard) change.guard = guard;
  if (cost) change.cost = cost;
  return change;
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
 * What the changed fields do beyond themselves. Nothing runs yet in what is created, so only its bill counts; a
 * reacting resource that runs does all that its type can do.
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
  if (!changesTheBill(cost)) effects.delete("billing");
  return effectOrder.filter(
    (effect) => effects.has(effect) && (action !== "create" || reacts !== undefined || effect === "billing"),
  );
}

/** A type without prices may change the bill; one with prices does when the estimate says so. */
const changesTheBill = (cost: Change["cost"]): boolean =>
  !cost ||
  (cost.before?.usd ?? 0) !== (cost.after?.usd ?? 0) ||
  (cost.before?.ngn ?? 0) !== (cost.after?.ngn ?? 0);

function bindingOf({ live, type }: ResourceInstance): Binding | null {
  if (!live) return null;
  const attributes = canonicalJson(Object.fromEntries(withoutOpenFields(type, live.attributes)) as Plain);
  return {
    id: live.id,
    updatedAt: live.updatedAt ?? null,
    digest: sha256(attributes),
  };
}
