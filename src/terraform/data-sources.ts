import type { Reads, Resource } from "../api/reads";
import {
  catalog as catalogAnswer,
  deployment as deploymentAnswer,
  deploymentsAnswer,
} from "../api/wire/shapes";
import { type Diagnostic, failure } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { canonicalId } from "../model/address";
import { type Listing, listings } from "../model/listing-schemas";
import type { LiveResource, ReadResult } from "../model/live";
import { entriesNamed } from "../model/names";
import { snakeCase } from "../model/terraform-names";
import { findResource } from "../resources";
import { foundAmong } from "../resources/attribute-values";
import { project } from "../resources/project";
import { type Asked, canvasShown, readListing, shownValues } from "../resources/read-listing";
import { service } from "../resources/service";
import { variable } from "../resources/variable";
import {
  asObject,
  encodeMessage,
  fromJson,
  listOf,
  type ObjectType,
  objectOf,
  type TerraformObject,
  type TerraformType,
  textIn,
} from "./codec";
import { diagnosticMessages } from "./messages";
import { configured, type RpcAnswer, recentSession, type Session } from "./provider";
import { requireThere } from "./resource/confirm-deleted";
import { standingOf } from "./resource/warnings";
import {
  type AttributeSchema,
  computed,
  countCheck,
  isMixedList,
  optional,
  required,
  type Schema,
  schemaOf,
  typeOf,
} from "./schema/block";
import { idIn } from "./schema/check-config";
import type { AttributeBinding } from "./schema/resource-block";
import { shapeOf, type TerraformShape } from "./schema/terraform-shape";

interface DataSource extends Schema {
  /** Reads the computed attributes for a configuration whose values are all known. Throws `DiagnosticsError`. */
  readonly read: (session: Session, config: TerraformObject) => Promise<DataAnswer>;
}

interface DataAnswer {
  readonly values: TerraformObject | undefined;
  readonly diagnostics?: readonly Diagnostic[];
}

/**
 * Bindings that a data source shows of a type: all that can be declared or is computed, secrets left out. A list of
 * resources holds no `dynamic` value: in a mixed list an object is its JSON text.
 */
const shownBindings = (type: TerraformShape): readonly AttributeBinding[] => [
  ...type.declared
    .filter(({ path }) => type.resource.rules[path]?.change !== "local")
    .map((one) => (one.schema && isMixedList(one.schema) ? { ...one, type: typeOf(one.schema) } : one)),
  ...type.computed,
  ...type.moving,
];

function shownType(type: TerraformShape): ObjectType {
  const fields: Record<string, TerraformType> = {};
  for (const { steps, type: field } of shownBindings(type)) {
    const [first = "", second] = steps;
    if (second === undefined) fields[first] = field;
    else fields[first] = objectOf({ ...(fields[first] as ObjectType | undefined)?.[1], [second]: field });
  }
  return objectOf(fields);
}

function shownAttributes(type: TerraformShape): readonly AttributeSchema[] {
  const described = new Map(type.block.attributes.map(({ name, doc }) => [name, doc]));
  for (const { steps, rule } of type.moving) described.set(steps[0] ?? "", rule.doc);
  // A data source has no fields for the management of a resource.
  for (const { name, block } of type.block.groups ?? [])
    described.set(name, block.doc.replace(/(?<=\.) .*$/s, ""));
  return Object.entries(shownType(type)[1]).map(([name, field]) =>
    computed(name, field, described.get(name) ?? ""),
  );
}

function lookupOf(resource: Resource): DataSource {
  const type = shapeOf(resource);
  const nameAttribute = snakeCase(resource.nameAttribute ?? "name");
  const keys = ["id", nameAttribute, ...resource.parents.map(({ attribute }) => snakeCase(attribute))];
  const attributes = shownAttributes(type).map((one) =>
    keys.includes(one.name)
      ? { ...one, optional: true as const, doc: `${one.doc} Looked up by it when it is given.` }
      : one,
  );
  const [parent] = resource.parents;
  const where = parent === undefined ? "" : `, in every ${parent.type} unless one is named`;
  const doc = `One ${resource.type}, found by its id or by its ${nameAttribute}${where}.`;
  const read: DataSource["read"] = async (session, config) => {
    const live = await lookUp(session, type, config, nameAttribute);
    const values = asObject(fromJson(shownType(type), shownValues(resource, live)));
    return { values, diagnostics: standingOf(resource, live) };
  };
  return { ...schemaOf(type.name, { doc, attributes }), read };
}

async function lookUp(
  { reads }: Session,
  { resource, name: typeName }: TerraformShape,
  config: TerraformObject,
  nameAttribute: string,
): Promise<LiveResource> {
  const id = idIn(config, "id");
  const name = textIn(config, nameAttribute) ?? "";
  const attribute = id === undefined ? nameAttribute : "id";
  if (id === undefined && name === "")
    throw failure("manifest.missing_key", `${typeName} needs an id or a ${nameAttribute}`, { attribute });
  const [parent] = resource.parents;
  const parentId = parent && idIn(config, snakeCase(parent.attribute));
  const isAnywhere = id === undefined && parent !== undefined && parentId === undefined;
  const read = isAnywhere
    ? await findAnywhere(reads, resource, name)
    : await findResource(reads, resource, { id, name, parentId });
  if (read.kind === "found") return read.live;
  const what = id === undefined ? `"${name}"` : `of the id ${id}`;
  if (read.kind === "ambiguous")
    throw failure("live.ambiguous", `${read.ids.length} ${typeName} resources are called ${what}`, {
      attribute,
      hint: `choose one by its id: ${read.ids.join(", ")}${isAnywhere ? `, or name its ${parent?.type}` : ""}`,
    });
  if (read.kind === "unchecked")
    throw failure("live.unchecked", `the ${resource.type} ${what} could not be looked up`, {
      detail: `${read.reason}.`,
    });
  const listed = id === undefined ? await resource.list(reads, parentId).catch(() => []) : [];
  if (listed === undefined)
    throw failure("live.unchecked", `the platform does not list every ${resource.type}`);
  const beside = listed.filter((live) => parentId === undefined || live.parentId === parentId);
  const called = id === undefined || name === "" ? "" : ` called "${name}"`;
  const where = parentId === undefined ? "" : ` in the ${parent?.type} ${parentId}`;
  const names = beside.map((live) => live.name);
  throw failure("live.data_missing", `there is no ${resource.type} ${what}${called}${where}`, {
    attribute,
    hint: didYouMean(name, names) ?? "if this configuration creates it, apply that first: -target=ADDRESS",
  });
}

