import { blockedReason, putDeployment, stageMs } from "../progress";
import type { StoredDeployment, StoredOperation, StoredService } from "../records";
import { conflict, invalid } from "../refusal";
import type { World } from "../world";

export interface DeploymentRequest {
  readonly actor: string;
  readonly trigger?: string;
  readonly commitSha?: string;
  readonly sourceDeploymentId?: string;
  readonly legacyKey?: string;
}

const databaseKinds = ["postgres", "redis"];

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
  if (sourceType === "repository" && repository === "") {
    throw invalid("configuration.repository: a repository is needed to deploy", "source_invalid");
  }
  if (sourceType === "image" && image === "") {
    throw invalid("configuration.image: an image is needed to deploy", "source_invalid");
  }
}

/** Creates the durable deployment, `queued`; it moves on by itself unless something blocks it. */
export function queueDeployment(
  world: World,
  service: StoredService,
  request: DeploymentRequest,
): StoredDeployment {
  const { store, clock } = world;
  const reason = blockedReason(world, service.id);
  const createdAt = store.stamp();
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
    failure: takeFailure(world, service.id),
    legacyKey: request.legacyKey ?? null,
  });
}

function takeFailure({ deploymentFailures }: World, serviceId: string): string | null {
  return deploymentFailures.get(serviceId)?.shift() ?? deploymentFailures.get("*")?.shift() ?? null;
}

/** Where an operation acts: a service, or a project or variable that it deletes. */
export type OperationSubject = Pick<StoredOperation, "workspaceId" | "serviceId" | "deletes">;

/** True where the service queues a deletion that it could carry out at once. */
export const queuesDeletions = ({ switches: { conditions } }: World): boolean =>
  conditions.has("queued-deletions") || conditions.has("failed-deletions");

/** Queues an operation; it settles on the clock. */
export function queueOperation(world: World, subject: OperationSubject, kind: string): StoredOperation {
  const { store, clock, switches, operationFailures } = world;
  const { workspaceId, serviceId, deletes } = subject;
  const at = store.stamp();
  return store.put("operations", {
    id: store.newId(),
    workspaceId,
    serviceId,
    ...(deletes === undefined ? {} : { deletes }),
    kind,
    status: "queued",
    createdAt: at,
    updatedAt: at,
    dueAt: clock.now() + switches.operationMs / 2,
    fails:
      operationFailures.delete(serviceId) ||
      operationFailures.delete("*") ||
      (kind === "delete" && switches.conditions.has("failed-deletions")),
  });
}
