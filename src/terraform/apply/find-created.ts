import { randomUUID } from "node:crypto";
import { ApiError } from "../../api/api-error";
import type { Resource } from "../../api/reads";
import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Accepted } from "../../model/resource-operations";
import { shownIds } from "../../model/resource-type";
import { addressOfId } from "../confirm-deleted";
import type { Session } from "../provider";
import { readRun } from "./after-write";
import type { KeyedCreate } from "./keyed-create";
import { sameTwice } from "./twins";

/** Returns the ids of runs that existed before: a resource without a name is told apart by them. */
export async function preexistingIdsOf(session: Session, create: KeyedCreate): Promise<readonly string[]> {
  const { type, input, parentId } = create;
  if (type.nameAttribute !== undefined || type.candidates === undefined || parentId === undefined) return [];
  // A parent that was made a moment ago holds none.
  if (type.parents.some((parent) => session.made.has(addressOfId(parent, parentId)))) return [];
  const target = { address: input.address, name: input.name, declared: new Map(), parentId };
  const read = await type.read(session.before, target);
  return read.kind === "found" ? shownIds(type, read.live) : [];
}

/** Looks for what a create without a certain answer has made, with patience: reads may be behind it. */
export async function findCreated(
  session: Session,
  create: KeyedCreate,
  preexistingIds: readonly string[],
): Promise<Accepted | undefined> {
  const { type, input } = create;
  const isOther = ({ id }: LiveResource): boolean =>
    [session.removed, session.made].some((known) => known.has(addressOfId(type, id)));
  session.reads.invalidate();
  const look = async () =>
    (await candidatesSince(session, create, preexistingIds))?.filter((live) => !isOther(live));
  const seen =
    (await session.reads.untilVisible(look, { since: session.clock.elapsed(), forMs: 30_000 })) ?? [];
  const [made, ...others] = seen;
  if (others.length > 0) throw new DiagnosticsError([severalMade(type, input.name, seen)]);
  return made && acceptedAs(create, made);
}

export const candidatesSince = async (
  { reads }: Session,
  { type, input, parentId }: KeyedCreate,
  preexistingIds: readonly string[],
): Promise<readonly LiveResource[] | undefined> =>
  type.candidates?.(reads, { name: input.name, preexistingIds, parentId });

/** Returns what was found as the answer that its create would have had. */
export const acceptedAs = ({ type, input, parentId }: KeyedCreate, live: LiveResource): Accepted => ({
  id: live.id,
  live,
  pending: type.runs?.pendingOf(live.id, parentId, input.attributes),
});

const severalMade = ({ type }: Resource, name: string, found: readonly LiveResource[]): Diagnostic =>
  error(
    "apply.uncertain",
    `the creation of the ${type} "${name}" was not answered, and ${found.length} bear its name now`,
    {
      detail: `Found: ${found.map(({ id }) => id).join(", ")}. Any of them may be the one that was made.`,
      hint: "import the one that is meant by its id, and remove the others",
    },
  );

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
  const seen = await readRun(session, type, { accepted, name: input.name, parentId });
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
