import type { CatalogAnswer } from "../api/wire/catalog";
import { planFor } from "./catalog";
import type { GapSwitches } from "./gap-switches";
import type {
  StoredDeployment,
  StoredOperation,
  StoredProject,
  StoredService,
  StoredVariable,
} from "./records";
import type { World } from "./world";

/** JSON text that is ready to be sent. */
export class Json {
  constructor(readonly text: string) {}
}

const serviceTexts = new WeakMap<StoredService, string>();

/** A service as JSON; made once per version of its record, because a canvas holds up to 2,000. */
export function serviceJson(world: World, service: StoredService): string {
  let text = serviceTexts.get(service);
  if (text === undefined) {
    text = JSON.stringify(serviceView(world.catalog, service));
    serviceTexts.set(service, text);
  }
  return text;
}

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || "service";

/** Service (interface, "Service"): every field of the table, null until reached. */
export function serviceView(catalog: CatalogAnswer, service: StoredService): Record<string, unknown> {
  const { configuration, kind } = service;
  const host = `${slug(service.name)}-${service.id.slice(0, 8)}`;
  const isPublic = kind === "web" || kind === "static";
  const status = serviceStatus(service);
  return {
    id: service.id,
    name: service.name,
    kind,
    projectId: service.projectId,
    environmentId: service.environmentId,
    environmentGroupIds: service.environmentGroupIds,
    archived: service.archived,
    configuration,
    createdAt: service.createdAt,
    updatedAt: service.updatedAt,
    deletedAt: service.deletedAt,
    deletionRequestedAt: service.deletionRequestedAt,
    deploymentId: service.deploymentId,
    deploymentUpdatedAt: service.deploymentUpdatedAt,
    liveDeploymentId: service.liveDeploymentId,
    displayStatus: status,
    lifecycleStatus: lifecycleStatus(service),
    status,
    healthStatus: service.runtime === "running" ? "ready" : "unknown",
    healthCheckedAt: service.healthCheckedAt,
    runtimeDetail: service.runtime === "none" ? "" : service.runtime,
    internalHost: configuration.privateNetworking === true ? `${host}.internal` : "",
    url: isPublic && configuration.platformDomainEnabled === true ? `https://${host}.rnv.example` : "",
    estimatedMonthly: estimatedMonthly(catalog, service),
  };
}

function serviceStatus(service: StoredService): string {
  if (service.deletionRequestedAt !== null) return service.deletedAt === null ? "deleting" : "deleted";
  if (service.archived) return "archived";
  if (service.runtime === "suspended") return "suspended";
  if (service.liveDeploymentId !== null) return "live";
  return service.deploymentStatus ?? "not_deployed";
}

function lifecycleStatus(service: StoredService): string {
  if (service.deletedAt !== null) return "deleted";
  if (service.deletionRequestedAt !== null) return "deleting";
  return service.archived ? "archived" : "active";
}

function estimatedMonthly(
  catalog: CatalogAnswer,
  service: StoredService,
): { ngn: number; usd: number; priced: boolean } {
  const plan = planFor(catalog, service.kind, service.configuration.plan);
  const replicas = Math.max(1, Number(service.configuration.replicas ?? 1));
  return {
    ngn: (plan?.ngn ?? 0) * replicas,
    usd: (plan?.usd ?? 0) * replicas,
    priced: plan !== undefined,
  };
}

/** How many of the latest releases of a service stay ready to be rolled back to. */
const retainedReleases = 10;

/** True for a retained successful release that is not the one serving. */
export function canRollBack(world: World, deployment: StoredDeployment): boolean {
  if (deployment.status !== "live") return false;
  if (world.store.get("services", deployment.serviceId)?.liveDeploymentId === deployment.id) return false;
  return world.store
    .ofService("deployments", deployment.serviceId)
    .filter((other) => other.status === "live")
    .slice(-retainedReleases)
    .some((other) => other.id === deployment.id);
}

/** Deployment (interface, "Deployment"). */
export const deploymentView = (world: World, deployment: StoredDeployment): Record<string, unknown> => ({
  id: deployment.id,
  status: deployment.status,
  trigger: deployment.trigger,
  actor: deployment.actor,
  branch: deployment.branch,
  commitSha: deployment.commitSha,
  commitMessage: deployment.commitMessage,
  blockedReason: deployment.blockedReason,
  error: deployment.error,
  cancelRequested: deployment.cancelRequested,
  canRollback: canRollBack(world, deployment),
  sourceDeploymentId: deployment.sourceDeploymentId,
  createdAt: deployment.createdAt,
  startedAt: deployment.startedAt,
  finishedAt: deployment.finishedAt,
  steps: deployment.steps,
});

/** Operation (interface, "Operation"); payload and error details stay inside. */
export const operationView = ({
  id,
  kind,
  status,
  createdAt,
  updatedAt,
}: StoredOperation): Record<string, unknown> => ({ id, kind, status, createdAt, updatedAt });

/** Project (interface, "Project"); the fields of an environment are a gap. */
export function projectView(
  { workspaceId: _, ...project }: StoredProject,
  { environmentRecord: [idField, nameField] }: GapSwitches,
): Record<string, unknown> {
  if (idField === "id" && nameField === "name") return project;
  const environments = project.environments.map(({ id, name, ...rest }) => ({
    ...{ [idField]: id, [nameField]: name },
    ...rest,
  }));
  return { ...project, environments };
}

/** Variable (interface, "Variable"): masked metadata only. */
export const variableView = (variable: StoredVariable): Record<string, unknown> => ({
  id: variable.id,
  key: variable.key,
  kind: "variable",
  configured: true,
  value: null,
  createdAt: variable.createdAt,
  updatedAt: variable.updatedAt,
});
