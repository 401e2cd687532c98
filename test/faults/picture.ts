import type { StoredService } from "../../src/emulator/records";
import { embeddedCatalog } from "../../src/emulator/response-views";
import type { EmulatorStore } from "../../src/emulator/store";

/** Everything that is live, one line for each thing, sorted: two pictures are equal when the services are. */
export function picture(store: EmulatorStore): string[] {
  const projects = new Map(store.projects().map((project) => [project.id, project]));
  const services = store.services().filter((service) => service.deletedAt === null);
  const place = (service: StoredService): string =>
    `${service.projectId === null ? "" : (projects.get(service.projectId)?.name ?? "?")}/${service.name}`;
  const hosts = new Map(services.map(({ id, name }) => [`${name}-${id.slice(0, 8)}.internal`, name]));
  const variables = services.flatMap((service) =>
    store.variables(service.id).map((variable) => {
      const value = store.variableValue(variable.id) ?? "";
      const host = hosts.get(value);
      const shown = host !== undefined ? `<${host}>` : variable.key === "TOKEN" ? `<${value.length}>` : value;
      return `variable ${place(service)}/${variable.key}=${shown}`;
    }),
  );
  return [
    ...store.projects().map(({ name, description }) => `project ${name} "${description}"`),
    ...services.map((service) => serviceLine(store, service, place(service))),
    ...variables,
  ].sort();
}

function serviceLine(store: EmulatorStore, service: StoredService, place: string): string {
  const defaults = embeddedCatalog.defaults as Readonly<Record<string, unknown>>;
  const own = Object.entries(service.configuration)
    // A catalog may have further fields, which no scenario sets.
    .filter(
      ([field, value]) => field in defaults && JSON.stringify(value) !== JSON.stringify(defaults[field]),
    )
    .map(([field, value]) => `${field}=${JSON.stringify(value)}`)
    .sort();
  const requested = requestedDeployments(store, service.id);
  const actions = store
    .operations()
    .filter(({ serviceId, kind }) => serviceId === service.id && kind !== "delete")
    .map(({ kind }) => kind);
  return [
    `service ${place} ${service.kind}`,
    ...own,
    ...(service.archived ? ["archived"] : []),
    `deployments=${requested}`,
    ...(service.liveDeploymentId === null ? [] : ["live"]),
    ...[...new Set(actions)].sort().map((kind) => `${kind}=${actions.filter((one) => one === kind).length}`),
  ].join(" ");
}

/** Deployments that were asked for neither in the dashboard nor by the platform itself. */
export const requestedDeployments = (store: EmulatorStore, serviceId: string): number =>
  store.deployments(serviceId).filter(({ actor }) => actor !== "dashboard" && actor !== "auto-deploy").length;
