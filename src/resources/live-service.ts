import type { Service } from "../api/wire/service";
import type { Attributes } from "../model/attributes";
import type { LiveResource } from "../model/live";
import type { Plain } from "../model/value";
import { present } from "./attribute-values";
import { configurationNames } from "./service-configuration";
import { serviceStanding } from "./standing";

/** A record of the canvas is looked at from two sides, by its address and in the list of what there is. */
const known = new WeakMap<
  Service,
  { readonly environment: string | undefined; readonly live: LiveResource }
>();

/** What the service reports of one service, as attributes; `environment` in the form the caller wants it. */
export function liveService(found: Service, environment?: string): LiveResource {
  const before = known.get(found);
  if (before !== undefined && before.environment === environment) return before.live;
  const standing = serviceStanding(found);
  const live: LiveResource = {
    type: "service",
    id: found.id,
    name: found.name,
    parentId: found.projectId ?? null,
    attributes: liveAttributes(found, environment),
    computed: liveComputed(found),
    updatedAt: found.updatedAt ?? undefined,
    ...(standing && { standing }),
  };
  known.set(found, { environment, live });
  return live;
}

function liveAttributes(found: Service, environment: string | undefined): Attributes {
  const { name, kind, projectId, archived, configuration } = found;
  // Fields in the order of the interface, then those that this version does not know.
  const fields = [...configurationNames, ...Object.keys(configuration)];
  return present({
    ...{ name, kind, projectId, environment: environment ?? found.environmentId, archived },
    ...Object.fromEntries(fields.map((field) => [`configuration.${field}`, configuration[field] as Plain])),
  });
}

function liveComputed(found: Service): Attributes {
  const priced = found.estimatedMonthly?.priced === true ? found.estimatedMonthly : undefined;
  const { id, url, internalHost, environmentId, status, displayStatus, lifecycleStatus, healthStatus } =
    found;
  const { deploymentId, liveDeploymentId, createdAt, updatedAt } = found;
  return present({
    ...{ id, url, internalHost, environmentId, status, displayStatus, lifecycleStatus, healthStatus },
    ...{ deploymentId, liveDeploymentId, createdAt, updatedAt },
    environmentGroupIds: found.environmentGroupIds,
    estimatedMonthlyUsd: priced?.usd,
    estimatedMonthlyNgn: priced?.ngn,
  });
}
