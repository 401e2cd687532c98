import { diagnosticOf } from "../api/diagnostic-of";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { StepAction } from "../model/apply-event";
import type { Attributes } from "../model/attributes";
import type { LiveResource } from "../model/live";
import type { Accepted, AppliableValue } from "../model/resource-type";
import type { RecordedResource } from "../model/state";
import { type Plain, plainEqual } from "../model/value";
import type { Change } from "../plan/plan";
import { type ChangeContext, changeContext, inputsOf } from "./change-context";
import { knownAttributes, UnknownReference } from "./known-values";
import { isUncertain, observeCreated } from "./observe";
import { recordedAfter } from "./record";
import type { ChangeEnd, Run } from "./run";
import type { Slot } from "./schedule";
import { settle } from "./settle";
import { verifyTaken } from "./verify-taken";

/** Carries out one change to the end: writes, verification, settling, and what the state keeps of it. */
export async function applyChange(run: Run, change: Change, slot: Slot): Promise<ChangeEnd> {
  const context = changeContext(run, change, slot);
  try {
    if (change.previousAddress !== undefined) await takeOverAddress(context, change.previousAddress);
    return await performAction(context);
  } catch (failure) {
    return { kind: "failed", diagnostic: diagnosticOfFailure(change, failure), exitCode: 1 };
  }
}

async function performAction(context: ChangeContext): Promise<ChangeEnd> {
  const { change } = context;
  switch (change.action) {
    case "create":
      return step(context, "create", create);
    case "update":
      return step(context, "update", update);
    case "adopt":
      return step(context, "adopt", change.attributes.length > 0 ? update : keepRecord);
    case "replace": {
      const removed = await step(context, "delete", remove);
      return removed.kind === "done" ? step(context, "create", create) : removed;
    }
    case "delete":
      return change.onRemove === "archive"
        ? step(context, "archive", archive)
        : step(context, "delete", remove);
    case "forget":
      return step(context, "forget", forget);
    case "no-op":
      return keepRecord(context);
  }
}

/** A moved resource is recorded under its new address before anything else happens to it. */
async function takeOverAddress({ run, change }: ChangeContext, previous: Address): Promise<void> {
  const recorded = run.journal.recorded(previous);
  if (recorded) await run.journal.move(previous, change.address, recorded);
}

async function step(
  context: ChangeContext,
  action: StepAction,
  perform: (context: ChangeContext) => Promise<ChangeEnd>,
): Promise<ChangeEnd> {
  const { run, change } = context;
  const startedAt = run.clock.now();
  run.emit({
    type: "start",
    address: change.address,
    action,
    id: action === "create" ? undefined : change.id,
  });
  const end = await perform(context).catch((failure: unknown): ChangeEnd => {
    return { kind: "failed", diagnostic: diagnosticOfFailure(change, failure), exitCode: 1 };
  });
  const elapsedSeconds = (run.clock.now() - startedAt) / 1000;
  const about = { address: change.address, action, elapsedSeconds };
  if (end.kind === "done")
    run.emit({ type: "done", ...about, id: run.journal.recorded(change.address)?.id ?? change.id });
  if (end.kind === "failed") run.emit({ type: "failed", ...about, diagnostic: end.diagnostic });
  return end;
}

async function create(context: ChangeContext): Promise<ChangeEnd> {
  const values = declaredValues(context);
  const input = {
    address: context.change.address,
    name: nameIn(context, values),
    attributes: values,
    parent: parentAttributes(context),
  };
  const accepted = await sureOfCreate(context, input.name, () =>
    context.type.create(context.endpoints, input),
  );
  return finishWrite(context, accepted, values, values);
}

