import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { typeOf } from "../model/address";
import type { LiveResource } from "../model/live";
import { sameName } from "../model/names";
import type { Accepted, AppliableValue, CreateInput } from "../model/resource-operations";
import { pathsWith, ruleAt } from "../model/resource-type";
import type { AppliedValue } from "../model/state";
import { type Attributes, isPlain, type Plain } from "../model/value";
import { createOrFind, isFree, severalFound } from "./create-or-find";
import { firstSentAt, sendTwice } from "./journaled-send";
import {
  inputsOf,
  isSameRecord,
  recordAfter,
  recordOf,
  recordOfAccepted,
  withoutContent,
  writesAfter,
  writtenNow,
} from "./record";
import { notGone, proveGone } from "./remove";
import { type ChangeContext, type ChangeEnd, failed, knownValue, readNow } from "./run-context";
import { settle } from "./settle";
import { type ComparedWrite, movedTime, verifyApplied } from "./verify";

export async function create(context: ChangeContext): Promise<ChangeEnd> {
  const values = declaredValues(context);
  const input = inputOf(context, values);
  const { ending } = context.instance;
  const ended = ending && (await settle(context, ending, context.run.journal.recorded(input.address)));
  if (ended && ended.kind !== "done") return ended;
  await proveGone(context);
  const accepted =
    (await findEarlierCreate(context, input)) ??
    (await sendCreate(context, input, () => context.type.create(context.endpoints, input)));
  // The service chooses the value of a null field.
  const sent = new Map([...values].filter(([, value]) => value !== null));
  return finishWrite(context, accepted, { sent, values, isNew: true });
}

/** Age of a list that proves a name free, milliseconds: several creates share it. */
const mostAgeMs = 1000;

/**
 * Returns the resource that an interrupted run created, if a list shows it. Throws `DiagnosticsError` where another
 * user has created it since the plan, or the plan's list left it out.
 */
async function findEarlierCreate(context: ChangeContext, input: CreateInput): Promise<Accepted | undefined> {
  const { run, change, instance, type, parentId } = context;
  const { address, missing, range } = change;
  const isResumed = run.retriableIntents.some((open) => open.address === address && open.method === "POST");
  if (type.reacts || !type.candidates || (type.removedWithParent && !isResumed)) return undefined;
  const recorded = missing ? instance.recorded?.id : undefined;
  const fence = run.record.fences[address]?.filter((id) => id !== recorded) ?? [];
  const reads = run.reads.excluding(fence).fresh({ mostAgeMs, ignoresWrites: true });
  const search = { name: input.name, parentId, declared: instance.resolved };
  const candidates = (await type.candidates(reads, search)) ?? [];
  if (candidates.some(({ id }) => id === recorded))
    throw notGone(change, recorded ?? "", "run the command again");
  const [found, ...others] = candidates;
  if (!found) return undefined;
  if (isResumed && others.length === 0) return takeCreated(context, input, found);
  const summary = `${address} was created after the plan was made (ID ${found.id})`;
  const hint = `Plan again. To manage it: rnv import ${address} ${found.id}`;
  throw new DiagnosticsError([error("live.unmanaged_exists", summary, { address, range, hint })]);
}

export async function update(context: ChangeContext): Promise<ChangeEnd> {
  const { change, instance, type } = context;
  const values = declaredValues(context);
  const sent = valuesToSend(context, values);
  const { live, recorded } = instance;
  const input = {
    ...inputOf(context, values),
    id: change.id ?? "",
    changed: new Set(sent.keys()),
    live,
    recorded,
    attributes: new Map([...values, ...sent]),
  };
  const send = () => type.update(context.endpoints, input);
  const accepted = await (type.reacts ? sendCreate(context, input, send) : sendTwice(send));
  return finishWrite(context, accepted, { sent, values, isNew: false });
}

/** Sends the request for a resource or a run, and looks for its result where the answer is uncertain. */
function sendCreate(
  context: ChangeContext,
  input: CreateInput,
  send: () => Promise<Accepted>,
): Promise<Accepted> {
  const { run, change, instance, type, parentId } = context;
  const { reads, record, journal } = run;
  const { address } = change;
  const { candidates } = type;
  if (!candidates) return sendTwice(send);
  const search = {
    name: input.name,
    parentId,
    declared: instance.resolved,
    since: firstSentAt(run, address),
  };
  const note = "the platform failed and may have done it: looking for it for at most 30 s";
  return createOrFind(reads.excluding(record.fences[address] ?? []), {
    send,
    look: async (now) => {
      const found = await candidates(now, { ...search, body: journal.openAt(address).at(-1)?.body });
      return found?.filter(isFree(address, journal.all()));
    },
    take: (found) => takeCreated(context, input, found),
    refuse: () => journal.closeAt(address, { result: "refused", status: 409 }),
    several: (found) => new DiagnosticsError([severalFound("apply.uncertain", address, found)]),
    command: "rnv apply",
    onWait: () => run.emit({ type: "progress", address, action: "create", note }),
  });
}