async function findAnywhere(reads: Reads, resource: Resource, name: string): Promise<ReadResult> {
  const reason = "there are too many services to list those outside of projects";
  const isWhole = await reads.servicesAreComplete();
  const missing = isWhole ? undefined : ({ kind: "unchecked", reason } as const);
  return foundAmong(entriesNamed((await resource.list(reads)) ?? [], name), missing);
}

function listingSource(name: string, shown: TerraformType): DataSource {
  const { doc, query, shows } = listings[name] as Listing;
  const docs = new Map(Object.entries(shows).map(([key, text]) => [snakeCase(key), text]));
  const fields = (shown as ObjectType)[1];
  const asked = Object.entries(query).map(([key, { type, doc: text, isNeeded }]): AttributeSchema => {
    const check = key === "limit" ? countCheck(1, 200) : undefined;
    const attribute = (isNeeded ? required : optional)(snakeCase(key), type, text, { check });
    return attribute.name in fields ? { ...attribute, computed: true } : attribute;
  });
  const others = Object.keys(fields).filter((field) => !asked.some((one) => one.name === field));
  const attributes = [
    ...asked,
    ...others.map((field) => computed(field, fields[field] as TerraformType, docs.get(field) ?? "")),
  ];
  return {
    ...schemaOf(name, { doc, attributes }),
    read: async (session, config) => {
      const given = askedIn(query, config);
      for (const [key, type] of Object.entries(parentTypes)) {
        const id = given.get(key);
        if (id !== undefined) await requireThere(session, type, id, snakeCase(key));
      }
      return { values: asObject(fromJson(shown, await readListing(session.reads, name, given))) };
    },
  };
}

const parentTypes = { projectId: project, serviceId: service };

const askedIn = (query: Listing["query"], config: TerraformObject): Asked =>
  new Map(
    Object.keys(query).flatMap((key) => {
      const value = config[snakeCase(key)];
      const isGiven = typeof value === "string" || typeof value === "number";
      return isGiven ? [[key, canonicalId(String(value))] as const] : [];
    }),
  );

const listOfType = (resource: Resource) => listOf(shownType(shapeOf(resource)));

export const dataSources: readonly DataSource[] = [
  listingSource("rnv_catalog", typeOf(catalogAnswer)),
  lookupOf(project),
  lookupOf(service),
  listingSource("rnv_projects", objectOf({ projects: listOfType(project) })),
  listingSource("rnv_services", objectOf({ services: listOfType(service) })),
  listingSource("rnv_deployment", typeOf(deploymentAnswer)),
  listingSource("rnv_deployments", typeOf(deploymentsAnswer.omit({ page: true }))),
  listingSource("rnv_variables", objectOf({ keys: listOf("string"), variables: listOfType(variable) })),
  listingSource("rnv_canvas", typeOf(canvasShown)),
];

/** Every ephemeral resource, a value that lives only as long as a run: never in a plan, never in a state. */
export const ephemeralResources: readonly DataSource[] = [
  {
    ...schemaOf("rnv_variable_value", {
      doc: "The value of a variable, revealed for this run and stored nowhere. The platform records every reveal for audit.",
      attributes: [
        required("service_id", "string", "Id of the service."),
        required("key", "string", "Name of the variable."),
        computed("value", "string", "Its value.", { sensitive: true }),
      ],
    }),
    read: async (session, config) => ({ values: { value: await revealVariable(session, config) } }),
  },
];

async function revealVariable(session: Session, config: TerraformObject): Promise<string> {
  const serviceId = idIn(config, "service_id") ?? "";
  await requireThere(session, service, serviceId, "service_id");
  const { id } = await lookUp(session, shapeOf(variable), config, "key");
  return session.reads.live.revealVariableText(serviceId, id);
}

/** Reads a configured source: given values stay as they are, the rest is filled in. */
const readerOf =
  (sources: readonly DataSource[], what: string): RpcAnswer<"ReadDataSource"> =>
  async (provider, request) => {
    const [source, config] = configured(sources, what, request);
    const session = recentSession(provider.requireSession());
    const { values, diagnostics = [] } = await source.read(session, config);
    const given = Object.entries(config).filter(([, value]) => value !== null);
    const value = encodeMessage(source.valueType, { ...values, ...Object.fromEntries(given) });
    return { value, diagnostics: diagnosticMessages(diagnostics) };
  };

export const readDataSource = readerOf(dataSources, "data source");

/** OpenEphemeralResource: there is nothing to renew or to close. */
export const openEphemeralResource = readerOf(ephemeralResources, "ephemeral resource");
