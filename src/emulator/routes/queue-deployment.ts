import type { Call } from "../call";
import { blockedReason, putDeployment, stageMs } from "../progress";
import type { StoredDeployment, StoredService } from "../records";
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
  if (!world.switches.hostingEnabled) throw conflict("engine_unavailable", "Hosting is disabled");
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

/** Queues an operation of a service; it settles on the clock. */
export function queueOperation(call: Call, service: StoredService, kind: string) {
  const { store, clock, switches, operationFailures } = call.world;
  const at = store.stamp();
  return store.put("operations", {
    id: store.newId(),
    workspaceId: service.workspaceId,
    serviceId: service.id,
    kind,
    status: "queued",
    createdAt: at,
    updatedAt: at,
    dueAt: clock.now() + switches.operationMs / 2,
    fails: operationFailures.delete(service.id) || operationFailures.delete("*"),
  });
}
