import type { Resource } from "../../api/reads";
import { lookAgain, lookForCreated } from "../../apply/look";
import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Accepted } from "../../model/resource-operations";
import { shownIds } from "../../model/resource-type";
import { addressOfId } from "../confirm-deleted";
import type { Session } from "../provider";
import type { KeyedCreate } from "./keyed-create";

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
  const { seen = [] } = await lookAgain(
    session,
    async () => (await candidatesSince(session, create, preexistingIds))?.filter((live) => !isOther(live)),
    (found) => found?.length === 0,
  );
  const [made, ...others] = seen;
  if (others.length > 0) throw new DiagnosticsError([severalMade(type, input.name, seen)]);
  return made && acceptedAs(create, made);
}

export const candidatesSince = (
  { reads }: Session,
  { type, input, parentId }: KeyedCreate,
  preexistingIds: readonly string[],
): Promise<readonly LiveResource[] | undefined> =>
  lookForCreated(type, reads, { name: input.name, preexistingIds, parentId });

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
