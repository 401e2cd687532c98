import { randomUUID } from "node:crypto";
import { ApiError } from "../../api/api-error";
import { staleWrite } from "../../apply/look";
import { DiagnosticsError } from "../../diagnostics/diagnostic";
import type { Accepted } from "../../model/resource-operations";
import { shownIds } from "../../model/resource-type";
import { addressOfId } from "../confirm-deleted";
import type { Session } from "../provider";
import { lookAtRun } from "./after-write";
import type { KeyedCreate } from "./keyed-create";
import { sameTwice } from "./twins";

/** Returns what a replayed answer speaks of, as it is now; undefined where that is gone. */
export async function aliveAs(
  session: Session,
  create: KeyedCreate,
  accepted: Accepted,
): Promise<Accepted | undefined> {
  const key = addressOfId(create.type, accepted.id);
  if (session.removed.has(key)) return undefined;
  if (session.made.has(key)) throw new DiagnosticsError([sameTwice(create, accepted.id)]);
  const answer = await answerToWrite(session, create, accepted);
  if (answer === "gone") return undefined;
  if (answer !== undefined) return { ...accepted, live: answer.live ?? accepted.live };
  return (await isStillShown(session, create, accepted)) ? accepted : undefined;
}

/** Whether what a replayed answer speaks of is still shown, and on its way to what was asked. */
export async function isStillShown(
  session: Session,
  create: KeyedCreate,
  accepted: Accepted,
): Promise<boolean> {
  const { type, input, parentId } = create;
  const run = { accepted, name: input.name, parentId, isSettled: false };
  const { seen, isStale } = await lookAtRun(session, type, run);
  if (isStale && type.nameAttribute === undefined)
    throw new DiagnosticsError([staleWrite(`the ${type.type} "${input.name}" (${accepted.id})`)]);
  if (seen.kind === "unchecked") return true;
  if (seen.kind !== "found") return false;
  if (!shownIds(type, seen.live).includes(accepted.id)) return false;
  if (accepted.pending === undefined) return true;
  const status = await type.poll(session.reads, accepted.pending);
  return status.kind !== "failed" && !(status.kind === "waiting" && status.next !== undefined);
}

/**
 * Sends a write that changes nothing: reads may be behind the creation of a resource, and behind its deletion. Returns
 * undefined where its answer does not tell.
 */
async function answerToWrite(
  session: Session,
  { type, input, parentId }: KeyedCreate,
  { id, live }: Accepted,
): Promise<Accepted | "gone" | undefined> {
  if (type.nameAttribute === undefined) return undefined;
  const attributes = new Map([...input.attributes, [type.nameAttribute, input.name]]);
  const renamed = { ...input, parentId, id, live, attributes, changed: new Set([type.nameAttribute]) };
  try {
    return await type.update(session.writes(`alive\0${randomUUID()}`).endpoints, renamed);
  } catch (failure) {
    if (!(failure instanceof ApiError) || failure.kind !== "refused") throw failure;
    return failure.status === 404 ? "gone" : undefined;
  }
}
