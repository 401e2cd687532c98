import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { isMissing, type LiveResource, type ReadResult } from "../model/live";
import type { ResourceType } from "../model/resource-type";
import { canonicalId, shortList } from "../model/text";
import { type Existence, findUnprovenLosses } from "../plan/guards";
import { findResource, resourceTypes, typeNamed } from "../resources";
import type { IntentFiles } from "./apply/intent-files";
import { diagnosticError } from "./messages";
import { addressIn } from "./schema/attributes";

/** A resource that this process asked for by its id. */
interface KnownResource {
  readonly resource: Resource;
  readonly id: string;
  readonly name: string;
  readonly parentId: string | undefined;
  /** Undefined where it was not found. */
  readonly live?: LiveResource;
}

/** The resources that reads of this process found by id, and those they did not: Terraform asks for one resource after another. */
export interface ExistenceCache {
  readonly byId: Map<Address, KnownResource>;
  /** The plan has failed already: what seems gone stays, and is not reported once more. */
  isDoubted: boolean;
}

export const emptyExistenceCache = (): ExistenceCache => ({ byId: new Map(), isDoubted: false });

/** How old a list may be that proves a name free, or that a data source answers from, milliseconds. */
export const mostAgeMs = 1000;

/** Stands for an address, which a provider is not told. Ids alone do not do: a layout bears that of its project. */
export const addressOfId = ({ type }: Pick<ResourceType, "type">, id: string): Address =>
  `${type}.${id}` as Address;

/** The part of a session that the proof needs. */
interface Proof {
  readonly existence: ExistenceCache;
  readonly reads: Reads;
  readonly workspaceId: string;
  readonly intents: Pick<IntentFiles, "isLeaving">;
  readonly acceptMissing: boolean;
}

/** A resource of the state that the service does not show. */
export interface MissingResource extends Omit<KnownResource, "live"> {
  /** Workspace in which it was last applied, where that is known. */
  readonly workspace: string | undefined;
}

/** The reason why a resource that seems gone stays in the state; its error is reported once. */
export interface Doubt {
  readonly diagnostics: readonly Diagnostic[];
  /** People say that what is missing is gone: then it leaves the state. */
  readonly isAccepted?: true;
}

/** Remembers that `live` was found: proof for other resources that are not. */
export function noteFound(
  { existence }: Pick<Proof, "existence">,
  resource: Resource,
  live: LiveResource,
): void {
  existence.byId.set(addressOfId(resource, live.id), knownLive(resource, live));
}

/**
 * Returns undefined where `missing` is proven gone (DESIGN section 5), else why not. The rule is that of the engine. A
 * provider is never told all that is recorded, so what the workspace lists stands beside what this process was asked
 * for. A resource that lives and dies with its parent is judged by its parent as long as that is missing too.
 */
export async function confirmDeleted(session: Proof, missing: MissingResource): Promise<Doubt | undefined> {
  const { existence } = session;
  if (isBeingDeletedHere(session, missing)) return undefined;
  const judged = missing.resource.removedWithParent ? await withItsParent(session, missing) : missing;
  // Its parent is still being deleted, which says so itself: the deletion may fail.
  if (judged === undefined) return { diagnostics: [] };
  const elsewhere = otherWorkspace(session, missing);
  const found = elsewhere === undefined ? await unprovenLosses(session, judged) : [elsewhere];
  if (session.acceptMissing && elsewhere === undefined && found.length > 0)
    return { diagnostics: [accepted(judged)], isAccepted: true };
  if (found.length === 0 && !existence.isDoubted) return undefined;
  const diagnostics = existence.isDoubted ? [] : found.slice(0, 1);
  existence.isDoubted = true;
  return { diagnostics };
}

/** Whether an apply of this directory asked for its deletion, or for that of what it lies in, and was cut short. */
function isBeingDeletedHere(
  { intents }: Pick<Proof, "intents">,
  { resource, id, parentId }: MissingResource,
): boolean {
  if (intents.isLeaving(resource.type, id) !== undefined) return true;
  const [parent] = resource.parents;
  return (
    resource.removedWithParent &&
    parent !== undefined &&
    parentId !== undefined &&
    intents.isLeaving(parent.type, parentId) !== undefined
  );
}

/** Reads a resource of which nothing but the id is known. */
export const readById = async (reads: Reads, resource: Resource, id: string): Promise<ReadResult> =>
  resource.read(reads, { address: addressOfId(resource, id), id, name: id, declared: new Map() });

/** Throws `DiagnosticsError` where an id names nothing: an empty answer would look as if there were nothing in it. */
export async function requireThere(
  { reads }: Pick<Proof, "reads">,
  resource: Resource,
  id: string,
  attribute: string,
): Promise<void> {
  if (!isMissing(await findResource(reads, resource, { id }))) return;
  throw diagnosticError("live.import_missing", `there is no ${resource.type} of the id ${id}`, { attribute });
}

