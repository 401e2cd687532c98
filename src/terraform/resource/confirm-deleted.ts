import type { Reads, Resource } from "../../api/reads";
import { type Diagnostic, error, failure, warning } from "../../diagnostics/diagnostic";
import { isMissing, type LiveResource, type ReadResult } from "../../model/live";
import type { ResourceType } from "../../model/resource-type";
import { canonicalId } from "../../model/text";
import { findResource, typeNamed } from "../../resources";
import type { PrivateData } from "../private-data";
import type { Session, TypeInSession } from "../provider";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values";

/** A resource of the state that the service does not show. */
interface MissingResource {
  readonly resource: Resource;
  readonly name: string;
  readonly parentId: string | undefined;
}

/** `other`: both parents exist. `deleted`: the recorded one is deleted, and what was in it too. */
export type ParentChange = "same" | "other" | "deleted";

/** Returns how the parent of a resource changes that is deleted with its parent; an unknown one may be the same. */
export async function parentChange(
  reads: Reads | undefined,
  type: TerraformShape,
  prior: TerraformObject,
  next: TerraformObject,
): Promise<ParentChange> {
  const { resource } = type;
  const [before, after] = [prior, next].map((one) => type.parentIn(type.knownIn(one)));
  if (!resource.removedWithParent || before === undefined || after === undefined || before === after)
    return "same";
  return reads && isMissing(await readParent(reads, resource, before)) ? "deleted" : "other";
}

/** Returns true if an apply finds the recorded parent deleted. Throws `DiagnosticsError` where both parents exist. */
export async function leavesDeletedParent(
  { session, type }: TypeInSession,
  prior: TerraformObject,
  planned: TerraformObject,
): Promise<boolean> {
  const change = await parentChange(session.reads, type, prior, planned);
  if (change !== "other") return change === "deleted";
  const [parent] = type.resource.parents;
  const [before, after] = [prior, planned].map((one) => type.parentIn(type.knownIn(one)));
  throw failure("plan.stale", `it belongs to ${parent?.type} ${before}, not ${after}`, {
    attribute: parent?.attribute,
    detail:
      "The first still exists, and the plan did not know the ID of the second. Nothing was written to either.",
    hint: "plan and apply again",
  });
}

/** Reads the parent of a resource by its ID; undefined where the type has none. */
export async function readParent(
  reads: Reads,
  { parents: [parent] }: Resource,
  id: string,
): Promise<ReadResult | undefined> {
  const type = parent && typeNamed(parent.type);
  return type && findResource(reads, type, { id });
}

/** Returns the resource of an ID, as far as it can be read. Throws `DiagnosticsError` where there is none: an empty answer would look as if there were nothing in it. */
export async function requireThere(
  { reads }: Pick<Session, "reads">,
  resource: Resource,
  id: string,
  attribute: string,
): Promise<LiveResource | undefined> {
  const read = await findResource(reads, resource, { id });
  if (!isMissing(read)) return read.kind === "found" ? read.live : undefined;
  throw failure("live.import_missing", `there is no ${resource.type} of the id ${id}`, { attribute });
}

/**
 * Returns true for `isGone` where `missing` is proven deleted, or `accept_missing` is set. A key that lost its membership sees an empty
 * workspace, so an empty one proves nothing (DESIGN section 5). What is deleted with its parent is judged by that one,
 * which reports the doubt.
 */
export async function confirmDeleted(session: Session, missing: MissingResource) {
  const { reads, acceptMissing } = session;
  const { resource, parentId } = missing;
  const verdict = (isGone: boolean, ...diagnostics: readonly Diagnostic[]) => ({ isGone, diagnostics });
  const hasParent = resource.removedWithParent && parentId !== undefined;
  const parent = hasParent ? await readParent(reads, resource, parentId) : undefined;
  if (parent?.kind === "found") return verdict(true);
  // Its parent is being deleted, which may fail yet, or cannot be read.
  if (parent !== undefined && !isMissing(parent)) return verdict(false);
  const isOther = (): boolean => false;
  const shown = [...(await reads.projects(isOther)), ...(await reads.services(isOther))];
  if (shown.length > 0) return verdict(true);
  if (acceptMissing) return verdict(true, accepted(missing));
  return parent === undefined ? verdict(false, unproven(missing)) : verdict(false);
}

const unproven = ({ resource, name }: MissingResource): Diagnostic =>
  error(
    "live.gone_unproven",
    `${resource.type} "${name}" cannot be found, and the workspace shows nothing else`,
    {
      detail: "A key that lost its membership sees the same. Nothing is taken out of the state.",
      hint:
        "check the key and the workspace. If everything was really deleted, set accept_missing = true in the provider " +
        "block for one apply; for a single resource: terraform state rm ADDRESS",
    },
  );

const accepted = ({ resource, name }: MissingResource): Diagnostic =>
  warning("live.gone_unproven", "Missing resources are taken out of the state: accept_missing is set", {
    detail: `${resource.type} "${name}" cannot be found. A key that lost its membership sees the same.`,
    hint: "remove accept_missing after this apply",
  });

/** Throws `DiagnosticsError` for a resource that was applied in another workspace, where its id means nothing. */
export function requireWorkspace(
  session: Pick<Session, "workspaceId">,
  { type }: Pick<ResourceType, "type">,
  name: string,
  { workspace }: PrivateData,
): void {
  if (workspace === undefined || canonicalId(workspace) === session.workspaceId) return;
  throw failure("state.workspace", `${type} "${name}" is in workspace ${workspace}`, {
    detail: `This provider uses workspace ${session.workspaceId}.`,
    hint: "set workspace_id to the workspace of the resource, or use another state for this workspace",
  });
}