/** Records a possible result of a lost request. Another user may have made it with other secrets, which no read shows. */
async function takeCreated(
  context: ChangeContext,
  input: CreateInput,
  found: LiveResource,
): Promise<Accepted> {
  const made = await recordCreated(context, found);
  const { type, endpoints } = context;
  const changed = new Set(pathsWith(type, "secret"));
  if (changed.size === 0) return made;
  return sendTwice(() => type.update(endpoints, { ...input, id: found.id, changed, live: found }));
}

async function recordCreated(context: ChangeContext, created: LiveResource): Promise<Accepted> {
  const { run, change, instance, type, parentId } = context;
  const { address } = change;
  const { id } = created;
  const recording = { address, resource: recordOfAccepted(context, { id }) };
  await run.journal.closeAt(address, { result: "done", status: 0, id }, { recording });
  return { id, live: created, pending: type.runs?.pendingOf(id, parentId, instance.resolved) };
}

interface SentValues {
  readonly sent: ReadonlyMap<string, AppliableValue>;
  /** All declared values, also those that were not sent. */
  readonly values: ReadonlyMap<string, AppliableValue>;
  readonly isNew: boolean;
}

async function finishWrite(
  context: ChangeContext,
  accepted: Accepted,
  { sent, values, isNew }: SentValues,
): Promise<ChangeEnd> {
  const { run, change, instance, type } = context;
  const { id } = accepted;
  if (accepted.failure === undefined)
    await run.journal.closeAt(change.address, { result: "done", status: 0, id });
  const before = isNew ? undefined : (instance.live?.updatedAt ?? instance.recorded?.updatedAt);
  // The answer may show another resource.
  const answered = accepted.live?.id === accepted.id ? accepted.live : undefined;
  const isEnough = answered !== undefined && !needsRead(type, sent, before, answered);
  const live = isEnough ? answered : ((await reread(context, accepted.id)) ?? answered);
  const previous = run.journal.recorded(change.address);
  const whole = recordAfter(context, {
    id: accepted.id,
    live,
    values,
    previous,
    writes: writesAfter(change, instance, type),
    inputs: inputsOf(run, instance, type),
    isNew,
    pending: accepted.pending,
    // The answer to the first save of a layout has no id, and left no record.
    writtenAt: writtenNow(run),
  });
  const { defaults } = instance;
  const renamed = live && !isNew ? renamedSince(context, live, sent) : undefined;
  const { mask } = run.journal;
  const unappliedFields = live && verifyApplied(change, { type, sent, live, defaults, before, mask });
  const kept = unappliedFields ? { ...whole, applied: previous?.applied ?? {} } : whole;
  await run.journal.record(change.address, kept);
  if (accepted.failure !== undefined) throw accepted.failure;
  if (unappliedFields) return failed(unappliedFields);
  if (renamed) return failed(renamed, 3);
  return accepted.pending ? settle(context, accepted.pending, kept) : { kind: "done" };
}

/** Returns the error for a resource that was renamed since the plan: later changes were planned for another name. */
function renamedSince(
  { change: { address }, instance, type: { nameAttribute } }: ChangeContext,
  live: LiveResource,
  sent: ComparedWrite["sent"],
): Diagnostic | undefined {
  const planned = instance.live?.name;
  if (nameAttribute === undefined || sent.has(nameAttribute) || planned === undefined) return undefined;
  if (sameName(planned, live.name)) return undefined;
  const summary = `${address} was renamed since the plan: it is called ${JSON.stringify(live.name)} now`;
  return error("plan.live_changed_too", summary, {
    address,
    hint: "the change of its other fields is done; run rnv plan, which shows the name",
  });
}

/** Returns true if a secret was sent and the answer has no time that proves it. */
const needsRead = (
  type: ChangeContext["type"],
  sent: ComparedWrite["sent"],
  before: string | undefined,
  answered: LiveResource,
): boolean =>
  movedTime(before, before) !== undefined &&
  movedTime(before, answered.updatedAt) === undefined &&
  [...sent.keys()].some((path) => ruleAt(type, path)?.secret === true);

async function reread(context: ChangeContext, id: string): Promise<LiveResource | undefined> {
  const { run, change, instance, type, parentId } = context;
  const { address, liveName: name } = change;
  const read = await readNow(run, type, { address, id, name, declared: instance.resolved, parentId });
  return read.kind === "found" ? read.live : undefined;
}

const declaredValues = ({ run, instance }: ChangeContext): Map<string, AppliableValue> =>
  new Map(
    [...(instance.desired?.attributes ?? [])].map(([path, { value }]) => [
      path,
      knownValue(value, run.lookup, run.generate),
    ]),
  );

