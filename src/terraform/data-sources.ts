import {
  canvas as canvasAnswer,
  catalog as catalogAnswer,
  deployment as deploymentAnswer,
  deploymentsAnswer,
} from "../api/wire/shapes";
import type { Diagnostic } from "../diagnostics/diagnostic";
import { isMissing } from "../model/freshness";
import type { LiveResource } from "../model/live";
import { compareTexts } from "../model/text";
import { unlessGone } from "../resources/deletion";
import { project } from "../resources/project";
import { service } from "../resources/service";
import { variable } from "../resources/variable";
import { findById } from "./confirm-deleted";
import {
  type DataSource,
  dataSource,
  fieldsOf,
  lookupOf,
  shownResource,
  shownType,
} from "./define-data-source";
import { diagnosticError, diagnosticMessages } from "./messages";
import { type RpcAnswer, requireNamed, type Session } from "./provider";
import { textIn } from "./schema/attributes";
import { computed, optional, required, typeOf } from "./schema/block";
import { shapeOf } from "./schema/terraform-shape";
import { decodeObject, encodeMessage, fromJson } from "./values/codec";
import { asObject, listOf } from "./values/terraform-value";

const catalog = dataSource(
  "rnv_catalog",
  {
    doc: "Plans, regions, runtimes, service types and defaults that the service offers. Prices are estimates.",
    attributes: fieldsOf(catalogAnswer, {
      capabilities: "What the service can do now.",
      plans: "Plans of services, with monthly prices in USD and NGN.",
      database_plans: "Plans of databases.",
      defaults: "Default of each configuration field.",
      prices_are_estimates: "Whether prices are estimates.",
      regions: "Regions on offer.",
      runtimes: "Runtimes on offer.",
      service_types: "Kinds of services.",
    }),
  },
  async ({ reads }) => asObject(fromJson(typeOf(catalogAnswer), await reads.catalog())) ?? {},
);

const services = dataSource(
  "rnv_services",
  {
    doc: "Every active service of the workspace, or of one project, with its configuration.",
    attributes: [
      optional("project_id", "string", "Only services of this project."),
      optional("kind", "string", "Only services of this kind."),
      computed("services", listOf(shownType(shapeOf(service))), "The services, sorted by name."),
    ],
  },
  async ({ reads }, config) => {
    const projectId = textIn(config, "project_id");
    const kind = textIn(config, "kind");
    const found = ((await service.list(reads)) ?? []).filter(
      (one) =>
        (projectId === undefined || one.parentId === projectId) &&
        (kind === undefined || one.attributes.get("kind") === kind),
    );
    return { services: [...found].sort(byNameAndId).map((live) => shownResource(shapeOf(service), live)) };
  },
);

const deployments = dataSource(
  "rnv_deployments",
  {
    doc: "The latest deployments of one service, newest first.",
    attributes: [
      required("service_id", "string", "Id of the service."),
      optional("limit", "number", "How many, 1 to 200. Default: 20."),
      ...fieldsOf(deploymentsAnswer.omit({ page: true }), {
        available: "False where hosting is off and nothing runs.",
        items: "The deployments.",
        reason: "Why none are available.",
      }),
    ],
  },
  async ({ reads }, config) => {
    const limit = typeof config.limit === "number" ? config.limit : 20;
    const answer = await reads.live.listDeployments(textIn(config, "service_id") ?? "", { limit });
    return asObject(fromJson(typeOf(deploymentsAnswer.omit({ page: true })), answer)) ?? {};
  },
);

const canvas = dataSource(
  "rnv_canvas",
  {
    doc: "Services, groups and references of the workspace, of a project or of one environment, with the saved layout.",
    attributes: [
      optional("project_id", "string", "Only this project."),
      optional("environment_id", "string", "Only this environment of the project."),
      ...fieldsOf(canvasAnswer.omit({ scope: true }), {
        nodes: "Services.",
        groups: "Environment groups.",
        edges: "References between them: names of variables only.",
        layout: "Saved places and view.",
      }),
    ],
  },
  async ({ canvas: readCanvas }, config) => {
    const scope = {
      projectId: textIn(config, "project_id"),
      environmentId: textIn(config, "environment_id"),
    };
    const answer = await readCanvas(scope);
    return asObject(fromJson(typeOf(canvasAnswer.omit({ scope: true })), answer)) ?? {};
  },
);

const projects = dataSource(
  "rnv_projects",
  {
    doc: "Every project of the workspace.",
    attributes: [computed("projects", listOf(shownType(shapeOf(project))), "The projects, sorted by name.")],
  },
  async ({ reads }) => {
    const found = (await project.list(reads)) ?? [];
    return { projects: [...found].sort(byNameAndId).map((live) => shownResource(shapeOf(project), live)) };
  },
);

