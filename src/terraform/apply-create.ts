import { randomUUID } from "node:crypto";
import { ApiError } from "../api/api-error";
import type { Reads, Resource } from "../api/reads";
import { lookAgain, staleWrite } from "../apply/look";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { LiveResource } from "../model/live";
import type { Accepted, AppliableValue } from "../model/resource-operations";
import { shownIds } from "../model/resource-type";
import type { Attributes } from "../model/value";
import { plainEqual } from "../model/value";
import { addressOfId } from "./confirm-deleted";
import { lookAtRun } from "./live-after";
import type { Session } from "./session";
import { type CreateOnce, madeAfterAll, preexistingIdsOf, sureOf } from "./sure-of-create";

/** Receipts live 24 hours (interface, "Idempotency rules"); one is left for clocks that differ. */
const receiptMs = 23 * 60 * 60 * 1000;
/** More creates of the same thing within a day than anyone makes. */
const mostGenerations = 200;

/**
 * Creates a thing exactly once, whatever became of an earlier process that tried: the key of the request depends on
 * nothing but the thing, so what an earlier request made comes back as its replay. A replay of something that is
 * gone since is passed over: the next generation of the key asks for a new one.
 */
export async function createOnce(session: Session, create: CreateOnce): Promise<Accepted> {
  await refuseTwin(session, create);
  return withGenerations(session, create, (writes) => create.type.create(writes, create.input));
}

/** Sends a write under one generation of its key after another, until its answer stands for something alive. */
export async function withGenerations(
  session: Session,
  create: CreateOnce,
  write: (writes: ReturnType<Session["writes"]>) => Promise<Accepted>,
): Promise<Accepted> {
  const preexistingIds = await preexistingIdsOf(session, create);
  for (let generation = 0; generation < mostGenerations; generation += 1) {
    let isReplay: boolean | undefined;
    const writes = session.writes({
      text: `${create.seed}\0${generation}`,
      onAnswer: (replayed) => {
        isReplay ??= replayed;
      },
    });
    const answered = await sureOf(session, create, preexistingIds, () => write(writes));
    const accepted =
      isReplay === true
        ? await aliveAs(session, create, answered)
        : await ownAnswer(session, create, preexistingIds, answered);
    if (accepted !== undefined) {
      session.made.set(addressOfId(create.type, accepted.id), accepted.live);
      return accepted;
    }
  }
  throw new DiagnosticsError([
    error("apply.uncertain", `every request to create "${create.input.name}" was answered with an old one`, {
      hint: "wait until the service has forgotten them, at most 24 hours, then apply again",
    }),
  ]);
}

/**
 * What was just made was not there before, and nothing else of this process has its id. An answer that names such an id
 * is none: what was made is looked for.
 */
async function ownAnswer(
  session: Session,
  create: CreateOnce,
  preexistingIds: readonly string[],
  answered: Accepted,
): Promise<Accepted> {
  const { type, input, parentId } = create;
  const { id } = answered;
  const isMade = isMadeAlready(session, create, id);
  // What bears the id of what it lies in is one with it: a second resource declares the same.
  if (isMade && id === parentId) throw new DiagnosticsError([sameTwice(create, id)]);
  const isBefore = async () =>
    ((await type.list(session.before)) ?? []).some((live) => live.id === id && live.name !== input.name);
  const isAnothers = isMade || preexistingIds.includes(id) || (!type.removedWithParent && (await isBefore()));
  if (!isAnothers) return answered;
  const made = await madeAfterAll(session, create, [...preexistingIds, id]);
  if (made === undefined) throw new DiagnosticsError([answeredWithAnother(create, id)]);
  return made;
}

const isMadeAlready = ({ made }: Session, { type }: CreateOnce, id: string): boolean =>
  made.has(addressOfId(type, id));

const answeredWithAnother = ({ type, input }: CreateOnce, id: string): Diagnostic =>
  error(
    "apply.uncertain",
    `the creation of the ${type.type} "${input.name}" was answered with the id of another`,
    {
      detail: `${id} was there before, or belongs to another resource.`,
      hint: "apply again: the same request is answered with what it made; nothing is made twice",
    },
  );

/** What a replayed answer speaks of, as it is now; undefined where that is gone. */
async function aliveAs(
  session: Session,
  create: CreateOnce,
  accepted: Accepted,
): Promise<Accepted | undefined> {
  const { type } = create;
  if (session.removed.has(addressOfId(type, accepted.id))) return undefined;
  if (isMadeAlready(session, create, accepted.id))
    throw new DiagnosticsError([sameTwice(create, accepted.id)]);
  const answer = await answerToWrite(session, create, accepted);
  if (answer === "gone") return undefined;
  if (answer !== undefined) return { ...accepted, ...(answer.live ? { live: answer.live } : {}) };
  return (await isStillShown(session, create, accepted)) ? accepted : undefined;
}

