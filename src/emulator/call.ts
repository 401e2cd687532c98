import type { ReadClass } from "./lag";
import { isBeingDeleted, type OperationSubject, queueOperation } from "./queued-work";
import type {
  StoredDeployment,
  StoredOperation,
  StoredProject,
  StoredService,
  StoredVariable,
} from "./records";
import { conflict, invalid, notFound } from "./refusal";
import type { Credential, Role, World } from "./world";

/** One authenticated request, matched to its route. */
export interface Call {
  readonly world: World;
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON object sent; empty for GET. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly credential: Credential;
  readonly idempotencyKey?: string;
  readonly workspaceId: string;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL: `/workspaces/{workspaceId}/projects`. */
  readonly path: string;
  /** `accepted`: marked (I) in the interface. `rejected`: a key is a 400. `ignored`: keys mean nothing here. */
  readonly key?: "accepted" | "ignored" | "rejected";
  /** Least role of a write; developer unless said. */
  readonly role?: Role;
  readonly bodyless?: true;
  /** The class of data that a read shows, and may show late. */
  readonly shows?: ReadClass;
  readonly handle: (call: Call) => Readonly<Record<string, unknown>>;
}

/** The route of a gap: at its assumed path, at the path that its switch names, or none. */
export const gapRoute = (
  chosen: boolean | string,
  assumed: string,
  route: Omit<Route, "path">,
): readonly Route[] =>
  chosen === false
    ? []
    : [{ ...route, path: `/workspaces/{workspaceId}${chosen === true ? assumed : chosen}` }];

/** Operation (interface, "Operation"). */
const operationView = ({ id, kind, status, createdAt, updatedAt }: StoredOperation) => {
  return { id, kind, status, createdAt, updatedAt };
};

/** The operation of the path where it belongs there, or 404. */
export function readOperation(
  { world, params, workspaceId }: Call,
  isThere: (one: StoredOperation) => boolean,
) {
  const operation = world.store.get("operations", params.operationId ?? "");
  if (operation?.workspaceId !== workspaceId || !isThere(operation)) throw notFound("The operation");
  const hasEnded = operation.dueAt === null && world.readings.endedOperation === "forgotten";
  if (hasEnded && world.clock.now() - Date.parse(operation.updatedAt) >= 1000)
    throw notFound("The operation");
  return operationView(operation);
}

export const queuedAnswer = ({ world }: Call, subject: OperationSubject, kind: string) => ({
  queued: true,
  operation: operationView(queueOperation(world, subject, kind)),
});

export function projectOf(call: Call, id = call.params.projectId): StoredProject {
  const project = call.world.store.get("projects", id ?? "");
  if (project === undefined || !isShownProject(call, project)) throw notFound("The project");
  return project;
}

/** False for a project of another workspace, or whose queued deletion hides it. */
export const isShownProject = ({ world, workspaceId }: Call, project: StoredProject): boolean =>
  project.workspaceId === workspaceId &&
  !(
    world.readings.deletingProject === "gone" &&
    [...world.store.all("operations")].some(
      ({ deletes, dueAt }) => deletes?.id === project.id && dueAt !== null,
    )
  );

/** The service of the path, archived and deleting ones included, or 404. */
export function serviceOf(call: Call): StoredService {
  const service = call.world.store.get("services", call.params.serviceId ?? "");
  if (service?.workspaceId !== call.workspaceId || service.deletedAt !== null) throw notFound("The service");
  return service;
}

/** The service of the path for a read of it or of its parts, or 404. */
export function shownServiceOf(call: Call, point: "deletingService" | "deletingParts"): StoredService {
  const service = serviceOf(call);
  const { readings } = call.world;
  if (readings[point] === "missing" && isBeingDeleted(call.world, service)) throw notFound("The service");
  return point === "deletingParts" ? unlessRefused(call, service) : service;
}

