import type { Reads, Resource } from "../../api/reads";
import {
  type Diagnostic,
  type DiagnosticsError,
  error,
  failure,
  warning,
} from "../../diagnostics/diagnostic";
import { isMissing, type LiveResource, type ReadResult } from "../../model/live";
import type { ResourceType } from "../../model/resource-type";
import { canonicalId } from "../../model/text";
import { isOlder } from "../../model/time";
import { findResource, readParent } from "../../resources";
import type { PrivateData } from "../private-data";
import type { Session, TypeInSession } from "../provider";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values";

interface MissingResource {
  readonly resource: Resource;
  readonly name: string;
}

/** `other`: both parents exist. `left`: nothing in the recorded one is to be deleted: it went with it, or is history. */
export type ParentChange = "same" | "other" | "left";

/** Returns how the parent of a resource changes that is deleted with its parent; an unknown one may be the same. */
export async function parentChange(
  reads: Reads | undefined,
  type: TerraformShape,
  prior: TerraformObject,
  next: TerraformObject,
): Promise<ParentChange> {
  const { resource } = type;
  const [before, after] = parentsOf(type, prior, next);
  if (!resource.removedWithParent || before === undefined || after === undefined || before === after)
    return "same";
  if (resource.removal === "forget") return "left";
  return reads && isMissing(await readParent(reads, resource, before)) ? "left" : "other";
}

const parentsOf = (type: TerraformShape, ...wholes: readonly TerraformObject[]) =>
  wholes.map((one) => type.parentIn(type.knownIn(one)));

/** Throws `DiagnosticsError` where no plan can have known the new parent: this apply created it. */
export async function requirePlannedParent(
  { session: { reads, startedAt }, type }: TypeInSession,
  prior: TerraformObject,
  config: TerraformObject,
): Promise<void> {
  const read = await readParent(reads, type.resource, parentsOf(type, config)[0]);
  const createdAt = read?.kind === "found" ? read.live.computed.get("createdAt") : undefined;
  const since = reads.timeAt(startedAt);
  if (since !== undefined && typeof createdAt === "string" && !isOlder(createdAt, since))
    throw otherParent(type, prior, config);
}

/** Returns true if an apply leaves the recorded parent. Throws `DiagnosticsError` where both parents exist. */
export async function leavesParent(
  { session, type }: TypeInSession,
  prior: TerraformObject,
  planned: TerraformObject,
): Promise<boolean> {
  const change = await parentChange(session.reads, type, prior, planned);
  if (change === "other") throw otherParent(type, prior, planned);
  return change === "left";
}

function otherParent(type: TerraformShape, prior: TerraformObject, next: TerraformObject): DiagnosticsError {
  const [parent] = type.resource.parents;
  const [before, after] = parentsOf(type, prior, next);
  return failure("plan.stale", `it belongs to ${parent?.type} ${before}, not ${after}`, {
    attribute: parent?.attribute,
    detail:
      "The first still exists, and the plan did not know the ID of the second. Nothing was written to either.",
    hint: "plan and apply again",
  });
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

/** Returns true for `isGone` where a missing resource is proven deleted, or `accept_missing` is set. */
export function confirmDeleted(
  { acceptMissing }: Session,
  missing: MissingResource,
  { isUnproven }: Extract<ReadResult, { readonly kind: "gone" }>,
) {
  if (!isUnproven) return { isGone: true, diagnostics: [] };
  if (acceptMissing) return { isGone: true, diagnostics: [accepted(missing)] };
  // A part is judged by its parent, which reports the doubt.
  return { isGone: false, diagnostics: missing.resource.removedWithParent ? [] : [unproven(missing)] };
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
