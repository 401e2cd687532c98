import type { Reads, Resource } from "../api/reads";
import { lookAgain, staleReads } from "../apply/look";
import { DiagnosticsError } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Desired } from "../model/desired";
import { isBehind, isMissing, isYoung, justDeleted } from "../model/freshness";
import type { RecordedResource, State } from "../model/state";
import { shortList } from "../model/text";
import type { Context } from "./context";
import { type Refreshed, refresh } from "./refresh";

const mostNamed = 5;

/**
 * `refresh`, and again while it shows less than what is recorded as written a moment ago. Throws `DiagnosticsError`
 * where the service's reads stay behind.
 */
export async function refreshPatiently(
  reads: Reads,
  types: readonly Resource[],
  desired: Desired,
  state: State | undefined,
  context: Waiting,
  destroys = false,
): Promise<Refreshed> {
  const now = context.clock.now();
  const look = () => refresh(reads, types, desired, state, now, destroys);
  if (!state) return look();
  const deleted = justDeleted(state, now);
  const behindIn = (seen: Refreshed) => [
    ...seenBehind(seen, types, state, now),
    ...stillShown(seen, deleted),
  ];
  const refreshed = await lookPatiently(reads, look, behindIn, context);
  if (deleted.size === 0) return refreshed;
  // What is shown and of no interest here is known to be gone.
  return { ...refreshed, inventory: refreshed.inventory.filter(({ id }) => !deleted.has(id)) };
}

/** Addresses under which something is found that we deleted a moment ago. */
const stillShown = ({ reads }: Refreshed, deleted: ReadonlyMap<string, unknown>): readonly Address[] =>
  deleted.size === 0
    ? []
    : [...reads].flatMap(([address, read]) => {
        const ids = read.kind === "found" ? [read.live.id] : read.kind === "ambiguous" ? read.ids : [];
        return ids.some((id) => deleted.has(id)) ? [address] : [];
      });

/** What looking again needs. */
type Waiting = Pick<Context, "clock" | "signal" | "say">;

/**
 * What `look` finds, once `behindIn` names nothing in it that is behind our last write. Throws `DiagnosticsError` where
 * that stays so.
 */
export async function lookPatiently<T>(
  reads: Pick<Reads, "invalidate">,
  look: () => Promise<T>,
  behindIn: (found: T) => readonly Address[],
  { clock, signal, say }: Waiting,
): Promise<T> {
  let isTold = false;
  const { seen, isStale } = await lookAgain({
    clock,
    look,
    isBehind: (found) => behindIn(found).length > 0,
    pause: async (milliseconds) => {
      if (!isTold) say?.("The service's reads are behind our last write; looking again …");
      isTold = true;
      await clock.sleep(milliseconds, signal);
      reads.invalidate();
    },
  });
  if (isStale) throw new DiagnosticsError([stale(behindIn(seen))]);
  return seen;
}

/**
 * Waits until reads show what is recorded of `addresses` as written a moment ago; asks for nothing where nothing is.
 * Throws `DiagnosticsError` where they stay behind.
 */
export async function seeLastWrites(
  reads: Reads,
  types: readonly Resource[],
  state: State,
  addresses: readonly Address[],
  context: Waiting,
): Promise<void> {
  const now = context.clock.now();
  const resources: Record<Address, RecordedResource> = {};
  // What it lies in is read with it.
  const take = (address: Address | undefined): void => {
    const recorded = address && state.resources[address];
    if (!address || !recorded || resources[address]) return;
    take(recorded.parent);
    resources[address] = recorded;
  };
  for (const address of addresses) {
    const recorded = state.resources[address];
    if (recorded && isYoung(recorded, now)) take(address);
  }
  if (Object.keys(resources).length === 0) return;
  await refreshPatiently(reads, types, nothingDesired, { ...state, resources }, context);
}

const nothingDesired: Desired = {
  resources: new Map(),
  data: new Map(),
  moved: [],
  removed: [],
  outputs: new Map(),
  sources: new Map(),
};

/** Addresses of what was written a moment ago and is not shown, or shown as it was before. */
function seenBehind(
  { reads }: Refreshed,
  types: readonly Resource[],
  state: State,
  now: number,
): readonly Address[] {
  const typeOf = ({ type }: RecordedResource) => types.find((one) => one.type === type);
  const isSeenWithin = (recorded: RecordedResource): boolean => {
    if (recorded.parent === undefined) return true;
    const around = reads.get(recorded.parent);
    // It is looked for where it was made, and only there.
    const wasIn = typeOf(recorded)
      ?.parents.map(({ attribute }) => recorded.applied[attribute])
      .find(Boolean);
    return around?.kind === "found" && (wasIn === undefined || wasIn === around.live.id);
  };
  // A deletion that was not answered may be why.
  const deleted = new Set(
    state.open.filter(({ method }) => method === "DELETE").map(({ address }) => address),
  );
  return (Object.entries(state.resources) as [Address, RecordedResource][]).flatMap(([address, recorded]) => {
    if (!isYoung(recorded, now) || recorded.retained || recorded.pending?.deletes || deleted.has(address))
      return [];
    const read = reads.get(address);
    const isSeenBehind =
      read?.kind === "found"
        ? isBehind(read.live, recorded, typeOf(recorded))
        : isMissing(read) && isSeenWithin(recorded);
    return isSeenBehind ? [address] : [];
  });
}

const stale = (behind: readonly Address[]) =>
  staleReads(
    `the service shows ${shortList(behind, mostNamed)} as before our last write, which is less than two minutes old`,
    behind.length === 1 ? behind[0] : undefined,
  );