const variables = dataSource(
  "rnv_variables",
  {
    doc: "The variables of one service: their names and times, never their values.",
    attributes: [
      required("service_id", "string", "Id of the service."),
      computed("keys", listOf("string"), "Their names, sorted."),
      computed("variables", listOf(shownType(shapeOf(variable))), "The variables, sorted by name."),
    ],
  },
  async (session, config) => {
    const serviceId = textIn(config, "service_id") ?? "";
    const around = await findById(session, service, serviceId);
    if (isMissing(around))
      throw diagnosticError("live.import_missing", `there is no service of the id ${serviceId}`, {
        attribute: "service_id",
      });
    const found = await variable.list(session.reads, serviceId);
    if (found === undefined)
      throw diagnosticError("live.unchecked", "the service does not list its variables");
    const sorted = [...found].sort(byNameAndId);
    return {
      keys: sorted.map(({ name }) => name),
      variables: sorted.map((live) => shownResource(shapeOf(variable), live)),
    };
  },
);

const deploymentDocs = {
  id: "Id of the deployment; that of the one that serves unless given.",
  status: "Where it stands: `queued`, `live`, `failed` and so on.",
  trigger: "What started it.",
  actor: "Who started it.",
  branch: "Branch it was made of.",
  commit_sha: "Commit it was made of; empty where none was named.",
  commit_message: "First line of that commit.",
  blocked_reason: "Why it waits in the queue; empty where nothing holds it.",
  error: "Why it failed.",
  cancel_requested: "Whether somebody asked for its end.",
  can_rollback: "Whether the service can go back to it.",
  source_deployment_id: "Of a rollback: the deployment whose release it serves again.",
  created_at: "When it was queued, ISO 8601.",
  started_at: "When it began, ISO 8601.",
  finished_at: "When it ended, ISO 8601.",
  steps: "Its steps, with their times.",
};

const deployment = dataSource(
  "rnv_deployment",
  {
    doc: "One deployment of a service: the one of an id, or the one that serves now.",
    attributes: [
      required("service_id", "string", "Id of the service."),
      ...fieldsOf(deploymentAnswer, deploymentDocs).map((one) =>
        one.name === "id" ? { ...one, optional: true as const } : one,
      ),
    ],
  },
  async (session, config) => {
    const serviceId = textIn(config, "service_id") ?? "";
    const id = textIn(config, "id") ?? (await servingIn(session, serviceId));
    const found = await unlessGone(() => session.reads.live.getDeployment(serviceId, id));
    if (found !== undefined) return asObject(fromJson(typeOf(deploymentAnswer), found)) ?? {};
    throw diagnosticError("live.import_missing", `the service has no deployment of the id ${id}`, {
      attribute: "id",
    });
  },
);

/** Returns the id of the deployment that serves. Throws `DiagnosticsError` where none does. */
async function servingIn(session: Session, serviceId: string): Promise<string> {
  const read = await session.reads.service(serviceId);
  const serving = read.kind === "found" ? read.value.liveDeploymentId : undefined;
  if (serving) return serving;
  const summary =
    read.kind === "found"
      ? `no deployment of the service "${read.value.name}" serves`
      : `there is no service of the id ${serviceId}`;
  throw diagnosticError("live.import_missing", summary, { attribute: "service_id" });
}
const byNameAndId = (a: LiveResource, b: LiveResource): number =>
  compareTexts(a.name, b.name) || compareTexts(a.id, b.id);

/** Every data source: the only list of them. */
export const dataSources: readonly DataSource[] = [
  catalog,
  lookupOf(project),
  lookupOf(service),
  projects,
  services,
  deployment,
  deployments,
  variables,
  canvas,
];

const dataSourceNamed = (name: string): DataSource => requireNamed(dataSources, name, "data source");

/** ReadDataSource: what is configured stays as it is, the rest is filled in. */
export const readDataSource: RpcAnswer<"ReadDataSource"> = async (provider, request) => {
  const source = dataSourceNamed(request.typeName);
  const config = decodeObject(source.valueType, request.config) ?? {};
  const told: Diagnostic[] = [];
  const read = await source.read(provider.requireSession(), config, (found) => told.push(...found));
  const given = Object.entries(config).filter(([, value]) => value !== null);
  return {
    state: encodeMessage(source.valueType, { ...read, ...Object.fromEntries(given) }),
    diagnostics: diagnosticMessages(told),
  };
};

/** ValidateDataResourceConfig: what core has not checked already. */
export const validateDataResourceConfig: RpcAnswer<"ValidateDataResourceConfig"> = async (
  _provider,
  request,
) => {
  const source = dataSourceNamed(request.typeName);
  const limit = decodeObject(source.valueType, request.config)?.limit;
  if (typeof limit !== "number" || (Number.isInteger(limit) && limit >= 1 && limit <= 200)) return {};
  throw diagnosticError("manifest.invalid_value", "limit: expected a whole number from 1 to 200", {
    attribute: "limit",
  });
};
