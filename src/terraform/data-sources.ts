import type { ZodType } from "zod";
import type { Resource } from "../api/reads";
import { canvas as canvasAnswer, catalog as catalogAnswer, deploymentsAnswer } from "../api/wire/shapes";
import { lookAgain } from "../apply/look";
import { isMissing } from "../model/freshness";
import type { LiveResource } from "../model/live";
import { snakeCase } from "../model/text";
import { findResource } from "../resources/find-resource";
import { project } from "../resources/project";
import { service } from "../resources/service";
import { diagnosticError } from "./messages";
import { type RpcAnswer, requireNamed, type Session } from "./provider";
import { type Draft, setValue, shownAs, textIn } from "./schema/attributes";
import {
  type AttributeSchema,
  type BlockSchema,
  computed,
  optional,
  required,
  type Schema,
  schemaOf,
  typeOf,
} from "./schema/block";
import { type AttributeBinding, shapeOf, type TerraformShape } from "./schema/terraform-shape";
import { decodeObject, encodeMessage, fromJson } from "./values/codec";
import {
  asObject,
  listOf,
  type ObjectType,
  objectOf,
  type TerraformObject,
  type TerraformType,
} from "./values/terraform-value";

/** Terraform reads a data source and never changes it. */
interface DataSource extends Schema {
  /** Reads the computed attributes for a configuration whose values are all known. Throws `DiagnosticsError`. */
  readonly read: (session: Session, config: TerraformObject) => Promise<TerraformObject>;
}

const dataSource = (name: string, block: BlockSchema, read: DataSource["read"]): DataSource => ({
  ...schemaOf(name, block),
  read,
});

/** One computed attribute for every field of an answer of the service. */
function fieldsOf(answer: ZodType, docs: Readonly<Record<string, string>>): readonly AttributeSchema[] {
  const type = typeOf(answer);
  const fields = Array.isArray(type) && type[0] === "object" ? (type as ObjectType)[1] : {};
  return Object.entries(fields).map(([name, field]) => computed(name, field, docs[name] ?? ""));
}

/** Bindings that a data source shows of a type: all that can be declared or is computed, secrets left out. */
const shownBindings = ({
  declared,
  computed,
  moving,
  resource,
}: TerraformShape): readonly AttributeBinding[] => [
  ...declared.filter(({ path }) => resource.rules[path]?.change !== "local"),
  ...computed,
  ...moving,
];

/** The type of one resource as a data source shows it; groups are nested objects. */
function shownType(type: TerraformShape): ObjectType {
  const fields: Record<string, TerraformType> = {};
  for (const { steps, type: field } of shownBindings(type)) {
    const [first = "", second] = steps;
    if (second === undefined) fields[first] = field;
    else fields[first] = objectOf({ ...(fields[first] as ObjectType | undefined)?.[1], [second]: field });
  }
  return objectOf(fields);
}

/** One computed attribute for each field of `shownType`, with the words of the resource type. */
function shownAttributes(type: TerraformShape): readonly AttributeSchema[] {
  const described = new Map(type.block.attributes.map(({ name, doc }) => [name, doc]));
  for (const { steps, rule } of type.moving) described.set(steps[0] ?? "", rule.doc);
  for (const { name, block } of type.block.groups ?? []) described.set(name, block.doc);
  return Object.entries(shownType(type)[1]).map(([name, field]) =>
    computed(name, field, described.get(name) ?? ""),
  );
}

/** A live resource in the form of `shownType`. */
function shownResource(type: TerraformShape, live: LiveResource): TerraformObject {
  const shown: Draft = {};
  for (const binding of shownBindings(type)) {
    const value = live.attributes.get(binding.path) ?? live.computed.get(binding.path);
    setValue(shown, binding.steps, shownAs(binding, value));
  }
  return shown;
}

/** The data source of one resource, found by its id, or by its name in its parent. */
function lookupOf(resource: Resource): DataSource {
  const type = shapeOf(resource);
  const nameAttribute = snakeCase(resource.nameAttribute ?? "name");
  const keys = ["id", nameAttribute, ...resource.parents.map(({ attribute }) => snakeCase(attribute))];
  const attributes = shownAttributes(type).map((one) =>
    keys.includes(one.name)
      ? { ...one, optional: true as const, doc: `${one.doc} Looked up by it when it is given.` }
      : one,
  );
  const doc = `One ${resource.type}, found by its id or by its ${nameAttribute}.`;
  return dataSource(type.name, { doc, attributes }, async (session, config) =>
    shownResource(type, await lookUp(session, type, config, nameAttribute)),
  );
}

