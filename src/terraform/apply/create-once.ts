import { randomUUID } from "node:crypto";
import { ApiError } from "../../api/api-error";
import type { Endpoints } from "../../api/endpoints";
import type { Reads, Resource } from "../../api/reads";
import { isUncertain, lookAgain, lookForCreated, staleWrite } from "../../apply/look";
import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Accepted, AppliableValue, CreateInput } from "../../model/resource-operations";
import { shownIds } from "../../model/resource-type";
import { type Attributes, plainEqual } from "../../model/value";
import { addressOfId } from "../confirm-deleted";
import { diagnosticError } from "../messages";
import type { Session } from "../provider";
import { lookAtRun } from "./after-write";

/** A create whose request is keyed by the resource alone. */
export interface KeyedCreate {
  readonly type: Resource;
  readonly input: CreateInput;
  readonly parentId: string | undefined;
  readonly defaults: Attributes;
  /** Tells one create from another, besides the body. */
  readonly seed: string;
}

/** Receipts live 24 hours (interface, "Idempotency rules"); one is left for clocks that differ. */
const receiptMs = 23 * 60 * 60 * 1000;
/** More creates of the same resource within a day than anyone makes. */
const mostGenerations = 200;

/**
 * Creates a resource exactly once, whatever became of an earlier process that tried: the key of the request depends on
 * nothing but the resource, so what an earlier request made comes back as its replay. A replay of a resource that is
 * gone since is passed over: the next generation of the key asks for a new one.
 */
export async function createOnce(session: Session, create: KeyedCreate): Promise<Accepted> {
  await refuseTwin(session, create);
  return sendGenerations(session, create, (writes) => create.type.create(writes, create.input));
}

/** Sends a write under one generation of its key after another, until its answer stands for something alive. */
export async function sendGenerations(
  session: Session,
  create: KeyedCreate,
  write: (writes: Endpoints) => Promise<Accepted>,
): Promise<Accepted> {
  const preexistingIds = await preexistingIdsOf(session, create);
  for (let generation = 0; generation < mostGenerations; generation += 1) {
    const { endpoints, replays } = session.writes(`${create.seed}\0${generation}`);
    const answered = await sendSurely(session, create, preexistingIds, () => write(endpoints));
    const accepted =
      replays[0] === true
        ? await aliveAs(session, create, answered)
        : await ownAnswer(session, create, preexistingIds, answered);
    if (accepted !== undefined) {
      session.made.set(addressOfId(create.type, accepted.id), accepted.live);
      return accepted;
    }
  }
  throw diagnosticError(
    "apply.uncertain",
    `every request to create "${create.input.name}" was answered with an old one`,
    {
      hint: "wait until the service has forgotten them, at most 24 hours, then apply again",
    },
  );
}

/** Returns the ids of runs that existed before: a resource without a name is told apart by them. */
async function preexistingIdsOf(session: Session, create: KeyedCreate): Promise<readonly string[]> {
  const { type, input, parentId } = create;
  if (type.nameAttribute !== undefined || type.candidates === undefined || parentId === undefined) return [];
  // A parent that was made a moment ago holds none.
  if (type.parents.some((parent) => session.made.has(addressOfId(parent, parentId)))) return [];
  const target = { address: input.address, name: input.name, declared: new Map(), parentId };
  const read = await type.read(session.before, target);
  return read.kind === "found" ? shownIds(type, read.live) : [];
}

/** Sends a create; one without a certain answer is looked for before it is sent again, under the same key. */
async function sendSurely(
  session: Session,
  create: KeyedCreate,
  preexistingIds: readonly string[],
  send: () => Promise<Accepted>,
): Promise<Accepted> {
  try {
    return await sendOnceParentIsShown(session, send);
  } catch (failure) {
    if (!isUncertain(failure)) throw failure;
    return (await findCreated(session, create, preexistingIds)) ?? send();
  }
}

/** Reads that a create begins with may be behind its parent; nothing is sent before it is shown. */
async function sendOnceParentIsShown(session: Session, send: () => Promise<Accepted>): Promise<Accepted> {
  const attempt = (): Promise<Accepted | ApiError> =>
    send().catch((failure: unknown) => {
      if (isUnseen(failure)) return failure;
      throw failure;
    });
  const { seen } = await lookAgain(session, attempt, isUnseen);
  if (isUnseen(seen)) throw seen;
  return seen;
}

/** Whether a read was answered 404. */
export const isUnseen = (failure: unknown): failure is ApiError =>
  failure instanceof ApiError && failure.method === "GET" && failure.status === 404;

/** Looks for what a create without a certain answer has made, with patience: reads may be behind it. */
async function findCreated(
  session: Session,
  { type, input, parentId }: KeyedCreate,
  preexistingIds: readonly string[],
): Promise<Accepted | undefined> {
  const search = { name: input.name, preexistingIds, parentId };
  const isOther = ({ id }: LiveResource): boolean =>
    [session.removed, session.made].some((known) => known.has(addressOfId(type, id)));
  session.reads.invalidate();
  const { seen = [] } = await lookAgain(
    session,
    async () => (await lookForCreated(type, session.reads, search))?.filter((live) => !isOther(live)),
    (found) => found?.length === 0,
  );
  const [made, ...others] = seen;
  if (others.length > 0) throw new DiagnosticsError([severalMade(type, input.name, seen)]);
  if (made === undefined) return undefined;
  return { id: made.id, live: made, pending: type.runs?.pendingOf(made.id, parentId, input.attributes) };
}

