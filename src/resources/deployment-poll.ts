import { awaitsCheckout } from "../api/gap-answers";
import type { Reads } from "../api/reads";
import type { Deployment } from "../api/wire/deployment";
import { isOlder } from "../model/is-older";
import type { Pending } from "../model/pending";
import type { OperationStatus } from "../model/resource-operations";
import { lagMs, unlessGone } from "./deletion";

/**
 * One look at a deployment (interface, "Deployment status values"): only the id that our request returned counts,
 * or, once that is superseded, the newest deployment of the service.
 */
export async function pollDeployment(reads: Reads, pending: Pending): Promise<OperationStatus> {
  const { serviceId, id, commit } = pending;
  if (serviceId === undefined) throw new Error(`deployment ${id} without a service`);
  const found =
    (await unlessGone(() => reads.live.getDeployment(serviceId, id))) ?? (await listed(reads, serviceId, id));
  // Not a deployment of this service: what our request queued is the newest one.
  if (found === undefined || found.status === "superseded") return follow(reads, serviceId, pending, found);
  return settledAs(found, commit);
}

function settledAs(found: Deployment, commit: string | undefined): OperationStatus {
  switch (found.status) {
    case "live":
      return servesAsPinned(found, commit);
    case "failed":
    case "cancelled":
      return ended(found);
    default:
      return waiting(found);
  }
}

function servesAsPinned(found: Deployment, commit: string | undefined): OperationStatus {
  const serving = found.commitSha ?? "";
  if (commit === undefined || serving.toLowerCase() === commit) return { kind: "done" };
  return {
    kind: "failed",
    summary: `the service serves ${serving === "" ? "an unnamed commit" : `commit ${serving}`}, not the pinned ${commit}`,
    detail: `deployment ${found.id}`,
  };
}

function ended(found: Deployment): OperationStatus {
  const reason = found.error || found.blockedReason || undefined;
  return {
    kind: "failed",
    summary: `deployment ${found.id} ${found.status === "failed" ? "failed" : "was cancelled"}`,
    ...(reason === undefined ? {} : { detail: reason }),
  };
}

function waiting(found: Deployment): OperationStatus {
  const reason = found.blockedReason || undefined;
  if (found.status === "queued" && reason !== undefined && awaitsCheckout(reason)) {
    return { kind: "checkout", summary: reason };
  }
  return { kind: "waiting", status: found.status, ...(reason === undefined ? {} : { note: reason }) };
}

/** Gone needs proof: a key that lost its membership sees the same 404, and lists without anything. */
async function withoutList(reads: Reads, serviceId: string, { id }: Pending): Promise<OperationStatus> {
  reads.invalidate();
  const service = await reads.service(serviceId);
  const seesAnything = (await reads.projects()).length + (await reads.services()).length > 0;
  const waiting = { kind: "waiting", status: "not shown" } as const;
  // One that was made a moment ago is not shown yet.
  return service.kind === "gone" && seesAnything
    ? { ...waiting, atMost: { ms: lagMs, summary: `the service of deployment ${id} is gone` } }
    : waiting;
}

/** A deployment that cannot be read by its id may still be listed. */
async function listed(reads: Reads, serviceId: string, id: string): Promise<Deployment | undefined> {
  const list = await unlessGone(() => reads.live.listDeployments(serviceId));
  return list?.items.find((one) => one.id === id);
}

/** `superseded`: as ours was shown; undefined where it was not. */
async function follow(
  reads: Reads,
  serviceId: string,
  pending: Pending,
  superseded: Deployment | undefined,
): Promise<OperationStatus> {
  const list = await unlessGone(() => reads.live.listDeployments(serviceId, { limit: 1 }));
  // A list without the deployment that was just queued is short, or the service is gone.
  if (list === undefined || (!superseded && list.items.length === 0))
    return withoutList(reads, serviceId, pending);
  const [newest] = list.items;
  // It was made before ours was: the list does not show that yet, or ours is that of another service.
  const isBehind = isOlder(newest?.createdAt, pending.madeAt ?? superseded?.createdAt ?? undefined);
  if (isBehind && !superseded) {
    const summary = `the service does not list deployment ${pending.id}`;
    return { kind: "waiting", status: "not shown", atMost: { ms: lagMs, summary } };
  }
  // It may have come into view in the meantime.
  if (newest?.id === pending.id && newest.status !== "superseded") return settledAs(newest, pending.commit);
  if (newest === undefined || newest.id === pending.id || isBehind) {
    const summary = `deployment ${pending.id} was superseded, and no newer one is listed`;
    return { kind: "waiting", status: "superseded", atMost: { ms: lagMs, summary } };
  }
  // A rollback serves an older release: what was to be deployed is not what serves.
  if (newest.sourceDeploymentId != null) {
    return {
      kind: "failed",
      summary: `deployment ${pending.id} was superseded by a rollback`,
      detail: `deployment ${newest.id} rolls back to ${newest.sourceDeploymentId}`,
    };
  }
  return {
    kind: "waiting",
    status: "superseded",
    note: `superseded by deployment ${newest.id}`,
    next: { ...pending, id: newest.id },
  };
}
