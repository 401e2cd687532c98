import { type CatalogAnswer, documentedDefaults } from "../api/wire/shapes";
import { slug } from "./kept-values";
import type { Readings } from "./readings";
import type { StoredDeployment, StoredProject, StoredService, StoredVariable } from "./records";
import { deploymentTime } from "./times";
import type { World } from "./world";

const built = ["web", "static", "worker", "cron"];
export const databaseKinds = ["postgres", "redis"];
const nairaPerDollar = 1500;

const plan = (
  id: string,
  kinds: readonly string[],
  usd: number,
  { connections = 0, ...size }: { cpu: number; memoryMb: number; storageGb: number; connections?: number },
): CatalogAnswer["plans"][number] => ({
  id,
  name: id.replace(/^./, (first) => first.toUpperCase()),
  kinds: [...kinds],
  ...size,
  transferGb: usd === 0 ? 10 : usd * 20,
  buildMinutes: usd === 0 ? 300 : usd * 100,
  logDays: usd === 0 ? 1 : 14,
  backupRetentionDays: usd === 0 ? 1 : 7,
  maxConnections: connections,
  workspaceLimit: usd === 0 ? 25 : 0,
  usd,
  ngn: usd * nairaPerDollar,
});

const type = (id: string, name: string, plural: string, description: string, runtime = true) => {
  return { id, name, plural, description, runtime };
};

/** The catalog of the emulated service (interface, "Catalog"). */
export const embeddedCatalog: CatalogAnswer = {
  capabilities: { workerOnline: true, rollbacks: true, privateNetworking: true },
  plans: [
    plan("free", built, 0, { cpu: 0.1, memoryMb: 256, storageGb: 1 }),
    plan("starter", ["web", "worker", "cron"], 7, { cpu: 0.5, memoryMb: 512, storageGb: 5 }),
    plan("standard", ["web", "worker", "cron"], 25, { cpu: 1, memoryMb: 2048, storageGb: 20 }),
    plan("pro", ["web", "worker"], 85, { cpu: 2, memoryMb: 4096, storageGb: 50 }),
  ],
  databasePlans: [
    plan("free", databaseKinds, 0, { cpu: 0.1, memoryMb: 256, storageGb: 1, connections: 20 }),
    plan("basic", databaseKinds, 10, { cpu: 0.5, memoryMb: 1024, storageGb: 10, connections: 100 }),
    plan("advanced", ["postgres"], 60, { cpu: 2, memoryMb: 4096, storageGb: 100, connections: 400 }),
  ],
  defaults: { ...documentedDefaults },
  pricesAreEstimates: true,
  regions: [
    { id: "auto", name: "Automatic", description: "The region with room" },
    { id: "lagos", name: "Lagos", description: "West Africa" },
    { id: "frankfurt", name: "Frankfurt", description: "Central Europe" },
    { id: "virginia", name: "Virginia", description: "Eastern United States" },
  ],
  runtimes: ["auto", "node", "python", "go", "ruby", "php", "rust", "java", "docker"],
  serviceTypes: [
    type("web", "Web service", "Web services", "Serves HTTP"),
    type("static", "Static site", "Static sites", "Serves files", false),
    type("worker", "Worker", "Workers", "Runs in the background"),
    type("cron", "Cron job", "Cron jobs", "Runs on a schedule"),
    type("postgres", "PostgreSQL", "Databases", "A database"),
    type("redis", "Redis", "Key-value stores", "A cache"),
  ],
};

type Offer = string | { readonly id: string; readonly name: string };

const withOffers = (
  catalog: CatalogAnswer,
  change: <Item extends Offer>(offers: readonly Item[]) => Item[],
): CatalogAnswer => ({
  ...catalog,
  plans: change(catalog.plans),
  regions: change(catalog.regions),
  runtimes: change(catalog.runtimes),
  serviceTypes: change(catalog.serviceTypes),
});

export function catalogIn(
  { catalogDefaults, catalogLists }: Readings,
  catalog: CatalogAnswer,
): CatalogAnswer {
  const next = <Item extends Offer>(offer: Item): Item =>
    (typeof offer === "string"
      ? `${offer}-next`
      : { ...(offer as object), id: `${offer.id}-next`, name: `${offer.name} next` }) as Item;
  const hasFurther = catalogLists === "further";
  const offered = withOffers(catalog, (offers) =>
    offers.concat(hasFurther ? offers.slice(-1).map(next) : []),
  );
  const further = catalogDefaults === "further" && { edgeCache: "off", sidecars: [] };
  return { ...offered, defaults: { ...catalog.defaults, ...further } };
}

/** The catalog as it is read; a reading may leave out offers that services use. */
export function shownCatalog({ catalog, store, readings, switches: { conditions } }: World): CatalogAnswer {
  const services = readings.catalogLists === "fewer" ? [...store.all("services")] : [];
  const used = services.flatMap(({ kind, configuration: set }) => [kind, set.plan, set.region, set.runtime]);
  const isLeft = (offer: Offer): boolean => !used.includes(typeof offer === "string" ? offer : offer.id);
  return {
    ...withOffers(catalog, (offers) => offers.filter(isLeft)),
    capabilities: {
      ...catalog.capabilities,
      hosting: !conditions.has("hosting-off"),
      workerOnline: !conditions.has("worker-offline"),
    },
  };
}