const severalMade = ({ type }: Resource, name: string, found: readonly LiveResource[]): Diagnostic =>
  error(
    "apply.uncertain",
    `the creation of the ${type} "${name}" was not answered, and ${found.length} bear its name now`,
    {
      detail: `Found: ${found.map(({ id }) => id).join(", ")}. Any of them may be the one that was made.`,
      hint: "import the one that is meant by its id, and remove the others",
    },
  );

/**
 * Returns an answer that is no replay. One whose id existed before, or belongs to another resource of this process, is
 * not believed: what was made is looked for.
 */
async function ownAnswer(
  session: Session,
  create: KeyedCreate,
  preexistingIds: readonly string[],
  answered: Accepted,
): Promise<Accepted> {
  const { type, input, parentId } = create;
  const { id } = answered;
  const isMade = session.made.has(addressOfId(type, id));
  // A resource that bears the id of its parent is one with it: a second resource declares the same.
  if (isMade && id === parentId) throw new DiagnosticsError([sameTwice(create, id)]);
  const isBefore = async () =>
    ((await type.list(session.before)) ?? []).some((live) => live.id === id && live.name !== input.name);
  const isAnothers = isMade || preexistingIds.includes(id) || (!type.removedWithParent && (await isBefore()));
  if (!isAnothers) return answered;
  const made = await findCreated(session, create, [...preexistingIds, id]);
  if (made !== undefined) return made;
  const summary = `the creation of the ${type.type} "${input.name}" was answered with the id of another`;
  throw diagnosticError("apply.uncertain", summary, {
    detail: `${id} was there before, or belongs to another resource.`,
    hint: "apply again: the same request is answered with what it made; nothing is made twice",
  });
}

/** Returns what a replayed answer speaks of, as it is now; undefined where that is gone. */
async function aliveAs(
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
async function isStillShown(session: Session, create: KeyedCreate, accepted: Accepted): Promise<boolean> {
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

const sameTwice = ({ input }: KeyedCreate, id: string): Diagnostic =>
  error("live.ambiguous", `two resources declare the same thing, "${input.name}" (${id})`, {
    detail: "Names are unique in one project.",
    hint: "give one of the two another name, or remove it",
  });

/** For so long a resource of the same name is looked at again: its deletion may not be shown yet. */
const graceMs = 2000;

/**
 * Throws `DiagnosticsError` where a resource of that name existed before, unless it can be what an interrupted apply of
 * ours made: then a second one would be a mistake.
 */
async function refuseTwin(session: Session, create: KeyedCreate): Promise<void> {
  const { type, input } = create;
  if (type.nameAttribute === undefined) return;
  const inTheWay = async (reads: Reads): Promise<readonly LiveResource[]> => {
    const twins = (await candidates(reads, create)).filter(
      ({ id }) => !session.removed.has(addressOfId(type, id)),
    );
    return isOurs(session, create, twins) ? [] : twins;
  };
  if ((await inTheWay(session.before)).length === 0) return;
  const { seen: twins } = await lookAgain(
    session,
    () => inTheWay(session.reads),
    (found) => found.length > 0,
    graceMs,
  );
  if (twins.length === 0) return;
  throw diagnosticError(
    "live.unmanaged_exists",
    twins.length === 1
      ? `there is a ${type.type} "${input.name}" already, and it is not managed by this resource`
      : `there are ${twins.length} of the name "${input.name}" already`,
    {
      detail: `Found: ${twins.map(({ id }) => id).join(", ")}. Names are unique in one project.`,
      attribute: type.nameAttribute,
      hint: `import it by its id, write a "moved" block if it was renamed here, or choose another name`,
    },
  );
}

/** Whether an interrupted apply of ours may have made them: the only one of its name, of today, and as declared. */
function isOurs({ clock }: Session, create: KeyedCreate, twins: readonly LiveResource[]): boolean {
  const [twin, ...others] = twins;
  if (twin === undefined || others.length > 0) return false;
  const createdAt = Date.parse(String(twin.computed.get("createdAt") ?? ""));
  if (clock.now() - createdAt >= receiptMs || Number.isNaN(createdAt)) return false;
  return [...create.input.attributes].every(([path, value]) => isAsDeclared(create, path, value, twin));
}

async function candidates(
  reads: Reads,
  { type, input, parentId }: KeyedCreate,
): Promise<readonly LiveResource[]> {
  try {
    const search = { name: input.name, preexistingIds: [], parentId };
    return (await type.candidates?.(reads, search)) ?? [];
  } catch (failure) {
    // It cannot be looked up: then the service has to refuse it.
    if (failure instanceof DiagnosticsError) return [];
    throw failure;
  }
}

/** Whether a field is as an interrupted create would have left it. */
function isAsDeclared(
  { type, defaults }: KeyedCreate,
  path: string,
  value: AppliableValue,
  twin: LiveResource,
): boolean {
  const rule = type.rules[path];
  // An archive is a request of its own that may not have been sent.
  const isLater = path === type.archives?.attribute;
  if (rule === undefined || rule.change === "local" || rule.secret === true || isLater) return true;
  const live = twin.attributes.get(path) ?? defaults.get(path);
  return live !== undefined && (rule.equal ?? plainEqual)(value as never, live);
}
