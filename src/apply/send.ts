import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { typeOf } from "../model/address";
import type { LiveResource } from "../model/live";
import type { Accepted, AppliableValue } from "../model/resource-operations";
import { pathsWith, ruleAt } from "../model/resource-type";
import { sameName } from "../model/service-names";
import type { AppliedValue, RecordedResource } from "../model/state";
import { type Attributes, isPlain, type Plain, plainEqual } from "../model/value";
import { type ChangeContext, inputsOf, recordedAfter, writesAfter, writtenNow } from "./change-context";
import { createOrFind, severalFound } from "./create-or-find";
import { firstSentAt, sendTwice } from "./journaled-send";
import { awaitEnding, notGone, proveGone } from "./remove";
import { type ChangeEnd, knownValue, readNow } from "./run";
import { settle } from "./settle";
import { type ComparedWrite, movedTime, verifyApplied } from "./verify";

export async function create(context: ChangeContext): Promise<ChangeEnd> {
  const values = declaredValues(context);
  const input = inputOf(context, values);
  const ended = await awaitEnding(context);
  if (ended.kind !== "done") return ended;
  await proveGone(context);
  const accepted =
    (await findEarlierCreate(context, input.name)) ??
    (await sendCreate(context, input.name, () => context.type.create(context.endpoints, input)));
  // What is null was left to the service: its answer tells what that is.
  const sent = new Map([...values].filter(([, value]) => value !== null));
  return finishWrite(context, accepted, sent, values, true);
}

/** How old the list may be that proves a name free, milliseconds. One that several creates need is read once. */
const mostAgeMs = 1000;

/**
 * Looks once before a write that would make a double. Returns what an interrupted run made, if that is shown by now.
 * Throws `DiagnosticsError` where another user has created it since the plan was made, or the plan's list left it out.
 */
async function findEarlierCreate(context: ChangeContext, name: string): Promise<Accepted | undefined> {
  const { run, change, instance, type, parentId } = context;
  const { address, missing, range } = change;
  const isResumed = run.retriableIntents.some((open) => open.address === address && open.method === "POST");
  if (type.reacts || !type.candidates || (type.removedWithParent && !isResumed)) return undefined;
  const reads = run.reads.fresh({ mostAgeMs, ignoresWrites: true });
  // What the plan found gone is not created again while a list shows it.
  const recorded = missing ? instance.recorded?.id : undefined;
  const preexistingIds = (run.record.fences[address] ?? []).filter((id) => id !== recorded);
  const search = { name, parentId, declared: instance.resolved, preexistingIds };
  const candidates = (await type.candidates(reads, search)) ?? [];
  if (candidates.some(({ id }) => id === recorded))
    throw notGone(change, recorded ?? "", "run the command again");
  const [found, ...others] = candidates;
  if (!found) return undefined;
  if (isResumed && others.length === 0) return takeMade(context, found);
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
    ...{ id: change.id ?? "", changed: new Set(sent.keys()), live, recorded },
    attributes: new Map([...values, ...sent]),
  };
  const send = () => type.update(context.endpoints, input);
  if (type.reacts) return finishWrite(context, await sendCreate(context, input.name, send), sent, values);
  return finishWrite(context, await sendTwice(send), sent, values);
}

/** Sends what makes a resource or a run; where its answer is uncertain it is looked for. */
function sendCreate(context: ChangeContext, name: string, send: () => Promise<Accepted>): Promise<Accepted> {
  const { run, change, instance, type, parentId } = context;
  const { reads, record, journal } = run;
  const { address } = change;
  const { candidates } = type;
  if (!candidates) return sendTwice(send);
  const search = {
    ...{ name, parentId, declared: instance.resolved, since: firstSentAt(run, address) },
    preexistingIds: record.fences[address] ?? [],
  };
  const note = "the platform failed and may have done it: looking for it for at most 30 s";
  return createOrFind(reads, {
    send,
    look: (now) => candidates(now, { ...search, body: journal.openAt(address).at(-1)?.body }),
    take: (made) => takeMade(context, made),
    refuse: () => journal.closeAt(address, { result: "refused", status: 409 }),
    several: (found) => new DiagnosticsError([severalFound("apply.uncertain", address, found)]),
    command: "rnv apply",
    onWait: () => run.emit({ type: "progress", address, action: "create", note }),
  });
}

async function takeMade(context: ChangeContext, made: LiveResource): Promise<Accepted> {
  const { run, change, instance, type, parentId } = context;
  const { address } = change;
  const { id } = made;
  const recording = { address, resource: context.recordOnAccept(id) };
  await run.journal.closeAt(address, { result: "done", status: 0, id }, { recording });
  return { id, live: made, pending: type.runs?.pendingOf(id, parentId, instance.resolved) };
}

