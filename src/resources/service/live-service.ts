import type { Reads } from "../../api/reads";
import type { Service } from "../../api/wire/shapes";
import { matchingChoices } from "../../model/declared-choice";
import type { LiveAttributes, LiveResource, Offered, Standing } from "../../model/live";
import type { ResourceType } from "../../model/resource-type";
import type { Attributes, Plain } from "../../model/value";
import { moving, present, sameId } from "../attribute-values";
import { serviceStanding } from "../deployment-status";
import { offeredEnvironments } from "../project";

/** The computed attributes of a service: its fields of the same name, and its price. */
export const computed = {
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
  status: { valueType: "string", doc: "Status as the platform reports it.", ...moving },
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

/** A service as a live resource; `environment` is a name or an id. */
export class LiveService implements LiveResource {
  readonly type = "service";
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly updatedAt: string | undefined;
  readonly standing: readonly Standing[] | undefined;
  readonly attributes: LiveAttributes;

  constructor(
    private readonly found: Service,
    environment?: string,
    readonly place?: LiveResource["place"],
  ) {
    this.id = found.id;
    this.name = found.name;
    this.parentId = found.projectId ?? null;
    this.updatedAt = found.updatedAt ?? undefined;
    this.standing = serviceStanding(found);
    this.attributes = new ServiceAttributes(found, environment);
  }

  get computed(): Attributes {
    const { estimatedMonthly: price, configuration, deploymentId, url, internalHost } = this.found;
    const { usd: estimatedMonthlyUsd, ngn: estimatedMonthlyNgn } = price?.priced ? price : {};
    // The first deployment may set an empty address, unless it is switched off.
    const addressOf = (address: string | null | undefined, isEnabled: unknown) =>
      address || deploymentId != null || isEnabled === false ? address : null;
    const shown: Readonly<Record<string, unknown>> = {
      ...this.found,
      url: addressOf(url, configuration.platformDomainEnabled),
      internalHost: addressOf(internalHost, configuration.privateNetworking),
      estimatedMonthlyUsd,
      estimatedMonthlyNgn,
    };
    return present(Object.fromEntries(Object.keys(computed).map((name) => [name, shown[name] as Plain])));
  }
}

/** Attributes that are read from the answer when they are asked for: of most services few are, and maps are large. */
class ServiceAttributes implements LiveAttributes {
  readonly #own: Readonly<Record<string, unknown>>;
  readonly #configuration: Service["configuration"];

  constructor({ name, kind, projectId, archived, configuration }: Service, environment?: string) {
    this.#own = { name, kind, projectId, archived: archived === true, environment };
    this.#configuration = configuration;
  }

  get(path: string): Plain | undefined {
    const isField = path.startsWith(inConfiguration);
    const key = isField ? path.slice(inConfiguration.length) : path;
    const fields = isField ? this.#configuration : this.#own;
    return Object.hasOwn(fields, key) ? ((fields[key] as Plain) ?? undefined) : undefined;
  }

  *[Symbol.iterator](): Iterator<readonly [string, Plain]> {
    const settings = Object.keys(this.#configuration).map((field) => inConfiguration + field);
    for (const path of [...Object.keys(this.#own), ...settings]) {
      const value = this.get(path);
      if (value !== undefined) yield [path, value];
    }
  }
}

const inConfiguration = "configuration.";

/**
 * Returns services as live resources, with their environments as a manifest writes them. `declared` stays if it is the
 * environment or cannot be compared; any other is named.
 */
export async function liveIn(
  reads: Reads,
  services: readonly Service[],
  declared?: string,
): Promise<readonly LiveResource[]> {
  const known = new Map<string, readonly Offered[]>();
  for (const { projectId } of services) {
    if (projectId == null || known.has(projectId)) continue;
    const project = await reads.project(projectId);
    known.set(projectId, project.kind === "found" ? offeredEnvironments(project.value) : []);
  }
  return services.map((found) => {
    const among = known.get(found.projectId ?? "") ?? [];
    const chosen = among.find(({ id }) => sameId(id ?? null, found.environmentId ?? ""));
    if (chosen === undefined) return new LiveService(found, declared);
    const isDeclared = declared !== undefined && matchingChoices(among, declared).includes(chosen);
    return new LiveService(found, isDeclared ? declared : chosen.name, { chosen, among });
  });
}
