import { ApiError } from "../../api/api-error";
import type { Reads } from "../../api/reads";
import { sendTwice } from "../../apply/journaled-send";
import { DiagnosticsError } from "../../diagnostics/diagnostic";
import { sameName } from "../../model/names";
import type { Accepted, DeleteInput } from "../../model/resource-operations";
import type { TerraformObject } from "../codec";
import { finishWrite, type Writing } from "./finish-write";
import { checkProtection } from "./plan-findings";

interface Deletion extends Pick<Writing, "session" | "type" | "nonce"> {
  readonly input: DeleteInput;
}

/** Deletes a resource, confirmed with the name that the state has, and waits until it is deleted. Throws otherwise. */
export async function deleteResource(call: Omit<Deletion, "input">, prior: TerraformObject): Promise<void> {
  const { session, type } = call;
  const { id, name, parentId } = type.liveOf(prior);
  const refused = checkProtection(session, type, [prior], "delete");
  if (refused.length > 0) throw new DiagnosticsError(refused);
  if (type.isMadeElsewhere(prior)) return;
  const input = { address: type.addressOf(name), id, name, parentId: parentId ?? undefined };
  const made = { accepted: await requestDeletion({ ...call, input }), diagnostics: [] };
  const { failed } = await finishWrite({ session, type, wanted: prior, input, made, step: "delete" });
  if (failed !== undefined) throw new DiagnosticsError([failed]);
}

async function requestDeletion(deletion: Deletion): Promise<Accepted> {
  const { session, type, nonce, input } = deletion;
  const writes = session.writes(nonce);
  try {
    return await sendTwice(() => type.resource.remove(writes, input));
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    const name = failure.status === 400 ? await nameAtService(deletion) : undefined;
    if (name !== undefined) return sendTwice(() => type.resource.remove(writes, { ...input, name }));
    const accepted = await endAfter(deletion, failure);
    if (accepted === undefined) throw failure;
    return accepted;
  }
}

/** Returns the name as the service has it, where the state has it in other code points: Terraform composes every text. */
async function nameAtService({ session, type, input }: Deletion): Promise<string | undefined> {
  const { name } = (await type.find(session.reads, input)) ?? input;
  return name !== input.name && sameName(name, input.name) ? name : undefined;
}

/** Returns the end of a refused deletion whose resource is deleted, or being deleted; undefined where it exists. */
async function endAfter({ session, type, input }: Deletion, { status }: ApiError) {
  if (status !== 404 && status !== 409) return undefined;
  const look = async (now: Reads) => {
    const read = await type.read(now, input);
    if (read.kind === "gone" && !read.isUnproven) return [read];
    return read.kind === "found" && status === 404 ? [] : undefined;
  };
  const [gone] = (await session.reads.pollUntilVisible(look)) ?? [];
  return gone && { id: input.id, pending: gone.ending };
}
