import { ApiError, unlessAbsent } from "../api/api-error";
import { unprovenStatus } from "../api/consistent-reads";
import { awaitsCheckout, hostingIsOff, isSuspended } from "../api/gap-rules";
import type { Reads } from "../api/reads";
import { hiddenText } from "../api/recorded-values";
import type { Deployment, Service } from "../api/wire/shapes";
import { shortId } from "../model/address";
import { atCheckout, type Pending, type Standing } from "../model/live";
import type { Finding, OperationStatus, PlannedRuns } from "../model/resource-operations";
import type { RecordedResource } from "../model/state";
import { isOlder } from "../model/time";
import { notShown } from "./deletion";

/** Polls the deployment of our request; once it is superseded, the newest deployment of the service. */
export async function pollDeployment(reads: Reads, pending: Pending): Promise<OperationStatus> {
  const { serviceId, id } = pending;
  if (serviceId === undefined) throw new Error(`deployment ${id} without a service`);
  const found = await reads.fresh().deployment(serviceId, id);
  return found === undefined || found.status === "superseded"
    ? pollNewest(reads, serviceId, pending, found)
    : settledAs(found, pending);
}

/** Returns the status of the latest deployment. A cancelled deployment may end as superseded without a successor. */
const statusOf = ({ status, cancelRequested }: Deployment): string =>
  status === "superseded" && cancelRequested ? "cancelled" : status;

function settledAs(found: Deployment, { commit }: Pending): OperationStatus {
  const { id, commitSha, blockedReason } = found;
  const status = statusOf(found);
  const detail = `deployment ${id}`;
  if (status === "live") {
    const serving = commitSha ?? "";
    if (commit === undefined || serving.toLowerCase() === commit) return { kind: "done" };
    const shown = serving === "" ? "an unnamed commit" : `commit ${serving}`;
    return { kind: "failed", summary: `the service serves ${shown}, not the pinned ${commit}`, detail };
  }
  const reason = reasonOf(found);
  if (status === "failed") return { kind: "failed", summary: reason ?? "the deployment failed", detail };
  if (status === "cancelled")
    return { kind: "failed", summary: `the deployment was cancelled${reason ? `: ${reason}` : ""}`, detail };
  if (status === "queued" && blockedReason && awaitsCheckout(blockedReason))
    return { kind: "checkout", summary: blockedReason };
  return { kind: "waiting", status, note: blockedReason || undefined };
}

/** Returns the reason of an ended deployment, with the failed step unless it names it: `build` for `building`. */
function reasonOf({ status, steps, error, blockedReason }: Deployment): string | undefined {
  const reason = error || blockedReason || undefined;
  const step = status === "failed" ? steps.findLast(({ startedAt }) => startedAt != null)?.name : undefined;
  if (step === undefined || reason?.toLowerCase().includes(step.toLowerCase().replace(/ing$/, "")))
    return reason;
  return `the step "${step}" failed${reason === undefined ? "" : `: ${reason}`}`;
}

/** Polls the newest deployment. `superseded`: ours; undefined where the service does not show it. */
async function pollNewest(
  reads: Reads,
  serviceId: string,
  pending: Pending,
  superseded: Deployment | undefined,
): Promise<OperationStatus> {
  const list = await unlessAbsent(() => reads.live.listDeployments(serviceId, { limit: 1 }));
  const newest = list?.items[0];
  const isOurs = newest?.id === pending.id;
  if (isOurs && statusOf(newest) !== "superseded") return settledAs(newest, pending);
  const isShown = isOurs || superseded !== undefined;
  // A key that lost its membership is shown no deployment at all.
  if (!newest && !isShown) return notShown(`the platform does not show deployment ${pending.id}`);
  if (!newest || isOurs)
    return unprovenStatus(
      "superseded",
      `deployment ${pending.id} was superseded, and no newer one is listed`,
    );
  // A rollback serves an older release, not ours.
  if (newest.sourceDeploymentId != null) {
    const summary = `deployment ${pending.id} was superseded by a rollback`;
    const detail = `deployment ${newest.id} rolls back to ${newest.sourceDeploymentId}`;
    return { kind: "failed", summary, detail };
  }
  const note = `superseded by deployment ${newest.id}`;
  return { kind: "waiting", status: "superseded", note, next: { ...pending, id: newest.id } };
}

