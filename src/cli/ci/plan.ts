import { keepComments } from "../../commands/ci/comments";
import { compareInQueue, recordsOf } from "../../commands/ci/review";
import { joinExitCodes } from "../../commands/targets";
import { type Diagnostic, DiagnosticsError, hasErrors } from "../../diagnostics/diagnostic";
import { guardErrors } from "../../plan/guards";
import { hasChanges, type Plan } from "../../plan/plan";
import { hasRecordedSource } from "../../plan/resolve-value";
import { failedPlanComment, isForRemovedTarget, planComment, shownComment } from "../../report/ci/comment";
import { escapeJson } from "../../report/escape-text";
import type { Run } from "../open-target";
import { argument, flag, ignored, pick, planningOptions, policyOptions } from "../options";
import { resultsOf, type TargetResult } from "../run-targets";
import { annotate, exitCodes, report, type Screen } from "../screen";
import { requestedStages, warnOfUndeclared } from "../stages";
import { defineVerb } from "../verb";
import { countedPlan, planRequestOf, planVerb, showOutcome } from "../verbs/plan";
import { commentOf, commentOptions, notifyHost, reviewOf, subjectOf } from "./host";
import { type CiJob, readJob } from "./job";
import { reportFolder, writeOutputs, writeReports, writeSummary } from "./reports";

export const ciPlanVerb = defineVerb({
  name: "plan",
  arguments: { words: argument("[stack...]") },
  summary: "Plan in a job: reports, outputs, and the comment under the pull request",
  detail:
    "Writes plan.rnvplan, plan.json, plan.md, plan.html, junit.xml and GitLab's reports into the folder of the reports, and " +
    "in GitHub Actions and GitLab one comment for each manifest, stage and stack, which it rewrites. Outputs: changes (true or " +
    "false), digest, exitcode (0, 2 with changes, 4 when one is blocked, 1 on an error). Of several stages or stacks each has " +
    "a folder in that of the reports, the exit code is that of the one that says most, and the output plans is a list of " +
    "JSON with stage, stack, changes, digest and exitcode. In a merge queue it compares with the plan that was reviewed: " +
    "exit 5 when it differs; changes ahead of it in the queue are reported.",
  options: {
    ...planningOptions,
    ...policyOptions,
    ...ignored,
    ...pick("stages", "allStages", "destroy", "secrets", "verbose", "answerTimeoutMs"),
    detailedExitcode: flag("--detailed-exitcode", "exit 2 when there are changes"),
    report: reportFolder,
    ...commentOptions,
  },
  examples: [
    ["rnv ci plan --stage production --no-secrets", "in the job of a pull request"],
    ["rnv ci plan --all-stages --no-secrets", "every stage, each with a comment of its own"],
    ["rnv ci plan --pull-request 12", "where the job is of no event of a pull request"],
    ["rnv ci plan --report reports", "in any other job: the files alone"],
  ],
  run: async (given, { target, screen }) => {
    const job = readJob(target, given.pullRequest);
    const pullRequest = given.comment && job.proposes ? job.pullRequest : undefined;
    const commented = { target, screen, job, pullRequest };
    const { names, declared } = await requestedStages(target, screen, given).catch(async (cause: unknown) => {
      if (cause instanceof DiagnosticsError) await commentOnFailure(commented, cause.diagnostics);
      throw cause;
    });
    const results = await resultsOf({
      request: { ...target, rules: planVerb },
      stages: names,
      screen,
      run: (run) => countedPlan(run, { ...planRequestOf(given, run.target), needsKey: true }),
      onResult: ({ outcome }, on) => {
        showOutcome(on, outcome, { verbose: given.verbose });
        annotate(on, outcome.plan?.changes.flatMap(guardErrors) ?? []);
      },
    });
    const [first] = results;
    if (first) report(screen, await warnOfUndeclared(first.target, screen));
    const planned = results.filter((result) => result.target.readStage !== "any");
    const ends = results.map(({ outcome }) => outcome.exitCode);
    if (planned.length === 0 && results.length > 0) {
      const found = results.flatMap(({ outcome }) => outcome.diagnostics);
      await commentOnFailure(commented, found);
      return joinExitCodes(ends);
    }
    const plans = planned.map(planOutputs);
    const outputs = {
      changes: String(plans.some(({ changes }) => changes)),
      digest: (plans.length === 1 && plans[0]?.digest) || "",
      exitcode: String(joinExitCodes(planned.map(({ outcome }) => outcome.exitCode))),
    };
    writeOutputs(screen, { ...outputs, plans: escapeJson(plans) });
    const { report: folder, overridePolicy: overridePolicies } = given;
    const written = writeReports(planned, { target, folder, job, screen, outputs, overridePolicies });
    if (screen.signal.aborted) return exitCodes.interrupted;
    const commentEnd = await commentOnPlans(commented, planned, declared);
    if (job.isQueue)
      for (const [at, result] of results.entries()) ends[at] = await judgeInQueue(result, job, screen);
    const worst = joinExitCodes([written, commentEnd, ...ends]);
    return worst === exitCodes.changes && !given.detailedExitcode ? exitCodes.done : worst;
  },
});

