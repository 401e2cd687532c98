import * as z from "zod";
import type { Endpoints } from "../../api/endpoints";
import { environmentOf } from "../../api/gap-rules";
import { gapVariable } from "../../api/gaps";
import type { Reads, Resource } from "../../api/reads";
import type { Service } from "../../api/wire/shapes";
import { failure } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import type { LiveResource, Offered, Pending, ReadResult } from "../../model/live";
import type {
  Accepted,
  CandidateSearch,
  CreateInput,
  DeleteInput,
  ReadTarget,
  UpdateInput,
} from "../../model/resource-operations";
import type { AttributeLookup, Money, ResourceType, RulesOf } from "../../model/resource-type";
import type { RecordedResource } from "../../model/state";
import { entriesNamed, sameName } from "../../model/text";
import { type Attributes, type Plain, Unknown } from "../../model/value";
import { present, sameId, textAt } from "../attribute-values";
import { answersUnless404, type DeletionLook, deletionOf, goneOrAlone } from "../deletion";
import { serviceStanding } from "../deployment-status";
import { environmentsMeant, offeredEnvironments } from "../project";
import { serviceActions } from "./actions";
import { checkOffered, checkService, findPlan, planLimit } from "./checks";
import {
  configurationDefaults,
  configurationPaths,
  configurationRules,
  configurationSchema,
  configurationWords,
} from "./configuration";

const schema = z.strictObject({
  name: z.string().min(1).optional().describe("Name of the service; its logical name unless given."),
  kind: z.string().min(1).describe("Kind of service, such as `web` or `static`. A change is a replacement."),
  environment: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Environment of its project, by name (in any case of letters) or id; Production unless given. Another one is a replacement.",
    ),
  archived: z.boolean().optional().describe("True prevents new deployments. What runs keeps running."),
  configuration: configurationSchema
    .optional()
    .describe("Settings of the service. Only the fields written here are managed."),
});

/** A service block as it is written. */
export type ServiceBlock = z.infer<typeof schema>;

const rules: RulesOf<ServiceBlock, "projectId", "configuration"> = {
  projectId: { change: "replace", equal: sameId, effects: ["destructive"] },
  // The url and the host of what runs may move with the name: it is deployed again.
  name: { change: "update", equal: sameName },
  kind: { change: "replace", offered: true, known: ["web", "static"], effects: ["destructive"] },
  environment: { change: "replace", resolved: true, offered: true, effects: ["destructive"] },
  // Archiving stops no runtime, and a restore starts none (interface, "States and transitions").
  archived: { change: "update", takesEffect: "at once", alwaysManaged: true },
  ...configurationRules,
};

/** Moves by itself, with deployments and checks of health. */
const moving = { stable: false, movesByItself: true } as const;

