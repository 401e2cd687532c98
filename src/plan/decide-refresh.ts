import { type Decision, decideNothing } from "./decision";
import { diffRecorded } from "./diff-attributes";
import { isGone, type Subject, whyGone } from "./subject";

/** Nothing is sent: what is gone is forgotten, what changed outside is shown. What is declared plays no part. */
export function decideRefresh(subject: Subject): Decision {
  const nothing = decideNothing(subject);
  if (isGone(subject)) return { ...nothing, action: "forget", reason: whyGone(subject) };
  return subject.live && subject.recorded ? { ...nothing, drift: diffRecorded(subject) } : nothing;
}
