import type { Resource } from "../../api/reads";
import {
  type Diagnostic,
  DiagnosticsError,
  error,
  failure,
  type Severity,
  warning,
} from "../../diagnostics/diagnostic";
import { canonicalId } from "../../model/address";
import { isMissing, type ReadResult } from "../../model/live";
import { snakeCase, terraformNameOf } from "../../model/terraform-names";
import { isOlder } from "../../model/time";
import { findResource, readParent, typeNamed } from "../../resources";
import type { TerraformObject } from "../codec";
import type { PrivateData } from "../private-data";
import type { Session } from "../provider";
import type { TerraformShape } from "../schema/terraform-shape";

/** `other`: both parents exist. `left`: nothing in the recorded one is to be deleted: it went with it, or is history. */
export type ParentChange = "same" | "other" | "left";

/**
 * Returns how the parent of a resource changes that is deleted with its parent; an unknown one may be the same. Throws
 * `DiagnosticsError` for a parent that this apply created: no plan knew it.
 */
export async function parentChange(
  session: Session | undefined,
  type: TerraformShape,
  prior: TerraformObject,
  next: TerraformObject,
): Promise<ParentChange> {
  const { resource } = type;
  const [before, after] = [prior, next].map((one) => type.parentIn(type.knownIn(one)));
  if (!resource.removedWithParent || before === undefined || after === undefined || before === after)
    return "same";
  if (resource.removal === "forget") return "left";
  if (session === undefined) return "other";
  const { reads, startedAt } = session;
  if (isMissing(await readParent(reads, resource, before))) return "left";
  const read = await readParent(reads, resource, after);
  const createdAt = read?.kind === "found" ? read.live.computed.get("createdAt") : undefined;
  const since = reads.timeAt(startedAt);
  if (typeof createdAt !== "string" || since === undefined || isOlder(createdAt, since)) return "other";
  const [{ type: kind, attribute } = { type: "", attribute: "" }] = resource.parents;
  throw failure("plan.stale", `it belongs to ${kind} ${before}, not ${after}`, {
    attribute: snakeCase(attribute),
    detail: "Both exist, and the plan did not know the ID of the second. Nothing was written to either.",
    hint: "plan and apply again",
  });
}

type Referred = Awaited<ReturnType<typeof findReferred>>;

/**
 * Looks up the resource that a configuration refers to by its ID; an unreadable resource is no finding. `finding` says why
 * nothing can be created in it.
 */
export async function findReferred(
  { reads }: Pick<Session, "reads">,
  resource: Resource,
  id: string,
  attribute: string,
) {
  const { type } = resource;
  const read = await findResource(reads, resource, { id });
  if (read.kind === "found") return { live: read.live };
  const isGone = isMissing(read);
  if (!isGone && read.kind !== "gone") return {};
  const [is, detail] = isGone
    ? ["does not exist", `The workspace has no ${type} with this ID.`]
    : ["is being deleted", "Nothing can be created in it any more."];
  const name = terraformNameOf(resource);
  const hint = `refer to the ${type} itself: ${name}.NAME.id, or data.${name}.NAME.id`;
  const finding = error("manifest.reference_unknown", `the ${type} ${id} ${is}`, { attribute, detail, hint });
  return { finding, isMissing: isGone };
}

/** Returns the resource of an ID, as far as it can be read. Throws `DiagnosticsError` where there is none: an empty answer would look as if there were nothing in it. */
export async function requireThere(...asked: Parameters<typeof findReferred>) {
  const { live, finding, isMissing } = await findReferred(...asked);
  if (finding && isMissing) throw new DiagnosticsError([finding]);
  return live;
}

export async function findParent(
  session: Session,
  { parents: [parent] }: Resource,
  id: string | undefined,
): Promise<Referred> {
  const type = parent && typeNamed(parent.type);
  return type && id !== undefined ? findReferred(session, type, id, parent.attribute) : {};
}

/** Returns the findings about a parent. A missing ID may come from a mocked output: only a replacement has to stop. */
export function parentFindings({ finding, isMissing }: Referred, missing: Severity): Diagnostic[] {
  return finding ? [isMissing ? { ...finding, severity: missing } : finding] : [];
}

export async function requireParent(...asked: Parameters<typeof findParent>) {
  const { live, finding } = await findParent(...asked);
  if (finding) throw new DiagnosticsError([finding]);
  return live;
}

/** Returns true for `isGone` where a missing resource is proven deleted, or `accept_missing` is set. */
export function confirmDeleted(
  { acceptMissing }: Session,
  { type, removedWithParent }: Resource,
  name: string,
  { isUnproven }: Extract<ReadResult, { readonly kind: "gone" }>,
): { readonly isGone: boolean; readonly diagnostics: readonly Diagnostic[] } {
  const code = "live.gone_unproven";
  const missing = `${type} "${name}" cannot be found`;
  if (!isUnproven) return { isGone: true, diagnostics: [] };
  if (acceptMissing) {
    const accepted = warning(code, "Missing resources are taken out of the state: accept_missing is set", {
      detail: `${missing}. A key that lost its membership sees the same.`,
      hint: "remove accept_missing after this apply",
    });
    return { isGone: true, diagnostics: [accepted] };
  }
  // A part is judged by its parent, which reports the doubt.
  if (removedWithParent) return { isGone: false, diagnostics: [] };
  const unproven = error(code, `${missing}, and the workspace shows nothing else`, {
    detail: "A key that lost its membership sees the same. Nothing is taken out of the state.",
    hint:
      "check the key and the workspace. If everything was really deleted, set accept_missing = true in the provider " +
      "block for one apply; for a single resource: terraform state rm ADDRESS",
  });
  return { isGone: false, diagnostics: [unproven] };
}

/** Throws `DiagnosticsError` for a resource that was applied in another workspace, where its id means nothing. */
export function requireWorkspace(
  session: Session,
  { type }: Resource,
  name: string,
  { workspace }: PrivateData,
): void {
  if (workspace === undefined || canonicalId(workspace) === session.workspaceId) return;
  throw failure("state.workspace", `${type} "${name}" is in workspace ${workspace}`, {
    detail: `This provider uses workspace ${session.workspaceId}.`,
    hint: "set workspace_id to the workspace of the resource, or use another state for this workspace",
  });
}
