import type { Deciding } from "./decide-all";
import { resolveSubject } from "./decide-declared";
import { type Decision, decideNothing } from "./decision";
import { diffRecorded } from "./diff-attributes";
import { isGone, type Subject } from "./subject";

/** Nothing is sent: what is gone is forgotten, what changed outside is recorded. */
export function decideRefresh(subject: Subject, deciding: Deciding): Decision {
  const { undecided } = subject.removed
    ? { undecided: decideNothing(subject) }
    : resolveSubject(subject, deciding);
  if (isGone(subject)) return { ...undecided, action: "forget", reason: "it was deleted outside of rnv" };
  return subject.live && subject.recorded ? { ...undecided, drift: diffRecorded(subject) } : undecided;
}
