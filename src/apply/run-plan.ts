import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { ApplyCounts } from "../model/apply-event";
import type { Plan } from "../plan/plan";
import { applyChange } from "./apply-change";
import type { ChangeEnd, Run } from "./run";
import { type RunTask, runTasks } from "./run-tasks";
import { schedule } from "./schedule";

export interface RunResult {
  readonly counts: ApplyCounts;
  readonly diagnostics: readonly Diagnostic[];
  /** DESIGN section 8. */
  readonly exitCode: number;
}

interface Ended {
  readonly task: RunTask;
  readonly end: ChangeEnd;
}

/**
 * Runs every change of an approved plan in the order of its dependencies, at most `parallelism` at once. Never throws for a
 * failed change.
 */
export async function runPlan(run: Run, plan: Plan, parallelism: number): Promise<RunResult> {
  const ended: Ended[] = [];
  const skipped = new Set<Address>();
  let stopped = false;
  announce(run, plan);
  // What the plan was made from may be minutes old: it was shown and approved in between.
  run.reads.invalidate();
  await schedule(runTasks(plan), {
    parallelism,
    stopped: () => stopped || run.signal.aborted,
    run: async (task, slot) => {
      const end = await applyChange(run, task.change, task.phase, slot);
      ended.push({ task, end });
      if (end.kind === "failed" && stopsTheRun(end.diagnostic)) stopped = true;
      return end.kind === "done";
    },
    skip: ({ change }, because) => {
      const { address, action } = change;
      if (action === "no-op" || skipped.has(address)) return;
      skipped.add(address);
      const failed = because.map((id) => id.replace(/ \(delete\)$/, "") as Address);
      run.emit({ type: "skipped", address, action, because: failed.filter((other) => other !== address) });
    },
  });
  return resultOf(run, ended, skipped);
}

function announce(run: Run, plan: Plan): void {
  for (const { address, action, reason } of plan.changes) {
    if (action !== "no-op") run.emit({ type: "planned", address, action, reason });
  }
}

/** No other request can work either: the key is no longer good, or the state is no longer ours to write. */
const stopsTheRun = (diagnostic: Diagnostic): boolean =>
  ["api.unauthorized", "state.lock_lost", "state.write_failed"].includes(diagnostic.code);

function resultOf(run: Run, ended: readonly Ended[], skipped: ReadonlySet<Address>): RunResult {
  const done = ended.filter(({ end }) => end.kind === "done").map(({ task }) => task);
  const failures = ended.flatMap(({ end }) => (end.kind === "failed" ? [end] : []));
  const count = (is: (task: RunTask) => boolean): number => done.filter(is).length;
  const counts: ApplyCounts = {
    added: count(({ change, phase }) => change.action === "create" || phase === "create"),
    changed: count(
      ({ change }) =>
        change.action === "update" ||
        isArchived(change) ||
        (change.action === "adopt" && change.attributes.length > 0),
    ),
    destroyed: count(
      ({ change, phase }) => (change.action === "delete" && !isArchived(change)) || phase === "delete",
    ),
    adopted: count(({ change }) => change.action === "adopt"),
    forgotten: count(({ change }) => change.action === "forget"),
    failed: failures.length,
    skipped: skipped.size,
  };
  const worked = done.some(({ change }) => change.action !== "no-op");
  return {
    counts,
    diagnostics: failures.map((end) => end.diagnostic),
    exitCode: exitCodeOf(run, failures, worked),
  };
}

const isArchived = (change: RunTask["change"]): boolean =>
  change.action === "delete" && change.onRemove === "archive";

function exitCodeOf(run: Run, failures: readonly { readonly exitCode: number }[], worked: boolean): number {
  const codes = failures.map(({ exitCode }) => exitCode);
  if (run.signal.aborted) return 130;
  if (codes.includes(1)) return worked ? 3 : 1;
  if (codes.includes(7)) return 7;
  return codes.includes(8) ? 8 : 0;
}
