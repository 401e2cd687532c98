import type { Address } from "./address";
import type { DeletedResource, RecordedResource, State } from "./state";
import { isYoung } from "./young";

/** What we deleted within the last two minutes, by id: no list that shows it is up to date (DESIGN section 5). */
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

/** `deleted` with `more`, which are later, without what no list can show any more by then. */
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

/** What is remembered of something recorded at `address` that was deleted `at` that time. */
export const deletedFrom = (
  address: Address,
  { id, type, name }: RecordedResource,
  at: string,
): readonly [id: string, DeletedResource] => [id, { type, name, address, at }];