async function update(context: ChangeContext): Promise<ChangeEnd> {
  const { change, type } = context;
  const values = declaredValues(context);
  const sent = valuesToSend(context, values);
  const input = {
    address: change.address,
    name: nameIn(context, values),
    id: change.id ?? "",
    attributes: new Map([...values, ...sent]),
    parent: parentAttributes(context),
    changed: new Set(sent.keys()),
    live: change.subject.live,
    recorded: change.subject.recorded,
  };
  const send = () => type.update(context.endpoints, input);
  const accepted = type.reaction
    ? await sureOfCreate(context, input.name, send)
    : await send().catch((failure: unknown) => (isUncertain(failure) ? send() : Promise.reject(failure)));
  return finishWrite(context, accepted, sent, values);
}

/** A create without a certain answer is looked for before it is sent again, under the same key. */
async function sureOfCreate(
  context: ChangeContext,
  name: string,
  send: () => Promise<Accepted>,
): Promise<Accepted> {
  try {
    return await send();
  } catch (failure) {
    if (!isUncertain(failure)) throw failure;
    const { run, change, type, parentId } = context;
    const fence = run.record.fences[change.address] ?? [];
    const made = await observeCreated(type, run.reads, change.address, { name, parentId, fence });
    if (!made) return send();
    const open = run.journal.openAt(change.address).map((intent) => intent.seq);
    await run.journal.close(open, { result: "done", status: 0, id: made.id });
    return { id: made.id, live: made, pending: type.pendingOf?.(made.id, parentId, plainCommit(context)) };
  }
}

async function finishWrite(
  context: ChangeContext,
  accepted: Accepted,
  sent: ReadonlyMap<string, AppliableValue>,
  values: ReadonlyMap<string, AppliableValue>,
): Promise<ChangeEnd> {
  const { run, change, type } = context;
  const live = accepted.live ?? (await readAgain(context, accepted.id));
  const previous = run.journal.recorded(change.address);
  const inputs = type.reaction ? inputsOf(run, change, type) : undefined;
  const recording = {
    change,
    type,
    id: accepted.id,
    live,
    values,
    previous,
    writes: (change.subject.recorded?.writes ?? 0) + 1,
    inputs,
    fingerprintKey: run.fingerprintKey,
  };
  const notTaken = live ? verifyTaken(change, type, sent, live, run.defaults(change.type)) : undefined;
  const kept = notTaken
    ? { ...recordedAfter(recording), applied: previous?.applied ?? {} }
    : recordedAfter(recording);
  await run.journal.record(change.address, accepted.pending ? { ...kept, pending: accepted.pending } : kept);
  if (accepted.failure !== undefined) throw accepted.failure;
  if (notTaken) return { kind: "failed", diagnostic: notTaken, exitCode: 1 };
  return accepted.pending ? settle(context, accepted.pending, kept) : { kind: "done" };
}

/** A write whose answer did not show the thing: one look by id. */
async function readAgain(context: ChangeContext, id: string): Promise<LiveResource | undefined> {
  const { run, change, type, parentId } = context;
  run.reads.invalidate();
  const declared = change.subject.resolved;
  const read = await type.read(run.reads, {
    address: change.address,
    id,
    name: change.name,
    declared,
    parentId,
  });
  return read.kind === "found" ? read.live : undefined;
}

async function remove(context: ChangeContext): Promise<ChangeEnd> {
  const { run, change, type } = context;
  if (!change.withParent && change.id !== undefined) {
    const input = { address: change.address, id: change.id, name: change.name, parentId: context.parentId };
    const send = () => type.remove(context.endpoints, input);
    const accepted = await send().catch(async (failure: unknown): Promise<Accepted> => {
      if (!isUncertain(failure)) throw failure;
      return (await isGone(context)) ? { id: input.id } : send();
    });
    if (accepted.pending) {
      const recorded = run.journal.recorded(change.address);
      const end = await settle(context, accepted.pending, recorded);
      if (end.kind !== "done") return end;
    }
  }
  await run.journal.record(change.address, null);
  return { kind: "done" };
}

async function isGone(context: ChangeContext): Promise<boolean> {
  const { run, change, type, parentId } = context;
  run.reads.invalidate();
  const declared: Attributes = new Map();
  const subject = { address: change.address, id: change.id, name: change.name, declared, parentId };
  return (await type.read(run.reads, subject)).kind === "gone";
}

