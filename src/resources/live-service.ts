import type { Service } from "../api/wire/service";
import type { Attributes } from "../model/attributes";
import { LazyMap } from "../model/lazy-map";
import type { LiveResource } from "../model/live";
import type { Plain } from "../model/value";
import { present } from "./attribute-values";
import { configurationField, configurationNames, configurationPath } from "./service-configuration";
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
  let computed: Attributes | undefined;
  const standing = serviceStanding(found);
  const live: LiveResource = {
    type: "service",
    id: found.id,
    name: found.name,
    parentId: found.projectId ?? null,
    attributes: liveAttributes(found, environment),
    get computed() {
      computed ??= liveComputed(found);
      return computed;
    },
    updatedAt: found.updatedAt ?? undefined,
    ...(standing && { standing }),
  };
  known.set(found, { environment, live });
  return live;
}

function liveAttributes(found: Service, environment: string | undefined): Attributes {
  const { name, kind, projectId, archived, configuration } = found;
  const own: Readonly<Record<string, Plain | undefined>> = {
    name,
    kind,
    projectId,
    environment: environment ?? found.environmentId,
    archived,
  };
  const look = (path: string): Plain | undefined => {
    const field = configurationField(path);
    if (field !== undefined) return (configuration[field] ?? undefined) as Plain | undefined;
    if (Object.hasOwn(own, path)) return own[path] ?? undefined;
    // A field that this version does not know is answered for by its name, and never listed.
    const further = path.startsWith(group) ? path.slice(group.length) : "";
    return Object.hasOwn(configuration, further)
      ? ((configuration[further] ?? undefined) as Plain | undefined)
      : undefined;
  };
  return new LazyMap(look, (visit) => {
    for (const path of paths) {
      const value = look(path);
      if (value !== undefined) visit(value, path);
    }
  });
}

const group = "configuration.";

const paths = [
  "name",
  "kind",
  "projectId",
  "environment",
  "archived",
  ...configurationNames.map(configurationPath),
];

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
