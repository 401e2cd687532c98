import { ApiError, isUncertain } from "../api/api-error";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { LiveResource, Pending, ReadResult } from "../model/live";
import type { Accepted } from "../model/resource-operations";
import { pathsWith } from "../model/resource-type";
import { timeNow } from "../model/time";
import type { Change } from "../plan/plan";
import { sendAgain, sendTwice } from "./journaled-send";
import { recordOfWritten, recordWhileDeleted, without, withoutContent } from "./record";
import { type ChangeContext, type ChangeEnd, readNow } from "./run-context";
import { settle } from "./settle";

/** Deletes by id, confirmed with the planned name, and waits for a queued deletion. */
export async function remove(context: ChangeContext): Promise<ChangeEnd> {
  const { change, type } = context;
  if (change.withParent || change.id === undefined) return forget(context);
  const earlier = await awaitEarlier(context);
  if (earlier !== undefined) return earlier;
  const { address, id, liveName: name } = change;
  const input = { address, id, name, parentId: recordedParentId(context) };
  const send = () => type.remove(context.endpoints, input);
  const accepted = await send().catch(async (failure: unknown): Promise<Accepted> => {
    if (!isUncertain(failure) && !isRefusedAsGone(failure)) throw failure;
    // A 404 says that the deletion has ended: reads will show its end.
    const wait = (failure as ApiError).status === 404 ? {} : { forMs: 0 };
    const [gone] = (await context.run.reads.pollUntilVisible(() => lookForEnd(context), wait)) ?? [];
    if (gone) return recordResult(context, gone);
    if (isUncertain(failure)) return sendAgain(send);
    throw failure;
  });
  return confirmDeleted(context, accepted.pending);
}

/** Waits for a deletion that was requested before. Undefined where no operation shows that it is in progress. */
async function awaitEarlier(context: ChangeContext): Promise<ChangeEnd | undefined> {
  const { run, change, instance, type } = context;
  const pending = run.journal.recorded(change.address)?.pending;
  // Only a service shows that it is being deleted.
  const isUnmarked = pending?.deletes && pending.serviceId !== change.id;
  const ending = instance.ending ?? (isUnmarked ? pending : undefined);
  const status = ending && (await type.poll(run.reads, ending));
  const isUnproven = status?.kind === "failed" || (status?.kind === "waiting" && status.atMost);
  return status && !isUnproven ? confirmDeleted(context, ending) : undefined;
}

/** Returns true if a deletion was refused because there is nothing to delete, or that is being deleted already. */
const isRefusedAsGone = (failure: unknown): boolean =>
  failure instanceof ApiError && failure.kind === "refused" && [404, 409].includes(failure.status ?? 0);

/** Forgets a resource in the state; waits for its deletion in progress, because its parent may be deleted next. */
export async function forget(context: ChangeContext): Promise<ChangeEnd> {
  const { change, run } = context;
  const { ending } = context.instance;
  if (change.retains) return retain(context);
  await proveGone(context);
  if (ending !== undefined) return confirmDeleted(context, ending);
  await forgetInside(context);
  await run.journal.record(change.address, null);
  return { kind: "done" };
}

async function confirmDeleted(context: ChangeContext, pending: Pending | undefined): Promise<ChangeEnd> {
  const { run, change } = context;
  if (pending !== undefined) {
    const end = await settle(context, pending, run.journal.recorded(change.address));
    if (end.kind !== "done") return end;
  }
  await forgetInside(context);
  await run.journal.record(change.address, null, timeNow(run));
  return { kind: "done" };
}

/** Forgets the parts of a resource first: its address may soon hold another resource without them. */
async function forgetInside({ run, change }: ChangeContext): Promise<void> {
  for (const [address, { type }] of run.journal.inside(change.address))
    if (run.types.get(type)?.removedWithParent) await run.journal.record(address, null);
}

/** Returns the id of the recorded parent; the declared parent may be another. */
function recordedParentId({ run, instance, parentId }: ChangeContext): string | undefined {
  const parent = instance.recorded?.parent;
  const id = parent && (run.journal.recorded(parent)?.id ?? run.lookup(parent, "id"));
  return typeof id === "string" ? id : parentId;
}

