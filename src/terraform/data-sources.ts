import {
  catalog as catalogAnswer,
  deployment as deploymentAnswer,
  deploymentsAnswer,
} from "../api/wire/shapes";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { listings } from "../model/listings";
import { snakeCase } from "../model/text";
import {
  type Asked,
  canvasShown,
  findDeployment,
  listCanvas,
  listDeployments,
  listProjects,
  listServices,
  listVariables,
} from "../resources/listings";
import { project } from "../resources/project";
import { service } from "../resources/service";
import { variable } from "../resources/variable";
import {
  type DataSource,
  dataSource,
  fieldsOf,
  lookupOf,
  shownResource,
  shownType,
} from "./define-data-source";
import { idFindings, idIn, isIdAttribute, nullFindings } from "./ids";
import { diagnosticMessages } from "./messages";
import { mostAgeMs, type RpcAnswer, requireNamed, type Session } from "./provider";
import { requireThere } from "./resource/confirm-deleted";
import { type AttributeSchema, type BlockSchema, computed, optional, required, typeOf } from "./schema/block";
import { shapeOf } from "./schema/terraform-shape";
import { decodeObject, encodeMessage, fromJson } from "./values/codec";
import { asObject, isCountWithin, listOf, type TerraformObject } from "./values/terraform-value";

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
      regions: "Available regions.",
      runtimes: "Available runtimes.",
      service_types: "Kinds of services.",
    }),
  },
  async ({ reads }) => asObject(fromJson(typeOf(catalogAnswer), await reads.catalog())) ?? {},
);

/** A listing as a block: what it is asked with, and what it shows. */
function listingBlock(
  name: string,
  shown: (docs: Readonly<Record<string, string>>) => readonly AttributeSchema[],
): BlockSchema {
  const { doc, query = {}, shows = {} } = listings[name] ?? {};
  const asked = Object.entries(query).map(([key, { type, doc: said, isNeeded }]) =>
    (isNeeded ? required : optional)(snakeCase(key), type, said),
  );
  return { doc: doc ?? "", attributes: [...asked, ...shown(shows)] };
}

/** What a listing is asked with; ids as the service writes them. */
function askedIn(name: string, config: TerraformObject): Asked {
  const given = Object.keys(listings[name]?.query ?? {}).flatMap((key) => {
    const attribute = snakeCase(key);
    const value = isIdAttribute(attribute) ? idIn(config, attribute) : config[attribute];
    return typeof value === "string" || typeof value === "number" ? [[key, String(value)] as const] : [];
  });
  return new Map(given);
}

const services = dataSource(
  "rnv_services",
  listingBlock("rnv_services", ({ services: doc = "" }) => [
    computed("services", listOf(shownType(shapeOf(service))), doc),
  ]),
  async (session, config) => {
    const asked = askedIn("rnv_services", config);
    const projectId = asked.get("projectId");
    const inProject: Asked = new Map(projectId === undefined ? [] : [["projectId", projectId]]);
    session.reads.invalidate(mostAgeMs);
    const all = await listServices(session.reads, inProject, "project_id");
    if (projectId !== undefined && all.length === 0)
      await requireThere(session, project, projectId, "project_id");
    const kind = asked.get("kind");
    const found = all.filter((live) => kind === undefined || live.attributes.get("kind") === kind);
    if (kind !== undefined && found.length === 0) await requireKind(session, kind);
    return { services: found.map((live) => shownResource(shapeOf(service), live)) };
  },
);

/** Throws `DiagnosticsError` for a kind that is not on offer: nothing of it would look as if there were none. */
async function requireKind({ reads }: Session, kind: string): Promise<void> {
  const found = service.check?.(new Map([["kind", kind]]), await reads.catalog()) ?? [];
  const wrong = found.filter(({ attribute }) => attribute === "kind");
  if (wrong.length > 0)
    throw new DiagnosticsError(wrong.map(({ code, summary, ...more }) => error(code, summary, more)));
}

const deployments = dataSource(
  "rnv_deployments",
  listingBlock("rnv_deployments", (shows) => fieldsOf(deploymentsAnswer.omit({ page: true }), shows)),
  async (session, config) => {
    await requireService(session, config);
    const answer = await listDeployments(session.reads, askedIn("rnv_deployments", config));
    return asObject(fromJson(typeOf(deploymentsAnswer.omit({ page: true })), answer)) ?? {};
  },
);

const canvas = dataSource(
  "rnv_canvas",
  listingBlock("rnv_canvas", (shows) => fieldsOf(canvasShown, shows)),
  async (session, config) => {
    const asked = askedIn("rnv_canvas", config);
    const projectId = asked.get("projectId");
    session.reads.invalidate(mostAgeMs);
    if (projectId !== undefined) await requireThere(session, project, projectId, "project_id");
    const answer = await listCanvas(session.reads, asked);
    return asObject(fromJson(typeOf(canvasShown), answer)) ?? {};
  },
);

const projects = dataSource(
  "rnv_projects",
  listingBlock("rnv_projects", ({ projects: doc = "" }) => [
    computed("projects", listOf(shownType(shapeOf(project))), doc),
  ]),
  async (session) => {
    session.reads.invalidate(mostAgeMs);
    const found = await listProjects(session.reads);
    return { projects: found.map((live) => shownResource(shapeOf(project), live)) };
  },
);

const variables = dataSource(
  "rnv_variables",
  listingBlock("rnv_variables", ({ keys = "", variables: doc = "" }) => [
    computed("keys", listOf("string"), keys),
    computed("variables", listOf(shownType(shapeOf(variable))), doc),
  ]),
  async (session, config) => {
    const serviceId = await requireService(session, config);
    const found = await listVariables(session.reads, serviceId);
    return {
      keys: found.map(({ name }) => name),
      variables: found.map((live) => shownResource(shapeOf(variable), live)),
    };
  },
);

/** Returns the id of the service that a configuration names. Throws `DiagnosticsError` where there is none. */
async function requireService(session: Session, config: TerraformObject): Promise<string> {
  const attribute = "service_id";
  const id = idIn(config, attribute) ?? "";
  session.reads.invalidate(mostAgeMs);
  await requireThere(session, service, id, attribute);
  return id;
}

const ofDeployment = listingBlock("rnv_deployment", (shows) => {
  const docs = Object.entries(shows).map(([name, doc]) => [snakeCase(name), doc] as const);
  return fieldsOf(deploymentAnswer.omit({ id: true }), Object.fromEntries(docs));
});

const deployment = dataSource(
  "rnv_deployment",
  {
    ...ofDeployment,
    // What it is asked with where it is given, and shown where it is not.
    attributes: ofDeployment.attributes.map((one) =>
      one.name === "id" ? { ...one, computed: true as const } : one,
    ),
  },
  async (session, config) => {
    await requireService(session, config);
    const found = await findDeployment(session.reads, askedIn("rnv_deployment", config));
    return asObject(fromJson(typeOf(deploymentAnswer), found)) ?? {};
  },
);

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
  const config = decodeObject(source.valueType, request.config) ?? {};
  const found = [...nullFindings(source, config), ...idFindings(config)];
  if (!isCountWithin(config.limit, 1, 200))
    found.push(
      error("manifest.invalid_value", "limit: expected a whole number from 1 to 200", { attribute: "limit" }),
    );
  return { diagnostics: diagnosticMessages(found) };
};
