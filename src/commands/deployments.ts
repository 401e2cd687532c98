import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { isOlder, isYoung } from "../model/freshness";
import type { Release, ReleaseList } from "../model/live";
import type { RecordedResource } from "../model/state";
import { resourceTypes } from "../resources";
import { releaseOf } from "../resources/deployment-status";
import type { Connection, Context } from "./context";
import { findService, withWhatRuns } from "./find-service";
import { connectConcealing } from "./load";
import { lookPatiently, seeLastWrites } from "./refresh-patiently";

const longestPage = 200;

/** `rnv deployments <address>`: the newest `limit` deployments of a service. Takes no lock and writes nothing. */
export async function deployments(
  context: Context,
  { address: wanted, limit }: { readonly address: string; readonly limit: number },
): Promise<ReleaseList> {
  const state = await context.backend.read();
  const found = findService(state, wanted);
  if (found.diagnostic || !state) throw new DiagnosticsError(found.diagnostic ? [found.diagnostic] : []);
  const { address, recorded } = found;
  const { reads } = await connectConcealing(context);
  const [, ...parts] = withWhatRuns(state, address);
  await seeLastWrites(reads, resourceTypes, state, [address, ...parts], context);
  const service = await reads.service(recorded.id);
  if (service.kind === "gone") throw gone(address);
  const liveId = service.kind === "found" ? (service.value.liveDeploymentId ?? undefined) : undefined;
  const now = context.clock.now();
  const young = parts.filter((part) => isYoung(state.resources[part] ?? {}, now));
  const list = await lookPatiently(
    reads,
    () => newest(reads, recorded.id, liveId, limit),
    ({ releases, reason }) =>
      reason === undefined ? young.filter((part) => isMissing(state.resources[part], releases)) : [],
    context,
  );
  return { address, ...list };
}

/** It is not listed, and nothing newer is. */
const isMissing = (
  recorded: RecordedResource | undefined,
  [newest, ...others]: readonly Release[],
): boolean =>
  ![newest, ...others].some((one) => one?.id === recorded?.id) &&
  (newest === undefined || isOlder(newest.createdAt, recorded?.updatedAt));

/** Follows pages until there are enough, or no more (interface, "Header and parameter rules"). */
async function newest(
  reads: Connection["reads"],
  serviceId: string,
  liveId: string | undefined,
  limit: number,
): Promise<Omit<ReleaseList, "address">> {
  const releases = new Map<string, Release>();
  const cursors = new Set<string>();
  // A cursor belongs to the query it came from.
  const size = Math.min(longestPage, limit);
  let cursor: string | undefined;
  for (;;) {
    const { available, items, page, reason } = await reads.live.listDeployments(serviceId, {
      limit: size,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const one of items) releases.set(one.id, releaseOf(one, liveId));
    const next = page?.hasMore === true ? (page.nextCursor ?? undefined) : undefined;
    if (page?.hasMore !== true || releases.size >= limit)
      return {
        releases: [...releases.values()].slice(0, limit),
        hasMore: page?.hasMore === true || releases.size > limit,
        ...(!available && reason ? { reason } : {}),
      };
    if (next === undefined || cursors.has(next)) throw endless();
    cursors.add(next);
    cursor = next;
  }
}

const gone = (address: Address): DiagnosticsError =>
  new DiagnosticsError([
    error("live.failed", `${address} no longer exists`, { address, hint: "run `rnv drift`" }),
  ]);

const endless = (): DiagnosticsError =>
  new DiagnosticsError([
    error("api.malformed", "the service says that there are more deployments, and not where", {
      hint: "run it again; --limit asks for fewer",
    }),
  ]);
