import { ApiError } from "../../api/api-error";
import type { Reads } from "../../api/reads";
import { sendTwice } from "../../apply/journaled-send";
import { DiagnosticsError, failure } from "../../diagnostics/diagnostic";
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
  // A part is deleted by its ID alone: no name confirms it.
  const reads = session.reads.fresh({ mostAgeMs: 1000, ignoresWrites: true });
  const part = type.resource.removedWithParent && (await type.find(reads, input));
  if (part) requireName(input, part.name);
  try {
    return await sendTwice(() => type.resource.remove(writes, input));
  } catch (refused) {
    if (!(refused instanceof ApiError)) throw refused;
    const { name } = (refused.status === 400 && (await type.find(session.reads.fresh(), input))) || input;
    // Terraform composes every text: the platform may have the name in other code points.
    requireName(input, name);
    if (name !== input.name) return sendTwice(() => type.resource.remove(writes, { ...input, name }));
    return endAfter(deletion, refused);
  }
}

function requireName({ address, name }: DeleteInput, now: string): void {
  const hint = `plan again; where that does not help, name it ${name} again, or remove it from the state`;
  if (!sameName(now, name)) throw failure("plan.stale", `${address} is called "${now}" now`, { hint });
}

/** Returns the end of a refused deletion whose resource is deleted, or being deleted; throws the refusal where it exists. */
async function endAfter({ session, type, input }: Deletion, refused: ApiError): Promise<Accepted> {
  if (refused.status !== 404 && refused.status !== 409) throw refused;
  const look = async (now: Reads) => {
    const read = await type.read(now, input);
    if (read.kind === "gone" && !read.isUnproven) return [read];
    return read.kind === "found" && refused.status === 404 ? [] : undefined;
  };
  const [gone] = (await session.reads.pollUntilVisible(look)) ?? [];
  if (gone === undefined) throw refused;
  return { id: input.id, pending: gone.ending };
}
