import { ApiError } from "../api/api-error";
import type { Attributes } from "../model/attributes";
import type { Pending } from "../model/pending";
import type { Accepted } from "../model/resource-type";
import type { ChangeContext } from "./change-context";
import { isUncertain } from "./observe";
import { isLeftOut, proveGone } from "./prove-gone";
import type { ChangeEnd } from "./run";
import { settle } from "./settle";

/** Deletes by id, confirmed with the planned name, and waits for a queued deletion. */
export async function remove(context: ChangeContext): Promise<ChangeEnd> {
  const { change, type } = context;
  if (change.withParent || change.id === undefined) return forget(context);
  const input = {
    address: change.address,
    id: change.id,
    name: change.name,
    parentId: recordedParentId(context),
  };
  const send = () => type.remove(context.endpoints, input);
  const accepted = await send().catch(async (failure: unknown): Promise<Accepted> => {
    if (isGonePart(type, failure) && (await isLeftOut(context))) return { id: input.id };
    if (!isUncertain(failure)) throw failure;
    return (await seenGone(context)) ?? send();
  });
  return seenDeleted(context, accepted.pending);
}

/** A part of something: the service says that it is not there, which is what was wanted. */
const isGonePart = ({ removedWithParent }: ChangeContext["type"], failure: unknown): boolean =>
  removedWithParent && failure instanceof ApiError && failure.kind === "refused" && failure.status === 404;

/** Only the state forgets it; what is still being deleted is waited for, because what it lay in may go next. */
export async function forget(context: ChangeContext): Promise<ChangeEnd> {
  await proveGone(context);
  return seenDeleted(context, context.change.subject.ending);
}

async function seenDeleted(context: ChangeContext, pending: Pending | undefined): Promise<ChangeEnd> {
  const { run, change } = context;
  if (pending !== undefined) {
    const end = await settle(context, pending, run.journal.recorded(change.address));
    if (end.kind !== "done") return end;
  }
  // What went along is forgotten first: under the same address there may soon be another one without it.
  for (const [address, { type }] of run.journal.inside(change.address))
    if (run.types.get(type)?.removedWithParent) await run.journal.record(address, null);
  await run.journal.record(change.address, null);
  return { kind: "done" };
}

/** It is deleted where it was, which may not be where it is declared to be. */
function recordedParentId({ run, change, parentId }: ChangeContext): string | undefined {
  const parent = change.subject.recorded?.parent;
  const id =
    parent === undefined ? undefined : (run.journal.recorded(parent)?.id ?? run.lookup(parent, "id"));
  return typeof id === "string" ? id : parentId;
}

/** A deletion without a certain answer that did happen: its writes are over. */
async function seenGone(context: ChangeContext): Promise<Accepted | undefined> {
  const { run, change, type } = context;
  const id = change.id ?? "";
  const parentId = recordedParentId(context);
  run.reads.invalidate();
  const declared: Attributes = new Map();
  const read = await type.read(run.reads, {
    address: change.address,
    id,
    name: change.name,
    declared,
    parentId,
  });
  if (read.kind !== "gone") return undefined;
  const open = run.journal.openAt(change.address).map(({ seq }) => seq);
  const recorded = run.journal.recorded(change.address);
  await run.journal.close(
    open,
    { result: "done", status: 0, id },
    {
      address: change.address,
      resource: recorded && read.ending ? { ...recorded, pending: read.ending } : null,
    },
  );
  return { id, pending: read.ending };
}

/** `onRemove: archive`: kept at the service, no longer ours. */
export async function archive(context: ChangeContext): Promise<ChangeEnd> {
  const { change, type } = context;
  if (!type.archive || change.id === undefined) throw new Error(`${change.type} cannot be archived`);
  await type.archive(context.endpoints, { address: change.address, id: change.id, name: change.name });
  return forget(context);
}
