import * as z from "zod";
import { ApiError } from "../../api/api-error";
import type { Endpoints } from "../../api/endpoints";
import { gapVariable } from "../../api/gaps";
import type { Reads, Resource } from "../../api/reads";
import { documentedDefaults, type Service } from "../../api/wire/shapes";
import { failure } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import { isPlacedAs, matchingChoices } from "../../model/declared-choice";
import type { LiveResource, Pending, ReadResult } from "../../model/live";
import { sameName } from "../../model/names";
import type {
  Accepted,
  CandidateSearch,
  CreateInput,
  ReadTarget,
  UpdateInput,
} from "../../model/resource-operations";
import type { Money, RulesOf } from "../../model/resource-type";
import type { AttributeLookup, Attributes, Plain } from "../../model/value";
import { foundAmong, sameId, textAt } from "../attribute-values";
import { type DeletionStatus, deletionOf } from "../deletion";
import { offeredEnvironments } from "../project";
import { serviceActions } from "./actions";
import { checkOffered, checkService, findPlan, offeredWords, planLimit } from "./checks";
import { configurationRules, configurationSchema, configurationWords } from "./configuration";
import { computed, LiveService, liveIn } from "./live-service";

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

type ServiceBlock = z.infer<typeof schema>;

const rules: RulesOf<ServiceBlock, "projectId", "configuration"> = {
  projectId: { change: "replace", equal: sameId },
  // The url and the host of the service may move with its name: it is deployed again.
  name: { change: "update", equal: sameName },
  kind: { change: "replace", kept: true, offered: true, known: ["web", "static"] },
  environment: { change: "replace", resolved: true, offered: true },
  // Archiving stops no runtime, and a restore starts none (interface, "States and transitions").
  archived: { change: "update", takesEffect: "at once", alwaysManaged: true },
  ...configurationRules,
};

const deletion = deletionOf({
  send: (writes, { id, name }) => writes.deleteService(id, name),
  subject: (serviceId) => ({ serviceId }),
  look: lookAt,
});

/** A service: built, deployed and served (interface, "Service"). */
export const service: Resource = {
  type: "service",
  doc: "A service is built from a repository, or configured by other fields, and served at a URL.",
  schema,
  rules,
  computed,
  groups: ["configuration"],
  open: { group: "configuration", rule: { change: "update" } },
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
  parents: [{ type: "project", attribute: "projectId" }],
  follows: [],
  nameAttribute: "name",
  picture: { as: "node", facts: ["kind", "configuration.plan", "configuration.region"] },
  place: { attribute: "environment", id: "environmentId" },
  variantAttribute: "kind",
  defaults,
  offeredWords,
  check: checkService,
  sharedLimit: planLimit,
  monthlyCost,
  read,
  list: async (reads) => liveIn(reads, await reads.services()),
  candidates,
  create,
  update,
  actions: serviceActions,
  unappliedHint: `if no field ever takes, the platform wants another body, which ${gapVariable("patchService")} may hold; a setting that does not go back may have another default for this kind, which ${gapVariable("kindDefaults")} says (rnv schema gaps)`,
  removal: "delete",
  removedWithParent: false,
  archives: {
    attribute: "archived",
    unlisted: "archived services",
    archive: async (writes, { id }) => ({ id, live: new LiveService(await writes.archiveService(id)) }),
  },
  ...deletion,
};

/**
 * Returns the id of the declared environment (by name or id), else of the default environment. Reads the project only
 * if its attributes do not say. Throws `DiagnosticsError` where the project has none.
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
  const [finding] = checkOffered(declared, offered, "existing");
  if (finding) throw failure(finding.code, finding.summary, finding);
  const defaultEnvironment = offered.find(({ isDefault }) => isDefault);
  return (declared === undefined ? defaultEnvironment : matchingChoices(offered, declared)[0])?.id;
}

function defaults({ defaults: byCatalog, assumed }: Catalog, kind = ""): Attributes {
  // Gap "configuration fields": the catalog may name undocumented fields.
  const settings = { ...documentedDefaults, ...byCatalog, ...assumed?.kindDefaults[kind] };
  return new Map<string, Plain>([
    // A service that leaves its project has no project: null, not unset.
    ["projectId", null],
    ["archived", false],
    ...Object.entries(settings).map(([field, value]) => [`configuration.${field}`, value] as const),
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

/** Returns the least number of instances: `replicas`, or `minReplicas` of a service that scales itself. */
function instancesOf(attributes: AttributeLookup): number {
  const scaling = attributes.get("configuration.scaling") ?? "manual";
  const count = attributes.get(`configuration.${scaling === "manual" ? "replicas" : "minReplicas"}`);
  return typeof count === "number" && count >= 0 ? count : 1;
}

