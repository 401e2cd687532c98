import { randomUUID } from "node:crypto";
import { ApiError } from "../../api/api-error";
import type { Endpoints } from "../../api/endpoints";
import type { Resource } from "../../api/reads";
import { isRefusal } from "../../apply/journaled-send";
import { isUncertain, lookAgain, lookForCreated, staleWrite } from "../../apply/look";
import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Accepted } from "../../model/resource-operations";
import { shownIds } from "../../model/resource-type";
import { Secret } from "../../model/secret";
import { sha256 } from "../../model/text";
import { canonicalJson, type Plain } from "../../model/value";
import { addressOfId } from "../confirm-deleted";
import { diagnosticError } from "../messages";
import type { Session } from "../provider";
import { lookAtRun } from "./after-write";
import type { Intent } from "./intent-files";
import { attributesSent, type KeyedCreate } from "./keyed-create";
import { isMadeBy, isYoungIntent, keyCounts, sameTwice, subjectOf, type Taken } from "./twins";

/** More creates of the same resource within a day than anyone makes. */
const mostGenerations = 200;

/**
 * Creates a resource exactly once, whatever became of an earlier process that tried. The key of the request is made of
 * a nonce of this instance, which lies in the working directory before the first byte is sent: after a crash the same
 * request comes back as its replay, and no other state ever sends it. A replay of a resource that is gone since is
 * passed over: the next generation of the key asks for a new one.
 */
export const createOnce = (session: Session, create: KeyedCreate): Promise<Accepted> =>
  sendGenerations(session, create, (writes) => create.type.create(writes, create.input));

/** Sends a write under one generation of its key after another, until its answer stands for something alive. */
export async function sendGenerations(
  session: Session,
  create: KeyedCreate,
  write: (writes: Endpoints) => Promise<Accepted>,
): Promise<Accepted> {
  const attempt = await beginAttempt(session, create);
  if ("found" in attempt) return made(session, create, attempt.found);
  try {
    return await made(session, create, await sendAttempt(session, create, attempt, write));
  } catch (failure) {
    const { intent, isCarried, sent } = attempt;
    const happenedNot =
      !sent.isUncertain && (!sent.isSent || (failure instanceof ApiError && isRefusal(failure)));
    // A refusal of this attempt says nothing of those before it.
    if (intent !== undefined && !isCarried && happenedNot) await session.intents.close(intent);
    throw failure;
  }
}

/** Notes what was made, for other calls of this process and for one after a crash. */
async function made(session: Session, create: KeyedCreate, accepted: Accepted): Promise<Accepted> {
  session.made.set(addressOfId(create.type, accepted.id), accepted.live);
  const subject = subjectOf(create);
  if (subject !== undefined) await session.intents.answer(subject, accepted.id);
  return accepted;
}

/** Notes that a create takes over what an earlier run, or somebody else, made. */
export async function takeUp(session: Session, create: KeyedCreate, { live }: Taken): Promise<void> {
  const subject = subjectOf(create);
  const left = subject && (await session.intents.find(subject));
  if (left !== undefined) await session.intents.open({ ...left, id: live.id });
  session.made.set(addressOfId(create.type, live.id), live);
}

/** One create on its way: the nonce of its keys, and what the service has seen of it. */
interface Attempt {
  /** Undefined of a type whose create makes nothing of its own. */
  readonly intent: Intent | undefined;
  /** An earlier run sent it. */
  readonly isCarried: boolean;
  readonly nonce: string;
  readonly preexistingIds: readonly string[];
  readonly sent: { isSent: boolean; isUncertain: boolean };
}

