import * as z from "zod";
import { nonEmpty, parseBody, requireConfirmation } from "../body";
import type { Call, Route } from "../call";
import { paginate } from "../paging";
import type { StoredProject } from "../records";
import { conflict } from "../refusal";
import type { Store } from "../store";
import { operationView, projectView } from "../views";
import { projectOf, servicesIn } from "./lookup";
import { queueOperation, queuesDeletions } from "./queue-deployment";

const creation = z.strictObject({ name: nonEmpty, color: nonEmpty, description: z.string().default("") });
const change = z.strictObject({ name: nonEmpty, color: nonEmpty, description: z.string() }).partial();

/** A new project with its Production environment. */
export function newProject(
  store: Store,
  workspaceId: string,
  fields: { readonly name: string; readonly color: string; readonly description: string },
): StoredProject {
  const at = store.stamp();
  const production = {
    id: store.newId(),
    name: "Production",
    protected: false,
    createdAt: at,
    updatedAt: at,
  };
  const { name, description, color } = fields;
  return store.put("projects", {
    id: store.newId(),
    workspaceId,
    name,
    description,
    color,
    environments: [production],
    createdAt: at,
    updatedAt: at,
  });
}

function list(call: Call) {
  const projects = [...call.world.store.all("projects")].filter(
    (project) => project.workspaceId === call.workspaceId,
  );
  const { items, page } = paginate(call, projects, { unboundedByDefault: true });
  return { projects: items.map(projectView), page };
}

function remove(call: Call) {
  const project = projectOf(call);
  requireConfirmation(call.body, project.name);
  const { store } = call.world;
  if (servicesIn(call, project.id).length > 0) {
    throw conflict("project_not_empty", "The project still holds services");
  }
  if ([...store.all("groups")].some((group) => group.projectId === project.id)) {
    throw conflict("project_not_empty", "The project still holds environment groups");
  }
  if (queuesDeletions(call.world)) {
    const { workspaceId, id } = project;
    const deletes = { table: "projects", id } as const;
    const operation = queueOperation(call, { workspaceId, serviceId: "", deletes }, "delete");
    return { deleted: false, queued: true, operation: operationView(operation) };
  }
  store.remove("projects", project.id);
  return { deleted: true };
}

/** Interface, "Projects". */
export const projectRoutes: readonly Route[] = [
  { method: "GET", path: "/workspaces/{workspaceId}/projects", handle: list },
  {
    method: "POST",
    path: "/workspaces/{workspaceId}/projects",
    key: "accepted",
    handle: (call) => ({
      project: projectView(newProject(call.world.store, call.workspaceId, parseBody(creation, call.body))),
    }),
  },
  {
    method: "GET",
    path: "/workspaces/{workspaceId}/projects/{projectId}",
    handle: (call) => ({ project: projectView(projectOf(call)) }),
  },
  {
    method: "PATCH",
    path: "/workspaces/{workspaceId}/projects/{projectId}",
    key: "accepted",
    handle: (call) => {
      const project = projectOf(call);
      const fields = parseBody(change, call.body);
      const { store, switches } = call.world;
      if (switches.conditions.has("ignored-values")) return { project: projectView(project) };
      return {
        project: projectView(store.put("projects", { ...project, ...fields, updatedAt: store.stamp() })),
      };
    },
  },
  {
    method: "DELETE",
    path: "/workspaces/{workspaceId}/projects/{projectId}",
    key: "accepted",
    role: "admin",
    handle: remove,
  },
];
