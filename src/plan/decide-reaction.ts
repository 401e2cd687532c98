import type { ReactionContext, Upstream } from "../model/resource-type";
import { asksForRun } from "./asks-for-run";
import type { Deciding } from "./deciding";
import type { Decision } from "./decision";
import { diffAttributes } from "./diff-attributes";
import { followedSiblings } from "./graph";
import type { AttributeChange } from "./plan";
import { createdAttributes, goesWithParent, resolveSubject } from "./resolved-subject";
import { isGone, type Subject } from "./subject";

/**
 * What becomes of a resource without a life of its own: it runs when its type says why, or when what it is declared
 * to be (a pinned commit) is not what is live. One that ran before rnv knew it is taken over silently.
 */
export function decideReaction(subject: Subject, deciding: Deciding): Decision {
  const about = resolveSubject(subject, deciding);
  const { resolved, undecided } = about;
  const { live, recorded, parent } = subject;
  const isNew = isGone(subject) || goesWithParent(subject, deciding.decisions);
  const diff = !isNew && (live || recorded) ? diffAttributes(subject, about) : undefined;
  const reaction = subject.type.reaction?.({
    declared: resolved,
    recorded,
    live: isNew ? undefined : live,
    parent: parent && attributesAfter(deciding.decisions.get(parent)),
    // One that never runs does not ask.
    get upstream() {
      return upstreamOf(subject, deciding);
    },
  });
  const differing = (): readonly AttributeChange[] =>
    diff?.changes ?? createdAttributes(about).filter(({ path }) => !isPlacing(subject, path));
  const reason = reaction === undefined ? whatDiffers(differing()) : reaction;

  if (reason !== null) {
    const isUpdate = recorded !== undefined && !isNew;
    return {
      ...undecided,
      action: isUpdate ? "update" : "create",
      attributes: isUpdate ? differing() : createdAttributes(about),
      released: diff?.released ?? [],
      drift: diff?.drift ?? [],
      reason,
    };
  }
  const action = recorded ? (isNew ? "forget" : "no-op") : live && !isNew ? "adopt" : "no-op";
  return action === "no-op" ? undecided : { ...undecided, action };
}

const whatDiffers = (changes: readonly AttributeChange[]): string | null =>
  changes.length > 0 ? `${changes.map((change) => change.path).join(", ")} differs` : null;

/** What is declared over what is live: also what nobody declared can stand in the way. */
function attributesAfter(decision: Decision | undefined): ReactionContext["parent"] {
  if (decision === undefined) return undefined;
  const { resolved, subject, action } = decision;
  const live = action === "replace" ? undefined : subject.live?.attributes;
  return { get: (path) => (resolved.has(path) ? resolved.get(path) : live?.get(path)) };
}

/** It says where a thing stands or how it is called, not what it is. */
const isPlacing = ({ type }: Subject, path: string): boolean =>
  path === type.nameAttribute || type.parents.some(({ attribute }) => attribute === path);

/** Its parent first, then what it follows by address. */
function upstreamOf(subject: Subject, { children, decisions, subjects }: Deciding): Upstream[] {
  const parent = subject.parent && subjects.get(subject.parent);
  return [...(parent ? [parent] : []), ...followedSiblings(subject, children)].map(
    ({ address, live, recorded }) => {
      const decision = decisions.get(address);
      const isNew = decision?.action === "create" || decision?.action === "replace";
      const id = isNew ? undefined : (recorded?.id ?? live?.id);
      return {
        address,
        ...(id !== undefined && { id }),
        writes: recorded?.writes ?? 0,
        changes: decision !== undefined && asksForRun(decision, decision.subject.type.rules),
      };
    },
  );
}
