import {
  type DeploymentStatus,
  deploymentStages,
  type StoredDeployment,
  type StoredOperation,
  type StoredService,
} from "./records";
import { conflict, invalid } from "./refusal";
import { databaseKinds, planFor } from "./response-views";
import { checkHealth, touch } from "./times";
import type { World } from "./world";

const terminal: readonly DeploymentStatus[] = ["live", "failed", "cancelled", "superseded"];
export const isTerminal = (status: DeploymentStatus): boolean => terminal.includes(status);

/** Milliseconds of each of the seven moves from `queued` to `live`. */
export const stageMs = (world: World): number => world.switches.deployMs / (deploymentStages.length - 1);

/** Makes every move that is due by `now`, in the order of time. Called before each request is handled. */
export function progress(world: World, now = world.clock.now()): void {
  for (let due = world.store.nextDue(); due !== undefined && due.at <= now; due = world.store.nextDue()) {
    const { table, id, at } = due;
    world.replicas.during(at, () =>
      table === "deployments" ? moveDeployment(world, id, at) : moveOperation(world, id, at),
    );
  }
  checkHealth(world, now);
}

/** Why a queued deployment may not start; empty when it may. */
function blockedReason(world: World, serviceId: string): string {
  const service = world.store.get("services", serviceId);
  if (service === undefined) return "";
  const plan = planFor(world.catalog, service.kind, service.configuration.plan);
  const { conditions } = world.switches;
  if (plan !== undefined && plan.usd > 0 && !conditions.has("paid") && !service.paidPlans.includes(plan.id))
    return `Waiting for checkout: complete the payment of the ${plan.name} plan in the dashboard.`;
  return conditions.has("worker-offline") ? "Waiting for capacity: no worker is online." : "";
}

/** Looks again at every queued deployment that waits for something; those of the service `paid` waited for its checkout. */
export function unblock(world: World, paid?: string): void {
  for (const deployment of [...world.store.all("deployments")]) {
    if (deployment.status !== "queued" || deployment.dueAt !== null) continue;
    const reason = blockedReason(world, deployment.serviceId);
    if (reason === deployment.blockedReason) continue;
    const service = world.store.get("services", deployment.serviceId);
    const reading = deployment.serviceId === paid ? world.readings.paid : "starts";
    if (reading === "superseded" && service !== undefined) {
      queueDeployment(world, service, deployment);
      finish(world, deployment, "superseded", world.clock.now());
      continue;
    }
    const starts = reason === "" && reading !== "queued";
    const dueAt = starts ? world.clock.now() + stageMs(world) : null;
    putDeployment(world, { ...deployment, blockedReason: reason, dueAt });
  }
}

/** Puts a deployment and, when it is the latest of its service, shows its status there. */
export function putDeployment(
  world: World,
  deployment: StoredDeployment,
  at = world.store.stamp(),
): StoredDeployment {
  const { store } = world;
  const event = store.get("deployments", deployment.id) === undefined ? "queuing" : "status";
  store.put("deployments", deployment);
  const service = store.get("services", deployment.serviceId);
  if (service === undefined) return deployment;
  const isLatest = store.ofService("deployments", service.id).at(-1)?.id === deployment.id;
  const isLive = deployment.status === "live";
  if (!isLatest && !isLive) return deployment;
  const { id, status } = deployment;
  const latest = isLatest ? { deploymentId: id, deploymentStatus: status, deploymentUpdatedAt: at } : {};
  const live = isLive ? { liveDeploymentId: id, runtime: "running" as const, healthCheckedAt: at } : {};
  store.put("services", { ...service, ...latest, ...live });
  touch(world, service.id, event, at);
  return deployment;
}

function moveDeployment(world: World, id: string, time: number): void {
  const deployment = world.store.get("deployments", id);
  if (deployment === undefined) return;
  const next = deploymentStages[deploymentStages.indexOf(deployment.status as "queued") + 1];
  if (deployment.cancelRequested) finish(world, deployment, endOfCancelled(world, deployment), time);
  else if (deployment.status === "queued") start(world, deployment, time);
  else if (deployment.status === "building" && deployment.failure !== null) {
    finish(world, deployment, "failed", time);
  } else if (next === "live") finish(world, deployment, "live", time);
  else if (next !== undefined) enter(world, deployment, next, time);
}

/** Only a started deployment can become live before it is cancelled. */
function endOfCancelled({ readings }: World, { status, failure }: StoredDeployment) {
  const isTooLate = status !== "queued" && failure === null;
  return readings.cancelled === "live" && !isTooLate ? "cancelled" : readings.cancelled;
}

