import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Desired } from "../model/desired";
import { isBehind, isMissing } from "../model/is-behind";
import { shortList } from "../model/short-list";
import type { RecordedResource, State } from "../model/state";
import { isYoung } from "../model/young";
import type { Context } from "./context";
import { type Refreshed, refresh } from "./refresh";

/** How long reads that are behind our last write are looked at again (DESIGN section 5). */
const patienceMs = 30_000;
const firstPauseMs = 250;
const longestPauseMs = 4000;
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
  { clock, signal, say }: Pick<Context, "clock" | "signal" | "say">,
): Promise<Refreshed> {
  const now = clock.now();
  const startedAt = clock.elapsed();
  let refreshed = await refresh(reads, types, desired, state, now);
  if (!state) return refreshed;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const behind = seenBehind(refreshed, types, state, now);
    if (behind.length === 0) return refreshed;
    if (clock.elapsed() - startedAt >= patienceMs) throw new DiagnosticsError([stale(behind)]);
    if (pauseMs === firstPauseMs) say?.("The service's reads are behind our last write; looking again …");
    await clock.sleep(pauseMs, signal);
    reads.invalidate();
    refreshed = await refresh(reads, types, desired, state, now);
  }
}

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
  error(
    "live.stale",
    `the service does not show what was written to ${shortList(behind, mostNamed)} within the last two minutes`,
    {
      ...(behind.length === 1 && { address: behind[0] }),
      detail:
        "Its reads were looked at again for 30 seconds and are still behind the answers to our last writes. Nothing was " +
        "sent: what is not shown may be there.",
      hint:
        "run the command again in a minute or two; what was deleted or changed back elsewhere right after our write is " +
        "believed two minutes after it",
    },
  );
