import type { Address } from "./address";
import type { LiveResource, ReadResult } from "./live";
import type { ResourceType } from "./resource-type";
import type { DeletedResource, RecordedResource, State } from "./state";

/** How long reads may lag behind our last write, milliseconds (DESIGN section 5). */
export const lagMs = 30_000;

/** How long after a write only the record proves it, milliseconds. */
export const youngMs = 2 * 60_000;

/** Returns whether it was written within the last two minutes: no older read proves anything of it (DESIGN section 5). */
export const isYoung = ({ writtenAt }: Pick<RecordedResource, "writtenAt">, now: number): boolean =>
  // A time in the future is from before the clock was set back: it counts as young.
  writtenAt !== undefined && now - Date.parse(writtenAt) < youngMs;

/** Whether one time of the service lies before another; where one is in whole seconds, both are compared as such. */
export function isOlder(time: string | null | undefined, than: string | undefined): boolean {
  if (time == null || than === undefined) return false;
  const step = hasFraction(time) && hasFraction(than) ? 1 : 1000;
  // Never true of what is no time.
  return Math.floor(Date.parse(time) / step) < Math.floor(Date.parse(than) / step);
}

const hasFraction = (time: string): boolean => /:\d\d\.\d*[1-9]/.test(time);

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

/** Returns our deletions of the last two minutes by id: a list that shows one is not up to date (DESIGN section 5). */
export function justDeleted(
  state: Pick<State, "deleted" | "resources"> | undefined,
  now: number,
): ReadonlyMap<string, DeletedResource> {
  const entries = Object.entries(state?.deleted ?? {}).filter(([, { at }]) =>
    isYoung({ writtenAt: at }, now),
  );
  if (!state || entries.length === 0) return new Map();
  const recorded = new Set(Object.values(state.resources).map(({ id }) => id));
  return new Map(entries.filter(([id]) => !recorded.has(id)));
}

/** Adds `more`, which are later, to `deleted`, and drops those that no list can show any more. */
export function withDeleted(
  deleted: State["deleted"],
  more: readonly (readonly [id: string, DeletedResource])[],
): State["deleted"] {
  const latest = more.at(-1)?.[1].at;
  if (latest === undefined) return deleted;
  const now = Date.parse(latest);
  const young = Object.entries(deleted ?? {}).filter(([, { at }]) => isYoung({ writtenAt: at }, now));
  return Object.fromEntries([...young, ...more]);
}

/** Returns the entry of a resource recorded at `address` that was deleted `at` that time, ISO 8601. */
export const deletedFrom = (
  address: Address,
  { id, type, name }: RecordedResource,
  at: string,
): readonly [id: string, DeletedResource] => [id, { type, name, address, at }];
