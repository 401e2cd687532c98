import * as z from "zod";
import type { Endpoints } from "../api/endpoints";
import { environmentOf } from "../api/gaps";
import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import type { Project } from "../api/wire/project";
import type { RulesOf } from "../model/leaf-path";
import type { LiveResource, ReadResult } from "../model/live";
import type { Pending } from "../model/pending";
import type {
  Accepted,
  CreateInput,
  DeleteInput,
  ReadSubject,
  ResourceType,
  Settled,
  UpdateInput,
} from "../model/resource-type";
import { present, textAt } from "./attribute-values";
import { acceptedDeletion, unlessGone } from "./deletion";

/** Sent when a manifest names no color: the service requires one. */
export const defaultProjectColor = "#64748b";

/** The environment that every project has from its creation. */
export const productionName = "Production";

const schema = z.strictObject({
  name: z.string().min(1).optional().describe("Name of the project; its logical name unless given."),
  description: z.string().nullable().optional().describe("Text shown with the project."),
  color: z
    .string()
    .min(1)
    .nullable()
    .optional()
    .describe(`Color in the dashboard, such as "#2f6fed"; "${defaultProjectColor}" unless given.`),
});

/** A project block as it is written. */
export type ProjectBlock = z.infer<typeof schema>;

const rules: RulesOf<ProjectBlock> = {
  name: { change: "update" },
  description: { change: "update" },
  color: { change: "update" },
};

const computed = {
  id: { valueType: "string", doc: "Id of the project.", stable: true },
  productionEnvironmentId: { valueType: "string", doc: "Id of its Production environment.", stable: true },
  createdAt: { valueType: "string", doc: "When it was created, ISO 8601.", stable: true },
  updatedAt: { valueType: "string", doc: "When it last changed, ISO 8601.", stable: false },
} as const satisfies ResourceType["computed"];

/** What the service decides of a project. */
export type ProjectComputed = typeof computed;

/** A project: a group of services with its environments (interface, "Project"). */
export const project: Resource = {
  type: "project",
  doc: "A project groups services. Creating one also creates its Production environment.",
  schema,
  rules,
  computed,
  groups: [],
  parents: [],
  manifest: { key: "projects", within: ["root"], shape: "map", meta: true },
  nameAttribute: "name",
  removal: "delete",
  removedWithParent: false,
  archivable: false,
  follows: [],
  defaults: () =>
    new Map([
      ["description", ""],
      ["color", defaultProjectColor],
    ]),
  check: () => [],
  read,
  list: async (reads) => (await reads.projects()).map(liveProject),
  create,
  update,
  remove,
  candidates: async (reads, { name, fence }) =>
    (await named(reads, name)).filter(({ id }) => !fence.includes(id)),
  deletion,
  poll,
};

/** What the service reports of a project, as attributes. */
export function liveProject(found: Project): LiveResource {
  return {
    type: "project",
    id: found.id,
    name: found.name,
    parentId: null,
    attributes: present({ name: found.name, description: found.description, color: found.color }),
    computed: present({
      id: found.id,
      productionEnvironmentId: productionEnvironmentId(found),
      createdAt: found.createdAt,
      updatedAt: found.updatedAt,
    }),
    updatedAt: found.updatedAt,
  };
}

/** The environment called Production, or the only one there is. */
export function productionEnvironmentId(found: Project): string | undefined {
  const environments = found.environments.map(environmentOf);
  const production = environments.find(({ name }) => name === productionName);
  return (production ?? (environments.length === 1 ? environments[0] : undefined))?.id;
}

const named = async (reads: Reads, name: string): Promise<LiveResource[]> =>
  (await reads.projects()).filter((one) => one.name === name).map(liveProject);

async function read(reads: Reads, subject: ReadSubject): Promise<ReadResult> {
  if (subject.id !== undefined) {
    const found = await reads.project(subject.id);
    if (found.kind === "gone") return { kind: "gone" };
    if (found.kind === "unreadable") return { kind: "unchecked", reason: found.reason };
    return { kind: "found", live: liveProject(found.value) };
  }
  const matches = await named(reads, subject.name);
  if (matches.length > 1) return { kind: "ambiguous", ids: matches.map(({ id }) => id) };
  return matches[0] === undefined ? { kind: "absent" } : { kind: "found", live: matches[0] };
}

async function create(writes: Endpoints, input: CreateInput): Promise<Accepted> {
  const description = textAt(input.attributes, "description");
  const live = liveProject(
    await writes.createProject({
      name: input.name,
      color: textAt(input.attributes, "color") ?? defaultProjectColor,
      ...(description === undefined ? {} : { description }),
    }),
  );
  return { id: live.id, live };
}

async function update(writes: Endpoints, input: UpdateInput): Promise<Accepted> {
  const body: { name?: string; description?: string; color?: string } = {};
  for (const path of ["name", "description", "color"] as const) {
    const value = textAt(input.attributes, path) ?? (path === "name" ? input.name : undefined);
    if (input.changed.has(path) && value !== undefined) body[path] = value;
  }
  return { id: input.id, live: liveProject(await writes.updateProject(input.id, body)) };
}

async function remove(writes: Endpoints, input: DeleteInput): Promise<Accepted> {
  return acceptedDeletion(input, await writes.deleteProject(input.id, input.name), deletion);
}

function deletion(id: string, operationId: string | undefined): Pending {
  return { kind: "operation", id: operationId ?? id, projectId: id, deletes: true };
}

async function poll(reads: Reads, { projectId, id }: Pending): Promise<Settled> {
  const found = await unlessGone(() => reads.live.getProject(projectId ?? id));
  return found === undefined ? { kind: "done" } : { kind: "waiting", status: "deleting" };
}
