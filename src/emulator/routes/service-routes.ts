import * as z from "zod";
import { configurationFields } from "../../api/wire/shapes";
import type { GapSwitches } from "../behaviour";
import {
  type Call,
  changeableServiceOf,
  gapRoute,
  presentServiceOf,
  projectOf,
  queuedAnswer,
  type Route,
  readOperation,
  shownServiceOf,
} from "../call";
import {
  queueAsked,
  queueDeployment,
  queuesDeletions,
  removeService,
  requireDeployable,
  requireHosting,
} from "../queued-work";
import type { Configuration, StoredService } from "../records";
import {
  conflict,
  invalid,
  nonEmpty,
  parseBody,
  requireConfirmation,
  requireEmptyBody,
  uuid,
} from "../refusal";
import { deploymentView, planFor, serviceView } from "../response-views";
import { timeAfter } from "../times";
import type { World } from "../world";

/** The documented fields, and those beyond them that the catalog's defaults name, with the type of their default. */
function fieldsOf(defaults: World["catalog"]["defaults"]) {
  const further = Object.entries(defaults)
    .filter(([field]) => !Object.hasOwn(configurationFields, field))
    .map(([field, initial]) => [field, ofTypeOf(initial)] as const);
  return z.strictObject({ ...configurationFields, ...Object.fromEntries(further) }).partial();
}

function ofTypeOf(value: unknown): z.ZodType {
  if (Array.isArray(value)) return z.array(z.unknown());
  const kinds = { string: z.string(), number: z.number(), boolean: z.boolean() } as const;
  return kinds[typeof value as keyof typeof kinds] ?? z.unknown();
}

function bodiesOf({ defaults }: World["catalog"]) {
  const configuration = fieldsOf(defaults);
  const nested = z.strictObject({ name: nonEmpty.optional(), configuration: configuration.optional() });
  return {
    creation: z.strictObject({
      name: nonEmpty,
      kind: nonEmpty,
      configuration,
      deploy: z.boolean(),
      projectId: uuid.optional(),
      environmentId: uuid.optional(),
    }),
    nested,
    flat: configuration.extend({ name: nonEmpty.optional() }),
    wrapped: z.strictObject({ service: nested }),
  };
}

type Bodies = ReturnType<typeof bodiesOf>;

const known = new WeakMap<World["catalog"], Bodies>();

function bodies({ catalog }: World): Bodies {
  const made = known.get(catalog) ?? bodiesOf(catalog);
  known.set(catalog, made);
  return made;
}

/** Body of `POST …/services`. */
function parseCreation(body: unknown, world: World): z.infer<Bodies["creation"]> {
  const parsed = parseBody(bodies(world).creation, body);
  if ((parsed.projectId === undefined) !== (parsed.environmentId === undefined))
    throw invalid("projectId and environmentId are given together, or neither");
  return parsed;
}

/** Body of the PATCH of a service, in the form that this platform reads. */
function parseChange(body: Configuration, world: World): z.infer<Bodies["nested"]> {
  const form = world.gaps.servicePatch;
  const { nested, flat, wrapped } = bodies(world);
  if (body.kind !== undefined) throw invalid("kind: is immutable after creation");
  if (form === "wrapped") return parseBody(wrapped, body).service;
  if (form === "ignored") return wrapped.safeParse(body).data?.service ?? {};
  if (form === "nested" || (form === "both" && body.configuration !== undefined))
    return parseBody(nested, body);
  const { name, ...configuration } = parseBody(flat, body);
  return { name, configuration };
}

/** 400 for a kind, plan, region or runtime that the catalog does not list. */
function requireOnOffer({ catalog }: World, kind: string, configuration: Configuration): void {
  if (!catalog.serviceTypes.some((type) => type.id === kind))
    throw invalid(`kind: "${kind}" is not available`);
  const { plan, region, runtime } = configuration;
  if (planFor(catalog, kind, plan) === undefined)
    throw invalid(`configuration.plan: "${plan}" is not available for ${kind}`);
  if (!catalog.regions.some((offer) => offer.id === region))
    throw invalid(`configuration.region: "${region}" is not available`);
  if (!catalog.runtimes.includes(runtime as string))
    throw invalid(`configuration.runtime: "${runtime}" is not available`);
}

const answer = (call: Call, service: StoredService) => ({ service: serviceView(call.world, service) });

type NewService = Pick<
  StoredService,
  "workspaceId" | "name" | "kind" | "projectId" | "environmentId" | "configuration" | "sent"
>;

/** A service that was never deployed. */
export function newService({ store }: World, fields: NewService): StoredService {
  const at = store.stamp();
  return store.put("services", {
    id: store.newId(),
    ...fields,
    environmentGroupIds: [],
    archived: false,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    deletionRequestedAt: null,
    deploymentId: null,
    deploymentStatus: null,
    deploymentUpdatedAt: null,
    liveDeploymentId: null,
    healthCheckedAt: null,
    runtime: "none",
    paidPlans: [],
  });
}