async function finishWrite(
  context: ChangeContext,
  accepted: Accepted,
  sent: ReadonlyMap<string, AppliableValue>,
  values: ReadonlyMap<string, AppliableValue>,
  isNew = false,
): Promise<ChangeEnd> {
  const { run, change, instance, type } = context;
  const { id } = accepted;
  // What earlier attempts meant to set is set now.
  if (accepted.failure === undefined)
    await run.journal.closeAt(change.address, { result: "done", status: 0, id });
  const before = isNew ? undefined : (instance.live?.updatedAt ?? instance.recorded?.updatedAt);
  // An answer about something else says nothing of this.
  const answered = accepted.live?.id === accepted.id ? accepted.live : undefined;
  const isEnough = answered !== undefined && !needsItsTime(type, sent, before, answered);
  const live = isEnough ? answered : ((await readAgain(context, accepted.id)) ?? answered);
  const previous = run.journal.recorded(change.address);
  const whole = recordedAfter({
    ...context,
    id: accepted.id,
    live,
    values,
    previous,
    writes: writesAfter(change, instance, type),
    inputs: inputsOf(run, instance, type),
    isNew,
    pending: accepted.pending,
    writtenAt: writtenNow(run),
  });
  const { defaults } = instance;
  const renamed = live && !isNew ? renamedSince(context, live, sent) : undefined;
  const { mask } = run.journal;
  const unappliedFields = live && verifyApplied(change, { type, sent, live, defaults, before, mask });
  const kept = unappliedFields ? { ...whole, applied: previous?.applied ?? {} } : whole;
  await run.journal.record(change.address, kept);
  if (accepted.failure !== undefined) throw accepted.failure;
  if (unappliedFields) return { kind: "failed", diagnostic: unappliedFields, exitCode: 1 };
  // The fields are written, and only what follows is not done.
  if (renamed) return { kind: "failed", diagnostic: renamed, exitCode: 3 };
  return accepted.pending ? settle(context, accepted.pending, kept) : { kind: "done" };
}

/** Returns the error for a name that someone gave a resource since the plan: what follows was planned for another. */
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

/** Returns whether a secret was changed and the answer has no time that proves it. */
const needsItsTime = (
  type: ChangeContext["type"],
  sent: ComparedWrite["sent"],
  before: string | undefined,
  answered: LiveResource,
): boolean =>
  movedTime(before, before) !== undefined &&
  movedTime(before, answered.updatedAt) === undefined &&
  [...sent.keys()].some((path) => ruleAt(type, path)?.secret === true);

async function readAgain(context: ChangeContext, id: string): Promise<LiveResource | undefined> {
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

/** Nothing to send: what is declared holds already. Recorded only when the state would say something else. */
export async function keepRecord(context: ChangeContext): Promise<ChangeEnd> {
  const { run, change, instance, type } = context;
  const { live, recorded, resolved } = instance;
  const id = live?.id ?? recorded?.id;
  if (id === undefined || (!recorded && change.action !== "adopt")) return { kind: "done" };
  if (run.mode === "refresh-only") return acceptDrift(context);
  const next = recordedAfter({
    ...context,
    id,
    live,
    values: resolved,
    previous: recorded,
    writes: recorded?.writes ?? 0,
    inputs: run.journal.recorded(change.address)?.inputs ?? inputsOf(run, instance, type),
    pending: recorded?.pending,
  });
  // A generated value that was changed outside stays so, and stays drift.
  const isLeft = change.drift?.some(({ cause, after }) => cause === "drift" && after.kind === "secret");
  // A secret that was compared in the clear is as declared, even where others wrote it last.
  const isSeen = instance.isRevealed === true && recorded?.updatedAt !== next.updatedAt;
  if (!recorded || isSeen || !saysTheSame(recorded, next))
    await run.journal.record(change.address, isLeft ? { ...next, updatedAt: recorded?.updatedAt } : next);
  if (recorded && recorded.id !== id) await renameInputs(context, recorded.id, id);
  return { kind: "done" };
}

/** The same thing under another id than the one recorded: what took it in did so, and does not run again for it. */
async function renameInputs({ run, instance }: ChangeContext, from: string, to: string): Promise<void> {
  const parent = instance.recorded?.parent;
  if (parent === undefined) return;
  for (const [address, resource] of run.journal.inside(parent)) {
    const { [from]: writes, ...others } = resource.inputs ?? {};
    if (writes !== undefined)
      await run.journal.record(address, { ...resource, inputs: { ...others, [to]: writes } });
  }
}

/** `-refresh-only`: what was recorded as applied becomes what is live, so that the next plan shows an edit, not drift. */
async function acceptDrift({ run, change, instance, type }: ChangeContext): Promise<ChangeEnd> {
  const { live, recorded, defaults } = instance;
  if (!live || !recorded) return { kind: "done" };
  const applied = Object.entries(recorded.applied).map(([path, value]): [string, AppliedValue] => {
    const now = ruleAt(type, path)?.secret ? undefined : (live.attributes.get(path) ?? defaults.get(path));
    return [path, now ?? value];
  });
  for (const path of pathsWith(type, "alwaysManaged")) {
    const now = live.attributes.get(path);
    if (!(path in recorded.applied) && now !== undefined && now !== defaults.get(path))
      applied.push([path, now]);
  }
  await run.journal.record(change.address, {
    ...{ ...recorded, name: live.name, applied: Object.fromEntries(applied), content: undefined },
    computed: Object.fromEntries(live.computed),
    updatedAt: live.updatedAt ?? recorded.updatedAt,
  });
  return { kind: "done" };
}

/** Computed attributes come and go with every look; they alone are no reason to write. */
function saysTheSame(recorded: RecordedResource, next: RecordedResource): boolean {
  const moving = { computed: undefined, updatedAt: undefined, content: undefined };
  const fixedIn = (record: RecordedResource) => ({ ...record, ...moving }) as unknown as Plain;
  return plainEqual(fixedIn(recorded), fixedIn(next));
}