/** Returns the value of each field that changes; the default of a removed field is sent explicitly (PATCH merges). */
function valuesToSend(
  context: ChangeContext,
  values: ReadonlyMap<string, AppliableValue>,
): Map<string, AppliableValue> {
  const { change, instance } = context;
  const { defaults } = instance;
  return new Map(
    change.attributes.map(({ path }) => {
      const implied = instance.resolved.get(path);
      const fallback = implied !== undefined && isPlain(implied) ? implied : undefined;
      return [path, values.get(path) ?? fallback ?? defaults.get(path) ?? null];
    }),
  );
}

const inputOf = (context: ChangeContext, values: ReadonlyMap<string, AppliableValue>) => ({
  address: context.change.address,
  name: nameIn(context, values),
  attributes: values,
  parent: parentAttributes(context),
});

function nameIn(
  { change, instance, type }: ChangeContext,
  values: ReadonlyMap<string, AppliableValue>,
): string {
  const { nameAttribute } = type;
  if (nameAttribute === undefined) return change.liveName;
  const name = values.get(nameAttribute) ?? instance.resolved.get(nameAttribute);
  return typeof name === "string" ? name : change.liveName;
}

function parentAttributes({ run, instance }: ChangeContext): Attributes | undefined {
  const parent = instance.desired?.parent;
  if (parent === undefined) return undefined;
  const paths = Object.keys(run.types.get(typeOf(parent))?.computed ?? {});
  const known = paths.map((path) => [path, run.lookup(parent, path)] as const);
  return new Map(known.filter((entry): entry is [string, Plain] => entry[1] !== undefined));
}

/** Records a resource that is as declared, where the state says otherwise. Nothing is sent. */
export async function keepRecord(context: ChangeContext): Promise<ChangeEnd> {
  const { run, change, instance, type } = context;
  const { live, recorded, resolved } = instance;
  const id = live?.id ?? recorded?.id;
  if (id === undefined || (!recorded && change.action !== "adopt")) return { kind: "done" };
  if (run.mode === "refresh-only") return acceptDrift(context);
  const next = recordAfter(context, {
    id,
    live,
    values: resolved,
    previous: recorded,
    writes: recorded?.writes ?? 0,
    inputs: run.journal.recorded(change.address)?.inputs ?? inputsOf(run, instance, type),
    pending: recorded?.pending,
  });
  // A generated value that was changed outside stays drift.
  const staysDrift = change.drift?.some(({ cause, after }) => cause === "drift" && after.kind === "secret");
  // A revealed secret is as declared, even where others wrote it last.
  const isCompared = instance.isRevealed === true && recorded?.updatedAt !== next.updatedAt;
  if (!recorded || isCompared || !isSameRecord(recorded, next))
    await run.journal.record(change.address, staysDrift ? { ...next, updatedAt: recorded?.updatedAt } : next);
  if (recorded && recorded.id !== id) await renameInputs(context, recorded.id, id);
  return { kind: "done" };
}

/** Renames an ID in the `inputs` of siblings: a new ID of the same resource is no reason to run again. */
async function renameInputs({ run, instance }: ChangeContext, from: string, to: string): Promise<void> {
  const parent = instance.recorded?.parent;
  if (parent === undefined) return;
  for (const [address, resource] of run.journal.inside(parent)) {
    const { [from]: writes, ...others } = resource.inputs ?? {};
    if (writes !== undefined)
      await run.journal.record(address, { ...resource, inputs: { ...others, [to]: writes } });
  }
}

/** Records live values as applied (`-refresh-only`): the next plan shows an edit, not drift. */
async function acceptDrift({ run, change, instance, type }: ChangeContext): Promise<ChangeEnd> {
  const { live, recorded, defaults } = instance;
  if (!live || !recorded) return { kind: "done" };
  const applied = Object.entries(recorded.applied).flatMap(([path, value]): [string, AppliedValue][] => {
    // Nothing is known of a secret that was changed outside.
    if (ruleAt(type, path)?.secret)
      return change.drift?.some((one) => one.path === path) ? [] : [[path, value]];
    return [[path, live.attributes.get(path) ?? defaults.get(path) ?? value]];
  });
  for (const path of pathsWith(type, "alwaysManaged")) {
    const now = live.attributes.get(path);
    if (!(path in recorded.applied) && now !== undefined && now !== defaults.get(path))
      applied.push([path, now]);
  }
  // A newer run of the service is no other resource.
  const { id } = type.reacts ? recorded : live;
  const updatedAt = live.updatedAt ?? recorded.updatedAt;
  const fields = { id, applied: Object.fromEntries(applied), updatedAt };
  await run.journal.record(change.address, recordOf(live, fields, withoutContent(recorded)));
  return { kind: "done" };
}
