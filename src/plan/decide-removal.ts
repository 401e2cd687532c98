import type { Deciding } from "./deciding";
import { type Decision, decideNothing } from "./decision";
import { goesWithParent } from "./resolved-subject";
import { isGone, isRetained, type Subject, whyAgain, whyGone } from "./subject";

/** What becomes of a recorded resource that is no longer wanted: as its `onRemove` and its type say. */
export function decideRemoval(subject: Subject, { children, decisions }: Deciding): Decision {
  const nothing = decideNothing(subject);
  const forget: Decision = { ...nothing, action: "forget" };
  // A verb such as `rnv deploy` left it: nobody declared it, and nobody misses it.
  if (isUndeclared(subject) && !goesWithParent(subject, decisions)) return nothing;
  if (isGone(subject)) return { ...forget, reason: whyGone(subject) };
  if (staysWithParent(subject, decisions)) return { ...nothing, retains: true };
  const withParent = goesWithParent(subject, decisions);
  if (subject.type.removal === "forget" && !withParent) return forget;
  if (nothing.onRemove === "retain") return { ...forget, reason: "onRemove: retain" };
  if (nothing.onRemove === "archive" && subject.type.archivable)
    return {
      ...nothing,
      action: "delete",
      retains: true,
      reason: "onRemove: archive; declared again, it is restored",
    };

  if (subject.type.removedWithParent && isKept(subject.parent && decisions.get(subject.parent)))
    return { ...forget, reason: `${subject.parent} is kept` };
  const kept = keptChild(subject, children, decisions);
  if (kept?.retains) return { ...forget, retains: true, reason: `it still holds ${kept.subject.address}` };
  if (kept) return { ...forget, reason: `it still holds ${kept.subject.address}` };
  return {
    ...nothing,
    action: "delete",
    onRemove: "delete",
    withParent,
    ...whyAgain(subject),
  };
}

/** A part that reacts to what it lies in, of which nothing was ever applied. */
const isUndeclared = ({ type, recorded }: Subject): boolean =>
  type.reaction !== undefined && recorded !== undefined && Object.keys(recorded.applied).length === 0;

/** A part of what is archived, or was: it stays in the state as long as that does. */
function staysWithParent({ parent, type }: Subject, decisions: Deciding["decisions"]): boolean {
  const around = parent === undefined ? undefined : decisions.get(parent);
  if (around === undefined || !type.removedWithParent) return false;
  return isRetained(around.subject) || isArchivedNow(around);
}

const isArchivedNow = ({ action, onRemove }: Decision): boolean =>
  action === "delete" && onRemove === "archive";

/** No longer managed, but still there: its parts stay with it. */
function isKept(decision: Decision | undefined): decision is Decision {
  if (!decision?.subject.removed || isGone(decision.subject)) return false;
  return decision.action === "forget" || isArchivedNow(decision);
}

/** Something in it that stays, so that the service would refuse to delete it; first of all what is archived. */
function keptChild(
  subject: Subject,
  children: Deciding["children"],
  decisions: Deciding["decisions"],
): Decision | undefined {
  const kept = (children.get(subject.address) ?? [])
    .filter(({ type }) => !type.removedWithParent)
    .map(({ address }) => decisions.get(address))
    .filter(isKept);
  return kept.find(({ retains }) => retains) ?? kept[0];
}
