import type { RunResult } from "../apply/run-plan";
import { type Diagnostic, error, exitCodeOf, hasErrors } from "../diagnostics/diagnostic";
import { type Address, shortId } from "../model/address";
import type { ApplyCounts } from "../model/apply-event";
import { pastRuns, touching } from "../model/history";
import type { State } from "../model/state";
import type { Plain } from "../model/value";
import { shortList } from "../model/wording";
import { changesBeyondRepair } from "../plan/drift";
import { guardErrors, isUnconfirmed } from "../plan/guards";
import { makePlan } from "../plan/make-plan";
import { hasChanges, isWritten, type Plan, type PlanOptions, type Revealed } from "../plan/plan";
import {
  compareWithRecord,
  type PlanDifference,
  type Reviewed,
  runsSince,
  takesRecordedSources,
} from "../plan/plan-record";
import { consentsIn, readSavedPlan, refuseAuthor, type SavedPlan } from "../plan/saved-plan";
import { differenceLine, remedyText } from "../report/plan-wording";
import { timeAgo } from "../report/time-text";
import type { StateSession } from "../state/backend";
import { addresses, type Context, type PlanRequest } from "./context";
import { execute } from "./execute";
import { holdLock, refuseNewState } from "./hold-lock";
import { type BuiltPlan, buildPlan, type PlanOutcome, prefetch } from "./plan";

export interface ApplyRequest extends PlanRequest {
  /** Text of a saved plan: its own options then hold; `confirmedDeletes` are added to those it was made with. */
  readonly savedPlan?: string;
  readonly planFile?: string | undefined;
  /** The command line, named after a stop to run it again: `rnv destroy -auto-approve`. */
  readonly commandLine?: string;
  /** The digest that the plan must have; else nothing is written (exit 5). */
  readonly expectDigest?: string;
  /**
   * Returns the reviewed records that the key of fingerprints authenticates. The plan must match a record or the rest of it
   * after an earlier run, or do nothing; else nothing is written (exit 5). If nothing was reviewed, new values of the
   * recorded sources are written.
   */
  readonly review?: (key: Uint8Array | undefined) => Reviewed;
  /** Nothing was reviewed: the plan may only repair drift. */
  readonly repairsOnly?: boolean;
  readonly isSweep?: boolean;
  /** Those that were reviewed, as their host writes them: `#12`. */
  readonly pullRequests?: readonly string[] | undefined;
  /** `merge request` in a job of GitLab. */
  readonly pullWord?: string;
  readonly pullRequest?: number | undefined;
  readonly lockTimeoutMs: number;
  readonly parallelism: number;
  /**
   * Asked once, with the finished plan, before the first write. Returns the addresses whose deletion the user
   * typed by name, or undefined to cancel. With `--auto-approve` it answers without asking. A saved plan was approved
   * when it was made: it is approved again only where it deletes resources that are not confirmed.
   */
  readonly approve: (plan: Plan) => Promise<Approval | undefined>;
}

export interface Approval {
  readonly confirmedDeletes: readonly Address[];
}

export interface ApplyOutcome extends Omit<PlanOutcome, "revealed"> {
  readonly counts?: ApplyCounts;
  readonly outputs?: Readonly<Record<string, Plain>>;
  readonly differences?: readonly PlanDifference[] | undefined;
  readonly cancelled?: true;
}

/** `rnv apply` and `rnv destroy`: lock -> plan -> approve -> guard -> run -> record. */
export async function apply(context: Context, request: ApplyRequest): Promise<ApplyOutcome> {
  const command = request.mode === "destroy" ? "destroy" : "apply";
  if (request.mode === "apply") refuseNewState(context);
  const { lockTimeoutMs: timeoutMs, isSweep } = request;
  return holdLock(context, { command, timeoutMs, isSweep }, (session) =>
    applyLocked(context, request, session),
  );
}

