import * as z from "zod";
import type { GapSwitches } from "../behaviour";
import type { Call, Route } from "../call";
import { gapRoute, isShownProject, paginate, projectOf, queuedAnswer, readOperation } from "../call";
import { queuesDeletions } from "../queued-work";
import type { StoredEnvironment, StoredProject, StoredService } from "../records";
import { conflict, nonEmpty, parseBody, requireConfirmation } from "../refusal";
import { projectView } from "../response-views";
import { timeAfter } from "../times";
import type { World } from "../world";

const creation = z.strictObject({ name: nonEmpty, color: nonEmpty, description: z.string().default("") });
const change = z.strictObject({ name: nonEmpty, color: nonEmpty, description: z.string() }).partial();

const shown = (call: Call, project: StoredProject) => ({
  project: projectView(project, call.world.readings),
});

export const newEnvironment = (
  { store }: Pick<World, "store">,
  name: string,
  at: string,
  isProtected = false,
): StoredEnvironment => ({ id: store.newId(), name, protected: isProtected, createdAt: at, updatedAt: at });

/** Returns the environment that a project has from its creation on: by its name, else the first. */
export const productionOf = ({ gaps }: Pick<World, "gaps">, { environments }: StoredProject) =>
  environments.find(({ name }) => name === gaps.productionName) ?? environments[0];

/** A new project with its Production environment; as the reading `environments` says, with another before or after it. */
export function newProject(
  { store, gaps, readings }: World,
  workspaceId: string,
  fields: Pick<StoredProject, "name" | "color" | "description">,
): StoredProject {
  const at = store.stamp();
  const production = newEnvironment({ store }, gaps.productionName, at);
  // Its id is not drawn: a draw would move every id after it.
  const second = { ...production, id: production.id.replace(/^.{8}/, "0e0e0e0e"), name: "Preview" };
  const others = readings.environments === "alone" ? [] : [second];
  const { name, description, color } = fields;
  return store.put("projects", {
    id: store.newId(),
    workspaceId,
    name,
    description,
    color,
    environments: readings.environments === "second" ? [...others, production] : [production, ...others],
    createdAt: at,
    updatedAt: at,
  });
}

function list(call: Call) {
  const projects = [...call.world.store.all("projects")].filter((project) => isShownProject(call, project));
  const { items, page } = paginate(call, projects, "all");
  return { projects: items.map((item) => projectView(item, call.world.readings)), page };
}

function remove(call: Call) {
  const project = projectOf(call);
  requireConfirmation(call.body, project.name);
  const { store } = call.world;
  const isThere = ({ projectId, deletedAt }: StoredService) => projectId === project.id && deletedAt === null;
  if ([...store.all("services")].some(isThere))
    throw conflict("project_not_empty", "The project still holds services");
  if ([...store.all("groups")].some((group) => group.projectId === project.id))
    throw conflict("project_not_empty", "The project still holds environment groups");
  if (queuesDeletions(call.world)) {
    const { workspaceId, id } = project;
    const deletes = { table: "projects", id } as const;
    return { deleted: false, ...queuedAnswer(call, { workspaceId, serviceId: "", deletes }, "delete") };
  }
  store.remove("projects", project.id);
  return { deleted: true };
}

function create(call: Call) {
  const fields = parseBody(creation, call.body);
  return shown(call, newProject(call.world, call.workspaceId, fields));
}

function update(call: Call) {
  const project = projectOf(call);
  const { store, switches } = call.world;
  const fields = parseBody(change, call.body);
  if (switches.conditions.has("ignored-values")) return shown(call, project);
  const changed = { ...project, ...fields, updatedAt: store.stamp() };
  store.put("projects", { ...changed, updatedAt: timeAfter(call.world, project, changed) });
  return shown(call, changed);
}

const all = "/workspaces/{workspaceId}/projects";
const one = `${all}/{projectId}`;

/** Interface, "Projects". */
export const projectRoutes: readonly Route[] = [
  { method: "GET", path: all, shows: "projects", handle: list },
  { method: "POST", path: all, key: "accepted", handle: create },
  { method: "GET", path: one, shows: "project", handle: (call) => shown(call, projectOf(call)) },
  { method: "PATCH", path: one, key: "accepted", handle: update },
  { method: "DELETE", path: one, key: "accepted", role: "admin", handle: remove },
];

/** Gap "operations of a project"; readable after the project is gone. */
export const projectGapRoutes = ({ projectOperation }: GapSwitches): readonly Route[] =>
  gapRoute(projectOperation, "/projects/{projectId}/operations/{operationId}", {
    method: "GET",
    shows: "operations",
    handle: (call) =>
      readOperation(call, ({ deletes }) => {
        const { projectId = deletes?.id } = call.params;
        return deletes?.table === "projects" && deletes.id === projectId;
      }),
  });