const planOutputs = ({ target, outcome: { plan: made, exitCode } }: TargetResult) => ({
  stage: target.stage ?? "",
  stack: target.stack ?? "",
  changes: made !== undefined && hasChanges(made),
  digest: (exitCode === exitCodes.error ? undefined : made?.digest) ?? "",
  exitcode: exitCode,
});

/** A plan in a job, and the pull request that gets comments on it. */
interface CommentedRun extends Pick<Run, "target" | "screen"> {
  readonly job: CiJob;
  /** Undefined if the run writes no comment. */
  readonly pullRequest: number | undefined;
}

/** Rewrites the comments of the pull request. A failure to write them is a warning. */
async function commentOnPlans(
  { target: whole, screen, job, pullRequest }: CommentedRun,
  planned: readonly TargetResult[],
  stages = planned[0]?.target.declaredStages,
): Promise<number> {
  if (pullRequest === undefined) return exitCodes.done;
  return notifyHost(screen, job, async (host) => {
    const comments = planned.map(({ target, outcome }) => {
      const { runId, plan: made, diagnostics, reviewKey: key } = outcome;
      const comment = commentOf(target, job, { key, pullRequest, runId, limit: host.mostCharacters });
      // An unread value may come from another source: the comment names it.
      const isKnown = ({ address, attribute: path }: Plan["unchecked"][number]): boolean | undefined =>
        !path ||
        hasRecordedSource({ ...made?.instances.get(address), address }, path, { fingerprintKey: key });
      const isRead = made?.unchecked.every(isKnown) === true;
      return {
        body: made ? planComment(made, comment) : failedPlanComment(diagnostics, comment),
        isQuiet: isRead && !hasChanges(made) && !hasErrors(made.diagnostics),
      };
    });
    // A stack has no result where it waits for a stack that failed.
    const isWhole =
      [...whole.words, ...whole.stacks].length === 0 &&
      planned.every(({ outcome }) => outcome.exitCode !== exitCodes.error);
    const stacks = isWhole ? planned.flatMap(({ target }) => target.stack ?? []) : undefined;
    await keepComments(host, pullRequest, comments, (marker) =>
      isForRemovedTarget(marker, "plan", whole.manifest, { stages, stacks })
        ? "*This comment is out of date: the manifest does not have this any more.*\n"
        : undefined,
    );
  });
}

/** Replaces the comments on earlier plans: this commit has no plan. */
async function commentOnFailure(run: CommentedRun, diagnostics: readonly Diagnostic[]): Promise<void> {
  const { target, screen, job, pullRequest } = run;
  writeOutputs(screen, { changes: "false", digest: "", exitcode: "1", plans: "[]" });
  if (pullRequest === undefined) return;
  await notifyHost(screen, job, async (host) => {
    const text = failedPlanComment(diagnostics, commentOf(target, job, { limit: host.mostCharacters }));
    await keepComments(host, pullRequest, [], (marker) =>
      isForRemovedTarget(marker, "plan", target.manifest, { stages: [""], stacks: undefined })
        ? `${marker}\n${shownComment(text)}`
        : undefined,
    );
  });
}

/** Compares a plan of a merge queue with its review. Comments stay unchanged. */
async function judgeInQueue({ target, outcome }: TargetResult, job: CiJob, screen: Screen): Promise<number> {
  const { plan: made, reviewKey: key, exitCode } = outcome;
  if (!made || exitCode === exitCodes.error) return exitCode;
  if (!hasChanges(made)) return exitCodes.done;
  const reviewed = recordsOf(await reviewOf(screen, job), subjectOf(target, key), undefined);
  const { finding, differences, ...end } = compareInQueue(made, reviewed, { key, pullWord: job.pullWord });
  if (differences !== undefined) writeSummary(screen, [`Not the reviewed plan:\n\n${differences}`]);
  report(screen, finding ? [finding] : []);
  return end.exitCode;
}
