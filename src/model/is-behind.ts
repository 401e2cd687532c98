import { isOlder } from "./is-older";
import type { LiveResource, ReadResult } from "./live";
import type { ResourceType } from "./resource-type";
import type { RecordedResource } from "./state";

/** Returns whether what a read found is from before the recorded write (DESIGN section 5), by its time or `onlyGrows`. */
export const isBehind = (
  live: LiveResource,
  recorded: RecordedResource,
  type: Pick<ResourceType, "computed"> | undefined,
): boolean => {
  const counters = Object.entries(type?.computed ?? {}).filter(([, { onlyGrows }]) => onlyGrows);
  return (
    isOlder(live.updatedAt ?? live.asOf, recorded.updatedAt) ||
    counters.some(([name]) => Number(live.computed.get(name)) < Number(recorded.computed[name]))
  );
};

/** Whether a read showed nothing, nor that a deletion is going on. */
export const isMissing = (read: ReadResult | undefined): boolean =>
  read?.kind === "absent" || (read?.kind === "gone" && read.ending === undefined);
