import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { ApplyCounts, PlannedAction } from "../model/apply-event";
import type { Plan } from "../plan/plan";
import { applyChange } from "./apply-change";
import type { ChangeEnd, Run } from "./run";
import { schedule } from "./schedule";

export interface RunResult {
  readonly counts: ApplyCounts;
  readonly diagnostics: readonly Diagnostic[];
  /** DESIGN section 8. */
  readonly exitCode: number;
}

/** Runs every change of an approved plan in the order of its dependencies. Never throws for a failed change. */
export async function runPlan(run: Run, plan: Plan, parallelism: number): Promise<RunResult> {
  const ends = new Map<Address, ChangeEnd>();
  const skipped = new Set<Address>();
  let stopped = false;
  for (const change of plan.changes) {
    if (change.action !== "no-op") {
      run.emit({ type: "planned", address: change.address, action: change.action, reason: change.reason });
    }
  }
  const tasks = plan.changes.map((change) => ({
    change,
    address: change.address,
    dependsOn: change.dependsOn,
  }));
  await schedule(tasks, {
    parallelism,
    stopped: () => stopped || run.signal.aborted,
    run: async ({ change }, slot) => {
      const end = await applyChange(run, change, slot);
      ends.set(change.address, end);
      if (end.kind === "failed" && stopsTheRun(end.diagnostic)) stopped = true;
      return end.kind === "done";
    },
    skip: ({ change }, because) => {
      if (change.action === "no-op") return;
      skipped.add(change.address);
      run.emit({ type: "skipped", address: change.address, action: change.action as PlannedAction, because });
    },
  });
  return resultOf(run, plan, ends, skipped);
}

/** No other request can work either: the key is no longer good, or the state is no longer ours to write. */
const stopsTheRun = (diagnostic: Diagnostic): boolean =>
  ["api.unauthorized", "state.lock_lost", "state.write_failed"].includes(diagnostic.code);

function resultOf(
  run: Run,
  plan: Plan,
  ends: ReadonlyMap<Address, ChangeEnd>,
  skipped: ReadonlySet<Address>,
): RunResult {
  const done = plan.changes.filter((change) => ends.get(change.address)?.kind === "done");
  const failures = [...ends.values()].filter((end) => end.kind === "failed");
  const changed = (change: Plan["changes"][number]) => change.attributes.length > 0;
  const counts: ApplyCounts = {
    added: done.filter(({ action }) => action === "create" || action === "replace").length,
    changed: done.filter(
      (change) => change.action === "update" || (change.action === "adopt" && changed(change)),
    ).length,
    destroyed: done.filter(({ action }) => action === "delete" || action === "replace").length,
    adopted: done.filter(({ action }) => action === "adopt").length,
    forgotten: done.filter(({ action }) => action === "forget").length,
    failed: failures.length,
    skipped: skipped.size,
  };
  const worked = done.some(({ action }) => action !== "no-op");
  return {
    counts,
    diagnostics: failures.map((end) => end.diagnostic),
    exitCode: exitCodeOf(
      run,
      failures.map((end) => end.exitCode),
      worked,
    ),
  };
}

function exitCodeOf(run: Run, failures: readonly number[], worked: boolean): number {
  if (run.signal.aborted) return 130;
  if (failures.includes(1)) return worked ? 3 : 1;
  if (failures.includes(7)) return 7;
  return failures.includes(8) ? 8 : 0;
}