async function lookUp(
  session: Session,
  { resource, name: typeName }: TerraformShape,
  config: TerraformObject,
  nameAttribute: string,
): Promise<LiveResource> {
  const id = textIn(config, "id");
  const name = textIn(config, nameAttribute) ?? "";
  if (id === undefined && name === "")
    throw diagnosticError("manifest.missing_key", `${typeName} needs an id or a ${nameAttribute}`, {
      attribute: nameAttribute,
    });
  const [parent] = resource.parents;
  const parentId = parent && textIn(config, snakeCase(parent.attribute));
  // What this process made may not be shown yet.
  const { seen: read } = await lookAgain(
    session,
    () => findResource(session.reads, resource, { id, name, parentId }),
    (one) => session.made.size > 0 && isMissing(one),
  );
  if (read.kind === "found") return read.live;
  const what = id === undefined ? `"${name}"` : `of the id ${id}`;
  if (read.kind === "ambiguous")
    throw diagnosticError("live.ambiguous", `${read.ids.length} of ${typeName} are called ${what}`, {
      attribute: nameAttribute,
      hint: `choose one by its id: ${read.ids.join(", ")}`,
    });
  throw diagnosticError("live.import_missing", `there is no ${resource.type} ${what}`, {
    attribute: id === undefined ? nameAttribute : "id",
  });
}

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

const compareText = (a: string, b: string): number => Number(a > b) - Number(a < b);
const byNameAndId = (a: LiveResource, b: LiveResource): number =>
  compareText(a.name, b.name) || compareText(a.id, b.id);

/** Every data source: the only list of them. */
export const dataSources: readonly DataSource[] = [
  catalog,
  lookupOf(project),
  lookupOf(service),
  services,
  deployments,
  canvas,
];

const dataSourceNamed = (name: string): DataSource => requireNamed(dataSources, name, "data source");

/** ReadDataSource: what is configured stays as it is, the rest is filled in. */
export const readDataSource: RpcAnswer<"ReadDataSource"> = async (provider, request) => {
  const source = dataSourceNamed(request.typeName);
  const config = decodeObject(source.valueType, request.config) ?? {};
  const read = await source.read(provider.requireSession(), config);
  const given = Object.entries(config).filter(([, value]) => value !== null);
  return { state: encodeMessage(source.valueType, { ...read, ...Object.fromEntries(given) }) };
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

/** A value that lives only as long as a run: never in a plan, never in a state. */
interface EphemeralResource extends Schema {
  readonly open: (session: Session, config: TerraformObject) => Promise<TerraformObject>;
}

const variableValue: EphemeralResource = {
  ...schemaOf("rnv_variable_value", {
    doc: "The value of a variable, revealed for this run and stored nowhere. The service records every reveal for audit.",
    attributes: [
      required("service_id", "string", "Id of the service."),
      required("key", "string", "Name of the variable."),
      computed("value", "string", "Its value.", { sensitive: true }),
    ],
  }),
  open: async ({ reads }, config) => {
    const serviceId = textIn(config, "service_id") ?? "";
    const key = textIn(config, "key") ?? "";
    const variables = await reads.variables(serviceId);
    const found = variables?.find((one) => one.key === key);
    if (found === undefined) {
      const summary =
        variables === undefined
          ? "the service does not list variables, so none can be found by its name"
          : `the service has no variable "${key}"`;
      throw diagnosticError("live.import_missing", summary, { attribute: "key" });
    }
    return { ...config, value: await reads.live.revealVariableText(serviceId, found.id) };
  },
};

/** Every ephemeral resource: the only list of them. */
export const ephemeralResources: readonly EphemeralResource[] = [variableValue];

const ephemeralNamed = (name: string): EphemeralResource =>
  requireNamed(ephemeralResources, name, "ephemeral resource");

/** OpenEphemeralResource: reads the value; there is nothing to renew. */
export const openEphemeralResource: RpcAnswer<"OpenEphemeralResource"> = async (provider, request) => {
  const type = ephemeralNamed(request.typeName);
  const config = decodeObject(type.valueType, request.config) ?? {};
  const opened = await type.open(provider.requireSession(), config);
  return { result: encodeMessage(type.valueType, opened) };
};

/** ValidateEphemeralResourceConfig: core has checked all there is. */
export const validateEphemeralResourceConfig: RpcAnswer<"ValidateEphemeralResourceConfig"> = async (
  _provider,
  { typeName },
) => {
  ephemeralNamed(typeName);
  return {};
};