async function applyLocked(
  context: Context,
  request: ApplyRequest,
  session: StateSession,
): Promise<ApplyOutcome> {
  const startedAt = context.clock.elapsed();
  const parsed = request.savedPlan === undefined ? undefined : readSavedPlan(request.savedPlan);
  if (parsed && hasErrors(parsed.diagnostics)) return stopped(parsed.diagnostics);
  const saved = parsed?.document;
  const again = saved && refuseAgain(context, saved, session.state, request.planFile);
  if (again) return stopped([again]);
  const connection = await prefetch(context);
  const start = { connection, state: session.state, writes: true, checksBeforeApply: true };
  const wanted = effectiveRequest(request, saved);
  const { built, diagnostics } = await buildPlan(context, wanted, start);
  if (!built) return stopped(diagnostics);
  const { reviewKey } = built.key;
  const author = parsed?.madeWith?.(reviewKey);
  const forged = saved && author && refuseAuthor(saved, author, request);
  if (forged) return stopped([...diagnostics, forged]);
  const { revealed } = built.plan;
  const equal = revealed?.filter((one) => one.isEqual).length ?? 0;
  if (!saved && revealed) context.emit({ type: "revealed", count: revealed.length, equal });
  const { runId } = connection;
  const { reviewed, problem, differences } = compareWithReview(built, request, session.state);
  const isAuthentic = author === "yes";
  const difference = saved && compareWithSaved(saved, built, isAuthentic);
  const confirmed = withConfirmations(built, request, { isAuthentic });
  const refusal = refuse(confirmed.plan, diagnostics, difference ?? problem);
  if (refusal) return { ...stopped(refusal), runId, plan: built.plan, reviewKey, differences };

  if (author === "unknown" && saved && consentsIn(saved.request).length > 0) context.say?.(unauthenticated);
  const plan = await approvedPlan(confirmed, request);
  if (!plan) return { ...stopped(diagnostics), exitCode: 1, plan: built.plan, cancelled: true };
  const guarded = plan.changes.flatMap(guardErrors);
  if (guarded.length > 0) return { ...stopped([...diagnostics, ...guarded]), plan };

  // The history names the plan that was reviewed, of which this may be the rest.
  const named = reviewed === undefined ? plan : { ...plan, digest: reviewed };
  const touched = plan.changes.filter((one) => isWritten(one, plan)).map(({ address }) => ({ address }));
  const by = context.startedBy?.(wanted.files) ?? { by: context.host };
  const { pullRequests } = request;
  const origin = { command: verbs[wanted.mode], ...by, pullRequests, ...touching(touched) };
  const how = { parallelism: request.parallelism, origin };
  const result = await execute(context, session, { ...built, plan: named }, how);
  const { counts, outputs, exitCode, standing } = result;
  const elapsedSeconds = (context.clock.elapsed() - startedAt) / 1000;
  const hint = exitCode === 0 ? undefined : nextStep(request, saved, result);
  context.emit({ type: "summary", mode: plan.options.mode, counts, exitCode, elapsedSeconds, hint });
  // The end of a pending write replaces the finding from before the run.
  const isReported = (one: Diagnostic): boolean =>
    result.diagnostics.some(({ code, address }) => code === one.code && address === one.address);
  const found = [...diagnostics.filter((one) => !isReported(one)), ...result.diagnostics];
  return { runId, plan: { ...plan, standing }, counts, outputs, exitCode, diagnostics: found };
}

/** The request with the options of the saved plan, whose confirmations are part of it. */
function effectiveRequest(request: ApplyRequest, saved: SavedPlan | undefined): ApplyRequest {
  if (!saved) return { ...request, confirmsAll: request.mode === "destroy" };
  const revealed = saved.revealed && Object.entries(saved.revealed);
  return {
    ...request,
    ...saved.request,
    confirmedConsumers: saved.request.confirmedConsumers ?? [],
    overridePolicies: [...(saved.request.overridePolicies ?? []), ...(request.overridePolicies ?? [])],
    confirmsAll: false,
    isSaved: true,
    revealed: revealed && new Map(revealed as [Address, Revealed][]),
  };
}

/** Refuses a saved plan that a recorded run has applied. */
function refuseAgain({ clock }: Context, { record }: SavedPlan, state?: State, name = "the saved plan") {
  const runs = state ? pastRuns(state) : [];
  const run = runsSince(record, runs).find(({ digest }) => digest === record.digest);
  if (run === undefined) return undefined;
  const { exitCode } = run;
  const end = exitCode === undefined ? ", which did not end" : exitCode === 0 ? "" : `, exit ${exitCode}`;
  const about = `run ${shortId(run.id)}, ${timeAgo(run.startedAt, clock.now())}${end}`;
  return stale(`what ${name} holds was applied already (${about})`);
}

const unauthenticated =
  "No key authenticates the confirmations in the saved plan, so they do not count. Set RNV_STATE_KEY for both commands.";

/** Returns the reviewed plan's digest, or why this is not the expected plan; neither where none is expected. */
function compareWithReview(
  { plan, key: { reviewKey: key } }: BuiltPlan,
  { expectDigest, review, repairsOnly, pullWord = "pull request", pullRequest }: ApplyRequest,
  state: State | undefined,
): Pick<ApplyOutcome, "differences"> & { readonly reviewed?: string; readonly problem?: Diagnostic } {
  if (review && !hasChanges(plan)) return {};
  const beyond = repairsOnly ? changesBeyondRepair(plan) : [];
  if (beyond.length > 0)
    return {
      problem: error("plan.digest", "the plan does more than repair drift", {
        detail: shortList(beyond),
        hint: `Merge the other changes with a ${pullWord} first.`,
      }),
    };
  if (repairsOnly) return {};
  const expected: Reviewed = expectDigest === undefined ? [] : [{ digest: expectDigest }];
  const found = review?.(key) ?? expected;
  if ("problem" in found)
    return found.hasNone && takesRecordedSources(plan, key) ? {} : { problem: found.problem };
  const runs = review && state ? pastRuns(state) : [];
  const compared = found.map((record) => {
    const reviewed = record.changes ? record.digest : plan.digest;
    return { record, reviewed, differences: compareWithRecord(record, plan, { key, runs }) };
  });
  const match = compared.find(({ differences }) => differences.length === 0);
  if (match) return match;
  const [first] = compared;
  if (!first) return {};
  const { record, differences } = first;
  const does = hasChanges(plan) ? "would now do something else" : "has nothing left to do";
  const digests =
    record.digest === plan.digest ? "" : `\nexpected digest ${record.digest}, found ${plan.digest}`;
  const problem = error("plan.digest", `the plan is not the reviewed one: it ${does}`, {
    detail: `${review ? differenceLine(differences) : ""}${digests}`.trimStart(),
    hint: review
      ? remedyText(plan, pullWord, pullRequest)
      : "Review this plan, then give its digest: --expect-digest",
  });
  return { problem, differences: review && differences };
}

