import * as z from "zod";
import { serviceActions } from "../../api/wire/service";
import { parseBody, requireConfirmation, requireEmptyBody } from "../body";
import type { Call, Route } from "../call";
import { type GapSwitches, routePath, shownAs } from "../gap-switches";
import { removeService } from "../progress";
import type { StoredService } from "../records";
import { conflict, invalid, notFound } from "../refusal";
import { deploymentView, operationView, serviceView } from "../views";
import type { World } from "../world";
import { changeableServiceOf, keptName, projectOf, serviceOf } from "./lookup";
import {
  queueDeployment,
  queueOperation,
  queuesDeletions,
  requireDeployable,
  requireHosting,
} from "./queue-deployment";
import { parseChange, parseCreation, requireOnOffer } from "./service-bodies";

const answer = (call: Call, service: StoredService) => ({
  service: serviceView(call.world.catalog, service),
});

export interface NewService {
  readonly workspaceId: string;
  readonly name: string;
  readonly kind: string;
  readonly projectId: string | null;
  readonly environmentId: string | null;
  readonly configuration: Readonly<Record<string, unknown>>;
}

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
    if (!project.environments.some((environment) => environment.id === draft.environmentId)) {
      throw invalid("environmentId: does not belong to the project");
    }
  }
  requireFreeName(call, draft);
  if (draft.deploy) requireDeployable(world, { archived: false, kind: draft.kind, configuration });
  const service = newService(world, {
    workspaceId: call.workspaceId,
    name: keptName(world, draft.name),
    kind: draft.kind,
    projectId: draft.projectId ?? null,
    environmentId: draft.environmentId ?? null,
    configuration,
  });
  if (!draft.deploy) return answer(call, service);
  const deployment = queueDeployment(world, service, { actor: call.credential.actor });
  return {
    ...answer(call, world.store.get("services", service.id) ?? service),
    deployment: deploymentView(world, deployment),
  };
}

/** Under `unique-names`: 409 where another service of the same place has the name, archived ones included. */
function requireFreeName(
  call: Call,
  { name, projectId = null }: { readonly name: string; readonly projectId?: string | null },
  exceptId?: string,
): void {
  const { store, switches } = call.world;
  if (!switches.conditions.has("unique-names")) return;
  const holder = [...store.all("services")].find(
    (one) =>
      one.workspaceId === call.workspaceId &&
      one.deletedAt === null &&
      one.name === name &&
      one.projectId === projectId &&
      one.id !== exceptId,
  );
  if (holder !== undefined)
    throw conflict(
      "service_name_taken",
      `${holder.archived ? "An archived service" : "A service"} already has the name "${name}"`,
    );
}

function update(call: Call) {
  const { world } = call;
  const service = changeableServiceOf(call);
  const { name, configuration } = parseChange(call.body, world);
  const merged = { ...service.configuration, ...configuration };
  requireOnOffer(world, service.kind, merged);
  if (name !== undefined) requireFreeName(call, { name, projectId: service.projectId }, service.id);
  if (world.switches.conditions.has("ignored-values")) return shown(call, service);
  return shown(
    call,
    world.store.put("services", {
      ...service,
      name: name === undefined ? service.name : keptName(world, name),
      configuration: merged,
      updatedAt: world.store.stamp(),
    }),
  );
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
  const operation = queueOperation(call.world, ofService(service), "delete");
  world.store.put("services", { ...service, archived: true, deletionRequestedAt: at, updatedAt: at });
  return { deleted: false, queued: true, operation: operationView(operation) };
}

function setArchived(call: Call, archived: boolean) {
  requireEmptyBody(call.body);
  const service = changeableServiceOf(call);
  if (service.archived === archived) return answer(call, service);
  const { store } = call.world;
  const changed = { ...service, archived, deletionRequestedAt: null, updatedAt: store.stamp() };
  return answer(call, store.put("services", changed));
}

const actionBody = z.strictObject({ action: z.enum(serviceActions) });

function runAction(call: Call) {
  const { world } = call;
  const service = changeableServiceOf(call);
  const { action } = parseBody(actionBody, call.body);
  if (action === "deploy" || action === "clear-cache") {
    requireDeployable(world, service);
    const deployment = queueDeployment(world, service, { actor: call.credential.actor });
    return { deployment: deploymentView(world, deployment) };
  }
  requireHosting(world);
  if (service.runtime === "none") throw conflict("runtime_missing", "The service has no provisioned runtime");
  return { queued: true, operation: operationView(queueOperation(call.world, ofService(service), action)) };
}

/** Readable after the service is gone: its own deletion is what is waited for. */
function readOperation(call: Call) {
  const operation = call.world.store.get("operations", call.params.operationId ?? "");
  if (operation?.workspaceId !== call.workspaceId || operation.serviceId !== call.params.serviceId) {
    throw notFound("The operation");
  }
  const view = operationView(operation);
  return call.world.gaps.operationBody === "wrapped" ? { operation: view } : view;
}

const one = "/workspaces/{workspaceId}/services/{serviceId}";

/** Interface, "Services"; `GET` and `PATCH` of one service are gaps. */
export const serviceRoutes: readonly Route[] = [
  { method: "POST", path: "/workspaces/{workspaceId}/services", key: "accepted", handle: create },
  { method: "DELETE", path: one, key: "accepted", handle: remove },
  { method: "POST", path: `${one}/archive`, key: "accepted", handle: (call) => setArchived(call, true) },
  { method: "POST", path: `${one}/restore`, key: "accepted", handle: (call) => setArchived(call, false) },
  { method: "POST", path: `${one}/actions`, key: "accepted", handle: runAction },
  { method: "GET", path: `${one}/operations/{operationId}`, shows: "operations", handle: readOperation },
];

/** Gaps "read one service" and "change a service". */
export function serviceGapRoutes(gaps: GapSwitches): readonly Route[] {
  const read = routePath(gaps.readService, "/services/{serviceId}");
  const patch = routePath(gaps.servicePatchPath, gaps.servicePatchPath) as string;
  return [
    ...(read === undefined
      ? []
      : [
          {
            method: "GET",
            path: read,
            shows: "service",
            handle: (call: Call) => readable(call, serviceOf(call)),
          } as const,
        ]),
    { method: gaps.servicePatchMethod, path: patch, key: gaps.routeKeys, handle: update },
  ];
}

/** The answer to a read: never silent. */
const readable = (call: Call, service: StoredService) =>
  call.world.gaps.gapAnswers === "silent" ? answer(call, service) : shown(call, service);

const shown = (call: Call, service: StoredService) =>
  shownAs(call.world.gaps, "service", serviceView(call.world.catalog, service));
