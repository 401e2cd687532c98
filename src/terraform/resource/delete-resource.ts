import { ApiError } from "../../api/api-error";
import { sendTwice } from "../../apply/journaled-send";
import { DiagnosticsError } from "../../diagnostics/diagnostic";
import type { Accepted, DeleteInput } from "../../model/resource-operations";
import type { Session } from "../provider";
import type { TerraformShape } from "../schema/terraform-shape";
import { isSameText, type TerraformObject } from "../values";
import { finishWrite } from "./finish-write";
import { checkProtection } from "./plan-findings";

/** Deletes a resource, confirmed with the name that the state has, and waits until it is deleted. Throws otherwise. */
export async function deleteResource(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject,
  nonce: string,
): Promise<void> {
  const live = type.liveOf(prior);
  const { id, name, parentId } = { ...live, parentId: live.parentId ?? undefined };
  const refused = checkProtection(session, type, [prior], "delete");
  if (refused.length > 0) throw new DiagnosticsError(refused);
  if (type.isMadeElsewhere(prior)) return;
  const input = { address: type.addressOf(name), id, name, parentId };
  const accepted = await requestDeletion(session, type, input, nonce);
  const written = { accepted, name, parentId, config: prior, step: "delete" } as const;
  const { failed } = await finishWrite(session, type, written);
  if (failed !== undefined) throw new DiagnosticsError([failed]);
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
  type: TerraformShape,
  input: DeleteInput,
): Promise<string | undefined> {
  const { name } = (await type.find(reads, input)) ?? input;
  return name !== input.name && isSameText(name, input.name) ? name : undefined;
}

/** Returns what a refusal means for what is deleted already, or is being deleted; undefined where it exists. */
async function endAfter(
  { reads }: Session,
  type: TerraformShape,
  { status }: ApiError,
  input: DeleteInput,
): Promise<Accepted | undefined> {
  if (status !== 404 && status !== 409) return undefined;
  const look = async () => {
    const read = await type.read(reads, input);
    return read.kind === "gone" ? [read] : read.kind === "found" && status === 404 ? [] : undefined;
  };
  reads.invalidate();
  const [gone] = (await reads.untilVisible(look)) ?? [];
  return gone && { id: input.id, pending: gone.ending };
}