/** The parent where it is missing too, else the child; undefined where the parent is being deleted. */
async function withItsParent(session: Proof, child: MissingResource): Promise<MissingResource | undefined> {
  const [parent] = child.resource.parents;
  const resource = parent && typeNamed(parent.type);
  const { parentId, workspace } = child;
  if (resource === undefined || parentId === undefined) return child;
  const read = await readById(session.reads, resource, parentId);
  if (read.kind === "found") noteFound(session, resource, read.live);
  if (read.kind !== "gone") return child;
  if (read.ending !== undefined) return undefined;
  return { resource, id: parentId, name: parentId, parentId: undefined, workspace };
}

async function unprovenLosses(session: Proof, missing: MissingResource): Promise<readonly Diagnostic[]> {
  const { byId } = session.existence;
  const { resource, id, name, parentId } = missing;
  byId.set(addressOfId(resource, id), { resource, id, name, parentId });
  const listed = await Promise.all(
    resourceTypes
      .filter((type) => !type.removedWithParent || missingOf(type, byId) >= fewestInMass)
      .map(async (type) => ((await type.list(session.reads)) ?? []).map((live) => knownLive(type, live))),
  );
  const known = new Map(listed.flat().map((one) => [addressOfId(one.resource, one.id), one]));
  for (const [address, one] of byId) known.set(address, one);
  const existences = [...known.values()].map((one) => existenceOf(one, known));
  const lost = [...known.values()].filter(({ live }) => live === undefined);
  return findUnprovenLosses(existences).map((found) => inTerraform(found, missing, wordsFor(lost, known)));
}

/** Fewer of a type are never a mass: those whose list takes a request for each parent need not be listed. */
const fewestInMass = 3;

const missingOf = (resource: Resource, byId: ExistenceCache["byId"]): number =>
  [...byId.values()].filter((known) => known.resource === resource && known.live === undefined).length;

const knownLive = (resource: Resource, live: LiveResource): KnownResource => ({
  ...{ resource, live, id: live.id, name: live.name },
  parentId: live.parentId ?? undefined,
});

function existenceOf(
  { resource, name, parentId, live }: KnownResource,
  known: ReadonlyMap<Address, KnownResource>,
): Existence {
  const [parent] = resource.parents;
  const isParentLive =
    parent !== undefined &&
    parentId !== undefined &&
    known.get(addressOfId(parent, parentId))?.live !== undefined;
  return {
    address: addressIn({ resource }, name),
    isLive: live !== undefined,
    isLost: live === undefined,
    isDependent: resource.removedWithParent,
    isCounted: !resource.removedWithParent || isParentLive,
  };
}

/** Returns what is lost in the words of people: services and projects by name, what lies in them counted. */
function wordsFor(
  lost: readonly KnownResource[],
  known: ReadonlyMap<Address, KnownResource>,
): readonly string[] {
  const inside = new Map<string, number>();
  const words: string[] = [];
  for (const { resource, name, parentId } of lost) {
    const [parent] = resource.parents;
    if (!resource.removedWithParent || parent === undefined || parentId === undefined) {
      words.push(`${resource.type} "${name}"`);
      continue;
    }
    const holder = known.get(addressOfId({ type: parent.type }, parentId))?.name ?? parentId;
    const what = `of the ${resource.type}s of the ${parent.type} "${holder}"`;
    inside.set(what, (inside.get(what) ?? 0) + 1);
  }
  return [...words, ...[...inside].map(([what, count]) => `${count} ${what}`)];
}

const sayItIsGone =
  "check the key and the workspace: nothing was taken out of the state. If all of it was really deleted, set " +
  "accept_missing = true in the provider block for one apply; for a single one: terraform state rm ADDRESS";

/** The engine's words speak of its own state and commands. */
const inTerraform = (found: Diagnostic, missing: MissingResource, lost: readonly string[]): Diagnostic =>
  error(
    found.code,
    found.code === "live.mass_disappearance"
      ? "much of what this state records is gone at once"
      : `the ${missing.resource.type} "${missing.name}" cannot be found, and nothing else that is recorded can`,
    {
      detail:
        found.code === "live.mass_disappearance"
          ? `A key that lost its membership sees the same. Missing so far: ${shortList(lost)}.`
          : found.detail,
      hint: sayItIsGone,
    },
  );

const accepted = ({ resource, name }: MissingResource): Diagnostic =>
  warning("live.gone_unproven", "What is missing is taken out of the state: accept_missing is set", {
    detail: `The ${resource.type} "${name}" is not shown any more. A key that lost its membership sees the same.`,
    hint: "take accept_missing out again after this apply",
  });

/** An id means nothing in a workspace that it does not come from. */
function otherWorkspace(
  session: Proof,
  { resource, name, workspace }: MissingResource,
): Diagnostic | undefined {
  if (workspace === undefined || canonicalId(workspace) === session.workspaceId) return undefined;
  return error("state.workspace", `the ${resource.type} "${name}" was applied in another workspace`, {
    detail: `It lies in ${workspace}; the provider is configured for ${session.workspaceId}, which does not show it.`,
    hint: "set workspace_id to the workspace that it lies in, or begin a state of its own for the other one",
  });
}
