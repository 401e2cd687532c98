import { randomUUID } from "node:crypto";
import { isUncertain } from "../../api/api-error";
import type { Endpoints } from "../../api/endpoints";
import { unappliedPaths } from "../../apply/verify";
import { DiagnosticsError } from "../../diagnostics/diagnostic";
import type { Accepted } from "../../model/resource-operations";
import { ruleAt } from "../../model/resource-type";
import { Secret } from "../../model/secret";
import { sha256 } from "../../model/text";
import { timeNow } from "../../model/time";
import { canonicalJson, type Plain } from "../../model/value";
import { addressOfId } from "../confirm-deleted";
import { diagnosticError } from "../messages";
import type { Session } from "../provider";
import {
  acceptedAs,
  aliveAs,
  candidatesSince,
  findCreated,
  isStillShown,
  preexistingIdsOf,
} from "./find-created";
import type { WriteIntent } from "./intent-files";
import { attributesSent, isRefusedWrite, type KeyedCreate } from "./keyed-create";
import { intentSubjectOf, isMadeBy, isYoungIntent, keyCounts, sameTwice, type Taken } from "./twins";

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
    const happenedNot = !sent.isUncertain && (!sent.isSent || isRefusedWrite(failure));
    // A refusal of this attempt says nothing of those before it.
    if (intent !== undefined && !isCarried && happenedNot) await session.intents.close(intent);
    throw failure;
  }
}

/** Notes what was made, for other calls of this process and for one after a crash. */
async function made(session: Session, create: KeyedCreate, accepted: Accepted): Promise<Accepted> {
  session.made.set(addressOfId(create.type, accepted.id), accepted.live);
  const subject = intentSubjectOf(create);
  if (subject !== undefined) await session.intents.answer(subject, accepted.id);
  return accepted;
}

/** Notes that a create takes over what an earlier run, or somebody else, made. */
export async function takeUp(session: Session, create: KeyedCreate, { live }: Taken): Promise<void> {
  const subject = intentSubjectOf(create);
  const left = subject && (await session.intents.find(subject));
  if (left !== undefined) await session.intents.open({ ...left, id: live.id });
  session.made.set(addressOfId(create.type, live.id), live);
}

/** One create on its way: the nonce of its keys, and what the service has seen of it. */
interface CreateAttempt {
  /** Undefined of a type whose create makes nothing of its own. */
  readonly intent: WriteIntent | undefined;
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
): Promise<CreateAttempt | { readonly found: Accepted }> {
  const sent = { isSent: false, isUncertain: false };
  const subject = intentSubjectOf(create);
  const preexistingIds = await preexistingIdsOf(session, create);
  if (subject === undefined) return { intent: undefined, isCarried: false, nonce: "", preexistingIds, sent };
  const { intents } = session;
  const left = await intents.find(subject);
  if (intents.isUnderWay(subject, left)) throw new DiagnosticsError([sameTwice(create)]);
  const asked = { settings: settingsOf(create), request: session.requestOf(create) };
  // What was asked for then is something else: it is history, and this is made beside it.
  const carried =
    left?.settings === asked.settings || create.type.nameAttribute !== undefined ? left : undefined;
  const at = timeNow(session);
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
async function findLeft(
  session: Session,
  create: KeyedCreate,
  left: WriteIntent,
): Promise<Accepted | undefined> {
  // What has a name was looked for by it.
  if (create.type.nameAttribute !== undefined) return undefined;
  const look = () => candidatesSince(session, create, left.knownIds);
  const wait = { since: session.clock.elapsed(), forMs: isYoungIntent(session, left) ? 30_000 : 0 };
  const seen = await session.reads.untilVisible(
    async () => (await look())?.filter((live) => isMadeBy(left, live)),
    wait,
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
  { nonce, preexistingIds, sent }: CreateAttempt,
  write: (writes: Endpoints) => Promise<Accepted>,
): Promise<Accepted> {
  for (let generation = 0; generation < mostGenerations; generation += 1) {
    const { endpoints, replays } = session.writes([create.seed, nonce, generation].join("\0"), sent);
    const answered = await sendSurely(() => write(endpoints), {
      sent,
      find: () => findAndFinish(session, create, preexistingIds, endpoints),
    });
    // What has the id of its parent is one with it: a second resource declares the same.
    if (session.made.has(addressOfId(create.type, answered.id)))
      throw new DiagnosticsError([sameTwice(create, answered.id)]);
    if (replays[0] !== true) return answered;
    const accepted = await aliveAs(session, create, answered);
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

/** Sends a create; one without a certain answer is looked for before it is sent again, under the same key. */
async function sendSurely(
  send: () => Promise<Accepted>,
  { sent, find }: Pick<CreateAttempt, "sent"> & { readonly find: () => Promise<Accepted | undefined> },
): Promise<Accepted> {
  try {
    return await send();
  } catch (failure) {
    if (!isUncertain(failure)) throw failure;
    sent.isUncertain = true;
    return (await find()) ?? send();
  }
}

/** Finds what a create without an answer of its own has made, and sends what was to follow its first request. */
async function findAndFinish(
  session: Session,
  create: KeyedCreate,
  knownIds: readonly string[],
  writes: Endpoints,
): Promise<Accepted | undefined> {
  const { type, input, defaults } = create;
  const found = await findCreated(session, create, knownIds);
  if (found?.live === undefined || type.nameAttribute === undefined) return found;
  const { id, live } = found;
  const missing = unappliedPaths({ type, sent: input.attributes, live, defaults });
  const changed = new Set(missing.filter((path) => ruleAt(type, path)?.change === "update"));
  if (changed.size === 0) return found;
  try {
    const finished = await type.update(writes, { ...input, id, live, changed });
    return { ...found, live: finished.live ?? live };
  } catch (failure) {
    return { ...found, failure };
  }
}
