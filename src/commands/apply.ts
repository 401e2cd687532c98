import { type Diagnostic, error, hasErrors } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { ApplyCounts } from "../model/apply-event";
import type { Plain } from "../model/value";
import { compareWithSaved, readSavedPlan, type SavedPlan } from "../plan/document";
import { isUnconfirmed } from "../plan/guards";
import { makePlan } from "../plan/make-plan";
import type { Change, Plan, PlanInput, Revealed } from "../plan/plan";
import type { StateSession } from "../state/backend";
import type { Context, Outcome } from "./context";
import { execute } from "./execute";
import { exitCodeOf } from "./exit-code";
import { holdLock } from "./hold-lock";
import { addresses, type Prepared, prepare } from "./prepare";
import type { ApplyRequest, Approval } from "./requests";
import { runAgain } from "./run-again";

export interface ApplyOutcome extends Outcome {
  readonly plan?: Plan;
  readonly counts?: ApplyCounts;
  readonly outputs?: Readonly<Record<string, Plain>>;
  /** The user said no. */
  readonly cancelled?: true;
}

/** `rnv apply` and `rnv destroy`: lock -> plan -> approve -> guard -> run -> record. */
export async function apply(context: Context, request: ApplyRequest): Promise<ApplyOutcome> {
  const lock = {
    command: request.mode === "destroy" ? "destroy" : "apply",
    timeoutMs: request.lockTimeoutMs,
  };
  return holdLock(context, lock, (session) => applyLocked(context, request, session));
}

async function applyLocked(
  context: Context,
  request: ApplyRequest,
  session: StateSession,
): Promise<ApplyOutcome> {
  const startedAt = context.clock.elapsed();
  const saved = request.savedPlan === undefined ? undefined : readSavedPlan(request.savedPlan);
  if (saved && hasErrors(saved.diagnostics)) return stopped(saved.diagnostics, new Map());
  const wanted = saved?.document
    ? { ...request, ...saved.document.request, confirmsAll: false, ...revealedIn(saved.document) }
    : { ...request, confirmsAll: request.mode === "destroy" };
  const { prepared, diagnostics, sources } = await prepare(context, wanted, {
    state: session.state,
    writes: true,
    foresees: true,
  });
  if (!prepared) return stopped(diagnostics, sources);
  if (prepared.plan.revealed && !saved) {
    const equal = prepared.plan.revealed.filter(({ isEqual }) => isEqual).length;
    context.emit({ type: "revealed", count: prepared.plan.revealed.length, equal });
  }
  // What keeps any plan from being applied says more than what differs because of it.
  if (hasErrors(diagnostics)) return { ...stopped(diagnostics, sources), plan: prepared.plan };
  const stale = saved?.document ? compareWithSaved(saved.document, prepared.plan) : undefined;
  if (stale) return stopped([...diagnostics, stale], sources);
  if (prepared.plan.changes.some(isRefusedAnyway)) {
    const refusals = prepared.plan.changes.flatMap(refusalOf);
    return { ...stopped([...diagnostics, ...refusals], sources), plan: prepared.plan };
  }

  const plan = await approvedPlan(prepared, request);
  if (!plan) return { ...stopped(diagnostics, sources), exitCode: 1, plan: prepared.plan, cancelled: true };
  const refusals = plan.changes.flatMap(refusalOf);
  if (refusals.length > 0) return { ...stopped([...diagnostics, ...refusals], sources), plan };

  const result = await execute(context, session, prepared, plan, request.parallelism);
  const { counts, outputs } = result;
  const exitCode = result.exitCode === 0 ? exitCodeOfLeft(plan, diagnostics) : result.exitCode;
  const elapsedSeconds = (context.clock.elapsed() - startedAt) / 1000;
  const hint = exitCode === 0 ? undefined : runAgain(request, saved?.document?.request);
  context.emit({ type: "summary", mode: plan.options.mode, counts, exitCode, elapsedSeconds, hint });
  return { plan, counts, outputs, exitCode, diagnostics: [...diagnostics, ...result.diagnostics], sources };
}

function revealedIn({ revealed }: SavedPlan): Pick<ApplyRequest, "revealed"> {
  return revealed ? { revealed: new Map(Object.entries(revealed) as [Address, Revealed][]) } : {};
}

/** A plan that changes nothing needs no approval; deletions that were confirmed by name are so in a new plan. */
async function approvedPlan({ plan, input }: Prepared, request: ApplyRequest): Promise<Plan | undefined> {
  if (plan.changes.every(({ action }) => action === "no-op")) return plan;
  if (request.savedPlan === undefined) return confirmedPlan(plan, input, await request.approve(plan));
  // A saved plan carries the confirmations it was made with, and is none itself.
  const confirmedDeletes = addresses("--confirm-delete", request.confirmedDeletes);
  const confirmed = confirmedPlan(plan, input, { confirmedDeletes });
  if (!confirmed?.changes.some(isUnconfirmed)) return confirmed;
  return confirmedPlan(confirmed, { ...input, options: confirmed.options }, await request.approve(confirmed));
}

function confirmedPlan(plan: Plan, input: PlanInput, approval: Approval | undefined): Plan | undefined {
  if (!approval) return undefined;
  if (approval.confirmedDeletes.length === 0) return plan;
  const confirmedDeletes = [...input.options.confirmedDeletes, ...approval.confirmedDeletes];
  return makePlan({ ...input, options: { ...input.options, confirmedDeletes } });
}

/** No confirmation lifts what stands in the way: nobody is asked for names first. */
const isRefusedAnyway = (change: Change): boolean => change.guard !== undefined && !isUnconfirmed(change);

/** Something that an earlier run queued still goes on or waits for the dashboard, and this run did not replace it. */
function exitCodeOfLeft({ changes }: Plan, diagnostics: readonly Diagnostic[]): number {
  const left = diagnostics.filter(({ address: waiting }) =>
    changes.some(({ address, action }) => address === waiting && action === "no-op"),
  );
  if (left.some(({ code }) => code === "apply.deploy_timeout")) return 7;
  return left.some(({ code }) => code === "apply.awaiting_checkout") ? 8 : 0;
}

const refusalOf = ({ address, guard, instance }: Change): Diagnostic[] =>
  guard
    ? [error(guard.code, guard.summary, { address, hint: guard.hint, range: instance.desired?.range })]
    : [];

const stopped = (diagnostics: readonly Diagnostic[], sources: ReadonlyMap<string, string>): ApplyOutcome => ({
  diagnostics,
  sources,
  exitCode: exitCodeOf(diagnostics),
});
