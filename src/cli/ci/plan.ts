import { Option } from "commander";
import { keepComments, recordsOf } from "../../commands/ci/comments";
import type { PlanRequest } from "../../commands/context";
import { joinResults } from "../../commands/targets";
import { type Diagnostic, DiagnosticsError, error, hasErrors, warning } from "../../diagnostics/diagnostic";
import { shortList } from "../../model/text";
import { compareWithRecord, declaredBesides } from "../../plan/digest";
import { guardErrors } from "../../plan/guards";
import { hasChanges, isBlocked } from "../../plan/plan";
import { escapeJson, escapeText } from "../../report/escape-text";
import { failedPlanComment, isOfGone, markerOf, planComment, shownComment } from "../../report/job-comment";
import { counted, differenceText } from "../../report/plan-wording";
import {
  type CiJob,
  commentOptions,
  readJob,
  reviewOf,
  subjectOf,
  tellHost,
  writeOutputs,
  writeSummary,
} from "../ci-job";
import { type Invocation, listOf, namesOf } from "../invocation";
import { ignoredOptions, options, planningOptions, policyOptions } from "../options";
import { reportFolder, writeReports } from "../plan-reports";
import { annotate, exitCodes, report } from "../report";
import { stagesAsked, stagesOptions, warnOfUndeclared } from "../stages";
import { resultsOf, type TargetResult } from "../targets";
import { countedPlan, judgedRequestOf, showOutcome } from "./plan";
import type { Verb } from "./verb";

export const ciPlanVerb: Verb = {
  usage: "plan [stack...]",
  summary: "Plan in a job: reports, outputs, and the comment under the pull request",
  detail:
    "Writes plan.rnvplan, plan.json, plan.md, plan.html, junit.xml and GitLab's reports into the folder of the reports, and " +
    "in GitHub Actions and GitLab one comment for each manifest, stage and stack, which it rewrites. Outputs: changes (true or " +
    "false), digest, exitcode (0, 2 with changes, 4 when one is blocked, 1 on an error). Of several stages or stacks each has " +
    "a folder in that of the reports, the exit code is that of the one that says most, and the output plans is a list of " +
    "JSON with stage, stack, changes, digest and exitcode. In a merge queue it compares with the plan that was reviewed: " +
    "exit 5 when it is another; changes ahead of it in the queue are reported.",
  readsStages: true,
  options: [
    ...planningOptions,
    ...stagesOptions,
    ...policyOptions,
    options.destroy,
    options.noSecrets,
    new Option("--detailed-exitcode", "exit 2 when there are changes"),
    options.verbose,
    reportFolder,
    ...commentOptions,
    options.answerTimeout,
    ...ignoredOptions,
  ],
  examples: [
    ["rnv ci plan --stage production --no-secrets", "in the job of a pull request"],
    ["rnv ci plan --all-stages --no-secrets", "every stage, each with a comment of its own"],
    ["rnv ci plan --pull-request 12", "where the job is of no event of a pull request"],
    ["rnv ci plan --report reports", "in any other job: the files alone"],
  ],
  handler: async (invocation) => {
    const { options: given, signal } = invocation;
    const job = readJob(invocation);
    const request = { ...judgedRequestOf(invocation), needsKey: true };
    const { asked, declared } = await stagesAsked(invocation).catch(async (cause: unknown) => {
      if (cause instanceof DiagnosticsError) await tellFailure(invocation, job, cause.diagnostics);
      throw cause;
    });
    const reading = { use: "each", others: "needed" } as const;
    const planOne = (one: Invocation) => countedPlan(one, request);
    const results = await resultsOf(invocation, asked, reading, planOne, showResult);
    const [first] = results;
    if (first) report(first.run, await warnOfUndeclared(first.run));
    const planned = results.filter(({ run }) => run.stage !== undefined);
    const ends = results.map(({ outcome: { exitCode } }) => ({ exitCode }));
    if (planned.length === 0 && results.length > 0) {
      const found = results.flatMap(({ outcome }) => outcome.diagnostics);
      await tellFailure(invocation, job, found);
      return joinResults(ends).exitCode;
    }
    const written = tellRunner(invocation, planned, request);
    if (signal.aborted) return exitCodes.interrupted;
    const told = job.isQueue ? exitCodes.done : await commentOnPlans(invocation, job, planned, declared);
    if (job.isQueue)
      for (const [at, one] of results.entries()) ends[at] = { exitCode: await compareInQueue(job, one) };
    const worst = joinResults([{ exitCode: written }, { exitCode: told }, ...ends]).exitCode;
    return worst === exitCodes.changes && given.detailedExitcode !== true ? exitCodes.done : worst;
  },
};

function showResult({ run: invocation, outcome }: TargetResult): void {
  showOutcome(invocation, outcome);
  annotate(invocation, outcome.plan?.changes.flatMap(guardErrors) ?? []);
}