/** The service of the path, or 404; 409 when its deletion was requested. */
export function presentServiceOf(call: Call): StoredService {
  const service = serviceOf(call);
  if (isBeingDeleted(call.world, service)) throw conflict("service_deleting", "The service is being deleted");
  return service;
}

/** The same; 409 also where an archived service takes no change. */
export const changeableServiceOf = (call: Call): StoredService => unlessRefused(call, presentServiceOf(call));

function unlessRefused({ world }: Call, service: StoredService): StoredService {
  if (world.readings.archivedService === "refused" && service.archived && !isBeingDeleted(world, service))
    throw conflict("service_archived", "The service is archived");
  return service;
}

export function deploymentOf(
  call: Call,
  service: StoredService,
  id: string | undefined = call.params.deploymentId,
): StoredDeployment {
  const deployment = call.world.store.get("deployments", id ?? "");
  if (deployment?.serviceId !== service.id) throw notFound("The deployment");
  return deployment;
}

export function variableOf(call: Call, service: StoredService): StoredVariable {
  const variable = call.world.store.get("variables", call.params.variableId ?? "");
  if (variable?.serviceId !== service.id) throw notFound("The variable");
  return variable;
}

const defaultLimit = 100;
const maxLimit = 200;

interface Listed {
  readonly id: string;
  readonly createdAt: string;
}

/**
 * One page of a list, from a cursor bound to this endpoint and query (interface, "Header and parameter rules"). Without
 * `limit` and `cursor` it is `initial` items long, or all of it.
 */
export function paginate<Item extends Listed>(
  call: Call,
  items: readonly Item[],
  initial: number | "all" = defaultLimit,
) {
  const limits = call.query.getAll("limit");
  const cursors = call.query.getAll("cursor");
  if (limits.length > 1 || cursors.length > 1) throw invalid("limit and cursor may be given once");
  const [rawLimit] = limits;
  const [cursor] = cursors;
  if (rawLimit === undefined && cursor === undefined && initial === "all")
    return { items, page: { hasMore: false, limit: Math.max(items.length, defaultLimit), nextCursor: null } };
  const limit = rawLimit === undefined ? (initial === "all" ? defaultLimit : initial) : readLimit(rawLimit);
  const start = cursor === undefined ? 0 : startAfter(call, items, cursor, limit);
  const slice = items.slice(start, start + limit);
  const last = slice.at(-1);
  const hasMore = start + limit < items.length;
  const nextCursor = hasMore && last !== undefined ? makeCursor(call, last, limit) : null;
  return { items: slice, page: { hasMore, limit, nextCursor } };
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxLimit) throw invalid(`limit must be an integer from 1 to ${maxLimit}`);
  return limit;
}

const signature = (call: Call, place: string, limit: number): string =>
  call.world.seal.digest(`${call.credential.workspaceId} ${call.path} ${limit} ${place}`).slice(0, 16);

function makeCursor(call: Call, item: Listed, limit: number): string {
  const place = `${item.createdAt}/${item.id}`;
  return Buffer.from(`${place}/${signature(call, place, limit)}`).toString("base64url");
}

/** The cursor names its item and the item's time, so that it survives the item's deletion. */
function startAfter(call: Call, items: readonly Listed[], cursor: string, limit: number): number {
  const [createdAt = "", id = "", proof] = Buffer.from(cursor, "base64url").toString("latin1").split("/");
  if (proof !== signature(call, `${createdAt}/${id}`, limit))
    throw invalid("The cursor is invalid for this endpoint and query", "invalid_cursor");
  const index = items.findIndex((item) => item.id === id);
  if (index !== -1) return index + 1;
  const isAscending = (items[0]?.createdAt ?? "") <= (items.at(-1)?.createdAt ?? "");
  const next = items.findIndex((item) =>
    isAscending ? item.createdAt > createdAt : item.createdAt < createdAt,
  );
  return next === -1 ? items.length : next;
}