/** The computed attributes of a service: its fields of the same name, and its price. */
const computed = {
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
  status: { valueType: "string", doc: "Status as the service reports it.", ...moving },
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

const deletion = deletionOf({
  send: (writes, { id, name }) => writes.deleteService(id, name),
  subject: (serviceId) => ({ serviceId }),
  look: lookAt,
});

/** A service: built, deployed and served (interface, "Service"). */
export const service: Resource = {
  type: "service",
  doc: "A service is built from a repository, or configured by other fields, and served at a URL.",
  picture: { as: "node", facts: ["kind", "configuration.plan", "configuration.region"] },
  schema,
  rules,
  computed,
  groups: ["configuration"],
  open: { group: "configuration", rule: { change: "update" } },
  parents: [{ type: "project", attribute: "projectId" }],
  manifest: {
    key: "services",
    within: ["root", "project"],
    shape: "map",
    meta: ["lifecycle", "import", "dependsOn"],
    alsoCalled: ["service", "apps", "app"],
    fieldsAlsoCalled: {
      kind: ["type"],
      configuration: ["config", "conf", "settings", "spec"],
      ...configurationWords,
    },
  },
  nameAttribute: "name",
  removal: "delete",
  removedWithParent: false,
  archives: { attribute: "archived", unlisted: "archived services" },
  follows: [],
  variantAttribute: "kind",
  defaults,
  check: checkService,
  unappliedHint: `if no field ever takes, the service wants another body, which ${gapVariable("patchService")} may hold; a setting that does not go back may have another default for this kind, which ${gapVariable("kindDefaults")} says (rnv schema gaps)`,
  monthlyCost,
  sharedLimit: planLimit,
  read,
  list,
  create,
  update,
  ...deletion,
  archive: async (writes, input: DeleteInput) => ({
    id: input.id,
    live: liveService(await writes.archiveService(input.id)),
  }),
  candidates,
  actions: serviceActions,
};

/** Returns a service as a live resource; `environment` in the form of the caller: a name or an id. */
function liveService(found: Service, environment?: string): LiveResource {
  const standing = serviceStanding(found);
  let attributes: Attributes | undefined;
  return {
    type: "service",
    id: found.id,
    name: found.name,
    parentId: found.projectId ?? null,
    // Of most services of a workspace only names and ids are read.
    get attributes() {
      attributes ??= liveAttributes(found, environment);
      return attributes;
    },
    computed: liveComputed(found),
    updatedAt: found.updatedAt ?? undefined,
    ...(standing && { standing }),
  };
}

function liveAttributes(found: Service, environment: string | undefined): Attributes {
  const { name, kind, projectId, archived, configuration } = found;
  const attributes = present({
    ...{ name, kind, projectId, environment: environment ?? found.environmentId },
    archived: archived === true,
  });
  const add = (path: string, value: unknown): void => {
    if (value !== undefined && value !== null) attributes.set(path, value as Plain);
  };
  for (const [field, path] of configurationPaths) add(path, configuration[field]);
  for (const [field, value] of Object.entries(configuration))
    if (!configurationPaths.has(field)) add(`configuration.${field}`, value);
  return attributes;
}

function liveComputed(found: Service): Attributes {
  const priced = found.estimatedMonthly?.priced === true ? found.estimatedMonthly : undefined;
  const shown: Readonly<Record<string, unknown>> = found;
  const fields = Object.keys(computed).map((name) => [name, shown[name]]);
  return present({
    ...Object.fromEntries(fields),
    estimatedMonthlyUsd: priced?.usd,
    estimatedMonthlyNgn: priced?.ngn,
  });
}

/** The environment of a service as a manifest would write it: as it is declared where that is it, else its name. */
async function environmentNameFor(
  reads: Reads,
  service: Service,
  declared: string | undefined,
): Promise<string | undefined> {
  const { environmentId, projectId } = service;
  if (environmentId == null) return undefined;
  if (environmentId === declared || projectId == null) return environmentId;
  const project = await reads.project(projectId);
  const environments = project.kind === "found" ? project.value.environments.map(environmentOf) : [];
  const meant = declared === undefined ? [] : environmentsMeant(environments, declared);
  if (meant.length === 1 && meant[0]?.id === environmentId) return declared;
  return environments.find(({ id }) => id === environmentId)?.name ?? environmentId;
}

/**
 * Returns the id of the declared environment (by name or id), else of the one that is chosen by itself. Asks the service
 * only where what is known of the project does not say. Throws `DiagnosticsError` where the project has none.
 */
async function environmentIdFor(
  writes: Endpoints,
  projectId: string,
  declared: string | undefined,
  project: Attributes | undefined,
): Promise<string | undefined> {
  const production = textAt(project ?? new Map(), "productionEnvironmentId");
  if (production !== undefined && [undefined, production].includes(declared)) return production;
  const offered = offeredEnvironments(await writes.getProject(projectId));
  const [finding] = checkOffered(declared, offered, false);
  if (finding) throw failure(finding.code, finding.summary, finding);
  const isChosen = ({ isDefault }: Offered): boolean => isDefault;
  return (declared === undefined ? offered.find(isChosen) : environmentsMeant(offered, declared)[0])?.id;
}

function defaults({ defaults: byCatalog, assumed }: Catalog, kind = ""): Attributes {
  const ofKind = Object.entries(assumed?.kindDefaults[kind] ?? {});
  return new Map<string, Plain>([
    // A service that leaves its project in the manifest has no project: null, not unset.
    ["projectId", null],
    ["archived", false],
    ...configurationDefaults(byCatalog),
    ...ofKind.map(([field, value]) => [`configuration.${field}`, value] as const),
  ]);
}

/** Gap "monthly price". */
function monthlyCost(attributes: AttributeLookup, catalog: Catalog): Money | undefined {
  const id = textAt(attributes, "configuration.plan");
  const plan = id === undefined ? undefined : findPlan(catalog, id, textAt(attributes, "kind"));
  if (plan === undefined) return undefined;
  const count = instancesOf(attributes);
  return { usd: plan.usd * count, ngn: plan.ngn * count };
}

/** Returns how many instances run at least: `replicas`, or `minReplicas` where the service scales itself. */
function instancesOf(attributes: AttributeLookup): number {
  const scaling = attributes.get("configuration.scaling") ?? "manual";
  const count = attributes.get(`configuration.${scaling === "manual" ? "replicas" : "minReplicas"}`);
  return typeof count === "number" && count >= 0 ? count : 1;
}

const liveIn = async (reads: Reads, found: Service, declared?: string): Promise<LiveResource> =>
  liveService(found, await environmentNameFor(reads, found, declared));

async function list(reads: Reads): Promise<readonly LiveResource[]> {
  return Promise.all((await reads.services()).map((found) => liveIn(reads, found)));
}

async function read(reads: Reads, target: ReadTarget): Promise<ReadResult> {
  const { id } = target;
  if (id === undefined) return readByName(reads, target);
  const found = await reads.service(id);
  if (found.kind === "unreadable") return { kind: "unchecked", reason: found.reason };
  if (found.kind === "found") return readLive(reads, found.value, target);
  const { deleting } = found;
  const { recorded } = target;
  if (deleting === undefined) return isListed(recorded) ? { kind: "gone" } : goneEverywhere(reads, id);
  // What is left of a deletion that failed: the thing stands.
  if (recorded?.deletionFailed !== undefined) return readLive(reads, deleting, target);
  return {
    kind: "gone",
    ending: recorded?.pending?.deletes
      ? recorded.pending
      : deletion.deletes.pendingOf(id, undefined, undefined),
  };
}

/** Returns whether lists show it: an archived service is in none (DESIGN section 4). */
const isListed = (recorded: RecordedResource | undefined): boolean =>
  recorded?.retained !== true && recorded?.applied.archived !== true;

/** Where no list can say the same, a 404 by id is no proof: the deployments of the service have to. */
async function goneEverywhere(reads: Reads, id: string): Promise<ReadResult> {
  const isThere = await answersUnless404(() => reads.live.listDeployments(id, { limit: 1 }));
  if (!isThere) return { kind: "gone" };
  return { kind: "unchecked", reason: "it has deployments, and the service does not show it by its id" };
}

const readLive = async (reads: Reads, found: Service, { declared }: ReadTarget): Promise<ReadResult> => ({
  kind: "found",
  live: await liveIn(reads, found, textAt(declared, "environment")),
});

/** Returns the active services of a name in one project; null: outside of projects. */
const servicesNamed = async (reads: Reads, name: string, project: unknown): Promise<readonly Service[]> =>
  entriesNamed(await reads.services(), name).filter((one) => (one.projectId ?? null) === project);

async function readByName(reads: Reads, target: ReadTarget): Promise<ReadResult> {
  const project = target.declared.get("projectId") ?? target.parentId ?? null;
  if (project instanceof Unknown) return { kind: "absent" };
  if (project === null && !(await reads.servicesAreComplete())) {
    return { kind: "unchecked", reason: "there are too many services to list those outside of projects" };
  }
  const [match, ...others] = await servicesNamed(reads, target.name, project);
  if (match === undefined) return { kind: "absent" };
  if (others.length > 0) return { kind: "ambiguous", ids: [match, ...others].map(({ id }) => id) };
  return readLive(reads, match, target);
}

async function candidates(reads: Reads, search: CandidateSearch): Promise<readonly LiveResource[]> {
  const named = await servicesNamed(reads, search.name, search.parentId ?? null);
  const matches = named.filter(({ id }) => !search.preexistingIds.includes(id));
  return Promise.all(matches.map((found) => liveIn(reads, found)));
}

const configurationIn = (
  attributes: ReadonlyMap<string, unknown>,
  isSent: (path: string, value: unknown) => boolean,
): Record<string, unknown> =>
  Object.fromEntries(
    [...attributes]
      .filter(([path, value]) => path.startsWith("configuration.") && isSent(path, value))
      .map(([path, value]) => [path.slice("configuration.".length), value]),
  );

async function create(writes: Endpoints, input: CreateInput): Promise<Accepted> {
  const { attributes } = input;
  const projectId = textAt(attributes, "projectId");
  const declared = textAt(attributes, "environment");
  const environmentId =
    projectId === undefined ? undefined : await environmentIdFor(writes, projectId, declared, input.parent);
  const made = await writes.createService({
    name: input.name,
    kind: textAt(attributes, "kind") ?? "",
    // A new service starts from the defaults, so what is null need not be said.
    configuration: configurationIn(attributes, (_path, value) => value !== null),
    deploy: false,
    ...(projectId === undefined ? {} : { projectId, environmentId }),
  });
  const shown = (one: Service): LiveResource =>
    liveService(one, one.environmentId === environmentId ? declared : undefined);
  const accepted = { id: made.id, live: shown(made) };
  if (attributes.get("archived") !== true || made.archived) return accepted;
  try {
    return { ...accepted, live: shown(await writes.archiveService(made.id)) };
  } catch (failure) {
    return { ...accepted, failure };
  }
}

async function update(writes: Endpoints, input: UpdateInput): Promise<Accepted> {
  const { id, attributes, changed } = input;
  const archived = changed.has("archived") ? attributes.get("archived") === true : undefined;
  const configuration = configurationIn(attributes, (path) => changed.has(path));
  const isPatched = changed.has("name") || Object.keys(configuration).length > 0;
  let last: Service | undefined;
  // What is archived may refuse other changes: restore first, archive last.
  if (archived === false) last = await writes.restoreService(id);
  if (isPatched) {
    last = await writes.updateService(id, {
      ...(changed.has("name") ? { name: textAt(attributes, "name") ?? input.name } : {}),
      ...(Object.keys(configuration).length > 0 ? { configuration } : {}),
    });
  }
  if (archived === true) last = await writes.archiveService(id);
  if (last === undefined) return { id, live: input.live };
  const environment = textAt(input.live?.attributes ?? attributes, "environment");
  return { id, live: liveService(last, environment) };
}

/** Looks at the deletion of a service; without a read by id, its deployments tell whether it exists. */
async function lookAt(reads: Reads, pending: Pending): Promise<DeletionLook> {
  const { serviceId: id = pending.id } = pending;
  const read = await reads.provenService(id);
  if (read.kind === "found") return "stands";
  if (read.kind === "gone") return read.deleting === undefined ? goneOrAlone(reads) : "deleting";
  const isThere = await answersUnless404(() => reads.live.listDeployments(id, { limit: 1 }));
  return isThere ? "unmarked" : goneOrAlone(reads);
}
