import { isOlder } from "./is-older";
import type { LiveResource, ReadResult } from "./live";
import type { ResourceType } from "./resource-type";
import type { RecordedResource } from "./state";

/** Whether what a read found is from before what is recorded as our last write (DESIGN section 5). */
export const isBehind = (
  live: LiveResource,
  recorded: RecordedResource,
  type: Pick<ResourceType, "isBehind"> | undefined,
): boolean =>
  isOlder(live.updatedAt ?? live.asOf, recorded.updatedAt) || type?.isBehind?.(live, recorded) === true;

/** Whether a read showed nothing, nor that a deletion is going on. */
export const isMissing = (read: ReadResult | undefined): boolean =>
  read?.kind === "absent" || (read?.kind === "gone" && read.ending === undefined);