/** Returns why a plan is not the saved plan; a plan that was saved without a key binds no secret. */
function compareWithSaved(
  { record }: SavedPlan,
  { plan, key: { reviewKey } }: BuiltPlan,
  isAuthentic: boolean,
): Diagnostic | undefined {
  const differences = compareWithRecord(record, plan, { key: isAuthentic ? reviewKey : undefined });
  if (differences.length === 0) return undefined;
  return stale("the saved plan is out of date", differenceLine(differences));
}

const stale = (summary: string, detail?: string): Diagnostic =>
  error("plan.stale", summary, { detail, hint: "plan again, review, and apply the new plan" });

/** Returns why a plan is not applied whatever is confirmed; undefined when only confirmations may be missing. */
function refuse(
  { changes }: Plan,
  diagnostics: readonly Diagnostic[],
  difference: Diagnostic | undefined,
): readonly Diagnostic[] | undefined {
  // An error that keeps any plan from being applied says more than a difference that it causes.
  if (hasErrors(diagnostics)) return diagnostics;
  if (difference) return [...diagnostics, difference];
  const isRefused = changes.some((change) => change.blockedBy !== undefined && !isUnconfirmed(change));
  return isRefused ? [...diagnostics, ...changes.flatMap(guardErrors)] : undefined;
}

/** A saved plan carries the confirmations it was made with, where its key shows that; those given now are added. */
function withConfirmations(
  built: BuiltPlan,
  request: ApplyRequest,
  { isAuthentic }: { readonly isAuthentic: boolean },
): BuiltPlan {
  if (request.savedPlan === undefined) return built;
  const { options } = built.input;
  const givenDeletes = addresses("--confirm-delete", request.confirmedDeletes);
  const givenConsumers = addresses("--confirm-consumers", request.confirmedConsumers ?? []);
  const confirmedDeletes = [...(isAuthentic ? options.confirmedDeletes : []), ...givenDeletes];
  const confirmedConsumers = [...((isAuthentic && options.confirmedConsumers) || []), ...givenConsumers];
  return confirming(built, { confirmedDeletes, confirmedConsumers });
}

function confirming(built: BuiltPlan, confirmations: Partial<PlanOptions>): BuiltPlan {
  const input = { ...built.input, options: { ...built.input.options, ...confirmations } };
  const { checks, diagnostics } = built.plan;
  return { ...built, input, plan: { ...makePlan(input), checks, diagnostics } };
}

/** A plan that changes nothing needs no approval, nor does a saved one whose deletions are confirmed. */
async function approvedPlan(built: BuiltPlan, request: ApplyRequest): Promise<Plan | undefined> {
  const { plan, input } = built;
  const isApproved = request.savedPlan !== undefined && !plan.changes.some(isUnconfirmed);
  if (isApproved || plan.changes.every(({ action }) => action === "no-op")) return plan;
  const approval = await request.approve(plan);
  if (!approval) return undefined;
  if (approval.confirmedDeletes.length === 0) return plan;
  const confirmedDeletes = [...input.options.confirmedDeletes, ...approval.confirmedDeletes];
  return confirming(built, { confirmedDeletes }).plan;
}

const verbs = { apply: "apply", destroy: "destroy", "refresh-only": "apply -refresh-only" } as const;

const stopped = (diagnostics: readonly Diagnostic[]): ApplyOutcome => ({
  diagnostics,
  exitCode: exitCodeOf(diagnostics),
});

/**
 * Returns the advice after a run that stopped early, with the command that was given. A saved plan applies once, so that
 * it is made again.
 */
function nextStep(
  request: ApplyRequest,
  saved: SavedPlan | undefined,
  { exitCode, stillRunning }: RunResult,
): string {
  const given = request.commandLine ?? (request.mode === "destroy" ? "rnv destroy" : "rnv apply");
  const replaced = request.replace.length === 0 ? "" : " (without -replace for what is already replaced)";
  const line = saved ? "rnv plan -out FILE, with the options of the saved plan" : `${given}${replaced}`;
  if (exitCode === 130) return [...stillRunning, `To continue: ${line}`].join("\n");
  return exitCode === 8 ? `To continue: ${line}` : `Nothing is lost. Fix the cause, then run: ${line}`;
}
