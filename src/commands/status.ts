import { isSuspended } from "../api/gap-rules";
import type { ById, Reads } from "../api/reads";
import type { Deployment, Service } from "../api/wire/shapes";
import { DiagnosticsError } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Release, RunningService } from "../model/live";
import type { RecordedResource, State } from "../model/state";
import { resourceTypes } from "../resources";
import { unlessGone } from "../resources/deletion";
import { deploymentStanding, releaseOf, serviceStanding } from "../resources/deployment-status";
import type { Context } from "./context";
import { findService, withWhatRuns } from "./find-service";
import { connectConcealing } from "./load";
import { seeLastWrites } from "./refresh-patiently";

/** `rnv status [address]`: what runs now, of every recorded service or of one. Takes no lock and writes nothing. */
export async function status(
  context: Context,
  wanted: string | undefined,
): Promise<readonly RunningService[]> {
  const state = await context.backend.read();
  const services = wanted === undefined ? recordedServices(state) : [only(state, wanted)];
  if (services.length === 0) return [];
  const { reads } = await connectConcealing(context);
  const all = state ? services.flatMap(([address]) => withWhatRuns(state, address)) : [];
  if (state) await seeLastWrites(reads, resourceTypes, state, all, context);
  return Promise.all(services.map(([address, recorded]) => runningService(reads, address, recorded)));
}

const recordedServices = (state: State | undefined): [Address, RecordedResource][] =>
  (Object.entries(state?.resources ?? {}) as [Address, RecordedResource][])
    .filter(([, { type }]) => type === "service")
    .sort(([a], [b]) => (a < b ? -1 : 1));

function only(state: State | undefined, wanted: string): [Address, RecordedResource] {
  const found = findService(state, wanted);
  if (found.diagnostic) throw new DiagnosticsError([found.diagnostic]);
  return [found.address, found.recorded];
}

/** Reads a service, the deployment that serves, and the latest one when it is another. */
async function runningService(
  reads: Reads,
  address: Address,
  { id, name }: RecordedResource,
): Promise<RunningService> {
  const read = await reads.service(id);
  const about = { address, id, name, archived: false, standing: [] };
  if (read.kind === "unreadable") return { ...about, runs: "unknown", reason: read.reason };
  if (read.kind === "gone") return { ...about, runs: isGoing(read) ? "deleting" : "gone" };
  const found = read.value;
  const liveId = found.liveDeploymentId ?? undefined;
  const latestId = found.deploymentId ?? undefined;
  const get = async (one: string | undefined): Promise<Deployment | undefined> =>
    one === undefined ? undefined : unlessGone(() => reads.live.getDeployment(id, one));
  const [serving, other] = await Promise.all([get(liveId), latestId === liveId ? undefined : get(latestId)]);
  const stands = deploymentStanding({ liveId, latestId, latest: latestId === liveId ? serving : other });
  return {
    ...about,
    name: found.name,
    runs: runsOf(found),
    archived: found.archived,
    ...texts(found),
    ...(liveId !== undefined && { release: releaseAt(liveId, serving, liveId) }),
    ...(latestId !== undefined && latestId !== liveId && { latest: releaseAt(latestId, other, liveId) }),
    standing: [...(serviceStanding(found) ?? []), ...(stands ? [stands] : [])],
  };
}

const isGoing = (read: Extract<ById<Service>, { readonly kind: "gone" }>): boolean =>
  read.deleting !== undefined;

function runsOf(found: Service): RunningService["runs"] {
  if (found.liveDeploymentId == null) return "nothing";
  return isSuspended(found) ? "suspended" : "release";
}

const releaseAt = (id: string, found: Deployment | undefined, liveId: string | undefined): Release =>
  found === undefined
    ? { id, serves: id === liveId, cancelRequested: false, canRollback: false }
    : releaseOf(found, liveId);

function texts(found: Service): Pick<RunningService, "url" | "status" | "health" | "healthCheckedAt"> {
  const { url, displayStatus, status: plainStatus, healthStatus, healthCheckedAt } = found;
  const shown = displayStatus || plainStatus;
  return {
    ...(url && { url }),
    ...(shown && { status: shown }),
    ...(healthStatus && { health: healthStatus }),
    ...(healthCheckedAt && { healthCheckedAt }),
  };
}