async function read(reads: Reads, target: ReadTarget): Promise<ReadResult> {
  const { id, recorded } = target;
  if (id === undefined) return readByName(reads, target);
  const found = await reads.service(id);
  if (found.kind === "unreadable") return { kind: "unchecked", reason: found.reason };
  if (found.kind === "found") return readLive(reads, found.value, target);
  const { deleting } = found;
  if (deleting === undefined) {
    // No list shows an archived service, and a 404 by id is no proof (DESIGN section 4): its deployments are.
    const isUnlisted = recorded?.retained === true || recorded?.applied.archived === true;
    if (!isUnlisted || !(await hasDeployments(reads, id))) return { kind: "gone" };
    return { kind: "unchecked", reason: "it has deployments, and the platform does not show it by its id" };
  }
  // After a failed deletion the service exists.
  if (recorded?.deletionFailed !== undefined) return readLive(reads, deleting, target);
  const since = deleting.deletionRequestedAt ?? undefined;
  const requested = deletion.deletes.pendingOf(id, undefined, undefined);
  return { kind: "gone", ending: recorded?.pending?.deletes ? recorded.pending : { ...requested, since } };
}

async function readLive(reads: Reads, found: Service, { declared }: ReadTarget): Promise<ReadResult> {
  const [live] = await liveIn(reads, [found], textAt(declared, "environment"));
  return { kind: "found", live: live as LiveResource };
}

async function readByName(reads: Reads, target: ReadTarget): Promise<ReadResult> {
  const project = target.declared.get("projectId") ?? target.parentId ?? null;
  if (project !== null && typeof project !== "string") return { kind: "absent" };
  if (project === null && !(await reads.servicesAreComplete()))
    return { kind: "unchecked", reason: "there are too many services to list those outside of projects" };
  const declared = target.isAnywhere ? undefined : target.declared;
  return foundAmong(await knownAs(reads, target.name, project, declared));
}

/** Returns the services of a name in a project and environment, which identify a service. */
async function knownAs(
  reads: Reads,
  name: string,
  projectId: string | null,
  declared: AttributeLookup | undefined,
): Promise<readonly LiveResource[]> {
  const named = await reads.servicesNamed(name, projectId);
  const found = await liveIn(reads, named, declared && textAt(declared, "environment"));
  return declared ? found.filter((live) => isPlacedAs(service, live, declared)) : found;
}

async function candidates(reads: Reads, search: CandidateSearch): Promise<readonly LiveResource[]> {
  const { name, parentId = null, body } = search;
  // The request names the chosen environment.
  const { environmentId } = (body ?? {}) as { readonly environmentId?: string };
  const declared = environmentId === undefined ? search.declared : new Map([["environment", environmentId]]);
  return knownAs(reads, name, parentId, declared);
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
    // A new service has the defaults: null is not sent.
    configuration: configurationIn(attributes, (_path, value) => value !== null),
    deploy: false,
    projectId,
    environmentId,
  });
  // An environment that the answer does not show is recorded as chosen.
  const shown = (answer: Service): LiveResource => {
    const id = answer.environmentId ?? environmentId ?? "";
    const isAsSent = sameId(id, environmentId ?? "");
    return new LiveService({ ...answer, environmentId: id || null }, isAsSent ? declared : id);
  };
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
  const isSet = Object.keys(configuration).length > 0;
  const name = changed.has("name") ? input.name : undefined;
  let last: Service | undefined;
  // An archived service may refuse other changes: restore first, archive last.
  if (archived === false) last = await writes.restoreService(id);
  if (isSet || name !== undefined)
    last = await writes.updateService(id, { name, configuration: isSet ? configuration : undefined });
  if (archived === true) last = await writes.archiveService(id);
  if (last === undefined) return { id, live: input.live };
  const environment = textAt(input.live?.attributes ?? attributes, "environment");
  return { id, live: new LiveService(last, environment) };
}

/** Without a read by id, the deployments of a service show that it exists. */
async function lookAt(reads: Reads, pending: Pending): Promise<DeletionStatus> {
  const { serviceId: id = pending.id } = pending;
  const read = await reads.provenService(id);
  if (read.kind === "found") return "exists";
  if (read.kind === "gone") return read.deleting === undefined ? "gone" : "deleting";
  return (await hasDeployments(reads, id)) ? "unmarked" : "gone";
}

async function hasDeployments(reads: Reads, id: string): Promise<boolean> {
  try {
    await reads.live.listDeployments(id, { limit: 1 });
    return true;
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 404) return false;
    throw failure;
  }
}
