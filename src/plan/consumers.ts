import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { type Consumer, consumerList } from "../model/consumer";
import { type Decision, isDeletion } from "./decision";
import { ownerKey } from "./instances";
import type { PlanInput } from "./plan";

/**
 * Returns a function that finds the consumers of a resource that this plan leaves as they are. One that is deleted too does
 * not count, nor does one of which the plan changes every variable that the reference names.
 */
export function findStayingConsumers(
  { consumers }: Pick<PlanInput, "consumers">,
  decisions: ReadonlyMap<Address, Decision>,
): (decision: Decision) => readonly Consumer[] {
  if (consumers === undefined || consumers.byProvider.size === 0) return () => [];
  const byId = new Map<string, Decision>();
  const changedParts = new Set<string>();
  for (const decision of decisions.values()) {
    const { type, parent, live } = decision.instance;
    if (live === undefined) continue;
    if (!type.removedWithParent) byId.set(live.id, decision);
    else if (isChanged(decision)) changedParts.add(ownerKey(parent ?? "", live.name));
  }
  const isLeaving = ({ id, keys }: Consumer): boolean => {
    const decision = byId.get(id);
    if (decision === undefined) return false;
    if (isDeletion(decision)) return true;
    const { address } = decision.instance;
    return keys.length > 0 && keys.every((key) => changedParts.has(ownerKey(address, key)));
  };
  return ({ instance }) =>
    (consumers.byProvider.get(instance.live?.id ?? "") ?? []).filter((one) => !isLeaving(one));
}

const isChanged = ({ action }: Decision): boolean => action !== "no-op" && action !== "adopt";

/**
 * Warns of what consumers may notice although nothing is deleted that they refer to: a service that is archived or renamed,
 * and a variable that is deleted or renamed whose name a reference shows.
 */
export function warnOfConsumers(
  input: Pick<PlanInput, "consumers">,
  decisions: ReadonlyMap<Address, Decision>,
): readonly Diagnostic[] {
  const consumersOf = findStayingConsumers(input, decisions);
  const found: Diagnostic[] = [];
  let isAnyTouched = false;
  for (const decision of decisions.values()) {
    const { address, type, parent, desired } = decision.instance;
    const fate = fateOf(decision);
    if (type.archives && (fate !== undefined || isDeletion(decision))) isAnyTouched = true;
    if (fate === undefined || decision.withParent) continue;
    const provider = type.removedWithParent ? parent && decisions.get(parent) : decision;
    const users = provider ? consumersOf(provider).filter(({ keys }) => isConcerned(decision, keys)) : [];
    if (users.length === 0) continue;
    const summary = `${address} will be ${fate} and is used by ${consumerList(users)}`;
    found.push(warning("guard.consumers", summary, { address, range: desired?.range, hint: checkHint }));
  }
  if (isAnyTouched && input.consumers?.isComplete === false)
    found.push(
      warning("guard.consumers", "consumers in other projects were not checked", {
        detail: "The workspace is read project by project, which shows no references between projects.",
      }),
    );
  return found;
}

const checkHint = "Make sure that these services do not need it.";

const isConcerned = ({ instance }: Decision, keys: readonly string[]): boolean =>
  !instance.type.removedWithParent || keys.includes(instance.live?.name ?? "");

/** Returns what becomes of a resource that a consumer may notice; undefined for everything else. */
function fateOf({ action, onRemove, attributes, instance: { type } }: Decision): string | undefined {
  const { archives, nameAttribute, removedWithParent } = type;
  if (action === "delete" && onRemove === "archive") return "archived";
  if (removedWithParent && (action === "delete" || action === "replace")) return "destroyed";
  if (action !== "update") return undefined;
  const changed = attributes.find(({ path, after }) =>
    path === archives?.attribute ? after.kind === "value" && after.value === true : path === nameAttribute,
  );
  if (changed === undefined) return undefined;
  return changed.path === nameAttribute ? "renamed" : "archived";
}
