import type { ZodType } from "zod";
import { unlessAbsent } from "../api/api-error";
import type { Reads, Resource } from "../api/reads";
import {
  canvas as canvasAnswer,
  catalog as catalogAnswer,
  deployment as deploymentAnswer,
  deploymentsAnswer,
  type Service,
} from "../api/wire/shapes";
import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { uuidPattern } from "../model/address";
import { compareTexts } from "../model/collections";
import { defaultListed } from "../model/listing-schemas";
import type { LiveResource } from "../model/live";
import { isParentAttribute } from "../model/resource-type";
import { snakeCase } from "../model/terraform-names";
import { type Plain, unflatten } from "../model/value";
import { project } from "./project";
import { service } from "./service";
import { configurationSchema } from "./service/configuration";
import { variable } from "./variable";

export type Asked = ReadonlyMap<string, string>;

const sorted = (found: readonly LiveResource[] | undefined): readonly LiveResource[] =>
  [...(found ?? [])].sort((a, b) => compareTexts(a.name, b.name) || compareTexts(a.id, b.id));

/** Returns active services by name, of a project or kind if given. Throws `DiagnosticsError` if some are not shown. */
async function listServices(reads: Reads, asked: Asked): Promise<readonly LiveResource[]> {
  const projectId = asked.get("projectId");
  const kind = asked.get("kind");
  const found = sorted(await service.list(reads));
  if (projectId === undefined) await requireAllServices(reads);
  return found.filter(
    ({ parentId, attributes }) =>
      (projectId === undefined || parentId === projectId) &&
      (kind === undefined || attributes.get("kind") === kind),
  );
}

/** Throws `DiagnosticsError` where the service shows only a part of all services. */
export async function requireAllServices(reads: Reads): Promise<void> {
  if (await reads.servicesAreComplete()) return;
  throw failure("live.unchecked", "there are too many services to list those outside of projects", {
    hint: "ask for those of one project",
  });
}

/** Returns the deployment of an id, else the serving deployment. Throws `DiagnosticsError` where there is none. */
async function findDeployment(reads: Reads, asked: Asked, service: Service | undefined) {
  const serviceId = asked.get("serviceId") ?? "";
  const id = asked.get("id") ?? service?.liveDeploymentId;
  if (!id) throw missing(`no deployment of the service "${service?.name ?? serviceId}" serves`, "service_id");
  const found = await unlessAbsent(() => reads.live.getDeployment(serviceId, id));
  if (found !== undefined) return found;
  throw missing(`the service has no deployment of the id ${id}`, "id");
}

const missing = (summary: string, attribute: string): DiagnosticsError =>
  failure("live.data_missing", summary, { attribute });

/** A canvas as it is shown. `configuration` has the fields of a service: the nodes of a list have the same type. */
export const canvasShown = canvasAnswer.extend({
  nodes: canvasAnswer.shape.nodes.element.extend({ configuration: configurationSchema }).array(),
});

type Values = { readonly [name: string]: Plain };

/** Reads a listing with the names that its values have in Terraform. Throws `DiagnosticsError` or `ApiError`. */
export async function readListing(reads: Reads, terraformName: string, asked: Asked): Promise<Values> {
  for (const [key, id] of asked)
    if (/^id$|Id$/.test(key) && !uuidPattern.test(id))
      throw missing(`"${id}" is not an id: ids are UUIDs`, snakeCase(key));
  const serviceId = asked.get("serviceId") ?? "";
  const around = serviceId === "" ? undefined : await reads.service(serviceId);
  if (around?.kind === "gone") throw missing(`there is no service of the id ${serviceId}`, "service_id");
  switch (terraformName) {
    case "rnv_catalog":
      return answered(catalogAnswer, await reads.catalog()) as Values;
    case "rnv_projects":
      return { projects: sorted(await project.list(reads)).map((one) => shownValues(project, one)) };
    case "rnv_services":
      return { services: (await listServices(reads, asked)).map((one) => shownValues(service, one)) };
    case "rnv_variables": {
      const listed = await variable.list(reads, serviceId);
      if (listed === undefined) throw failure("live.unchecked", "the platform does not list its variables");
      const found = sorted(listed);
      return {
        keys: found.map(({ name }) => name),
        variables: found.map((one) => shownValues(variable, one)),
      };
    }
    case "rnv_deployment": {
      const at = around?.kind === "found" ? around.value : undefined;
      return answered(deploymentAnswer, await findDeployment(reads, asked, at)) as Values;
    }
    case "rnv_deployments": {
      const limit = Number(asked.get("limit") ?? defaultListed);
      const listed = await reads.live.listDeployments(serviceId, { limit });
      return answered(deploymentsAnswer.omit({ page: true }), listed) as Values;
    }
    case "rnv_canvas": {
      const scope = { projectId: asked.get("projectId"), environmentId: asked.get("environmentId") };
      const canvas = await reads.live.canvas(scope);
      reads.refuseDoubtful("service");
      return answered(canvasShown, canvas) as Values;
    }
    default:
      throw new Error(`no listing ${terraformName}`);
  }
}

/** Returns the declarable and computed values of a live resource, without its secrets. */
export function shownValues(type: Resource, live: LiveResource): Plain {
  const { attributes, computed, parentId: liveParent } = live;
  const values = new Map<string, Plain>();
  for (const [path, { secret, change }] of Object.entries(type.rules)) {
    const parentId = isParentAttribute(type, path) ? liveParent : undefined;
    if (secret !== true && change !== "local")
      values.set(snakeCase(path), attributes.get(path) ?? parentId ?? null);
  }
  for (const name of Object.keys(type.computed)) values.set(snakeCase(name), computed.get(name) ?? null);
  return { ...unflatten(values), id: live.id };
}

interface AnswerSchema {
  readonly shape?: Readonly<Record<string, ZodType>>;
  readonly def: { readonly innerType?: ZodType; readonly element?: ZodType };
}

/** Returns a value of an answer with the fields of its schema, in the words of Terraform; missing fields are null. */
function answered(schema: ZodType, value: unknown): Plain {
  const { shape, def } = schema as ZodType & AnswerSchema;
  if (def.innerType !== undefined) return answered(def.innerType, value);
  if (value === undefined || value === null) return null;
  if (Array.isArray(value) && def.element !== undefined)
    return value.map((item) => answered(def.element as ZodType, item));
  if (shape === undefined) return value as Plain;
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [
      snakeCase(name),
      answered(field, (value as Record<string, unknown>)[name]),
    ]),
  );
}