function create(call: Call) {
  const { world } = call;
  const draft = parseCreation(call.body, world);
  const { [draft.kind]: ofKind } = world.gaps.kindDefaults;
  const configuration = { ...world.catalog.defaults, ...ofKind, ...draft.configuration };
  requireOnOffer(world, draft.kind, configuration);
  if (draft.projectId !== undefined) {
    const project = projectOf(call, draft.projectId);
    if (!project.environments.some((environment) => environment.id === draft.environmentId))
      throw invalid("environmentId: does not belong to the project");
  }
  if (draft.deploy) requireDeployable(world, { archived: false, kind: draft.kind, configuration });
  const service = newService(world, {
    workspaceId: call.workspaceId,
    name: draft.name,
    kind: draft.kind,
    projectId: draft.projectId ?? null,
    environmentId: draft.environmentId ?? null,
    configuration,
    sent: Object.keys(draft.configuration),
  });
  if (!draft.deploy) return answer(call, service);
  const deployment = queueDeployment(world, service, { actor: call.credential.actor });
  return {
    ...answer(call, world.store.get("services", service.id) ?? service),
    deployment: deploymentView(world, deployment),
  };
}

function update(call: Call) {
  const { world } = call;
  const service = changeableServiceOf(call);
  const { name, configuration = {} } = parseChange(call.body, world);
  const merged = { ...service.configuration, ...configuration };
  requireOnOffer(world, service.kind, merged);
  if (world.switches.conditions.has("ignored-values")) return answer(call, service);
  const updatedAt = world.store.stamp();
  const changed = {
    ...service,
    name: name ?? service.name,
    hostName: world.readings.renamedUrl === "stays" ? (service.hostName ?? service.name) : service.hostName,
    configuration: merged,
    sent: [...new Set([...(service.sent ?? []), ...Object.keys(configuration)])],
    updatedAt,
  };
  world.store.put("services", { ...changed, updatedAt: timeAfter(world, service, changed) });
  return answer(call, changed);
}

const ofService = ({ workspaceId, id }: StoredService) => ({ workspaceId, serviceId: id });

function remove(call: Call) {
  const { world } = call;
  const service = changeableServiceOf(call);
  requireConfirmation(call.body, service.name);
  if (service.runtime === "none" && !queuesDeletions(world)) {
    removeService(world, service.id);
    return { deleted: true };
  }
  const at = world.store.stamp();
  const queued = queuedAnswer(call, ofService(service), "delete");
  world.store.put("services", { ...service, archived: true, deletionRequestedAt: at, updatedAt: at });
  return { deleted: false, ...queued };
}

function setArchived(call: Call, { archived }: Pick<StoredService, "archived">) {
  requireEmptyBody(call.body);
  const service = presentServiceOf(call);
  if (service.archived === archived) return answer(call, service);
  const { store } = call.world;
  const changed = { ...service, archived, deletionRequestedAt: null, updatedAt: store.stamp() };
  return answer(call, store.put("services", changed));
}

const actionBody = z.strictObject({
  action: z.enum(["restart", "suspend", "resume", "deploy", "clear-cache"]),
});

function runAction(call: Call) {
  const { world } = call;
  const service = presentServiceOf(call);
  const { action } = parseBody(actionBody, call.body);
  if (action === "deploy" || action === "clear-cache") {
    requireDeployable(world, service);
    const deployment = queueAsked(world, service, { actor: call.credential.actor });
    return { deployment: deploymentView(world, deployment) };
  }
  requireHosting(world);
  if (service.runtime === "none") throw conflict("runtime_missing", "The service has no provisioned runtime");
  return queuedAnswer(call, ofService(service), action);
}

/** Readable after the service is deleted: callers wait for that operation. */
const readOwnOperation = (call: Call) =>
  readOperation(call, ({ serviceId }) => serviceId === call.params.serviceId);

const one = "/workspaces/{workspaceId}/services/{serviceId}";

/** Interface, "Services"; `GET` and `PATCH` of one service are gaps. */
export const serviceRoutes: readonly Route[] = [
  { method: "POST", path: "/workspaces/{workspaceId}/services", key: "accepted", handle: create },
  { method: "DELETE", path: one, key: "accepted", handle: remove },
  {
    method: "POST",
    path: `${one}/archive`,
    key: "accepted",
    handle: (call) => setArchived(call, { archived: true }),
  },
  {
    method: "POST",
    path: `${one}/restore`,
    key: "accepted",
    handle: (call) => setArchived(call, { archived: false }),
  },
  { method: "POST", path: `${one}/actions`, key: "accepted", handle: runAction },
  { method: "GET", path: `${one}/operations/{operationId}`, shows: "operations", handle: readOwnOperation },
];

/** Gaps "read one service" and "change a service". */
export const serviceGapRoutes = (gaps: GapSwitches): readonly Route[] => [
  ...gapRoute(gaps.readService, "/services/{serviceId}", {
    method: "GET",
    shows: "service",
    handle: (call) => answer(call, shownServiceOf(call, "deletingService")),
  }),
  ...gapRoute(gaps.servicePatchPath, "", {
    method: gaps.servicePatchMethod,
    key: gaps.routeKeys,
    handle: update,
  }),
];
