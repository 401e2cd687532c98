import type { Reads, Resource } from "../../api/reads";
import { type Diagnostic, DiagnosticsError, error, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { terraformNameOf } from "../../model/text";
import { timeNow } from "../../model/time";
import { addressOfId, mostAgeMs } from "../confirm-deleted";
import type { Session } from "../provider";
import type { IntentSubject, WriteIntent } from "./intent-files";
import type { KeyedCreate } from "./keyed-create";

/** The part of a create that tells what bears its name. */
export type NamedCreate = Pick<KeyedCreate, "type" | "parentId"> & {
  readonly input: { readonly name: string };
};

/** Receipts live 24 hours (interface, "Idempotency rules"); one is left for clocks that differ. */
const receiptMs = 23 * 60 * 60 * 1000;
/** Limits how long a resource of the same name is looked at again: its deletion may not be shown yet. */
const graceMs = 2000;
/** Between two looks; those that come at once share their reads. */
const pauseMs = 500;
/** Bounds the difference of the service's clock and ours. */
const skewMs = 5 * 60_000;
/** Bounds the time of one request with all of its retries. */
const requestMs = 5 * 60_000;

/** Returns what an intent to make it is about; undefined for a type whose create makes nothing of its own. */
export const intentSubjectOf = ({ type, input, parentId }: NamedCreate): IntentSubject | undefined =>
  type.candidates === undefined
    ? undefined
    : {
        verb: "make",
        type: type.type,
        ...(parentId !== undefined && { parentId }),
        name: type.nameAttribute === undefined ? "" : input.name,
      };

/** Whether the service still knows the key that an earlier run sent, and this request would bear it. */
export const keyCounts = (session: Session, left: WriteIntent, request: string): boolean =>
  left.request === request && Math.abs(Date.parse(timeNow(session)) - Date.parse(left.at)) < receiptMs;

/** Returns true if what was sent may not be shown yet: it was sent within two minutes, or the service tells no time. */
export const isYoungIntent = ({ reads }: Session, left: WriteIntent): boolean =>
  (reads.serviceTime() ?? 0) - Date.parse(left.at) < 120_000;

/** Whether an earlier run that left `intent` made it: by its id, else by what was there before, and by its time. */
export function isMadeBy(intent: WriteIntent, live: LiveResource): boolean {
  if (intent.id !== undefined) return intent.id === live.id;
  if (intent.knownIds.includes(live.id)) return false;
  const madeAt = Date.parse(String(live.computed.get("createdAt") ?? live.asOf ?? ""));
  return madeAt >= Date.parse(intent.since) - skewMs && madeAt <= Date.parse(intent.at) + requestMs + skewMs;
}

/** A resource that a create takes over, and why. */
export interface Taken {
  readonly live: LiveResource;
  /** `made`: by an apply of this directory that was cut short; `adopted`: `adopt = true`. */
  readonly reason: "made" | "adopted";
}

/**
 * Returns what a create takes over instead of making a second one. Throws `DiagnosticsError` where something of the name
 * is there that nothing says is ours: its content says nothing of whose it is, nor does its age.
 */
export async function findTaken(
  session: Session,
  create: KeyedCreate,
  adopts: boolean,
): Promise<Taken | undefined> {
  const subject = intentSubjectOf(create);
  if (create.type.nameAttribute === undefined || subject === undefined) return undefined;
  const left = await session.intents.find(subject);
  if (session.intents.isUnderWay(subject, left)) throw new DiagnosticsError([sameTwice(create)]);
  session.reads.invalidate(mostAgeMs);
  const first = await otherTwins(session, session.reads, create);
  const { type, input, parentId } = create;
  const isLeaving = (): boolean =>
    [...session.deleting.values()].some(
      (one) => one.type === type.type && one.name === input.name && one.parentId === parentId,
    );
  if (first.length === 0 && left === undefined && !isLeaving()) return undefined;
  const verdict = (twins: readonly LiveResource[]): TwinsVerdict | { readonly kind: "leaving" } =>
    isLeaving() ? { kind: "leaving" } : judgeTwins(twins, left, adopts);
  const mayBeUnseen =
    left !== undefined &&
    isYoungIntent(session, left) &&
    !keyCounts(session, left, session.requestOf(create));
  const seen = await lookWhileDeleting(session, {
    look: async () => verdict(await otherTwins(session, session.reads, create)),
    isTaken: ({ kind }) => kind === "taken-by-others",
    isLeaving: ({ kind }) => kind === "leaving",
    isBehind: ({ kind }) =>
      kind === "leaving" || kind === "taken-by-others" || (kind === "free" && mayBeUnseen),
    forMs: mayBeUnseen ? 30_000 : graceMs,
  });
  if (seen.kind === "taken-by-others") throw new DiagnosticsError([nameTaken(create, seen.twins)]);
  return seen.kind === "ours" ? seen.taken : undefined;
}

interface PatientLook<Seen> {
  readonly look: () => Promise<Seen>;
  readonly isTaken: (seen: Seen) => boolean;
  readonly isLeaving?: (seen: Seen) => boolean;
  readonly isBehind?: (seen: Seen) => boolean;
  readonly forMs?: number;
}

/**
 * Looks again for `forMs`, and goes on while the name is taken and this process deletes: what bears it may be
 * next, once what depends on it is gone.
 */
export async function lookWhileDeleting<Seen>(
  session: Session,
  { look, isTaken, isLeaving = () => false, isBehind = isTaken, forMs = graceMs }: PatientLook<Seen>,
): Promise<Seen> {
  for (;;) {
    const wasDeleting = session.deleting.size > 0;
    const endsAt = session.clock.elapsed() + forMs;
    let seen = await look();
    while (isBehind(seen) && session.clock.elapsed() < endsAt) {
      await session.clock.sleep(pauseMs, session.signal);
      session.reads.invalidate(pauseMs);
      seen = await look();
    }
    const mayLeave = isTaken(seen) && (wasDeleting || session.deleting.size > 0);
    if (!mayLeave && !isLeaving(seen)) return seen;
  }
}

type TwinsVerdict =
  | { readonly kind: "free" }
  | { readonly kind: "ours"; readonly taken: Taken }
  | { readonly kind: "taken-by-others"; readonly twins: readonly LiveResource[] };

/** Judges what bears the name: made by an earlier run of this directory, to be adopted, or of others. */
export function judgeTwins(
  twins: readonly LiveResource[],
  left: WriteIntent | undefined,
  adopts: boolean,
): TwinsVerdict {
  const [twin, ...others] = twins;
  if (twin === undefined) return { kind: "free" };
  const made = left === undefined ? [] : twins.filter((one) => isMadeBy(left, one));
  const [ours] = made;
  if (ours !== undefined && made.length === 1 && (others.length === 0 || left?.id !== undefined))
    return { kind: "ours", taken: { live: ours, reason: "made" } };
  if (adopts && others.length === 0) return { kind: "ours", taken: { live: twin, reason: "adopted" } };
  return { kind: "taken-by-others", twins };
}

/** Returns what bears the name and was not deleted by this process. Throws where this process made it. */
async function otherTwins(
  session: Session,
  reads: Reads,
  create: KeyedCreate,
): Promise<readonly LiveResource[]> {
  const keyOf = ({ id }: LiveResource) => addressOfId(create.type, id);
  const twins = (await twinsIn(reads, create)).filter((one) => !session.removed.has(keyOf(one)));
  if (twins.some((one) => session.made.has(keyOf(one)))) throw new DiagnosticsError([sameTwice(create)]);
  return twins;
}

/** Returns what bears the name of a create. */
export async function twinsIn(
  reads: Reads,
  { type, input, parentId }: NamedCreate,
): Promise<readonly LiveResource[]> {
  try {
    return (await type.candidates?.(reads, { name: input.name, preexistingIds: [], parentId })) ?? [];
  } catch (failure) {
    // It cannot be looked up: then the service has to refuse it.
    if (failure instanceof DiagnosticsError) return [];
    throw failure;
  }
}

/** The error of a name that something else bears, with what is to be copied to take it over. */
export function nameTaken(
  { type, input, parentId }: NamedCreate,
  twins: readonly LiveResource[],
): Diagnostic {
  const ids = twins.map(({ id }) => id).join(", ");
  const [twin] = twins;
  const isOne = twin !== undefined && twins.length === 1;
  return error(
    "live.unmanaged_exists",
    isOne
      ? `there is a ${type.type} "${input.name}" already, and it is not managed by this resource`
      : `there are ${twins.length} of the name "${input.name}" already`,
    {
      detail: isOne
        ? `Its id is ${ids}. To manage it here, add this, with the address of this resource:\n\n${importBlock(type, input.name, importIdOf(type, twin.id, parentId))}`
        : `Found: ${ids}. ${uniqueIn(type)}`,
      attribute: type.nameAttribute,
      hint: isOne
        ? `or set adopt = true to take it over with this apply, write a "moved" block if it was renamed here, or choose another name, as a replacement with create_before_destroy needs one`
        : "remove or rename the others, or choose another name",
    },
  );
}

/** The error of a name that something else bears, where it cannot be taken over. */
export const anotherNamed = (
  { type, input }: NamedCreate,
  others: readonly Pick<LiveResource, "id">[],
): Diagnostic => {
  const ids = others.map(({ id }) => id).join(", ");
  const summary = `there is another ${type.type} "${input.name}" (${ids})`;
  return error("live.unmanaged_exists", summary, {
    attribute: type.nameAttribute,
    hint: "choose another name",
  });
};

const importIdOf = (type: Resource, id: string, parentId: string | undefined): string =>
  type.removedWithParent && parentId !== undefined ? `${parentId}/${id}` : id;

/** Returns an import block; a provider is not told the address: it is made of the name, as people write labels. */
function importBlock(type: Resource, name: string, id: string): string {
  const label = labelOf(name) || type.type;
  const guessed = label === name ? "" : " # in place of it, the address that this error names";
  return `  import {\n    to = ${terraformNameOf(type)}.${label}${guessed}\n    id = "${id}"\n  }`;
}

/** A name in small letters, digits, `_` and `-`, beginning with a letter; empty where nothing of it is left. */
const labelOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^[^a-z]+|[_-]+$/g, "");