/**
 * Returns the deployments of `commit` that a request may have queued. None is older than `changedAt`, the time of the last
 * change that it deploys. Undefined where they are not listed.
 */
export async function queuedFor(
  reads: Reads,
  serviceId: string,
  { changedAt, commit }: { readonly commit?: string | undefined; readonly changedAt?: string | undefined },
): Promise<readonly Deployment[] | undefined> {
  const listed = await unlessAbsent(() => reads.live.listDeployments(serviceId, { limit: 200 }));
  const isOurs = ({ commitSha, createdAt }: Deployment): boolean =>
    (commit === undefined || !commitSha || commitSha === commit) && !isOlder(createdAt, changedAt);
  return listed?.items.filter(isOurs);
}

export const serviceStanding = (found: Service): readonly Standing[] | undefined =>
  isSuspended(found) ? [{ code: "suspended", class: "running", summary: "suspended" }] : undefined;

interface Releases {
  readonly latestId?: string | null | undefined;
  readonly liveId?: string | null | undefined;
  readonly latest?: Deployment | undefined;
  /** The recorded deployment, which may be a rollback by rnv. */
  readonly recorded?: RecordedResource | undefined;
}

/** Returns the standing of a latest deployment that does not serve, or serves an older release again. */
export function deploymentStanding({ latestId, liveId, latest, recorded }: Releases): Standing | undefined {
  if (latestId == null) return undefined;
  if (latestId === liveId) return rolledBack(liveId, latest, recorded);
  const runs = liveId == null ? "nothing runs" : `it still runs release ${shortId(liveId)}`;
  const named = `deployment ${shortId(latestId)}`;
  if (latest === undefined)
    return standingOf("older_release", `${named} is the latest, and does not serve; ${runs}`);
  const { blockedReason, createdAt, finishedAt } = latest;
  const status = statusOf(latest);
  // An archived or suspended service may show no release that serves.
  if (status === "live" && liveId == null) return undefined;
  if (status === "live" || status === "superseded")
    return standingOf("older_release", `${named} was the latest, and an older release serves; ${runs}`);
  if (status === "failed" || status === "cancelled") {
    const reason = reasonOf(latest);
    const outcome = status === "failed" ? "failed" : "was cancelled";
    const summary = `${named} ${outcome}${reason ? `: ${reason}` : ""}; ${runs}`;
    return { ...standingOf(status, summary, finishedAt ?? createdAt), class: "pending" };
  }
  if (!blockedReason) return standingOf("deploying", `${named} is under way (${status})`, createdAt);
  if (status !== "queued" || !awaitsCheckout(blockedReason))
    return standingOf("waiting", `${named} waits: ${blockedReason}`, createdAt);
  const summary = `${atCheckout}: ${blockedReason}`;
  return { ...standingOf("awaiting_checkout", summary, createdAt), class: "pending" };
}

const standingOf = (code: Standing["code"], summary: string, since?: string | null): Standing => ({
  code,
  class: "running",
  summary,
  since: since ?? undefined,
});

const isOther = (runs: string | null | undefined, wanted: unknown): boolean =>
  typeof wanted === "string" && wanted !== "" && Boolean(runs) && ![wanted, hiddenText].includes(`${runs}`);