/** Whether what a replayed answer speaks of is still shown, and on its way to what was asked. */
async function isStillShown(session: Session, create: CreateOnce, accepted: Accepted): Promise<boolean> {
  const { type, input, parentId } = create;
  const run = { accepted, name: input.name, parentId, isSettled: false };
  const { seen, isStale } = await lookAtRun(session, type, run);
  if (isStale && type.nameAttribute === undefined)
    throw new DiagnosticsError([staleWrite(`the ${type.type} "${input.name}" (${accepted.id})`)]);
  if (seen.kind === "unchecked") return true;
  if (seen.kind !== "found") return false;
  if (!shownIds(type, seen.live).includes(accepted.id)) return false;
  if (accepted.pending === undefined) return true;
  const settled = await type.poll(session.reads, accepted.pending);
  return settled.kind !== "failed" && !(settled.kind === "waiting" && settled.next !== undefined);
}

/**
 * What a thing answers to a write that changes nothing: reads may be behind its creation, and behind its deletion.
 * Undefined where that does not tell.
 */
async function answerToWrite(
  session: Session,
  { type, input, parentId }: CreateOnce,
  { id, live }: Accepted,
): Promise<Accepted | "gone" | undefined> {
  if (type.nameAttribute === undefined) return undefined;
  const place = parentId === undefined ? {} : { parentId };
  const attributes = new Map([...input.attributes, [type.nameAttribute, input.name]]);
  const renamed = { ...input, ...place, id, live, attributes, changed: new Set([type.nameAttribute]) };
  try {
    return await type.update(session.writes({ text: `alive\0${randomUUID()}` }), renamed);
  } catch (failure) {
    if (!(failure instanceof ApiError) || failure.kind !== "refused") throw failure;
    return failure.status === 404 ? "gone" : undefined;
  }
}

const sameTwice = ({ input }: CreateOnce, id: string): Diagnostic =>
  error("live.ambiguous", `two resources declare the same thing, "${input.name}" (${id})`, {
    detail: "Names are unique in one project.",
    hint: "give one of the two another name, or remove it",
  });

/** How long something of the same name is looked at again: its deletion may not be shown yet. */
const graceMs = 2000;

/**
 * Something of that name was there before: unless it can be what an interrupted apply of ours made, making a second
 * one would be a mistake.
 */
async function refuseTwin(session: Session, create: CreateOnce): Promise<void> {
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
  throw new DiagnosticsError([
    error(
      "live.unmanaged_exists",
      twins.length === 1
        ? `there is a ${type.type} "${input.name}" already, and it is not managed by this resource`
        : `there are ${twins.length} of the name "${input.name}" already`,
      {
        detail: `Found: ${twins.map(({ id }) => id).join(", ")}. Names are unique in one project.`,
        ...(type.nameAttribute === undefined ? {} : { attribute: type.nameAttribute }),
        hint: `import it by its id, write a "moved" block if it was renamed here, or choose another name`,
      },
    ),
  ]);
}

/** What an interrupted apply of ours may have made: the only one of its name, of today, and as it is declared. */
function isOurs({ clock }: Session, create: CreateOnce, twins: readonly LiveResource[]): boolean {
  const [twin, ...others] = twins;
  if (twin === undefined || others.length > 0) return false;
  const createdAt = Date.parse(String(twin.computed.get("createdAt") ?? ""));
  return clock.now() - createdAt < receiptMs && looksLike(create, twin);
}

async function candidates(
  reads: Reads,
  { type, input, parentId }: CreateOnce,
): Promise<readonly LiveResource[]> {
  try {
    const search = { name: input.name, preexistingIds: [], ...(parentId === undefined ? {} : { parentId }) };
    return (await type.candidates?.(reads, search)) ?? [];
  } catch (failure) {
    // It cannot be looked up: then the service has to refuse it.
    if (failure instanceof DiagnosticsError) return [];
    throw failure;
  }
}

/** Whether everything that is declared is as an interrupted create would have left it. */
const looksLike = ({ type, input, defaults }: CreateOnce, twin: LiveResource): boolean =>
  [...input.attributes].every(([path, value]) => isAsDeclared(type, path, value, twin, defaults));

function isAsDeclared(
  type: Resource,
  path: string,
  value: AppliableValue,
  twin: LiveResource,
  defaults: Attributes,
): boolean {
  const rule = type.rules[path];
  // An archive is a request of its own that may not have been sent.
  const isLater = path === type.archives?.attribute;
  if (rule === undefined || rule.change === "local" || rule.secret === true || isLater) return true;
  const live = twin.attributes.get(path) ?? defaults.get(path);
  return live !== undefined && (rule.equal ?? plainEqual)(value as never, live);
}
