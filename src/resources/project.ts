import * as z from "zod";
import { isConflict } from "../api/api-error";
import type { Endpoints } from "../api/endpoints";
import { environmentOf } from "../api/gap-rules";
import { defaultGaps } from "../api/gaps";
import type { Reads, Resource } from "../api/reads";
import type { Deletion, Project } from "../api/wire/shapes";
import { failure } from "../diagnostics/diagnostic";
import { remedy } from "../diagnostics/remedies";
import { canonicalId } from "../model/address";
import type { LiveResource, Offered, Pending, ReadResult } from "../model/live";
import { entriesNamed, sameName } from "../model/names";
import type {
  Accepted,
  CreateInput,
  DeleteInput,
  Holding,
  ReadTarget,
  UpdateInput,
} from "../model/resource-operations";
import type { ResourceType, RulesOf } from "../model/resource-type";
import { shortList } from "../model/wording";
import { checkName, foundAmong, moving, present, sameColor, textAt } from "./attribute-values";
import { type DeletionStatus, deletionOf } from "./deletion";

/** Gaps: the color of a new project, and the name of the environment that it has from its creation. */
const { projectColor: assumedColor, productionEnvironment: productionName } = defaultGaps;

const schema = z.strictObject({
  name: z.string().min(1).optional().describe("Name of the project; its logical name unless given."),
  description: z.string().nullable().optional().describe("Text shown with the project."),
  color: z
    .string()
    .nullable()
    .optional()
    .describe(`Color in the dashboard, such as "#2f6fed"; "${assumedColor}" unless given.`),
});

type ProjectBlock = z.infer<typeof schema>;

const rules: RulesOf<ProjectBlock> = {
  // No deployment reads a field of a project.
  name: { change: "update", equal: sameName, takesEffect: "at once" },
  description: { change: "update", takesEffect: "at once" },
  color: { change: "update", equal: sameColor, takesEffect: "at once" },
};

const computed = {
  id: { valueType: "string", doc: "Id of the project.", stable: true },
  productionEnvironmentId: { valueType: "string", doc: "Id of its Production environment.", stable: true },
  createdAt: { valueType: "string", doc: "When it was created, ISO 8601.", stable: true },
  updatedAt: { valueType: "string", doc: "When it last changed, ISO 8601.", ...moving },
} as const satisfies ResourceType["computed"];

/** A project: a group of services with its environments (interface, "Project"). */
export const project: Resource = {
  type: "project",
  doc: "A project groups services. Creating one also creates its Production environment.",
  schema,
  rules,
  computed,
  groups: [],
  manifest: {
    key: "projects",
    within: ["root"],
    shape: "map",
    meta: ["lifecycle", "import"],
    alsoCalled: ["project"],
  },
  parents: [],
  follows: [],
  nameAttribute: "name",
  picture: { as: "box" },
  defaults: ({ assumed }) =>
    new Map([
      ["description", ""],
      ["color", assumed?.projectColor ?? assumedColor],
    ]),
  offersWhenNew: ({ assumed }) => ({
    environment: [{ name: assumed?.productionEnvironment ?? productionName, isDefault: true }],
  }),
  check: (declared) => checkName(declared, "name"),
  read,
  list: async (reads) => (await reads.projects()).map(liveProject),
  candidates: (reads, { name }) => named(reads, name),
  create,
  update,
  removal: "delete",
  removedWithParent: false,
  ...deletionOf({ send: remove, subject: (projectId) => ({ projectId }), look: lookAt, holdings }),
};

function liveProject(found: Project): LiveResource {
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
    updatedAt: found.updatedAt ?? undefined,
    offers: { environment: offeredEnvironments(found) },
  };
}

export function offeredEnvironments(found: Project): readonly Offered[] {
  const production = productionEnvironmentId(found);
  return found.environments
    .map(environmentOf)
    .map(({ id, name }) => ({ id: canonicalId(id), name, isDefault: id === production }));
}

/** Gap "environment named Production": the environment of that name, in any case of letters, or a sole environment. */
function productionEnvironmentId(found: Project): string | undefined {
  const environments = found.environments.map(environmentOf);
  const production =
    environments.find(({ isProduction }) => isProduction) ??
    environments.find(({ name }) => name.toLowerCase() === productionName.toLowerCase());
  return (production ?? (environments.length === 1 ? environments[0] : undefined))?.id;
}

const named = async (reads: Reads, name: string): Promise<LiveResource[]> =>
  entriesNamed(await reads.projects(), name).map(liveProject);

async function read(reads: Reads, target: ReadTarget): Promise<ReadResult> {
  if (target.id === undefined) return foundAmong(await named(reads, target.name));
  const found = await reads.project(target.id);
  if (found.kind === "gone") return { kind: "gone" };
  if (found.kind === "unreadable") return { kind: "unchecked", reason: found.reason };
  return { kind: "found", live: liveProject(found.value) };
}

/** Returns its scoped environment groups, which block its deletion (interface, "Projects"). */
async function holdings(reads: Reads, id: string): Promise<readonly Holding[]> {
  const groups = await reads.groups();
  if (groups.length === 0) return [];
  const found = await reads.project(id);
  if (found.kind !== "found") return [];
  const environments = new Set(found.value.environments.map((record) => environmentOf(record).id));
  return groups
    .filter(({ environmentId }) => environmentId != null && environments.has(environmentId))
    .map((group) => ({ kind: "environment group", id: group.id, name: group.name }));
}

async function create(writes: Endpoints, input: CreateInput): Promise<Accepted> {
  const { name, attributes } = input;
  const color = textAt(attributes, "color");
  const description = textAt(attributes, "description");
  const live = liveProject(await writes.createProject({ name, color, description }));
  return { id: live.id, live };
}

async function update(writes: Endpoints, input: UpdateInput): Promise<Accepted> {
  const body: { name?: string; description?: string; color?: string } = {};
  for (const path of ["name", "description", "color"] as const) {
    const value = path === "name" ? input.name : textAt(input.attributes, path);
    if (input.changed.has(path) && value !== undefined) body[path] = value;
  }
  return { id: input.id, live: liveProject(await writes.updateProject(input.id, body)) };
}

async function remove(writes: Endpoints, input: DeleteInput): Promise<Deletion> {
  try {
    return await writes.deleteProject(input.id, input.name);
  } catch (cause) {
    if (!isConflict(cause)) throw cause;
    const { address } = input;
    const content = await contentOf(writes, input.id);
    throw failure("api.conflict", `${address} was not deleted: ${cause.message}`, {
      address,
      detail:
        content.length > 0
          ? `It holds ${shortList(content)}.`
          : "Its canvas shows nothing in it; archived services are on no canvas and cannot be listed.",
      ...remedy("project.contents", address),
      requestId: cause.requestId || undefined,
    });
  }
}

/** Returns the names on the canvas of a project; empty where it cannot be read. */
async function contentOf(writes: Endpoints, projectId: string): Promise<readonly string[]> {
  try {
    const { nodes, groups } = await writes.canvas({ projectId });
    return [
      ...nodes.map(({ name, id }) => `the service "${name}" (id ${id})`),
      ...groups.map(({ name }) => `the environment group "${name}"`),
    ];
  } catch {
    return [];
  }
}

/** A project does not show that it is being deleted; a route for its operations is a gap. */
async function lookAt(reads: Reads, { projectId: id = "" }: Pending): Promise<DeletionStatus> {
  return (await reads.project(id)).kind === "found" ? "unmarked" : "gone";
}
