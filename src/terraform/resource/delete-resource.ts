import { ApiError } from "../../api/api-error";
import { sendTwice } from "../../apply/journaled-send";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import type { Accepted, DeleteInput } from "../../model/resource-operations";
import type { PrivateData } from "../private-data";
import type { Session } from "../provider";
import { addressIn, liveOf } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { isSameText, type TerraformObject } from "../values/terraform-value";
import { type Ended, settle, unsettled } from "./after-write";
import type { Applied } from "./applied";
import { checkProtection } from "./plan-findings";
import { isMadeElsewhere } from "./preserved";

interface Deletion {
  readonly prior: TerraformObject;
  readonly kept: PrivateData;
  readonly nonce: string;
}

/** Deletes a resource, confirmed with the name that the state has, and waits until it is deleted. */
export async function deleteResource(
  session: Session,
  type: TerraformShape,
  { prior, kept, nonce }: Deletion,
): Promise<Applied> {
  const { id, name, parentId } = liveOf(type, prior);
  const gone = { state: null, kept, diagnostics: [] };
  const refused = checkProtection(session, type, [prior], "delete");
  if (refused.length > 0) return { state: prior, kept, diagnostics: refused };
  if (isMadeElsewhere(type, prior)) return gone;
  const input = { address: addressIn(type, name), id, name, parentId: parentId ?? undefined };
  const accepted = await requestDeletion(session, type, input, nonce);
  const failed = await undeleted(
    session,
    type,
    input,
    await settle(session, type, accepted, prior, "delete"),
  );
  return failed === undefined ? gone : { state: prior, kept, diagnostics: [failed] };
}

/** Requests the deletion; a refusal may mean that it is deleted already, or is being deleted. */
async function requestDeletion(
  session: Session,
  type: TerraformShape,
  input: DeleteInput,
  nonce: string,
): Promise<Accepted> {
  const { resource } = type;
  const writes = session.writes(nonce);
  try {
    return await sendTwice(() => resource.remove(writes, input));
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    const name = failure.status === 400 ? await nameAtService(session, type, input) : undefined;
    if (name !== undefined) return sendTwice(() => resource.remove(writes, { ...input, name }));
    const accepted = await endAfter(session, type, failure, input);
    if (accepted === undefined) throw failure;
    return accepted;
  }
}

/** Returns the name as the service has it, where the state has it in other code points: Terraform composes every text. */
async function nameAtService(
  { reads }: Session,
  { resource }: TerraformShape,
  input: DeleteInput,
): Promise<string | undefined> {
  const read = await resource.read(reads, { ...input, declared: new Map() });
  const name = read.kind === "found" ? read.live.name : input.name;
  return name !== input.name && isSameText(name, input.name) ? name : undefined;
}

/** Returns what a refusal means for what is deleted already, or is being deleted; undefined where it exists. */
async function endAfter(
  { reads }: Session,
  { resource }: TerraformShape,
  { status }: ApiError,
  input: DeleteInput,
): Promise<Accepted | undefined> {
  if (status !== 404 && status !== 409) return undefined;
  const look = async () => {
    const read = await resource.read(reads, { ...input, declared: new Map() });
    return read.kind === "gone" ? [read] : read.kind === "found" && status === 404 ? [] : undefined;
  };
  reads.invalidate();
  const [gone] = (await reads.untilVisible(look)) ?? [];
  return gone && { id: input.id, pending: gone.ending };
}

const undeleted = async (
  session: Session,
  type: TerraformShape,
  { name, parentId }: DeleteInput,
  end: Ended,
): Promise<Diagnostic | undefined> =>
  end.kind === "failed"
    ? error("apply.delete_failed", `${type.resource.type} "${name}" was not deleted: ${end.summary}`, {
        detail: end.detail,
        hint: "it stays in the state; run the command again to request its deletion again",
      })
    : unsettled(session, type, { name, parentId }, end);
