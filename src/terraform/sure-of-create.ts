import { ApiError } from "../api/api-error";
import type { Resource } from "../api/reads";
import { isUncertain, lookAgain, lookForCreated } from "../apply/look";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { LiveResource } from "../model/live";
import type { Accepted, CreateInput } from "../model/resource-operations";
import { shownIds } from "../model/resource-type";
import type { Attributes } from "../model/value";
import { addressOfId } from "./confirm-deleted";
import type { Session } from "./session";

export interface CreateOnce {
  readonly type: Resource;
  readonly input: CreateInput;
  readonly parentId: string | undefined;
  readonly defaults: Attributes;
  /** What besides the body tells one create from another. */
  readonly seed: string;
}

/** Ids of runs that were there before: what bears a name is told apart by that. */
export async function preexistingIdsOf(session: Session, create: CreateOnce): Promise<readonly string[]> {
  const { type, input, parentId } = create;
  if (type.nameAttribute !== undefined || type.candidates === undefined || parentId === undefined) return [];
  // What it lies in was made a moment ago, and holds none.
  if (type.parents.some((parent) => session.made.has(addressOfId(parent, parentId)))) return [];
  const subject = { address: input.address, name: input.name, declared: new Map(), parentId };
  const read = await type.read(session.before, subject);
  return read.kind === "found" ? shownIds(type, read.live) : [];
}

/** A create without a certain answer is looked for before it is sent again, under the same key. */
export async function sureOf(
  session: Session,
  create: CreateOnce,
  preexistingIds: readonly string[],
  send: () => Promise<Accepted>,
): Promise<Accepted> {
  try {
    return await onceItsPlaceIsShown(session, send);
  } catch (failure) {
    if (!isUncertain(failure)) throw failure;
    return (await madeAfterAll(session, create, preexistingIds)) ?? send();
  }
}

/** A read that a create begins with may be behind what it lies in; nothing is sent before it. */
async function onceItsPlaceIsShown(session: Session, send: () => Promise<Accepted>): Promise<Accepted> {
  const attempt = (): Promise<Accepted | ApiError> =>
    send().catch((failure: unknown) => {
      if (isUnseen(failure)) return failure;
      throw failure;
    });
  const { seen } = await lookAgain(session, attempt, isUnseen);
  if (isUnseen(seen)) throw seen;
  return seen;
}

/** A read that is answered 404. */
export const isUnseen = (failure: unknown): failure is ApiError =>
  failure instanceof ApiError && failure.method === "GET" && failure.status === 404;

/** What a create without a certain answer has made: looked for with patience, since reads may be behind it. */
export async function madeAfterAll(
  session: Session,
  create: CreateOnce,
  preexistingIds: readonly string[],
): Promise<Accepted | undefined> {
  const { type, input, parentId } = create;
  const search = { name: input.name, preexistingIds, ...(parentId === undefined ? {} : { parentId }) };
  const isOther = ({ id }: LiveResource): boolean =>
    [session.removed, session.made].some((known) => known.has(addressOfId(type, id)));
  session.reads.invalidate();
  const { seen = [] } = await lookAgain(
    session,
    async () => (await lookForCreated(type, session.reads, search))?.filter((live) => !isOther(live)),
    (found) => found?.length === 0,
  );
  if (seen.length > 1) throw new DiagnosticsError([severalMade(create, seen)]);
  const [made] = seen;
  if (made === undefined) return undefined;
  const pending = type.runs?.pendingOf(made.id, parentId, input.attributes);
  return { id: made.id, live: made, ...(pending === undefined ? {} : { pending }) };
}

const severalMade = ({ type, input }: CreateOnce, found: readonly LiveResource[]): Diagnostic =>
  error(
    "apply.uncertain",
    `the creation of the ${type.type} "${input.name}" was not answered, and ${found.length} bear its name now`,
    {
      detail: `Found: ${found.map(({ id }) => id).join(", ")}. Any of them may be the one that was made.`,
      hint: "import the one that is meant by its id, and remove the others",
    },
  );