type Gone = Extract<ReadResult, { readonly kind: "gone" }>;

/** Returns the read of a resource that an uncertain deletion ended; nothing where it still exists. */
async function lookForEnd(context: ChangeContext): Promise<readonly Gone[]> {
  const { run, change, type } = context;
  const { address, id = "", liveName: name } = change;
  const recorded = run.journal.recorded(address);
  // A refusal proves a deletion in progress, even after a failed deletion.
  const asked = recorded && without(recorded, ["deletionFailed"]);
  const parentId = recordedParentId(context);
  const read = await readNow(run, type, { address, id, name, parentId, recorded: asked });
  return read.kind === "gone" ? [read] : [];
}

/** Closes the writes of a requested deletion, whose end is still to be proven. */
async function recordResult(context: ChangeContext, { ending }: Gone): Promise<Accepted> {
  const { run, change, type } = context;
  const { address, id = "" } = change;
  const pending = ending ?? type.deletes?.pendingOf(id, undefined, recordedParentId(context));
  const recorded = run.journal.recorded(address);
  const resource = recorded && pending ? recordWhileDeleted(recorded, pending) : null;
  await run.journal.closeAt(address, { result: "done", status: 0, id }, { recording: { address, resource } });
  return { id, pending };
}

/** Archives a resource (`onRemove: archive`). Its record stays, for a later declaration. */
export async function archive(context: ChangeContext): Promise<ChangeEnd> {
  const { change, type, endpoints } = context;
  const { archives } = type;
  if (!archives || change.id === undefined) throw new Error(`${change.type} cannot be archived`);
  const input = { address: change.address, id: change.id, name: change.liveName };
  const accepted = await sendTwice(() => archives.archive(endpoints, input));
  await context.run.journal.closeAt(change.address, { result: "done", status: 0, id: accepted.id });
  return retain(context, accepted.live);
}

/** Marks a resource as retained, its parts first: unmarked ones would be planned for deletion. */
export async function retain({ run, change, type }: ChangeContext, live?: LiveResource): Promise<ChangeEnd> {
  for (const [address, resource] of run.journal.inside(change.address))
    if (run.types.get(resource.type)?.removedWithParent)
      await run.journal.record(address, { ...resource, retained: true });
  const recorded = run.journal.recorded(change.address);
  if (recorded === undefined) return { kind: "done" };
  const previous = withoutContent({ ...recorded, retained: true });
  const managed = pathsWith(type, "alwaysManaged").flatMap((path) => {
    const value = live?.attributes.get(path);
    return value === undefined ? [] : [[path, value] as const];
  });
  const applied = { ...recorded.applied, ...Object.fromEntries(managed) };
  const next = live ? recordOfWritten(run, live, { applied }, previous) : previous;
  await run.journal.record(change.address, next);
  return { kind: "done" };
}

/**
 * Reads an unlisted resource by its ID before it is created again or forgotten: a list alone is no proof (DESIGN
 * section 5). Throws `DiagnosticsError` when it exists.
 */
export async function proveGone({ run, change, instance, type, endpoints }: ChangeContext): Promise<void> {
  const { address } = change;
  const { recorded } = instance;
  if (!change.missing || recorded === undefined) return;
  const parent = recorded.parent && run.journal.recorded(recorded.parent);
  // Without its parent it is gone as well.
  if (recorded.parent !== undefined && !parent) return;
  const input = { address, id: recorded.id, name: recorded.name, parentId: parent?.id };
  if (type.deletes?.find) {
    const found = await type.deletes.find(endpoints, input);
    if (found === undefined) return;
    // The write that finds it moves its time alone.
    await run.journal.record(address, { ...recorded, updatedAt: found.updatedAt ?? recorded.updatedAt });
  } else {
    if (type.removedWithParent) return;
    if ((await readNow(run, type, { ...input, recorded })).kind !== "found") return;
  }
  const hint = "run the command again; if it is left out again, look at it in the dashboard";
  throw notGone(change, recorded.id, hint);
}

export function notGone({ address, range }: Change, id: string, hint: string): DiagnosticsError {
  const summary = `${address} exists (ID ${id}), but the API did not list it for the plan`;
  return new DiagnosticsError([error("live.gone_unproven", summary, { address, range, hint })]);
}
