import { unlessAbsent } from "../api/api-error";
import type { Connection } from "../api/connection";
import { isSuspended } from "../api/gap-rules";
import type { Deployment, Variable } from "../api/wire/shapes";
import { recordedPart } from "../apply/action";
import { failure } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { pathsWith } from "../model/resource-type";
import type { RecordedResource, State } from "../model/state";
import type { Release, ReleaseList, RunningService, ShownVariable } from "../report/documents";
import { deploymentStanding, serviceStanding, sourceStanding } from "../resources/deployment-status";
import { variable } from "../resources/variable";
import type { Context } from "./context";
import type { StatusRequest } from "./library/types";
import { connectWithRedaction } from "./load";
import { findRecorded } from "./state-verbs";

/** `rnv status [address]`: returns the running release of each recorded service. Takes no lock, writes nothing. */
export async function status(
  context: Context,
  { address: wanted, variables = false }: StatusRequest = {},
): Promise<readonly RunningService[]> {
  const state = await context.backend.read();
  const services = wanted === undefined ? recordedServices(state) : [findService(state, wanted)];
  if (!state || services.length === 0) return [];
  const { reads, mask } = await connectWithRedaction(context, state);
  return Promise.all(
    services.map(async ({ address, recorded }) => {
      const running = await runningService({ reads, mask }, { state, address, recorded });
      const listed = variables ? await reads.variables(recorded.id) : undefined;
      return listed ? { ...running, variables: listed.map((one) => shownVariable(one, state)) } : running;
    }),
  );
}

function shownVariable({ id, key, updatedAt }: Variable, { resources }: State): ShownVariable {
  const recorded = Object.values(resources).find((one) => one.type === "variable" && one.id === id);
  const isSet = pathsWith(variable, "secret").some((path) => recorded?.applied[path] !== undefined);
  const managed = recorded === undefined ? "no" : isSet ? "rnv" : "preserve";
  return { key, managed, changed: updatedAt || undefined };
}

const recordedServices = (state: State | undefined): Omit<ReturnType<typeof findRecorded>, "state">[] =>
  (Object.entries(state?.resources ?? {}) as [Address, RecordedResource][])
    .filter(([, { type }]) => type === "service")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([address, recorded]) => ({ address, recorded }));

/** Reads a service, the deployment that serves, and the latest deployment when it is another. */
async function runningService(
  { reads, mask }: Pick<Connection, "reads" | "mask">,
  { state, address, recorded }: ReturnType<typeof findRecorded>,
): Promise<RunningService> {
  const { id, name } = recorded;
  const read = await reads.service(id);
  const about = { address, id, name, archived: false, standing: [] };
  if (read.kind === "unreadable") return { ...about, runs: "unknown", reason: read.reason };
  if (read.kind === "gone") return { ...about, runs: read.deleting === undefined ? "gone" : "deleting" };
  const found = read.value;
  const liveId = found.liveDeploymentId ?? undefined;
  const latestId = found.deploymentId ?? undefined;
  const get = async (one: string | undefined): Promise<Deployment | undefined> =>
    one === undefined ? undefined : unlessAbsent(() => reads.live.getDeployment(id, one));
  const [serving, other] = await Promise.all([get(liveId), latestId === liveId ? undefined : get(latestId)]);
  const stands = deploymentStanding({ liveId, latestId, latest: latestId === liveId ? serving : other });
  const [, deployed] = recordedPart(state, address, "deployment") ?? [];
  const source = sourceStanding(found, serving, recorded, deployed);
  return {
    ...about,
    name: found.name,
    runs: isSuspended(found) ? "suspended" : liveId === undefined ? "nothing" : "release",
    archived: found.archived === true,
    url: mask(found.url || null) ?? undefined,
    status: found.displayStatus || found.status || undefined,
    health: found.healthStatus || undefined,
    healthCheckedAt: found.healthCheckedAt || undefined,
    release: liveId === undefined ? undefined : releaseOf(liveId, serving, liveId),
    latest: latestId === undefined || latestId === liveId ? undefined : releaseOf(latestId, other, liveId),
    standing: [serviceStanding(found), stands, source].flatMap((one) => one ?? []),
  };
}

/** Returns a deployment as it is shown to people; `found` is undefined where it could not be read. */
const releaseOf = (id: string, found: Deployment | undefined, liveId: string | undefined): Release => ({
  id,
  status: found?.status,
  serves: id === liveId,
  cancelRequested: found?.cancelRequested === true,
  canRollback: found?.canRollback === true,
  branch: found?.branch || undefined,
  commit: found?.commitSha || undefined,
  commitMessage: found?.commitMessage || undefined,
  trigger: found?.trigger || undefined,
  actor: found?.actor || undefined,
  blockedReason: found?.blockedReason || undefined,
  error: found?.error || undefined,
  sourceDeploymentId: found?.sourceDeploymentId || undefined,
  createdAt: found?.createdAt || undefined,
  startedAt: found?.startedAt || undefined,
  finishedAt: found?.finishedAt || undefined,
});

/**
 * `rnv deployments <address>`: the newest `limit` deployments of a service, at most 200. Takes no lock and writes nothing.
 */
export async function deployments(
  context: Context,
  { address: wanted, limit }: { readonly address: string; readonly limit: number },
): Promise<ReleaseList> {
  const { state, address, recorded } = findService(await context.backend.read(), wanted);
  const { reads } = await connectWithRedaction(context, state);
  const service = await reads.service(recorded.id);
  if (service.kind === "gone")
    throw failure("live.failed", `${address} no longer exists`, { address, hint: "run `rnv drift`" });
  const liveId = service.kind === "found" ? (service.value.liveDeploymentId ?? undefined) : undefined;
  const { available, items, page, reason } = await reads.live.listDeployments(recorded.id, { limit });
  return {
    address,
    deployments: items.slice(0, limit).map((one) => releaseOf(one.id, one, liveId)),
    hasMore: page?.hasMore === true || items.length > limit,
    reason: available ? undefined : reason || undefined,
  };
}

/** Returns the recorded service at an address, or the service around it. Throws `DiagnosticsError`. */
function findService(state: State | undefined, text: string): ReturnType<typeof findRecorded> {
  const found = findRecorded(state, text);
  const { address, recorded } = found;
  if (recorded.type === "service") return found;
  const { parent } = recorded;
  const holder = parent && found.state.resources[parent];
  if (parent && holder?.type === "service") return { ...found, address: parent, recorded: holder };
  throw failure("command.usage", `${address} is not a service`, {
    address,
    hint: "name a service.… address; `rnv state list` shows them",
  });
}
