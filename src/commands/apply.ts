import { type Diagnostic, error, hasErrors } from "../diagnostics/diagnostic";
import type { ApplyCounts } from "../model/apply-event";
import type { Plain } from "../model/value";
import { makePlan } from "../plan/make-plan";
import type { Change, Plan } from "../plan/plan";
import { compareWithSaved, readSavedPlan } from "../plan/saved-plan";
import type { StateSession } from "../state/backend";
import type { Context, Outcome } from "./context";
import { execute } from "./execute";
import { exitCodeOf } from "./exit-code";
import { holdLock } from "./hold-lock";
import { type Prepared, prepare } from "./prepare";
import type { ApplyRequest } from "./requests";

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
  const startedAt = context.clock.now();
  const saved = request.savedPlan === undefined ? undefined : readSavedPlan(request.savedPlan);
  if (saved && hasErrors(saved.diagnostics)) return stopped(saved.diagnostics, new Map());
  const wanted = saved?.document ? { ...request, ...saved.document.request } : request;
  const { prepared, diagnostics, sources } = await prepare(context, wanted, {
    state: session.state,
    writes: true,
  });
  if (!prepared) return stopped(diagnostics, sources);
  const stale = saved?.document ? compareWithSaved(saved.document, prepared.plan) : undefined;
  if (stale) return stopped([...diagnostics, stale], sources);
  if (hasErrors(diagnostics)) return { ...stopped(diagnostics, sources), plan: prepared.plan };

  const plan = await approvedPlan(prepared, request);
  if (!plan) return { ...stopped(diagnostics, sources), exitCode: 1, plan: prepared.plan, cancelled: true };
  const refusals = plan.changes.flatMap(refusalOf);
  if (refusals.length > 0) return { ...stopped([...diagnostics, ...refusals], sources), plan };

  const result = await execute(context, session, prepared, plan, request.parallelism);
  const { counts, outputs } = result;
  const exitCode = result.exitCode === 0 && awaitsCheckout(plan, diagnostics) ? 8 : result.exitCode;
  const elapsedSeconds = (context.clock.now() - startedAt) / 1000;
  const hint =
    exitCode === 0 ? undefined : "nothing is lost: run rnv apply again to go on where this run stopped";
  context.emit({ type: "summary", mode: plan.options.mode, counts, exitCode, elapsedSeconds, hint });
  return { plan, counts, outputs, exitCode, diagnostics: [...diagnostics, ...result.diagnostics], sources };
}

/** A plan that changes nothing needs no approval; deletions that were typed by name are confirmed by a new plan. */
async function approvedPlan(prepared: Prepared, request: ApplyRequest): Promise<Plan | undefined> {
  const { plan, input } = prepared;
  if (plan.changes.every(({ action }) => action === "no-op")) return plan;
  const approval = await approvalOf(plan, request);
  if (!approval) return undefined;
  if (approval.confirmedDeletes.length === 0) return plan;
  const confirmedDeletes = [...input.options.confirmedDeletes, ...approval.confirmedDeletes];
  return makePlan({ ...input, options: { ...input.options, confirmedDeletes } });
}

/** A saved plan was approved when it was saved, deletions included: it lists them by name. */
async function approvalOf(plan: Plan, request: ApplyRequest) {
  if (request.savedPlan === undefined) return request.approve(plan);
  return {
    confirmedDeletes: plan.changes.filter(({ guard }) => guard !== undefined).map(({ address }) => address),
  };
}

/** Something that an earlier run queued still waits for the dashboard, and this run did not replace it. */
const awaitsCheckout = ({ changes }: Plan, diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(
    ({ code, address: waiting }) =>
      code === "apply.awaiting_checkout" &&
      changes.some(({ address, action }) => address === waiting && action === "no-op"),
  );

const refusalOf = ({ address, guard, subject }: Change): Diagnostic[] =>
  guard
    ? [error(guard.code, guard.summary, { address, hint: guard.hint, range: subject.desired?.range })]
    : [];

const stopped = (diagnostics: readonly Diagnostic[], sources: ReadonlyMap<string, string>): ApplyOutcome => ({
  diagnostics,
  sources,
  exitCode: exitCodeOf(diagnostics),
});
