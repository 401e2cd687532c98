import { type Decision, decideNothing } from "./decision";
import { diffRecorded } from "./diff-attributes";
import { isGone, type ResourceInstance, whyGone } from "./subject";

/** Nothing is sent: what is gone is forgotten, what changed outside is shown. What is declared plays no part. */
export function decideRefresh(instance: ResourceInstance): Decision {
  const nothing = decideNothing(instance);
  if (isGone(instance)) return { ...nothing, action: "forget", reason: whyGone(instance) };
  return instance.live && instance.recorded ? { ...nothing, drift: diffRecorded(instance) } : nothing;
}
