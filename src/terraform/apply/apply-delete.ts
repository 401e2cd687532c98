import { ApiError } from "../../api/api-error";
import { sendTwice } from "../../apply/journaled-send";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import type { Accepted, DeleteInput } from "../../model/resource-operations";
import { timeNow } from "../../model/time";
import { addressOfId } from "../confirm-deleted";
import type { PrivateData } from "../messages";
import { checkProtection } from "../plan/plan-findings";
import { isMadeElsewhere } from "../preserved";
import type { Session } from "../provider";
import { addressIn, liveOf } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { isSameText, type TerraformObject } from "../values/terraform-value";
import { type Ended, settle, unsettled } from "./after-write";
import { isRefusedWrite } from "./keyed-create";

/** The outcome of an apply. A state of null is "nothing is there". */
export interface Applied {
  readonly state: TerraformObject | null;
  readonly kept: PrivateData;
  readonly diagnostics: readonly Diagnostic[];
}

/** Deletes a resource, confirmed with the name that the state knows, and waits until it is gone. */
export async function applyDelete(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject,
  kept: PrivateData,
): Promise<Applied> {
  const { id, name, parentId } = liveOf(type, prior);
  const refused = checkProtection(session, type, [prior], "delete");
  if (refused.length > 0) return { state: prior, kept, diagnostics: refused };
  if (isMadeElsewhere(type, prior)) return { state: null, kept, diagnostics: [] };
  const key = addressOfId(type.resource, id);
  // The same resource was adopted under another address of this apply: only this address lets go of it.
  if (session.made.has(key)) return { state: null, kept, diagnostics: [adopted(type, name, id)] };
  session.removed.add(key);
  const input = { address: addressIn(type, name), id, name, parentId: parentId ?? undefined };
  session.deleting.set(key, { ...input, type: type.resource.type });
  const end = await deleteKnowingly(session, type, prior, input).finally(() => session.deleting.delete(key));
  const failed = isHidden(session, end) ? hidden(type, name) : await undeleted(session, type, input, end);
  return failed === undefined
    ? { state: null, kept, diagnostics: [] }
    : { state: prior, kept, diagnostics: [failed] };
}

/** Deletes with an intent: a process that dies leaves no doubt about what is gone after it. */
async function deleteKnowingly(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject,
  input: DeleteInput,
): Promise<Ended> {
  if (type.resource.deletes === undefined) return deleteAndWait(session, type, prior, input);
  const { intents } = session;
  const at = timeNow(session);
  const subject = { verb: "delete", type: type.resource.type, name: input.id } as const;
  const isCarried = intents.isLeaving(subject.type, input.id) !== undefined;
  const nothing = { nonce: "", settings: "", request: "", knownIds: [] };
  await intents.open({ ...subject, ...nothing, since: at, at });
  try {
    const end = await deleteAndWait(session, type, prior, input);
    if (end.kind === "done") intents.record("delete", subject.type, input.id);
    else if (end.kind === "failed") await intents.close(subject);
    return end;
  } catch (failure) {
    if (!isCarried && isRefusedWrite(failure)) await intents.close(subject);
    throw failure;
  }
}

/** A refusal may mean that it is gone already, or is being deleted: then its end is waited for. */
async function deleteAndWait(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject,
  input: DeleteInput,
): Promise<Ended> {
  let accepted: Accepted | undefined;
  try {
    return await sendDeletion(session, type, prior, input);
  } catch (failure) {
    if (failure instanceof ApiError) {
      const name = failure.status === 400 ? await nameAtService(session, type, input) : undefined;
      if (name !== undefined) return sendDeletion(session, type, prior, { ...input, name });
      accepted = await endAfter(session, type, failure, input);
    }
    if (accepted === undefined) {
      // It may stand: then its name is taken.
      session.removed.delete(addressOfId(type.resource, input.id));
      throw failure;
    }
  }
  return settle(session, type, accepted, prior, "delete");
}

const mostAttempts = 20;

/**
 * Asks for the deletion and waits for its end. A retained answer may be that of a deletion that failed since: it is
 * asked for anew then, under a key that follows from the operation that failed.
 */
async function sendDeletion(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject,
  input: DeleteInput,
): Promise<Ended> {
  let seed = `delete\0${type.resource.type}\0${input.id}`;
  for (let attempt = 1; ; attempt += 1) {
    const { endpoints, replays } = session.writes(seed);
    const accepted = await sendTwice(() => type.resource.remove(endpoints, input));
    const end = await settle(session, type, accepted, prior, "delete");
    if (end.kind !== "failed" || replays.at(-1) !== true || attempt === mostAttempts) return end;
    seed += `\0${accepted.pending?.id}`;
  }
}

/**
 * Returns the name as the service has it, where that is the one of the state in other code points: Terraform keeps every
 * text composed, and a deletion wants the exact name.
 */
async function nameAtService(
  { reads }: Session,
  { resource }: TerraformShape,
  input: DeleteInput,
): Promise<string | undefined> {
  const read = await resource.read(reads, { ...input, declared: new Map() });
  const name = read.kind === "found" ? read.live.name : input.name;
  return name !== input.name && isSameText(name, input.name) ? name : undefined;
}

/** Returns what a refusal means for what is gone already, or is being deleted; undefined where it stands. */
async function endAfter(
  session: Session,
  { resource }: TerraformShape,
  { status }: ApiError,
  input: DeleteInput,
): Promise<Accepted | undefined> {
  if (status !== 404 && status !== 409) return undefined;
  session.reads.invalidate();
  // Reads may still show what a write no longer finds.
  const look = async () => {
    const read = await resource.read(session.reads, { ...input, declared: new Map() });
    return read.kind === "gone" ? [read] : read.kind === "found" && status === 404 ? [] : undefined;
  };
  const wait = { since: session.clock.elapsed(), forMs: 30_000 };
  const [gone] = (await session.reads.untilVisible(look, wait)) ?? [];
  return gone && { id: input.id, pending: gone.ending };
}

/** Whether the service shows nothing at all any more, though a resource was found that is not being deleted. */
const isHidden = ({ existence, removed }: Session, end: Ended): boolean =>
  end.kind === "done" &&
  end.showsNothing === true &&
  [...existence.byId].some(([key, { live }]) => live !== undefined && !removed.has(key));

const hidden = ({ resource }: TerraformShape, name: string): Diagnostic =>
  error("live.gone_unproven", `${resource.type} "${name}" is not shown any more, and nothing else is`, {
    detail: "A key that lost its membership sees the same, so this is no proof that it was deleted.",
    hint: "check the key and the workspace, then apply again: it stays in the state until its end is seen",
  });

const undeleted = async (
  session: Session,
  type: TerraformShape,
  { name, parentId }: DeleteInput,
  end: Ended,
): Promise<Diagnostic | undefined> =>
  end.kind === "failed"
    ? error("apply.delete_failed", `${type.resource.type} "${name}" was not deleted: ${end.summary}`, {
        detail: end.detail,
        hint: "it stays in the state; run the command again to ask for its deletion again",
      })
    : unsettled(session, type, { name, parentId }, end);

const adopted = ({ resource }: TerraformShape, name: string, id: string): Diagnostic =>
  warning("plan.live_changed_too", `${resource.type} "${name}" was not deleted`, {
    detail: `Another resource of this configuration declares the same thing and took it over (${id}).`,
    hint: `write a "moved" block when a resource is renamed`,
  });