async function archive(context: ChangeContext): Promise<ChangeEnd> {
  const { change, type } = context;
  if (!type.archive || change.id === undefined) throw new Error(`${change.type} cannot be archived`);
  await type.archive(context.endpoints, { address: change.address, id: change.id, name: change.name });
  return forget(context);
}

async function forget(context: ChangeContext): Promise<ChangeEnd> {
  await context.run.journal.record(context.change.address, null);
  return { kind: "done" };
}

/** Nothing to send: what is declared holds already. Recorded only when the state would say something else. */
async function keepRecord(context: ChangeContext): Promise<ChangeEnd> {
  const { run, change, type } = context;
  const { live, recorded, resolved } = change.subject;
  const id = live?.id ?? recorded?.id;
  if (id === undefined) return { kind: "done" };
  const next = recordedAfter({
    change,
    type,
    id,
    live,
    values: resolved,
    previous: recorded,
    writes: recorded?.writes ?? 0,
    inputs: recorded?.inputs ?? (type.reaction ? inputsOf(run, change, type) : undefined),
    pending: recorded?.pending,
    fingerprintKey: run.fingerprintKey,
  });
  if (!recorded || !saysTheSame(recorded, next)) await run.journal.record(change.address, next);
  return { kind: "done" };
}

/** Computed attributes come and go with every look; they alone are no reason to write. */
function saysTheSame(recorded: RecordedResource, next: RecordedResource): boolean {
  const { computed: _before, updatedAt: _earlier, ...left } = recorded;
  const { computed: _after, updatedAt: _later, ...right } = next;
  return plainEqual(left as unknown as Plain, right as unknown as Plain);
}

const declaredValues = ({ run, change }: ChangeContext): Map<string, AppliableValue> =>
  change.subject.desired ? knownAttributes(change.subject.desired, run.lookup, run.generate) : new Map();

/** The value to send for each field that changes; a field back to its default is sent explicitly (PATCH merges). */
function valuesToSend(
  context: ChangeContext,
  values: ReadonlyMap<string, AppliableValue>,
): Map<string, AppliableValue> {
  const defaults = context.run.defaults(context.change.type);
  return new Map(
    context.change.attributes.map(({ path }) => [path, values.get(path) ?? defaults.get(path) ?? null]),
  );
}

function nameIn({ change, type }: ChangeContext, values: ReadonlyMap<string, AppliableValue>): string {
  const name = type.nameAttribute === undefined ? undefined : values.get(type.nameAttribute);
  return typeof name === "string" ? name : change.name;
}

const plainCommit = ({ change }: ChangeContext): Plain | undefined => {
  const commit = change.subject.resolved.get("commit");
  return typeof commit === "string" ? commit : undefined;
};

function parentAttributes({ run, change, type }: ChangeContext): Attributes | undefined {
  const parent = change.subject.desired?.parent;
  if (parent === undefined) return undefined;
  const parentType = [...run.types.values()].find((candidate) => parent.startsWith(`${candidate.type}.`));
  const paths = Object.keys(parentType?.computed ?? {});
  const known = paths.map((path) => [path, run.lookup(parent, path)] as const);
  return type.parents.length === 0
    ? undefined
    : new Map(known.filter((entry): entry is [string, Plain] => entry[1] !== undefined));
}

function diagnosticOfFailure(change: Change, failure: unknown) {
  const single = change.attributes.length === 1 ? change.attributes[0]?.range : undefined;
  const range = single ?? change.subject.desired?.range;
  if (failure instanceof DiagnosticsError && failure.diagnostics[0]) return failure.diagnostics[0];
  if (failure instanceof UnknownReference) {
    return error(
      "apply.failed",
      `${change.address}: ${failure.message} after ${failure.address} was applied`,
      {
        address: change.address,
        range,
        hint: `the service has not told ${failure.attribute} of ${failure.address} yet; run rnv apply again`,
      },
    );
  }
  return diagnosticOf(failure, { address: change.address, range });
}
