import { Option } from "commander";
import { isMarked } from "../../api/code-host/code-host";
import type { ApplyOutcome } from "../../commands/apply";
import { keepComments, notMerged, type Review, recordsOf } from "../../commands/ci/comments";
import { hasChanges } from "../../plan/plan";
import { summaryLine } from "../../report/events";
import {
  appliedComment,
  type CommentSubject,
  markerOf,
  recordLineIn,
  refusedComment,
  shownComment,
  wasApplied,
} from "../../report/job-comment";
import { planLine } from "../../report/plan-wording";
import { type CiJob, commentOptions, readJob, reviewOf, subjectOf, tellHost, writeOutputs } from "../ci-job";
import type { Invocation } from "../invocation";
import { options, planningOptions, policyOptions, runningOptions } from "../options";
import { reportFolder, writeReports } from "../plan-reports";
import { exitCodes, failureOf, report } from "../report";
import { expectedDigestOf, showApply } from "./apply";
import { judgedRequestOf } from "./plan";
import type { Verb } from "./verb";

export const ciApplyVerb: Verb = {
  usage: "apply [stack...]",
  stacks: { use: "each", others: "needed", writes: true },
  summary: "Apply in a job exactly what was reviewed in the pull request",
  detail:
    "On the merged commit: finds its pull request, reads the digest of the reviewed plan from the comment, plans again, " +
    "and applies only that plan, or what an earlier run left of it. Otherwise nothing is written, the difference is " +
    "told in a comment, and it ends with exit 5. A plan that changes nothing needs no review. In the job " +
    "of a pull request that is not merged nothing is applied unless --pull-request names it. What a queue " +
    "merged in one push is applied as one, where that is what was reviewed in each pull request. Of several stacks each is " +
    "applied as it was reviewed; what only the stack before it could tell may be known by now.",
  options: [
    ...planningOptions,
    ...policyOptions,
    options.destroy,
    options.expectDigest,
    new Option(
      "--repair",
      "without a review, repair drift and nothing else: for a job that needs an approval",
    ),
    options.verbose,
    reportFolder,
    ...commentOptions,
    ...runningOptions.filter((option) => option !== options.autoApprove),
  ],
  examples: [
    ["rnv ci apply --stage production", "on the commit that a pull request was merged with"],
    ["rnv ci apply --expect-digest DIGEST", "by hand: the plan that an apply was refused with"],
  ],
  handler: async (invocation) => {
    const { options: given } = invocation;
    const digest = expectedDigestOf(invocation);
    const job = readJob(invocation);
    const repairsOnly = given.repair === true;
    const isDecided = job.pullRequest === undefined || job.isDecided;
    const review = isDecided && !repairsOnly ? await reviewOf(invocation, job) : undefined;
    const request = { ...judgedRequestOf(invocation), needsKey: true };
    const outcome = await showApply(
      { ...invocation, options: { ...given, autoApprove: true } },
      {
        ...request,
        repairsOnly,
        review: (key) =>
          review
            ? recordsOf(review, subjectOf(invocation, { key }), digest)
            : notMerged(job.pullRequest as number),
      },
    ).catch((cause: unknown): ApplyOutcome => {
      const failed = failureOf(cause, invocation.signal.aborted);
      report(invocation, failed.diagnostics);
      return failed;
    });
    const { exitCode } = outcome;
    const outputs = { exitcode: String(exitCode), digest: outcome.plan?.digest ?? "" };
    writeOutputs(invocation, { digest: invocation.stack?.sharesRun ? "" : outputs.digest });
    const text = shownComment(commentOn(outcome, subjectOf(invocation), job, 1_000_000));
    const applied = { run: invocation, outcome, applied: text };
    const written = writeReports(invocation, [applied], request, outputs);
    const told =
      given.comment !== false && !review?.isUnread
        ? await tellPullRequest(invocation, job, review, outcome)
        : 0;
    return exitCode === exitCodes.done ? told || written : exitCode;
  },
  onEnd: (invocation, exitCode) => writeOutputs(invocation, { exitcode: String(exitCode) }),
};

/**
 * Tells the pull request how its apply ended. That nothing was left to do is told only where something else stands. Returns
 * 1 where a comment of an older run stays.
 */
function tellPullRequest(
  invocation: Invocation,
  job: CiJob,
  review: Review | undefined,
  outcome: ApplyOutcome,
): Promise<number> {
  const { exitCode, plan: made, reviewKey: key } = outcome;
  const isIdle = exitCode === exitCodes.done && (made === undefined || !hasChanges(made));
  return tellHost(invocation, async (host) => {
    const number = review?.pullRequest ?? job.pullRequest;
    if (number === undefined) return;
    for (const one of [number, ...(review?.others ?? [])]) {
      const subject = subjectOf(invocation, { key, pullRequest: one });
      const marker = markerOf("apply", subject);
      const standing = review?.comments.find((own) => own.pullRequest === one && isMarked(own.body, marker));
      // What was applied by hand is continued by hand: its record stays.
      const record = expectedDigestOf(invocation) && standing && recordLineIn(standing.body);
      const body = commentOn(outcome, subject, job, host.mostCharacters, record);
      const comment = { marker, body, isQuiet: isIdle, ...(isIdle && { unless: wasApplied }) };
      await keepComments(host, { kind: "pull request", number: one }, [comment]);
    }
  });
}

function commentOn(
  { runId, exitCode, plan: made, diagnostics, counts, differences }: ApplyOutcome,
  subject: CommentSubject,
  job: CiJob,
  limit: number,
  record?: string,
): string {
  const mode = made?.options.mode ?? "apply";
  const origin = { ...job, runId };
  const isIdle = made !== undefined && !hasChanges(made);
  const summary = isIdle ? planLine(made) : counts && summaryLine({ mode, exitCode, counts });
  if (exitCode !== exitCodes.stale || !made)
    return appliedComment({ exitCode, summary, record, diagnostics }, subject, origin);
  const unreviewed = diagnostics.find(({ code }) => code === "plan.digest")?.summary ?? "";
  const why = differences ? "main or the live service changed after the review" : unreviewed;
  return refusedComment(made, { why, differences }, subject, origin, limit);
}