/** Returns the standing of a release of another commit or branch than declared or configured. */
export function sourceStanding(
  { liveDeploymentId, configuration }: Service,
  { branch, commitSha, finishedAt }: Partial<Deployment> = {},
  service?: RecordedResource,
  deployment?: RecordedResource,
): Standing | undefined {
  const commit = deployment?.applied.commit;
  const declared = service?.applied["configuration.branch"];
  const wanted = declared ?? configuration.branch;
  if (liveDeploymentId == null) return undefined;
  const [runs, pinned] = [commitSha, commit].map((sha) => `${sha}`.slice(0, 12));
  if (isOther(commitSha?.toLowerCase(), commit))
    return standingOf("other_commit", `it runs commit ${runs}; declared is ${pinned}`, finishedAt);
  const setting = declared === undefined ? "its service is set to" : "declared is";
  const summary = `it runs branch ${branch}; ${setting} ${wanted}`;
  return isOther(branch, wanted) ? standingOf("other_branch", summary, finishedAt) : undefined;
}

/** Returns the standing of a release that serves again, rolled back by another user or by rnv. */
function rolledBack(
  liveId: string,
  latest: Deployment | undefined,
  recorded: RecordedResource | undefined,
): Standing | undefined {
  const source = latest?.sourceDeploymentId;
  if (source != null) {
    const summary = `deployment ${shortId(liveId)} serves the release of deployment ${shortId(source)} again: it was rolled back`;
    return standingOf("rolled_back", summary, latest?.finishedAt);
  }
  if (recorded?.id !== liveId || recorded.rolledBack === undefined) return undefined;
  const { rolledBack: release, writtenAt = "" } = recorded;
  const summary = `rolled back by rnv on ${writtenAt.slice(0, 10)} to the release of deployment ${shortId(release)}`;
  return standingOf("rolled_back", summary, writtenAt);
}

async function stepSeconds({ live }: Reads, { serviceId = "", id }: Pending) {
  const { steps } = await live.getDeployment(serviceId, id);
  const at = (time: string | null | undefined): number => Date.parse(time ?? "");
  return new Map(steps.map((step) => [step.name, (at(step.finishedAt) - at(step.startedAt)) / 1000]));
}

/** Returns the reasons that block deployments, from catalog and list (interface, "Deployments", rule 1). */
async function checkDeployments(reads: Reads, planned: PlannedRuns): Promise<readonly Finding[]> {
  const { capabilities } = await reads.catalog();
  const them = planned.count === 1 ? "the planned deployment" : `${planned.count} planned deployments`;
  const reason = await reasonOfList(reads, planned);
  if (reason === undefined && !hostingIsOff(capabilities)) return workerFindings(reads, them);
  const summary = `hosting is off: ${them} cannot run`;
  const detail = reason === undefined ? "The platform's catalog says so." : `The platform says: ${reason}`;
  const hint = "enable hosting in the dashboard; everything else of the plan can be applied";
  return [{ code: "live.hosting_off", summary, detail, hint }];
}

export const deploymentRuns = { checkBeforeApply: checkDeployments, stepSeconds };

export async function workerFindings(reads: Reads, them: string): Promise<readonly Finding[]> {
  const { capabilities } = await reads.catalog();
  if (capabilities.workerOnline !== false) return [];
  const summary = `no worker is online: ${them} will wait in the queue`;
  const detail = "The platform's catalog says workerOnline: false.";
  const hint = "what is queued starts once a worker is online; the wait ends with its timeout";
  return [{ code: "live.worker_offline", summary, detail, hint }];
}

/** Returns the reason of a list of deployments, of an idle service if there is any: its list says more. */
async function reasonOfList(reads: Reads, { parentIds }: PlannedRuns): Promise<string | undefined> {
  const services = await Promise.all(parentIds.map((id) => reads.service(id)));
  const idle = services.findIndex((read) => read.kind === "found" && read.value.liveDeploymentId == null);
  const id = parentIds[Math.max(0, idle)];
  if (id === undefined) return undefined;
  try {
    const { available, reason } = await reads.live.listDeployments(id, { limit: 1 });
    return available ? undefined : reason || "no reason is given";
  } catch (failure) {
    if (failure instanceof ApiError) return undefined;
    throw failure;
  }
}
