import { pathsWith, ruleAt } from "../model/resource-type";
import type { AppliedValue, RecordedResource } from "../model/state";
import { type Plain, plainEqual } from "../model/value";
import { type ChangeContext, inputsOf } from "./change-context";
import { recordedAfter } from "./record";
import type { ChangeEnd } from "./run";

/** Nothing to send: what is declared holds already. Recorded only when the state would say something else. */
export async function keepRecord(context: ChangeContext): Promise<ChangeEnd> {
  const { run, change, type } = context;
  const { live, recorded, resolved } = change.instance;
  const id = live?.id ?? recorded?.id;
  if (id === undefined || (!recorded && change.action !== "adopt")) return { kind: "done" };
  if (run.mode === "refresh-only") return acceptDrift(context);
  const next = recordedAfter({
    change,
    type,
    id,
    live,
    values: resolved,
    defaults: run.defaults(change.type),
    previous: recorded,
    writes: recorded?.writes ?? 0,
    inputs:
      run.journal.recorded(change.address)?.inputs ?? (type.reacts ? inputsOf(run, change, type) : undefined),
    pending: recorded?.pending,
    fingerprintKey: run.fingerprintKey,
  });
  // What was compared in the clear is known to be as declared, whoever wrote it last.
  const isSeen = change.instance.isRevealed === true && recorded?.updatedAt !== next.updatedAt;
  if (!recorded || isSeen || !saysTheSame(recorded, next)) await run.journal.record(change.address, next);
  if (recorded && recorded.id !== id) await renameInputs(context, recorded.id, id);
  return { kind: "done" };
}

/** The same thing under another id than the one recorded: what took it in did so, and does not run again for it. */
async function renameInputs({ run, change }: ChangeContext, from: string, to: string): Promise<void> {
  const parent = change.instance.recorded?.parent;
  if (parent === undefined) return;
  for (const [address, resource] of run.journal.inside(parent)) {
    const { [from]: writes, ...others } = resource.inputs ?? {};
    if (writes !== undefined)
      await run.journal.record(address, { ...resource, inputs: { ...others, [to]: writes } });
  }
}

/** `-refresh-only`: what was recorded as applied becomes what is live, so that the next plan shows an edit, not drift. */
async function acceptDrift({ run, change, type }: ChangeContext): Promise<ChangeEnd> {
  const { live, recorded } = change.instance;
  if (!live || !recorded) return { kind: "done" };
  const { defaults } = change.instance;
  const applied = Object.entries(recorded.applied).map(([path, value]): [string, AppliedValue] => {
    const now = ruleAt(type, path)?.secret ? undefined : (live.attributes.get(path) ?? defaults.get(path));
    return [path, now ?? value];
  });
  for (const path of pathsWith(type, "alwaysManaged")) {
    const now = live.attributes.get(path);
    if (!(path in recorded.applied) && now !== undefined && now !== defaults.get(path))
      applied.push([path, now]);
  }
  const computed = Object.fromEntries(live.computed);
  const updatedAt = live.updatedAt ?? recorded.updatedAt;
  const next = { ...recorded, name: live.name, applied: Object.fromEntries(applied), computed, updatedAt };
  await run.journal.record(change.address, next);
  return { kind: "done" };
}

/** Computed attributes come and go with every look; they alone are no reason to write. */
function saysTheSame(recorded: RecordedResource, next: RecordedResource): boolean {
  const { computed: _before, updatedAt: _earlier, ...left } = recorded;
  const { computed: _after, updatedAt: _later, ...right } = next;
  return plainEqual(left as unknown as Plain, right as unknown as Plain);
}