export const planFor = (catalog: CatalogAnswer, kind: string, id: unknown) =>
  [...catalog.plans, ...catalog.databasePlans].find((offer) => offer.id === id && offer.kinds.includes(kind));

/** Fields that only the emulator knows; JSON leaves out undefined. */
const hidden = {
  workspaceId: undefined,
  paidPlans: undefined,
  deploymentStatus: undefined,
  runtime: undefined,
  hostName: undefined,
  sent: undefined,
};

/** Service (interface, "Service"): every field of the table, null until reached, unless a reading says otherwise. */
export function serviceView(world: World, service: StoredService): Record<string, unknown> {
  const { readings } = world;
  const { hostName = service.name, runtime, configuration, kind } = service;
  const host = `${slug(hostName, "service")}-${service.id.slice(0, 8)}`;
  const isPublic = kind === "web" || kind === "static";
  const status = serviceStatus(service);
  const isIdle = service.archived || runtime === "suspended";
  const release = isIdle && readings.idleRelease === "null" ? null : service.liveDeploymentId;
  const none = readings.noDeployment === "absent" ? undefined : null;
  const hosted = (url: string): string | null =>
    service.deploymentId === null ? { set: url, empty: "", null: null }[readings.firstUrl] : url;
  return {
    ...service,
    ...hidden,
    deploymentUpdatedAt: deploymentTime(world, service),
    deploymentId: service.deploymentId ?? none,
    liveDeploymentId: service.liveDeploymentId === null ? none : release,
    configuration: readings.configurationFields === "set" ? setFields(world, service) : configuration,
    displayStatus: status,
    lifecycleStatus: lifecycleStatus(service),
    status,
    healthStatus: runtime === "running" ? "ready" : "unknown",
    runtimeDetail: runtime === "none" ? "" : runtime,
    internalHost: hosted(configuration.privateNetworking === true ? `${host}.internal` : ""),
    url: hosted(
      isPublic && configuration.platformDomainEnabled === true ? `https://${host}.rnv.example` : "",
    ),
    estimatedMonthly: estimatedMonthly(world, service),
  };
}

/** The fields of the configuration that were ever set: by a request, or to another value than the default. */
function setFields({ catalog: { defaults } }: World, { configuration, sent = [] }: StoredService) {
  const wasSet = ([field, value]: readonly [string, unknown]): boolean =>
    sent.includes(field) || JSON.stringify(value) !== JSON.stringify(defaults[field]);
  return Object.fromEntries(Object.entries(configuration).filter(wasSet));
}

function serviceStatus(service: StoredService): string {
  const phase = lifecycleStatus(service);
  if (phase !== "active") return phase;
  if (service.runtime === "suspended") return "suspended";
  return service.liveDeploymentId === null ? (service.deploymentStatus ?? "not_deployed") : "live";
}

function lifecycleStatus(service: StoredService): string {
  if (service.deletedAt !== null) return "deleted";
  if (service.deletionRequestedAt !== null) return "deleting";
  return service.archived ? "archived" : "active";
}

function estimatedMonthly({ catalog, readings }: World, { kind, configuration }: StoredService) {
  const plan = readings.prices === "priced" ? planFor(catalog, kind, configuration.plan) : undefined;
  const replicas = Math.max(1, Number(configuration.replicas ?? 1));
  return { ngn: (plan?.ngn ?? 0) * replicas, usd: (plan?.usd ?? 0) * replicas, priced: plan !== undefined };
}

const retainedReleases = 10;

/** True for a retained successful release that does not serve. */
export function canRollBack(world: World, deployment: StoredDeployment): boolean {
  if (deployment.status !== "live") return false;
  if (world.store.get("services", deployment.serviceId)?.liveDeploymentId === deployment.id) return false;
  return world.store
    .ofService("deployments", deployment.serviceId)
    .filter((other) => other.status === "live")
    .slice(-retainedReleases)
    .some((other) => other.id === deployment.id);
}

/** Deployment (interface, "Deployment"), without internal fields. */
export function deploymentView(world: World, deployment: StoredDeployment): Record<string, unknown> {
  const { workspaceId, serviceId, stageStartedAt, dueAt, failure, legacyKey, ...shown } = deployment;
  return { ...shown, canRollback: canRollBack(world, deployment) };
}

/** Fields of an environment that no version of rnv knows: some have names that others use. */
const furtherOfEnvironment = {
  environmentId: null,
  isDefault: false,
  kind: "environment",
  slug: "env",
  type: null,
  serviceCount: 0,
  services: [],
  settings: { region: "auto", name: "Production" },
};

/** Project (interface, "Project"). */
export function projectView(
  { workspaceId: _, ...project }: StoredProject,
  { environmentRecord }: Readings,
): Record<string, unknown> {
  if (environmentRecord === "plain") return project;
  return {
    ...project,
    environments: project.environments.map((one) => ({ ...furtherOfEnvironment, ...one })),
  };
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
