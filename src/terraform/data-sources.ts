import {
  canvas as canvasAnswer,
  catalog as catalogAnswer,
  deployment as deploymentAnswer,
  deploymentsAnswer,
} from "../api/wire/shapes";
import type { Diagnostic } from "../diagnostics/diagnostic";
import { isMissing } from "../model/freshness";
import { listings } from "../model/listings";
import { snakeCase } from "../model/text";
import {
  type Asked,
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
import { type RpcAnswer, requireNamed } from "./provider";
import { textIn } from "./schema/attributes";
import { type AttributeSchema, type BlockSchema, computed, optional, required, typeOf } from "./schema/block";
import { shapeOf } from "./schema/terraform-shape";
import { decodeObject, encodeMessage, fromJson } from "./values/codec";
import { asObject, listOf, type TerraformObject } from "./values/terraform-value";

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

/** What a listing is asked with. */
function askedIn(name: string, config: TerraformObject): Asked {
  const given = Object.keys(listings[name]?.query ?? {}).flatMap((key) => {
    const value = config[snakeCase(key)];
    return typeof value === "string" || typeof value === "number" ? [[key, String(value)] as const] : [];
  });
  return new Map(given);
}

const services = dataSource(
  "rnv_services",
  listingBlock("rnv_services", ({ services: doc = "" }) => [
    computed("services", listOf(shownType(shapeOf(service))), doc),
  ]),
  async ({ reads }, config) => {
    const found = await listServices(reads, askedIn("rnv_services", config));
    return { services: found.map((live) => shownResource(shapeOf(service), live)) };
  },
);

const deployments = dataSource(
  "rnv_deployments",
  listingBlock("rnv_deployments", (shows) => fieldsOf(deploymentsAnswer.omit({ page: true }), shows)),
  async ({ reads }, config) => {
    const answer = await listDeployments(reads, askedIn("rnv_deployments", config));
    return asObject(fromJson(typeOf(deploymentsAnswer.omit({ page: true })), answer)) ?? {};
  },
);

const canvas = dataSource(
  "rnv_canvas",
  listingBlock("rnv_canvas", (shows) => fieldsOf(canvasAnswer.omit({ scope: true }), shows)),
  async ({ reads }, config) => {
    const answer = await listCanvas(reads, askedIn("rnv_canvas", config));
    return asObject(fromJson(typeOf(canvasAnswer.omit({ scope: true })), answer)) ?? {};
  },
);

const projects = dataSource(
  "rnv_projects",
  listingBlock("rnv_projects", ({ projects: doc = "" }) => [
    computed("projects", listOf(shownType(shapeOf(project))), doc),
  ]),
  async ({ reads }) => ({
    projects: (await listProjects(reads)).map((live) => shownResource(shapeOf(project), live)),
  }),
);

const variables = dataSource(
  "rnv_variables",
  listingBlock("rnv_variables", ({ keys = "", variables: doc = "" }) => [
    computed("keys", listOf("string"), keys),
    computed("variables", listOf(shownType(shapeOf(variable))), doc),
  ]),
  async (session, config) => {
    const serviceId = textIn(config, "service_id") ?? "";
    const around = await findById(session, service, serviceId);
    if (isMissing(around))
      throw diagnosticError("live.import_missing", `there is no service of the id ${serviceId}`, {
        attribute: "service_id",
      });
    const found = await listVariables(session.reads, serviceId);
    return {
      keys: found.map(({ name }) => name),
      variables: found.map((live) => shownResource(shapeOf(variable), live)),
    };
  },
);

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
  async ({ reads }, config) => {
    const found = await findDeployment(reads, askedIn("rnv_deployment", config));
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
  const limit = decodeObject(source.valueType, request.config)?.limit;
  if (typeof limit !== "number" || (Number.isInteger(limit) && limit >= 1 && limit <= 200)) return {};
  throw diagnosticError("manifest.invalid_value", "limit: expected a whole number from 1 to 200", {
    attribute: "limit",
  });
};