/** Writes the reports, the outputs and the summary of the job. Returns 1 where a report could not be written. */
function tellRunner(invocation: Invocation, planned: readonly TargetResult[], request: PlanRequest): number {
  const plans = planned.map(({ run, outcome: { plan: made, exitCode } }) => ({
    ...{ stage: "", stack: "", ...namesOf(run) },
    changes: made !== undefined && hasChanges(made),
    digest: (exitCode === exitCodes.error ? undefined : made?.digest) ?? "",
    exitcode: exitCode,
  }));
  const [only] = plans;
  const outputs = {
    changes: String(plans.some(({ changes }) => changes)),
    digest: plans.length === 1 ? (only?.digest ?? "") : "",
    exitcode: String(joinResults(planned.map(({ outcome }) => outcome)).exitCode),
  };
  writeOutputs(invocation, { ...outputs, plans: escapeJson(plans) });
  return writeReports(invocation, planned, request, outputs);
}

/** Rewrites the comments of the pull request. That they cannot be written is told, and fails no plan. */
async function commentOnPlans(
  invocation: Invocation,
  job: CiJob,
  planned: readonly TargetResult[],
  stages = planned[0]?.run.declaredStages,
): Promise<number> {
  const { pullRequest: number, proposes } = job;
  if (invocation.options.comment === false || number === undefined || !proposes) return exitCodes.done;
  return tellHost(invocation, async (host) => {
    const limit = host.mostCharacters;
    const comments = planned.map(({ run: one, outcome }) => {
      const { runId, plan: made, diagnostics, reviewKey: key } = outcome;
      const origin = { ...job, runId };
      const subject = subjectOf(one, { key, pullRequest: number });
      const body = made
        ? planComment(made, subject, origin, limit)
        : failedPlanComment(diagnostics, subject, origin, limit);
      // A value that is not read may change: the comment names it.
      const isRead = made?.unchecked.every(({ attribute }) => attribute === undefined) === true;
      const isQuiet = isRead && !hasChanges(made) && !hasErrors(made.diagnostics);
      return { marker: markerOf("plan", subject), body, isQuiet };
    });
    const at = { kind: "pull request", number } as const;
    const names = [...listOf(invocation.positional[0]), ...listOf(invocation.options.stack)];
    // One that waits for another, which failed, has no result.
    const isWhole =
      names.length === 0 && planned.every(({ outcome }) => outcome.exitCode !== exitCodes.error);
    const stacks = isWhole ? planned.flatMap(({ run }) => run.stack?.name ?? []) : undefined;
    const { manifest } = subjectOf(invocation);
    await keepComments(host, at, comments, (marker) =>
      isOfGone(marker, "plan", manifest, { stages, stacks })
        ? "*This comment is out of date: the manifest does not have this any more.*\n"
        : undefined,
    );
  });
}

/** Where it is not known what is to be planned, no comment on a plan is that of this commit. */
async function tellFailure(
  invocation: Invocation,
  job: CiJob,
  diagnostics: readonly Diagnostic[],
): Promise<void> {
  writeOutputs(invocation, { changes: "false", digest: "", exitcode: "1", plans: "[]" });
  const { pullRequest: number, proposes } = job;
  if (invocation.options.comment === false || !proposes || number === undefined) return;
  const subject = subjectOf(invocation);
  await tellHost(invocation, async (host) => {
    const text = failedPlanComment(diagnostics, subject, job, host.mostCharacters);
    await keepComments(host, { kind: "pull request", number }, [], (marker) =>
      isOfGone(marker, "plan", subject.manifest, { stages: [""], stacks: undefined })
        ? `${marker}\n${shownComment(text)}`
        : undefined,
    );
  });
}

/** In a merge queue: the branch as it will be must give the plans that were reviewed. The comments stay as they are. */
async function compareInQueue(job: CiJob, { run: invocation, outcome }: TargetResult): Promise<number> {
  const { plan: made, reviewKey: key, exitCode } = outcome;
  if (!made || exitCode === exitCodes.error) return exitCode;
  if (!hasChanges(made)) return exitCodes.done;
  const found = recordsOf(await reviewOf(invocation, job), subjectOf(invocation, { key }), undefined);
  const compared = ("code" in found ? [] : found).map((record) => {
    const differences = compareWithRecord(record, made, { key });
    return { differences, besides: declaredBesides(differences, made) };
  });
  const match = compared.find(({ differences, besides }) => differences.length === 0 || besides.length > 0);
  if (match && match.besides.length > 0) {
    const ahead = `the reviewed plan plus ${counted(match.besides.length, "change")} ahead in the queue`;
    const detail = shortList(match.besides.map(escapeText), 20);
    const hint = "Each is applied with its own pull request, in order.";
    report(invocation, [warning("plan.digest", ahead, { detail, hint })]);
  }
  if (match) return isBlocked(made) ? exitCodes.refused : exitCodes.done;
  const differences = compared[0]?.differences;
  if (differences) writeSummary(invocation, [`Not the reviewed plan:\n\n${differenceText(differences)}`]);
  report(invocation, [
    "code" in found
      ? found
      : error("plan.digest", "the plan in the merge queue is not the reviewed one", {
          ...(differences && { detail: differenceText(differences) }),
          hint: "Merge or apply the changes ahead of it in the queue, then plan in the pull request again.",
        }),
  ]);
  return exitCodes.stale;
}
