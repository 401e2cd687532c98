import * as z from "zod";
import type { GapSwitches } from "../behaviour";
import type { Call, Route } from "../call";
import {
  changeableServiceOf,
  gapRoute,
  paginate,
  queuedAnswer,
  serviceOf,
  shownServiceOf,
  variableOf,
} from "../call";
import { queuesDeletions } from "../queued-work";
import type { StoredService, StoredVariable } from "../records";
import { conflict, nonEmpty, parseBody, requireEmptyBody } from "../refusal";
import { variableView } from "../response-views";
import { touch } from "../times";
import { requireRole, type World } from "../world";

const creation = z.strictObject({ key: nonEmpty, value: z.string() });

function requireFreeKey(call: Call, service: StoredService, key: string, exceptId?: string): void {
  const variables = call.world.store.ofService("variables", service.id);
  if (variables.some((variable) => variable.key === key && variable.id !== exceptId))
    throw conflict("variable_exists", "The service already has a variable of this key");
}

/** As the answer to a write shows it. */
function answered(call: Call, variable: StoredVariable) {
  const view = variableView(variable);
  if (!call.world.switches.conditions.has("untimed-answers")) return { variable: view };
  const { createdAt: _made, updatedAt: _changed, ...untimed } = view;
  return { variable: untimed };
}

function list(call: Call) {
  const variables = call.world.store.ofService("variables", shownServiceOf(call, "deletingParts").id);
  const first = call.world.readings.variablePages === "first" ? 2 : "all";
  const { items, page } = paginate(call, variables, first);
  return { variables: items.map(variableView), page };
}

function create(call: Call) {
  const service = changeableServiceOf(call);
  const { key, value } = parseBody(creation, call.body);
  requireFreeKey(call, service, key);
  const variable = newVariable(call.world, service, key, value);
  return answered(call, variable);
}

function update(call: Call) {
  const service = changeableServiceOf(call);
  const variable = variableOf(call, service);
  const [keyField, valueField] = call.world.gaps.variablePatch;
  const change = z.strictObject({ [keyField]: nonEmpty, [valueField]: z.string() }).partial();
  const { [keyField]: key, [valueField]: value } = parseBody(change, call.body);
  if (key !== undefined) requireFreeKey(call, service, key, variable.id);
  const { switches, seal, readings } = call.world;
  const isRepeated = key === undefined && value === seal.open(variable.sealedValue);
  if (switches.conditions.has("ignored-values") || (isRepeated && readings.repeatedValue === "stays"))
    return answered(call, variable);
  return answered(call, editedVariable(call.world, variable, key, value));
}

export function newVariable(
  world: World,
  service: StoredService,
  key: string,
  value: string,
): StoredVariable {
  const { store, seal } = world;
  const at = store.stamp();
  touch(world, service.id, "variable");
  return store.put("variables", {
    id: store.newId(),
    workspaceId: service.workspaceId,
    serviceId: service.id,
    key,
    sealedValue: seal.close(value),
    createdAt: at,
    updatedAt: at,
  });
}

export function editedVariable(
  world: World,
  variable: StoredVariable,
  key = variable.key,
  value?: string,
): StoredVariable {
  const { store, seal } = world;
  touch(world, variable.serviceId, "variable");
  return store.put("variables", {
    ...variable,
    key,
    sealedValue: value === undefined ? variable.sealedValue : seal.close(value),
    updatedAt: store.stamp(),
  });
}

function remove(call: Call) {
  requireEmptyBody(call.body);
  const { workspaceId, serviceId, id } = variableOf(call, changeableServiceOf(call));
  if (queuesDeletions(call.world)) {
    const deletes = { table: "variables", id } as const;
    return { deleted: false, ...queuedAnswer(call, { workspaceId, serviceId, deletes }, "delete") };
  }
  call.world.store.remove("variables", id);
  touch(call.world, serviceId, "variable");
  return { deleted: true };
}

/** Interface, "Authentication" rule 5 and "Events": developer or above, protected environments, an audit event. */
function reveal(call: Call) {
  const service = serviceOf(call);
  const variable = variableOf(call, service);
  const { store, seal } = call.world;
  const environments =
    service.projectId === null ? [] : store.get("projects", service.projectId)?.environments;
  const environment = environments?.find((candidate) => candidate.id === service.environmentId);
  if (environment?.protected) requireRole(call.credential, "admin");
  store.put("audit", {
    id: store.newId(),
    workspaceId: service.workspaceId,
    kind: "variable.reveal",
    actor: call.credential.actor,
    serviceId: service.id,
    variableId: variable.id,
    at: store.stamp(),
  });
  return { value: seal.open(variable.sealedValue) };
}

const all = "/workspaces/{workspaceId}/services/{serviceId}/variables";

/** Interface, "Variables". */
export const variableRoutes: readonly Route[] = [
  { method: "POST", path: all, key: "accepted", handle: create },
  { method: "PATCH", path: `${all}/{variableId}`, key: "accepted", handle: update },
  { method: "DELETE", path: `${all}/{variableId}`, key: "accepted", handle: remove },
  { method: "POST", path: `${all}/{variableId}/reveal`, key: "rejected", bodyless: true, handle: reveal },
];

/** Gap "list variables". */
export const listVariablesRoutes = ({ listVariables }: GapSwitches): readonly Route[] =>
  gapRoute(listVariables, "/services/{serviceId}/variables", {
    method: "GET",
    shows: "variables",
    handle: list,
  });
