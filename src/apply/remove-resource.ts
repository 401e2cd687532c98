import type { Attributes } from "../model/attributes";
import type { Accepted } from "../model/resource-type";
import type { ChangeContext } from "./change-context";
import { isUncertain } from "./observe";
import type { ChangeEnd } from "./run";
import { settle } from "./settle";

/** Deletes by id, confirmed with the planned name, and waits for a queued deletion. */
export async function remove(context: ChangeContext): Promise<ChangeEnd> {
  const { run, change, type } = context;
  if (!change.withParent && change.id !== undefined) {
    const input = {
      address: change.address,
      id: change.id,
      name: change.name,
      parentId: recordedParentId(context),
    };
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

/** It is deleted where it was, which may not be where it is declared to be. */
function recordedParentId({ run, change, parentId }: ChangeContext): string | undefined {
  const parent = change.subject.recorded?.parent;
  const id =
    parent === undefined ? undefined : (run.journal.recorded(parent)?.id ?? run.lookup(parent, "id"));
  return typeof id === "string" ? id : parentId;
}

async function isGone(context: ChangeContext): Promise<boolean> {
  const { run, change, type } = context;
  const parentId = recordedParentId(context);
  run.reads.invalidate();
  const declared: Attributes = new Map();
  const subject = { address: change.address, id: change.id, name: change.name, declared, parentId };
  return (await type.read(run.reads, subject)).kind === "gone";
}

/** `onRemove: archive`: kept at the service, no longer ours. */
export async function archive(context: ChangeContext): Promise<ChangeEnd> {
  const { change, type } = context;
  if (!type.archive || change.id === undefined) throw new Error(`${change.type} cannot be archived`);
  await type.archive(context.endpoints, { address: change.address, id: change.id, name: change.name });
  return forget(context);
}

/** Only the state forgets it. */
export async function forget(context: ChangeContext): Promise<ChangeEnd> {
  await context.run.journal.record(context.change.address, null);
  return { kind: "done" };
}
