import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Attributes } from "../model/attributes";
import type { ChangeContext } from "./change-context";

/**
 * A list that leaves a thing out is no proof that it is gone (DESIGN section 5): before it is made anew or forgotten,
 * it is asked for by its id. Throws `DiagnosticsError` when it is there.
 */
export async function proveGone({ run, change, type, endpoints }: ChangeContext): Promise<void> {
  const { address } = change;
  const recorded = change.instance.recorded;
  if (!change.missing || recorded === undefined) return;
  const parent = recorded.parent && run.journal.recorded(recorded.parent);
  // Without what it lay in it is gone as well.
  if (recorded.parent !== undefined && !parent) return;
  const input = { address, id: recorded.id, name: recorded.name, parentId: parent?.id };
  if (type.deletes?.find) {
    const found = await type.deletes.find(endpoints, input);
    if (found === undefined) return;
    // Asking for it moved its time; nothing of it changed.
    await run.journal.record(address, { ...recorded, updatedAt: found.updatedAt ?? recorded.updatedAt });
  } else {
    if (type.removedWithParent) return;
    run.reads.invalidate();
    const declared: Attributes = new Map();
    if ((await type.read(run.reads, { ...input, declared, recorded })).kind !== "found") return;
  }
  throw new DiagnosticsError([
    error(
      "live.gone_unproven",
      `${address} is there (id ${recorded.id}), and was not shown when the plan was made`,
      {
        address,
        range: change.instance.desired?.range,
        hint: "run the command again; if it is left out again, look at it in the dashboard",
      },
    ),
  ]);
}

/** What it lies in is there, and does not show it: a 404 for it is no sign of a lost membership. */
export async function isLeftOut({ run, change, type }: ChangeContext): Promise<boolean> {
  const { recorded } = change.instance;
  const parent = recorded?.parent === undefined ? undefined : run.journal.recorded(recorded.parent);
  const outer = parent && run.types.get(parent.type);
  if (recorded === undefined || parent === undefined || outer === undefined) return false;
  run.reads.invalidate();
  const declared: Attributes = new Map();
  const { id, name } = parent;
  const around = await outer.read(run.reads, { address: change.address, id, name, declared });
  if (around.kind !== "found") return false;
  const instance = { address: change.address, id: recorded.id, name: recorded.name, declared, parentId: id };
  return (await type.read(run.reads, instance)).kind !== "found";
}
