import { canvas as canvasAnswer, catalog as catalogAnswer, deploymentsAnswer } from "../api/wire/shapes";
import { project } from "../resources/project";
import { service } from "../resources/service";
import { canvasScope } from "./data/canvas-scope";
import { computedAttribute, type DataSource, dataSource, fieldsOf, optionalText } from "./data/data-source";
import { lookupOf } from "./data/lookup";
import { shownResource, shownType } from "./data/shown-resource";
import { managedType } from "./schema/managed-type";
import { typeOf } from "./schema/type-of";
import { textIn } from "./values/attributes";
import { fromJson } from "./values/from-json";
import { listOf } from "./values/terraform-type";
import { asObject } from "./values/terraform-value";

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
    groups: [],
  },
  async ({ reads }) => asObject(fromJson(typeOf(catalogAnswer), await reads.catalog())) ?? {},
);

const serviceType = managedType(service);

const services = dataSource(
  "rnv_services",
  {
    doc: "Every active service of the workspace, or of one project, with its configuration.",
    attributes: [
      optionalText("project_id", "Only services of this project."),
      optionalText("kind", "Only services of this kind."),
      computedAttribute("services", listOf(shownType(serviceType)), "The services, sorted by name."),
    ],
    groups: [],
  },
  async ({ reads }, config) => {
    const projectId = textIn(config, "project_id");
    const kind = textIn(config, "kind");
    const found = ((await service.list(reads)) ?? []).filter(
      (one) =>
        (projectId === undefined || one.parentId === projectId) &&
        (kind === undefined || one.attributes.get("kind") === kind),
    );
    const byName = [...found].sort((a, b) =>
      a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1,
    );
    return { services: byName.map((live) => shownResource(serviceType, live)) };
  },
);

const deployments = dataSource(
  "rnv_deployments",
  {
    doc: "The latest deployments of one service, newest first.",
    attributes: [
      { name: "service_id", type: "string", doc: "Id of the service.", required: true },
      { name: "limit", type: "number", doc: "How many, 1 to 200. Default: 20.", optional: true },
      ...fieldsOf(deploymentsAnswer.omit({ page: true }), {
        available: "False where hosting is off and nothing runs.",
        items: "The deployments.",
        reason: "Why none are available.",
      }),
    ],
    groups: [],
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
      optionalText("project_id", "Only this project."),
      optionalText("environment_id", "Only this environment of the project."),
      ...fieldsOf(canvasAnswer.omit({ scope: true }), {
        nodes: "Services.",
        groups: "Environment groups.",
        edges: "References between them: names of variables only.",
        layout: "Saved places and view.",
      }),
    ],
    groups: [],
  },
  async (session, config) => {
    const answer = await session.canvas(canvasScope(config));
    return asObject(fromJson(typeOf(canvasAnswer.omit({ scope: true })), answer)) ?? {};
  },
);

/** Every data source: the only list of them. */
export const dataSources: readonly DataSource[] = [
  catalog,
  lookupOf(project),
  lookupOf(service),
  services,
  deployments,
  canvas,
];

export const dataSourceNamed = (name: string): DataSource | undefined =>
  dataSources.find((one) => one.name === name);