/** The error of something that is to be taken over, and cannot become what is declared while it stands. */
export const cannotTakeOver = (
  { type, input, parentId }: NamedCreate,
  { id }: LiveResource,
  paths: readonly string[],
): Diagnostic =>
  error(
    "live.unmanaged_exists",
    `the ${type.type} "${input.name}" (${id}) cannot be taken over: ${paths.join(", ")} ${paths.length === 1 ? "differs" : "differ"} there`,
    {
      detail: `That cannot be changed in place, and nothing is replaced that is not in the state. To have it replaced, import it first:\n\n${importBlock(type, input.name, importIdOf(type, id, parentId))}`,
      attribute: paths[0],
      hint: "or declare it as it is, or choose another name",
    },
  );

const uniqueIn = ({ parents: [parent] }: Resource): string =>
  `Names are unique in one ${parent?.type ?? "workspace"}.`;

/** The error of two resources that are the same thing at the service. */
export function sameTwice({ type, input }: Pick<NamedCreate, "type" | "input">, id?: string): Diagnostic {
  const [parent] = type.parents;
  if (type.nameAttribute === undefined && parent !== undefined)
    return error("live.ambiguous", `two resources make the ${type.type} of the same ${parent.type}`, {
      hint: "keep one of the two",
    });
  const found = id === undefined ? "" : ` (${id})`;
  return error("live.ambiguous", `two resources declare the same thing, "${input.name}"${found}`, {
    detail: uniqueIn(type),
    hint: "give one of the two another name, or remove it",
  });
}

/** Returns the warning of a plan about a resource that its apply takes over. */
export function takenNote(
  { type, input }: NamedCreate,
  { live, reason }: Taken,
  changed: readonly string[],
): Diagnostic {
  const about = `the ${type.type} "${input.name}" (${live.id})`;
  const changes = changed.length === 0 ? "Nothing of it changes." : `Changed there: ${changed.join(", ")}.`;
  return reason === "made"
    ? warning("plan.adopted", `${about} is there, and is taken into the state`, {
        detail: `An apply of this directory that was cut short made it. Nothing is made a second time. ${changes}`,
      })
    : warning("plan.adopted", `${about} is there, and is taken over: adopt = true`, {
        detail: `Nothing is made. ${changes}`,
        attribute: "adopt",
      });
}
