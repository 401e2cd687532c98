import * as z from "zod";
import { ApiError } from "../../api/api-error";
import type { Endpoints } from "../../api/endpoints";
import { gapVariable } from "../../api/gaps";
import type { Reads, Resource } from "../../api/reads";
import { documentedDefaults } from "../../api/wire/configuration";
import type { Service } from "../../api/wire/shapes";
import { failure } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import { isPlacedAs, matchingChoices } from "../../model/declared-choice";
import type { LiveResource, Offered, Pending, ReadResult } from "../../model/live";
import type {
  Accepted,
  CandidateSearch,
  CreateInput,
  DeleteInput,
  ReadTarget,
  UpdateInput,
} from "../../model/resource-operations";
import type { AttributeLookup, Money, RulesOf } from "../../model/resource-type";
import { sameName } from "../../model/service-names";
import type { Attributes, Plain } from "../../model/value";
import { foundAmong, sameId, textAt } from "../attribute-values";
import { type DeletionLook, deletionOf } from "../deletion";
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
  projectId: { change: "replace", equal: sameId, effects: ["destructive"] },
  // The url and the host of what runs may move with the name: it is deployed again.
  name: { change: "update", equal: sameName },
  kind: { change: "replace", kept: true, offered: true, known: ["web", "static"], effects: ["destructive"] },
  environment: { change: "replace", resolved: true, offered: true, effects: ["destructive"] },
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
  place: { attribute: "environment", id: "environmentId" },
  removal: "delete",
  removedWithParent: false,
  archives: { attribute: "archived", unlisted: "archived services" },
  follows: [],
  variantAttribute: "kind",
  defaults,
  offeredWords,
  check: checkService,
  unappliedHint: `if no field ever takes, the platform wants another body, which ${gapVariable("patchService")} may hold; a setting that does not go back may have another default for this kind, which ${gapVariable("kindDefaults")} says (rnv schema gaps)`,
  monthlyCost,
  sharedLimit: planLimit,
  read,
  list: async (reads) => liveIn(reads, await reads.services()),
  create,
  update,
  ...deletion,
  archive: async (writes, input: DeleteInput) => ({
    id: input.id,
    live: new LiveService(await writes.archiveService(input.id)),
  }),
  candidates,
  actions: serviceActions,
};

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
  return (declared === undefined ? offered.find(isChosen) : matchingChoices(offered, declared)[0])?.id;
}

function defaults({ defaults: byCatalog, assumed }: Catalog, kind = ""): Attributes {
  // Gap "configuration fields": the catalog may name further ones than are documented.
  const settings = { ...documentedDefaults, ...byCatalog, ...assumed?.kindDefaults[kind] };
  return new Map<string, Plain>([
    // A service that leaves its project in the manifest has no project: null, not unset.
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

/** Returns how many instances run at least: `replicas`, or `minReplicas` where the service scales itself. */
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
    // No list shows an archived service (DESIGN section 4), and a 404 by id is no proof: its deployments have to be.
    const isUnlisted = recorded?.retained === true || recorded?.applied.archived === true;
    if (!isUnlisted || !(await hasDeployments(reads, id))) return { kind: "gone" };
    return { kind: "unchecked", reason: "it has deployments, and the platform does not show it by its id" };
  }
  // What is left of a deletion that failed: the thing stands.
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
  if (project === null && !(await reads.servicesAreComplete())) {
    return { kind: "unchecked", reason: "there are too many services to list those outside of projects" };
  }
  const declared = target.isAnywhere ? undefined : target.declared;
  return foundAmong(await knownAs(reads, target.name, project, declared));
}

/** Returns the services of a name in their project and environment, the three that a service is known by. */
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
  const { name, parentId = null, preexistingIds, body } = search;
  // The request says which environment was chosen for it.
  const { environmentId } = (body ?? {}) as { readonly environmentId?: string };
  const declared = environmentId === undefined ? search.declared : new Map([["environment", environmentId]]);
  const named = await knownAs(reads, name, parentId, declared);
  return named.filter(({ id }) => !preexistingIds.includes(id));
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
    ...{ projectId, environmentId },
  });
  // A field that the answer does not show is recorded as it was chosen.
  const shown = (one: Service): LiveResource => {
    const id = one.environmentId ?? environmentId ?? "";
    const isAsSent = sameId(id, environmentId ?? "");
    return new LiveService({ ...one, environmentId: id || null }, isAsSent ? declared : id);
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
  const name = changed.has("name") ? (textAt(attributes, "name") ?? input.name) : undefined;
  let last: Service | undefined;
  // What is archived may refuse other changes: restore first, archive last.
  if (archived === false) last = await writes.restoreService(id);
  if (isSet || name !== undefined)
    last = await writes.updateService(id, { name, configuration: isSet ? configuration : undefined });
  if (archived === true) last = await writes.archiveService(id);
  if (last === undefined) return { id, live: input.live };
  const environment = textAt(input.live?.attributes ?? attributes, "environment");
  return { id, live: new LiveService(last, environment) };
}

/** Looks at the deletion of a service; without a read by id, its deployments tell whether it exists. */
async function lookAt(reads: Reads, pending: Pending): Promise<DeletionLook> {
  const { serviceId: id = pending.id } = pending;
  const read = await reads.provenService(id);
  if (read.kind === "found") return "stands";
  if (read.kind === "gone") return read.deleting === undefined ? "gone" : "deleting";
  return (await hasDeployments(reads, id)) ? "unmarked" : "gone";
}

/** Returns false where the service answers 404 to the question for its deployments: it does not exist. */
async function hasDeployments(reads: Reads, id: string): Promise<boolean> {
  try {
    await reads.live.listDeployments(id, { limit: 1 });
    return true;
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 404) return false;
    throw failure;
  }
}
