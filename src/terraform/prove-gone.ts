import type { Resource } from "../api/resource";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import { checkMassDeletion } from "../plan/disappearance";
import type { ResourceInstance } from "../plan/subject";
import { resourceTypes, typeNamed } from "../resources";
import { bareRecord } from "./plan-change";
import type { Session } from "./session";
import { addressOfId, type Sightings } from "./sightings";

/** A thing of the state that the service does not show. */
export interface Missing {
  readonly resource: Resource;
  readonly id: string;
  readonly name: string;
  readonly parentId: string | undefined;
  /** Workspace in which it was last applied, where that is known. */
  readonly workspace: string | undefined;
}

/** Why something that seems gone stays in the state; the error is reported once. */
export interface Doubt {
  readonly diagnostics: readonly Diagnostic[];
}

type Named = Pick<LiveResource, "id" | "name"> & { readonly parentId: string | null | undefined };

/** Remembers that a thing of the state was found: a witness for those that are not. */
export function noteFound({ sightings }: Session, resource: Resource, live: LiveResource): void {
  sightings.byId.set(addressOfId(resource, live.id), witness(resource, live));
}

/** Whether its id was shown in another place: the answer to its creation was another's, and reads are not behind. */
export function isShownElsewhere(
  { sightings }: Session,
  resource: Resource,
  id: string,
  parentId: string | undefined,
): boolean {
  const seen = sightings.byId.get(addressOfId(resource, id))?.live;
  return seen !== undefined && seen.parentId !== parentId;
}

/**
 * Gone needs proof (DESIGN section 5): undefined where there is some, else why not. The rule is that of the engine.
 * A provider is never told all that is recorded, so what the workspace lists stands beside what this process was
 * asked for. What lives and dies with its parent is judged by its parent as long as that is missing too.
 */
export async function doubtGone(session: Session, missing: Missing): Promise<Doubt | undefined> {
  const { sightings } = session;
  const subject = missing.resource.removedWithParent ? await withItsParent(session, missing) : missing;
  // Its parent is still being deleted, which says so itself: the deletion may fail.
  if (subject === undefined) return { diagnostics: [] };
  const elsewhere = otherWorkspace(session, missing);
  const found = elsewhere === undefined ? await disappearance(session, subject) : [elsewhere];
  if (found.length === 0 && !sightings.isDoubted) return undefined;
  const diagnostics = sightings.isDoubted ? [] : found.slice(0, 1);
  sightings.isDoubted = true;
  return { diagnostics };
}

/** What it lay in was looked for in this process and is not there any more, or shows that it is being deleted. */
export async function isParentLeaving(
  { sightings, reads }: Pick<Session, "sightings" | "reads">,
  { parents: [parent] }: Resource,
  id: string | undefined,
): Promise<boolean> {
  const resource = parent && typeNamed(parent.type);
  if (resource === undefined || id === undefined) return false;
  const address = addressOfId(resource, id);
  if (sightings.byId.get(address)?.read.kind === "gone") return true;
  const read = await resource.read(reads, { address, id, name: id, declared: new Map() });
  return read.kind === "gone" && read.ending !== undefined;
}

/** The parent where it is missing too, else the child; undefined where the parent is known to be on its way out. */
async function withItsParent(session: Session, child: Missing): Promise<Missing | undefined> {
  const [parent] = child.resource.parents;
  const resource = parent && typeNamed(parent.type);
  const { parentId, workspace } = child;
  if (resource === undefined || parentId === undefined) return child;
  const name = parentId;
  const address = addressOfId(resource, parentId);
  const read = await resource.read(session.reads, { address, id: parentId, name, declared: new Map() });
  if (read.kind === "found") noteFound(session, resource, read.live);
  if (read.kind !== "gone") return child;
  if (read.ending !== undefined) return undefined;
  return { resource, id: parentId, name, parentId: undefined, workspace };
}

async function disappearance(session: Session, missing: Missing): Promise<readonly Diagnostic[]> {
  const { byId } = session.sightings;
  const gone: ResourceInstance = { ...recordedAs(missing.resource, missing), read: { kind: "gone" } };
  byId.set(addressOfId(missing.resource, missing.id), gone);
  const listed = await Promise.all(
    resourceTypes
      .filter((type) => !type.removedWithParent || missingOf(type, byId) >= fewestInMass)
      .map(async (type) => (await type.list(session.reads)).map((live) => witness(type, live))),
  );
  const seen = new Map<Address, ResourceInstance>();
  for (const one of listed.flat()) seen.set(addressOfId(one.type, one.recorded?.id ?? ""), one);
  for (const [known, subject] of byId) seen.set(known, subject);
  return checkMassDeletion(seen).diagnostics.map(inTerraform);
}

/** Fewer of a kind are never a mass: what would take a request for each parent need not be listed for them. */
const fewestInMass = 3;

const missingOf = (resource: Resource, byId: Sightings["byId"]): number =>
  [...byId.values()].filter(({ type, read }) => type === resource && read.kind === "gone").length;

/** As the engine records it, but that ids stand for names, which are not unique here. */
function recordedAs(resource: Resource, { id, name, parentId }: Named): Omit<ResourceInstance, "read"> {
  const applied = Object.fromEntries(resource.parents.map(({ attribute }) => [attribute, parentId ?? null]));
  const recorded = { ...bareRecord({ type: resource.type, id, name, updatedAt: undefined }), applied };
  const [parent] = resource.parents;
  return {
    ...{ address: `${resource.type}.${name}` as Address, type: resource, recorded },
    ...{ defaults: new Map(), removed: false },
    ...(parentId == null || parent === undefined ? {} : { parent: addressOfId(parent, parentId) }),
  };
}

const witness = (resource: Resource, live: LiveResource): ResourceInstance => ({
  ...recordedAs(resource, live),
  read: { kind: "found", live },
  live,
});

/** The words of the engine speak of its own state and commands. */
const inTerraform = (found: Diagnostic): Diagnostic => ({
  ...found,
  ...(found.code === "live.mass_disappearance"
    ? { summary: "much of what this state records is gone at once" }
    : {}),
  hint:
    "check the key and the workspace: nothing was taken out of the state. If it was really deleted, say so: " +
    "terraform state rm ADDRESS",
});

/** An id means nothing in a workspace that it does not come from. */
function otherWorkspace(session: Session, { resource, name, workspace }: Missing): Diagnostic | undefined {
  if (workspace === undefined || workspace === session.workspaceId) return undefined;
  return error("state.workspace", `the ${resource.type} "${name}" was applied in another workspace`, {
    detail: `It lies in ${workspace}; the provider is configured for ${session.workspaceId}, which does not show it.`,
    hint: "set workspace_id to the workspace that it lies in, or begin a state of its own for the other one",
  });
}
