import type { Address } from "../model/address";
import type { Deciding } from "./deciding";
import { type Decision, decideNothing } from "./decision";
import { goesWithParent } from "./resolved-subject";
import { isGone, type Subject, whyAgain, whyGone } from "./subject";

/** What becomes of a recorded resource that is no longer wanted: as its `onRemove` and its type say. */
export function decideRemoval(subject: Subject, { children, decisions }: Deciding): Decision {
  const nothing = decideNothing(subject);
  const forget: Decision = { ...nothing, action: "forget" };
  // A verb such as `rnv deploy` left it: nobody declared it, and nobody misses it.
  if (isUndeclared(subject) && !goesWithParent(subject, decisions)) return nothing;
  if (isGone(subject)) return { ...forget, reason: whyGone(subject) };
  const withParent = goesWithParent(subject, decisions);
  if (subject.type.removal === "forget" && !withParent) return forget;
  if (nothing.onRemove === "retain") return { ...forget, reason: "onRemove: retain" };
  if (nothing.onRemove === "archive" && subject.type.archivable)
    return { ...nothing, action: "delete", reason: "onRemove: archive" };

  if (subject.type.removedWithParent && isKept(subject.parent, decisions))
    return { ...forget, reason: `${subject.parent} is kept` };
  const kept = keptChild(subject, children, decisions);
  if (kept) return { ...forget, reason: `it still holds ${kept}` };
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

/** No longer managed, but still there: its parts stay with it. */
function isKept(address: Address | undefined, decisions: ReadonlyMap<Address, Decision>): boolean {
  const decision = address && decisions.get(address);
  if (!decision?.subject.removed || isGone(decision.subject)) return false;
  return decision.action === "forget" || decision.onRemove === "archive";
}

/** Something in it that stays, so that the service would refuse to delete it. */
const keptChild = (
  subject: Subject,
  children: Deciding["children"],
  decisions: Deciding["decisions"],
): Address | undefined =>
  children
    .get(subject.address)
    ?.find((child) => !child.type.removedWithParent && isKept(child.address, decisions))?.address;
