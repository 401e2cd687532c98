import * as z from "zod";
import { maxPositions, position, viewport } from "../../api/wire/shapes";
import { uuidPattern } from "../../model/address";
import { type Call, projectOf, type Route } from "../call";
import { isBeingDeleted } from "../queued-work";
import type { StoredGroup, StoredLayout, StoredService } from "../records";
import { conflict, invalid, parseBody, Refusal } from "../refusal";
import { serviceView } from "../response-views";

type CanvasRange = Pick<StoredService, "projectId" | "environmentId">;

type Topology = ReturnType<typeof readTopology>;

const groupNode = (group: StoredGroup): string => `group:${group.id}`;
const maxNodes = 2000;
const maxEdges = 10_000;
/** A UUID, optionally prefixed with `group:`. */
const positionKey = /^(group:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const scopeError = (message: string): Refusal => invalid(message, "canvas_invalid_scope");

/** Refuses unknown parameters, as PATCH does (Canvas rule 6). */
function refuseFurtherParameters({ query }: Call): void {
  const further = [...query.keys()].find((name) => name !== "projectId" && name !== "environmentId");
  if (further !== undefined) throw scopeError(`${further}: is not a canvas scope parameter`);
}

function readScope(call: Call): CanvasRange {
  const read = (name: string): string | null => {
    const values = call.query.getAll(name);
    if (values.length > 1) throw scopeError(`${name}: is given more than once`);
    const value = values[0] ?? null;
    if (value !== null && !uuidPattern.test(value)) throw scopeError(`${name}: must be a UUID`);
    return value;
  };
  const scope = { projectId: read("projectId"), environmentId: read("environmentId") };
  if (scope.projectId === null) {
    if (scope.environmentId !== null) throw scopeError("environmentId: needs projectId");
    return scope;
  }
  const project = projectOf(call, scope.projectId);
  if (scope.environmentId !== null && !project.environments.some(({ id }) => id === scope.environmentId))
    throw scopeError("environmentId: does not belong to the project");
  return scope;
}

/** Active services, their groups and the connections among them; 413 above a limit (Canvas rules 1 to 3). */
function readTopology(call: Call, scope: CanvasRange) {
  const { store, readings } = call.world;
  const isVisible = (thing: StoredService | StoredGroup): boolean =>
    thing.workspaceId === call.workspaceId &&
    (scope.projectId === null || thing.projectId === scope.projectId) &&
    (scope.environmentId === null || thing.environmentId === scope.environmentId);
  const nodes = [...store.all("services")].filter(
    (service) => isVisible(service) && !service.archived && !isBeingDeleted(call.world, service),
  );
  const groups = [...store.all("groups")].filter(isVisible);
  const ids = new Set(nodes.map((node) => node.id));
  const references = [...store.all("references")]
    .filter(({ consumer, provider }) => ids.has(consumer) && ids.has(provider))
    .map(({ id, consumer: source, provider: target, keys }) => {
      const edge = { id, source, target, kind: "reference" };
      return readings.referenceEdges === "bare" ? edge : { ...edge, keys };
    });
  const links = groups.flatMap((group) =>
    group.serviceIds
      .filter((id) => ids.has(id))
      .map((id) => ({
        id: `${groupNode(group)}:${id}`,
        source: groupNode(group),
        target: id,
        kind: "environment-group",
      })),
  );
  const edges = readings.referenceEdges === "none" ? links : [...references, ...links];
  if (nodes.length > maxNodes || groups.length > maxNodes || edges.length > maxEdges) {
    throw new Refusal(
      413,
      "canvas_too_large",
      `The canvas holds more than ${maxNodes} nodes or ${maxEdges} edges`,
    );
  }
  return { scope, nodes, groups, edges };
}

const visibleIds = ({ nodes, groups }: Topology): ReadonlySet<string> =>
  new Set([...nodes.map((node) => node.id), ...groups.map(groupNode)]);

const layoutOf = (call: Call, { projectId, environmentId }: CanvasRange): StoredLayout => {
  const id = [call.workspaceId, projectId, environmentId].join("/");
  return call.world.store.get("layouts", id) ?? { id, revision: 0, positions: {}, viewport: null };
};

/** Canvas (interface, "Canvas"). */
function canvasView(call: Call, topology: Topology) {
  const ids = visibleIds(topology);
  const { revision, positions, viewport: view } = layoutOf(call, topology.scope);
  const isPlaced = call.world.readings.unplacedNodes === "present";
  const places = topology.nodes.map(({ id }, at) => [id, { x: at * 10, y: 0 }] as const);
  const placed = isPlaced ? { ...Object.fromEntries(places), ...positions } : positions;
  return {
    nodes: topology.nodes.map((service) => serviceView(call.world, service)),
    groups: topology.groups.map((group) => ({
      id: groupNode(group),
      name: group.name,
      environmentId: group.environmentId,
      serviceIds: group.serviceIds.filter((id) => ids.has(id)),
    })),
    edges: topology.edges,
    layout: {
      revision,
      positions: Object.fromEntries(Object.entries(placed).filter(([id]) => ids.has(id))),
      viewport: view,
    },
    scope: topology.scope,
  };
}

const save = z.strictObject({
  revision: z.int().min(0).max(9_007_199_254_740_990),
  positions: z.record(z.string().regex(positionKey, "must be a node id"), position),
  viewport: viewport.nullable(),
});

/** Replaces all positions and the viewport of a scope under optimistic control (Canvas rule 4). */
function saveLayout(call: Call) {
  refuseFurtherParameters(call);
  const scope = readScope(call);
  const body = parseBody(save, call.body);
  const ids = Object.keys(body.positions);
  if (ids.length > maxPositions) throw invalid(`positions: at most ${maxPositions} entries`);
  const topology = readTopology(call, scope);
  const { id, revision } = layoutOf(call, scope);
  if (body.revision !== revision)
    throw conflict("canvas_revision_conflict", `The canvas is at revision ${revision}: read it again`);
  const visible = visibleIds(topology);
  const unknown = ids.filter((node) => !visible.has(node));
  if (unknown.length > 0) throw invalid(`Not on this canvas: ${unknown[0]}`, "canvas_invalid_node");
  call.world.store.put("layouts", {
    id,
    revision: revision + (call.world.readings.layoutRevision === "larger" ? 7 : 1),
    positions: body.positions,
    viewport: body.viewport,
  });
  return canvasView(call, topology);
}

const path = "/workspaces/{workspaceId}/canvas";

/** Interface, "Canvas". */
export const canvasRoutes: readonly Route[] = [
  {
    method: "GET",
    path,
    shows: "canvas",
    handle: (call) => canvasView(call, readTopology(call, readScope(call))),
  },
  { method: "PATCH", path, key: "ignored", handle: saveLayout },
];
