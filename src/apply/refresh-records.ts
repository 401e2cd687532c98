import type { Attributes } from "../model/attributes";
import { type Plain, plainEqual } from "../model/value";
import { changesRecordOnly } from "../plan/diff-lifecycle";
import type { Plan } from "../plan/plan";
import type { Run } from "./run";

/**
 * Looks once more at what something ran in (a service that was deployed), so that the state shows it as it is after the
 * run and not as it was before. What cannot be read stays as it was recorded: nothing depends on it.
 */
export async function refreshRecords(run: Run, plan: Plan): Promise<void> {
  const ran = plan.changes.filter(
    (change) =>
      run.types.get(change.type)?.reacts !== undefined &&
      (change.action === "create" || change.action === "update") &&
      !changesRecordOnly(change),
  );
  const around = new Set(ran.flatMap(({ instance }) => instance.desired?.parent ?? []));
  if (around.size === 0 || run.signal.aborted) return;
  run.reads.invalidate();
  for (const address of around) {
    const recorded = run.journal.recorded(address);
    const type = recorded && run.types.get(recorded.type);
    if (!recorded || !type) continue;
    const parentId = recorded.parent === undefined ? undefined : run.journal.recorded(recorded.parent)?.id;
    const declared: Attributes = new Map();
    const { id, name } = recorded;
    const instance = { address, id, name, declared, recorded, ...(parentId !== undefined && { parentId }) };
    const read = await Promise.resolve()
      .then(() => type.read(run.reads, instance))
      .catch(() => undefined);
    // Without the first there is no use in asking for the others.
    if (read === undefined) return;
    if (read.kind !== "found" || read.live.id !== id) continue;
    const computed: Record<string, Plain> = Object.fromEntries(read.live.computed);
    if (!plainEqual(computed, recorded.computed))
      await run.journal.record(address, { ...recorded, computed });
  }
}
