import type { Endpoints } from "../../api/endpoints";
import { environmentOf } from "../../api/gap-rules";
import type { Reads } from "../../api/reads";
import type { Service } from "../../api/wire/shapes";
import { failure } from "../../diagnostics/diagnostic";
import type { LiveResource, Offered } from "../../model/live";
import type { ResourceType } from "../../model/resource-type";
import type { Attributes, Plain } from "../../model/value";
import { present, textAt } from "../attribute-values";
import { serviceStanding } from "../deployment-status";
import { environmentsMeant, offeredEnvironments } from "../project";
import { checkOffered } from "./checks";
import { configurationPaths } from "./configuration";

/** Moves by itself, with deployments and checks of health. */
const moving = { stable: false, movesByItself: true } as const;

/** The computed attributes of a service: its fields of the same name, and its price. */
export const serviceComputed = {
  id: { valueType: "string", doc: "Id of the service.", stable: true },
  url: {
    valueType: "string",
    doc: "Public URL.",
    stable: true,
    movesWith: ["name", "configuration.platformDomainEnabled"],
  },
  internalHost: {
    valueType: "string",
    doc: "Host name inside the private network.",
    stable: true,
    movesWith: ["name", "configuration.privateNetworking"],
  },
  environmentId: { valueType: "string", doc: "Id of its environment.", stable: true },
  environmentGroupIds: { valueType: "json", doc: "Ids of linked environment groups.", stable: true },
  status: { valueType: "string", doc: "Status as the service reports it.", ...moving },
  displayStatus: { valueType: "string", doc: "Status as the dashboard shows it.", ...moving },
  lifecycleStatus: { valueType: "string", doc: "Phase of its life, such as `active`.", ...moving },
  healthStatus: { valueType: "string", doc: "Result of the last health check.", ...moving },
  deploymentId: { valueType: "string", doc: "Id of the latest deployment.", ...moving },
  liveDeploymentId: { valueType: "string", doc: "Id of the deployment that serves.", ...moving },
  estimatedMonthlyUsd: { valueType: "number", doc: "Estimated monthly price in USD.", ...moving },
  estimatedMonthlyNgn: { valueType: "number", doc: "Estimated monthly price in NGN.", ...moving },
  createdAt: { valueType: "string", doc: "When it was created, ISO 8601.", stable: true },
  updatedAt: { valueType: "string", doc: "When it last changed, ISO 8601.", ...moving },
} as const satisfies ResourceType["computed"];

/** Returns a service as a live resource; `environment` in the form of the caller: a name or an id. */
export function liveService(found: Service, environment?: string): LiveResource {
  const standing = serviceStanding(found);
  let attributes: Attributes | undefined;
  return {
    type: "service",
    id: found.id,
    name: found.name,
    parentId: found.projectId ?? null,
    // Of most services of a workspace only names and ids are read.
    get attributes() {
      attributes ??= liveAttributes(found, environment);
      return attributes;
    },
    computed: liveComputed(found),
    updatedAt: found.updatedAt ?? undefined,
    ...(standing && { standing }),
  };
}

function liveAttributes(found: Service, environment: string | undefined): Attributes {
  const { name, kind, projectId, archived, configuration } = found;
  const attributes = present({
    ...{ name, kind, projectId, environment: environment ?? found.environmentId },
    archived: archived === true,
  });
  const add = (path: string, value: unknown): void => {
    if (value !== undefined && value !== null) attributes.set(path, value as Plain);
  };
  for (const [field, path] of configurationPaths) add(path, configuration[field]);
  for (const [field, value] of Object.entries(configuration))
    if (!configurationPaths.has(field)) add(`configuration.${field}`, value);
  return attributes;
}

function liveComputed(found: Service): Attributes {
  const priced = found.estimatedMonthly?.priced === true ? found.estimatedMonthly : undefined;
  const shown: Readonly<Record<string, unknown>> = found;
  const fields = Object.keys(serviceComputed).map((name) => [name, shown[name]]);
  return present({
    ...Object.fromEntries(fields),
    estimatedMonthlyUsd: priced?.usd,
    estimatedMonthlyNgn: priced?.ngn,
  });
}

/** The environment of a service as a manifest would write it: as it is declared where that is it, else its name. */
export async function environmentNameFor(
  reads: Reads,
  service: Service,
  declared: string | undefined,
): Promise<string | undefined> {
  const { environmentId, projectId } = service;
  if (environmentId == null) return undefined;
  if (environmentId === declared || projectId == null) return environmentId;
  const project = await reads.project(projectId);
  const environments = project.kind === "found" ? project.value.environments.map(environmentOf) : [];
  const meant = declared === undefined ? [] : environmentsMeant(environments, declared);
  if (meant.length === 1 && meant[0]?.id === environmentId) return declared;
  return environments.find(({ id }) => id === environmentId)?.name ?? environmentId;
}

/**
 * Returns the id of the declared environment (by name or id), else of the one that is chosen by itself. Asks the service
 * only where what is known of the project does not say. Throws `DiagnosticsError` where the project has none.
 */
export async function environmentIdFor(
  writes: Endpoints,
  projectId: string,
  declared: string | undefined,
  project: Attributes | undefined,
): Promise<string | undefined> {
  const production = textAt(project ?? new Map(), "productionEnvironmentId");
  if (production !== undefined && [undefined, production].includes(declared)) return production;
  const offered = offeredEnvironments(await writes.getProject(projectId));
  const [finding] = checkOffered(declared, offered, false);
  if (finding) throw failure(finding.code, finding.summary, finding);
  const isChosen = ({ isDefault }: Offered): boolean => isDefault;
  return (declared === undefined ? offered.find(isChosen) : environmentsMeant(offered, declared)[0])?.id;
}
