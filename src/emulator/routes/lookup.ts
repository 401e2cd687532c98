import type { Call } from "../call";
import { isBeingDeleted } from "../progress";
import type { StoredDeployment, StoredProject, StoredService, StoredVariable } from "../records";
import { conflict, notFound } from "../refusal";
import type { World } from "../world";

/** The project of the path, or 404. */
export function projectOf(call: Call, id = call.params.projectId): StoredProject {
  const project = call.world.store.get("projects", id ?? "");
  if (project?.workspaceId !== call.workspaceId) throw notFound("The project");
  return project;
}

/** The service of the path, archived and deleting ones included, or 404. */
export function serviceOf(call: Call): StoredService {
  const service = call.world.store.get("services", call.params.serviceId ?? "");
  if (service?.workspaceId !== call.workspaceId || service.deletedAt !== null) throw notFound("The service");
  return service;
}

/** The service of the path, or 404; 409 when its deletion was requested. */
export function changeableServiceOf(call: Call): StoredService {
  const service = serviceOf(call);
  if (isBeingDeleted(call.world, service)) {
    throw conflict("service_deleting", "The service is being deleted");
  }
  return service;
}

/** The deployment of the path, of that service, or 404. */
export function deploymentOf(
  call: Call,
  service: StoredService,
  id: string | undefined = call.params.deploymentId,
): StoredDeployment {
  const deployment = call.world.store.get("deployments", id ?? "");
  if (deployment?.serviceId !== service.id) throw notFound("The deployment");
  return deployment;
}

/** The variable of the path, of that service, or 404. */
export function variableOf(call: Call, service: StoredService): StoredVariable {
  const variable = call.world.store.get("variables", call.params.variableId ?? "");
  if (variable?.serviceId !== service.id) throw notFound("The variable");
  return variable;
}

/** Services and environment groups that keep a project from being deleted, and show on its canvas. */
export const servicesIn = (call: Call, projectId: string): StoredService[] =>
  [...call.world.store.all("services")].filter(
    (service) => service.projectId === projectId && service.deletedAt === null,
  );

/** A name as the service keeps it. */
export const keptName = ({ switches }: Pick<World, "switches">, name: string): string =>
  switches.conditions.has("plain-names") ? name.trim().toLowerCase() : name;