function start(world: World, deployment: StoredDeployment, time: number): void {
  const reason = blockedReason(world, deployment.serviceId);
  if (reason !== "") {
    putDeployment(world, { ...deployment, blockedReason: reason, dueAt: null });
    return;
  }
  supersedeOlder(world, deployment, time);
  enter(world, deployment, "preparing", time);
}

function enter(world: World, deployment: StoredDeployment, status: DeploymentStatus, time: number): void {
  const at = new Date(time).toISOString();
  const entered = {
    ...withStep(deployment, at),
    status,
    blockedReason: "",
    startedAt: deployment.startedAt ?? at,
    stageStartedAt: at,
    dueAt: time + stageMs(world),
  };
  putDeployment(world, entered, at);
}

/** The step that just ended, except for the time in the queue. */
function withStep(deployment: StoredDeployment, at: string): StoredDeployment {
  if (deployment.status === "queued") return deployment;
  const step = { name: deployment.status, startedAt: deployment.stageStartedAt, finishedAt: at };
  return { ...deployment, steps: [...deployment.steps, step] };
}

function finish(
  world: World,
  deployment: StoredDeployment,
  status: "live" | "failed" | "cancelled" | "superseded",
  time: number,
): void {
  const at = new Date(time).toISOString();
  if (status === "live") supersedeOlder(world, deployment, time);
  const finished = {
    ...withStep(deployment, at),
    status,
    blockedReason: "",
    error: status === "failed" ? (deployment.failure ?? "") : "",
    finishedAt: at,
    dueAt: null,
  };
  putDeployment(world, finished, at);
}

/** A release that starts or goes live replaces the older requests of its service that are still under way. */
function supersedeOlder(world: World, deployment: StoredDeployment, time: number): void {
  for (const other of world.store.ofService("deployments", deployment.serviceId)) {
    if (other.id === deployment.id) return;
    if (!isTerminal(other.status))
      finish(world, other, other.cancelRequested ? "cancelled" : "superseded", time);
  }
}

function moveOperation(world: World, id: string, time: number): void {
  const operation = world.store.get("operations", id);
  if (operation === undefined) return;
  const updatedAt = new Date(time).toISOString();
  if (operation.status === "queued") {
    const dueAt = time + world.switches.operationMs / 2;
    world.store.put("operations", { ...operation, status: "running", updatedAt, dueAt });
    return;
  }
  const status = operation.fails ? "failed" : "complete";
  world.store.put("operations", { ...operation, status, updatedAt, dueAt: null });
  if (operation.fails) giveBack(world, operation, updatedAt);
  else takeEffect(world, operation, updatedAt);
}

function giveBack({ store, readings }: World, operation: StoredOperation, at: string): void {
  if (!deletesService(operation)) return;
  const service = store.get("services", operation.serviceId);
  if (service === undefined) return;
  const archived = readings.failedDeletionFlag === "archived";
  const deletionRequestedAt = readings.failedDeletionTime === "kept" ? service.deletionRequestedAt : null;
  store.put("services", { ...service, archived, deletionRequestedAt, updatedAt: at });
}

const deletesService = ({ kind, deletes }: StoredOperation): boolean =>
  kind === "delete" && deletes === undefined;

/** Its deletion was asked for, and that did not fail. */
export function isBeingDeleted({ store }: World, { id, deletionRequestedAt }: StoredService): boolean {
  if (deletionRequestedAt === null) return false;
  const last = [...store.all("operations")]
    .filter((operation) => operation.serviceId === id && deletesService(operation))
    .at(-1);
  return last?.status !== "failed";
}

function takeEffect(world: World, operation: StoredOperation, at: string): void {
  const { store } = world;
  if (operation.deletes !== undefined) {
    store.remove(operation.deletes.table, operation.deletes.id);
    return;
  }
  const service = store.get("services", operation.serviceId);
  if (service === undefined) return;
  if (operation.kind === "delete") removeService(world, service.id, at);
  else if (operation.kind === "suspend") store.put("services", { ...service, runtime: "suspended" });
  else store.put("services", { ...service, runtime: "running", healthCheckedAt: at });
}

/** The end of a service: its variables go, its record stays as deleted so that its operation can be read. */
export function removeService(world: World, serviceId: string, at = world.store.stamp()): void {
  const { store } = world;
  for (const variable of store.ofService("variables", serviceId)) store.remove("variables", variable.id);
  for (const deployment of store.ofService("deployments", serviceId))
    if (!isTerminal(deployment.status)) finish(world, deployment, "cancelled", Date.parse(at));
  const service = store.get("services", serviceId);
  if (service === undefined) return;
  store.put("services", {
    ...service,
    archived: true,
    runtime: "none",
    liveDeploymentId: null,
    updatedAt: at,
    deletionRequestedAt: service.deletionRequestedAt ?? at,
    deletedAt: at,
  });
}

