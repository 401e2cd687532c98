import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Attributes } from "../model/attributes";
import type { LiveResource } from "../model/live";
import type { Accepted, AppliableValue, CreateInput } from "../model/resource-type";
import { plainEqual } from "../model/value";
import type { Session } from "./session";

/** Receipts live 24 hours (interface, "Idempotency rules"); one is left for clocks that differ. */
const receiptMs = 23 * 60 * 60 * 1000;
/** More creates of the same thing within a day than anyone makes. */
const mostGenerations = 200;

export interface CreateOnce {
  readonly type: Resource;
  readonly input: CreateInput;
  readonly parentId: string | undefined;
  readonly defaults: Attributes;
  /** What besides the body tells one create from another. */
  readonly seed: string;
}

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
  for (let generation = 0; generation < mostGenerations; generation += 1) {
    let isReplay: boolean | undefined;
    const writes = session.writes({
      text: `${create.seed}\0${generation}`,
      onAnswer: (replayed) => {
        isReplay ??= replayed;
      },
    });
    const accepted = await write(writes);
    if (isReplay !== true && (await isAnothers(session, create, accepted.id)))
      throw new DiagnosticsError([answeredWithAnother(create, accepted.id)]);
    if (isReplay !== true || (await isAlive(session, create, accepted))) {
      session.made.add(accepted.id);
      return accepted;
    }
  }
  throw new DiagnosticsError([
    error("apply.uncertain", `every request to create "${create.input.name}" was answered with an old one`, {
      hint: "wait until the service has forgotten them, at most 24 hours, then apply again",
    }),
  ]);
}

/** What was just made was not there before under another name, and nothing else of this process has its id. */
async function isAnothers(session: Session, create: CreateOnce, id: string): Promise<boolean> {
  const { type, input } = create;
  if (isMadeAlready(session, create, id)) return true;
  if (type.removedWithParent) return false;
  return (await type.list(session.before)).some((live) => live.id === id && live.name !== input.name);
}

/** This process made something else of that id; what has the id of its parent has none of its own. */
const isMadeAlready = ({ made }: Session, { parentId }: CreateOnce, id: string): boolean =>
  id !== parentId && made.has(id);

const answeredWithAnother = ({ type, input }: CreateOnce, id: string): Diagnostic =>
  error(
    "apply.uncertain",
    `the creation of the ${type.type} "${input.name}" was answered with the id of another`,
    {
      detail: `${id} was there before, or belongs to another resource.`,
      hint: "apply again: the same request is answered with what it made; nothing is made twice",
    },
  );

/** Whether what a replayed answer speaks of is still there, ours alone, and on its way to what was asked. */
async function isAlive(session: Session, create: CreateOnce, accepted: Accepted): Promise<boolean> {
  const { type, input, parentId } = create;
  if (session.removed.has(accepted.id)) return false;
  if (isMadeAlready(session, create, accepted.id))
    throw new DiagnosticsError([sameTwice(create, accepted.id)]);
  session.reads.invalidate();
  const read = await type.read(session.reads, {
    address: input.address,
    id: accepted.id,
    name: input.name,
    declared: new Map(),
    ...(parentId === undefined ? {} : { parentId }),
  });
  if (read.kind === "unchecked") return true;
  if (read.kind !== "found") return false;
  if (!(type.fence?.(read.live) ?? [read.live.id]).includes(accepted.id)) return false;
  if (accepted.pending === undefined) return true;
  const settled = await type.poll(session.reads, accepted.pending);
  return settled.kind !== "failed" && !(settled.kind === "waiting" && settled.next !== undefined);
}

const sameTwice = ({ input }: CreateOnce, id: string): Diagnostic =>
  error("live.ambiguous", `two resources declare the same thing, "${input.name}" (${id})`, {
    detail: "Names are unique in one project.",
    hint: "give one of the two another name, or remove it",
  });

/**
 * Something of that name was there before: unless it can be what an interrupted apply of ours made, making a second
 * one would be a mistake.
 */
async function refuseTwin({ before, removed, clock }: Session, create: CreateOnce): Promise<void> {
  const { type, input } = create;
  if (type.nameAttribute === undefined) return;
  const twins = (await candidates(before, create)).filter(({ id }) => !removed.has(id));
  const [twin] = twins;
  if (twin === undefined) return;
  const createdAt = Date.parse(String(twin.computed.get("createdAt") ?? ""));
  const isRecent = clock.now() - createdAt < receiptMs;
  if (twins.length === 1 && isRecent && looksLike(create, twin)) return;
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

async function candidates(
  reads: Reads,
  { type, input, parentId }: CreateOnce,
): Promise<readonly LiveResource[]> {
  try {
    const search = { name: input.name, fence: [], ...(parentId === undefined ? {} : { parentId }) };
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
  const isLater = path === "archived";
  if (rule === undefined || rule.change === "local" || rule.secret === true || isLater) return true;
  const live = twin.attributes.get(path) ?? defaults.get(path);
  return live !== undefined && (rule.equal ?? plainEqual)(value as never, live);
}