/** Makes the intent of a create durable, or takes up that of an earlier run, whose result it may find. */
async function beginAttempt(
  session: Session,
  create: KeyedCreate,
): Promise<Attempt | { readonly found: Accepted }> {
  const sent = { isSent: false, isUncertain: false };
  const subject = subjectOf(create);
  const preexistingIds = await preexistingIdsOf(session, create);
  if (subject === undefined) return { intent: undefined, isCarried: false, nonce: "", preexistingIds, sent };
  const { intents, clock } = session;
  const left = await intents.find(subject);
  if (intents.isUnderWay(subject, left)) throw new DiagnosticsError([sameTwice(create)]);
  const asked = { settings: settingsOf(create), request: session.requestOf(create) };
  // What was asked for then is something else: it is history, and this is made beside it.
  const carried =
    left?.settings === asked.settings || create.type.nameAttribute !== undefined ? left : undefined;
  const at = new Date(clock.now()).toISOString();
  const isOpen =
    carried !== undefined && (keyCounts(session, carried, asked.request) || isYoungIntent(session, carried));
  const since = isOpen ? carried.since : at;
  const nonce = carried?.nonce ?? create.nonce ?? randomUUID();
  const knownIds = carried?.knownIds ?? preexistingIds;
  if (carried !== undefined && !keyCounts(session, carried, asked.request)) {
    await intents.open({ ...carried, ...asked });
    const found = await findLeft(session, create, carried);
    if (found !== undefined) return { found };
  }
  const intent = await intents.open({ ...subject, ...asked, nonce, since, at, knownIds: [...knownIds] });
  return { intent, isCarried: carried !== undefined, nonce, preexistingIds, sent };
}

/** Returns the run that an earlier apply started, where its key would not bring it back and it did not fail since. */
async function findLeft(session: Session, create: KeyedCreate, left: Intent): Promise<Accepted | undefined> {
  // What has a name was looked for by it.
  if (create.type.nameAttribute !== undefined) return undefined;
  const look = () => candidatesSince(session, create, left.knownIds);
  const { seen } = await lookAgain(
    session,
    async () => (await look())?.filter((live) => isMadeBy(left, live)),
    (found) => found?.length === 0,
    isYoungIntent(session, left) ? undefined : 0,
  );
  const [live, ...others] = seen ?? [];
  if (live === undefined || others.length > 0) return undefined;
  const accepted = acceptedAs(create, live);
  return (await isStillShown(session, create, accepted)) ? accepted : undefined;
}

/** Returns what tells one request to make something from another, whoever sends it: no secret is in it. */
const settingsOf = (create: KeyedCreate): string => {
  const { seed } = create;
  const open = attributesSent(create).filter(([, value]) => !(value instanceof Secret));
  return sha256(
    [seed, canonicalJson(Object.fromEntries(open) as Readonly<Record<string, Plain>>)].join("\0"),
  );
};

async function sendAttempt(
  session: Session,
  create: KeyedCreate,
  { nonce, preexistingIds, sent }: Attempt,
  write: (writes: Endpoints) => Promise<Accepted>,
): Promise<Accepted> {
  for (let generation = 0; generation < mostGenerations; generation += 1) {
    const { endpoints, replays } = session.writes([create.seed, nonce, generation].join("\0"), sent);
    const answered = await sendSurely(session, create, { preexistingIds, sent }, () => write(endpoints));
    const accepted =
      replays[0] === true
        ? await aliveAs(session, create, answered)
        : await ownAnswer(session, create, preexistingIds, answered);
    if (accepted !== undefined) return accepted;
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
  { preexistingIds, sent }: Pick<Attempt, "preexistingIds" | "sent">,
  send: () => Promise<Accepted>,
): Promise<Accepted> {
  try {
    return await sendOnceParentIsShown(session, send);
  } catch (failure) {
    if (!isUncertain(failure)) throw failure;
    sent.isUncertain = true;
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

const candidatesSince = (
  { reads }: Session,
  { type, input, parentId }: KeyedCreate,
  preexistingIds: readonly string[],
): Promise<readonly LiveResource[] | undefined> =>
  lookForCreated(type, reads, { name: input.name, preexistingIds, parentId });

/** Returns what was found as the answer that its create would have had. */
const acceptedAs = ({ type, input, parentId }: KeyedCreate, live: LiveResource): Accepted => ({
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