type DeploymentRequest = Pick<StoredDeployment, "actor"> &
  Partial<Pick<StoredDeployment, "trigger" | "commitSha" | "sourceDeploymentId" | "legacyKey" | "failure">>;

/** 409 when hosting is switched off. */
export function requireHosting(world: World): void {
  if (world.switches.conditions.has("hosting-off"))
    throw conflict("engine_unavailable", "Hosting is disabled");
}

/** Everything that can refuse a deployment before it is queued (interface, "Deployments" rule 2). */
export function requireDeployable(
  world: World,
  service: Pick<StoredService, "archived" | "kind" | "configuration">,
): void {
  requireHosting(world);
  if (service.archived) throw conflict("service_archived", "An archived service takes no deployments");
  if (databaseKinds.includes(service.kind)) return;
  const { sourceType, repository, image } = service.configuration;
  if (sourceType === "repository" && repository === "")
    throw invalid("configuration.repository: a repository is needed to deploy", "source_invalid");
  if (sourceType === "image" && image === "")
    throw invalid("configuration.image: an image is needed to deploy", "source_invalid");
}

/** Creates the durable deployment, `queued`; it moves on by itself unless something blocks it. */
export function queueDeployment(
  world: World,
  service: StoredService,
  request: DeploymentRequest,
): StoredDeployment {
  const { store, clock, deploymentFailures: failures } = world;
  const reason = blockedReason(world, service.id);
  const at = store.stamp();
  const createdAt = world.readings.deploymentTimes === "equal" ? at.replace(/\d+Z$/, "000Z") : at;
  const { failure = failures.get(service.id)?.shift() ?? failures.get("*")?.shift() ?? null } = request;
  return putDeployment(world, {
    id: store.newId(),
    workspaceId: service.workspaceId,
    serviceId: service.id,
    status: "queued",
    trigger: request.trigger ?? "manual",
    actor: request.actor,
    branch: String(service.configuration.branch ?? ""),
    commitSha: request.commitSha ?? "",
    commitMessage: "",
    blockedReason: reason,
    error: "",
    cancelRequested: false,
    sourceDeploymentId: request.sourceDeploymentId ?? null,
    createdAt,
    startedAt: null,
    finishedAt: null,
    stageStartedAt: createdAt,
    steps: [],
    dueAt: reason === "" ? clock.now() + stageMs(world) : null,
    failure,
    legacyKey: request.legacyKey ?? null,
  });
}

export function release(world: World, service: StoredService, request: DeploymentRequest): void {
  const queued = queueDeployment(world, service, request);
  finish(world, { ...queued, startedAt: queued.createdAt }, "live", Date.parse(world.store.stamp()));
}

/** Deployments of a service that the platform queues by itself, at most. */
const mostOthers = 4;

/** Queues the deployment that a request asks for, and those that the platform adds by itself. */
export function queueAsked(
  world: World,
  service: StoredService,
  request: DeploymentRequest,
): StoredDeployment {
  const { store, readings } = world;
  const other = { actor: "auto-deploy", trigger: "push", failure: null };
  const others = store.ofService("deployments", service.id).filter(({ actor }) => actor === other.actor);
  // A pinned service does not follow its branch.
  const isFollowing = readings.otherDeployments !== "none" && request.commitSha === undefined;
  if (!isFollowing || others.length >= mostOthers) return queueDeployment(world, service, request);
  const goesFirst = readings.otherDeployments === "several" && blockedReason(world, service.id) === "";
  if (goesFirst) release(world, service, other);
  const asked = queueDeployment(world, service, request);
  queueDeployment(world, service, other);
  return asked;
}

export type OperationSubject = Pick<StoredOperation, "workspaceId" | "serviceId" | "deletes">;

/** True where the service queues a deletion that it could carry out at once. */
export const queuesDeletions = ({ switches: { conditions } }: World): boolean =>
  conditions.has("queued-deletions") || conditions.has("failed-deletions");

export function queueOperation(world: World, subject: OperationSubject, kind: string): StoredOperation {
  const { store, clock, switches, operationFailures } = world;
  const at = store.stamp();
  return store.put("operations", {
    id: store.newId(),
    ...subject,
    kind,
    status: "queued",
    createdAt: at,
    updatedAt: at,
    dueAt: clock.now() + switches.operationMs / 2,
    fails:
      operationFailures.delete(subject.serviceId) ||
      operationFailures.delete("*") ||
      (kind === "delete" && switches.conditions.has("failed-deletions")),
  });
}
