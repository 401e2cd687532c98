import type { DecisionContext } from "./deciding";
import { type Decision, decideNothing } from "./decision";
import { goesWithParent } from "./resolved-subject";
import { isGone, isRetained, type ResourceInstance, whyAgain, whyGone } from "./subject";

/** What becomes of a recorded resource that is no longer wanted: as its `onRemove` and its type say. */
export function decideRemoval(
  instance: ResourceInstance,
  { children, decisions }: DecisionContext,
): Decision {
  const nothing = decideNothing(instance);
  const forget: Decision = { ...nothing, action: "forget" };
  // A verb such as `rnv deploy` left it: nobody declared it, and nobody misses it.
  if (isUndeclared(instance) && !goesWithParent(instance, decisions)) return nothing;
  if (isGone(instance)) return { ...forget, reason: whyGone(instance) };
  if (staysWithParent(instance, decisions)) return { ...nothing, retains: true };
  const withParent = goesWithParent(instance, decisions);
  if (instance.type.removal === "forget" && !withParent) return forget;
  if (nothing.onRemove === "retain") return { ...forget, reason: "onRemove: retain" };
  if (nothing.onRemove === "archive" && instance.type.archives)
    return {
      ...nothing,
      action: "delete",
      retains: true,
      reason: "onRemove: archive; declared again, it is restored",
    };

  if (instance.type.removedWithParent && isKept(instance.parent && decisions.get(instance.parent)))
    return { ...forget, reason: `${instance.parent} is kept` };
  const kept = keptChild(instance, children, decisions);
  if (kept?.retains) return { ...forget, retains: true, reason: `it still holds ${kept.instance.address}` };
  if (kept) return { ...forget, reason: `it still holds ${kept.instance.address}` };
  return {
    ...nothing,
    action: "delete",
    onRemove: "delete",
    withParent,
    ...whyAgain(instance),
  };
}

/** A part that reacts to what it lies in, of which nothing was ever applied. */
const isUndeclared = ({ type, recorded }: ResourceInstance): boolean =>
  type.reacts !== undefined && recorded !== undefined && Object.keys(recorded.applied).length === 0;

/** A part of what is archived, or was: it stays in the state as long as that does. */
function staysWithParent(
  { parent, type }: ResourceInstance,
  decisions: DecisionContext["decisions"],
): boolean {
  const around = parent === undefined ? undefined : decisions.get(parent);
  if (around === undefined || !type.removedWithParent) return false;
  return isRetained(around.instance) || isArchivedNow(around);
}

const isArchivedNow = ({ action, onRemove }: Decision): boolean =>
  action === "delete" && onRemove === "archive";

/** No longer managed, but still there: its parts stay with it. */
function isKept(decision: Decision | undefined): decision is Decision {
  if (!decision?.instance.removed || isGone(decision.instance)) return false;
  return decision.action === "forget" || isArchivedNow(decision);
}

/** Something in it that stays, so that the service would refuse to delete it; first of all what is archived. */
function keptChild(
  instance: ResourceInstance,
  children: DecisionContext["children"],
  decisions: DecisionContext["decisions"],
): Decision | undefined {
  const kept = (children.get(instance.address) ?? [])
    .filter(({ type }) => !type.removedWithParent)
    .map(({ address }) => decisions.get(address))
    .filter(isKept);
  return kept.find(({ retains }) => retains) ?? kept[0];
}
