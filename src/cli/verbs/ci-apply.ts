import type { ApplyOutcome } from "../../commands/apply";
import { findMerged, notMerged, type Review, unreviewed } from "../../commands/ci/find-review";
import { keepComments } from "../../commands/ci/keep-comment";
import type { Diagnostic } from "../../diagnostics/diagnostic";
import { compareWithRecord, type PlanRecord } from "../../plan/digest";
import { hasChanges } from "../../plan/plan";
import { summaryLine } from "../../render/events";
import { appliedComment, type CommentSubject, markerOf, refusedComment } from "../../render/job-comment";
import { type CiJob, commentOptions, readJob, reviewOf, subjectOf, tellHost, writeOutputs } from "../ci-job";
import type { Invocation } from "../invocation";
import { options, planningOptions, policyOptions, runningOptions } from "../options";
import { exitCodes } from "../report";
import { onePlanExpected, showApply } from "./apply";
import { planRequestOf, policiesOf } from "./plan";
import type { Verb } from "./verb";

export const ciApplyVerb: Verb = {
  usage: "apply [stack...]",
  stacks: { use: "each", others: "needed", streams: true },
  summary: "Apply in a job exactly what was reviewed in the pull request",
  detail:
    "On the merged commit: finds its pull request, reads the digest of the reviewed plan from the comment, plans again, " +
    "and applies only that plan, or what an earlier run left of it. Otherwise nothing is written, the difference is " +
    "told in a comment, and it ends with exit 5. A plan that changes nothing needs no review. In the job " +
    "of a pull request that is not merged nothing is applied unless --pull-request names it. Of several stacks each is " +
    "applied as it was reviewed; what only the stack before it could tell may be known by now.",
  options: [
    ...planningOptions,
    ...policyOptions,
    options.destroy,
    options.expectDigest,
    ...commentOptions,
    ...runningOptions.filter((option) => option !== options.autoApprove),
  ],
  examples: [
    ["rnv ci apply --stage production", "on the commit that a pull request was merged with"],
    ["rnv ci apply --expect-digest DIGEST", "a plan that was reviewed elsewhere"],
  ],
  handler: runApplyInJob,
};

async function runApplyInJob(invocation: Invocation): Promise<number> {
  const { options: given } = invocation;
  if (given.expectDigest !== undefined && invocation.stack?.sharesRun === true) throw onePlanExpected();
  const job = readJob(invocation);
  const { review, reviewed } = await reviewedIn(invocation, job);
  const outcome = await showApply(
    { ...invocation, options: { ...given, autoApprove: true } },
    { ...planRequestOf(given), policies: policiesOf(invocation), reviewed },
  );
  const { exitCode, plan: made, counts } = outcome;
  writeOutputs(invocation, { exitcode: String(exitCode), digest: made?.digest ?? "" });
  const isTold =
    exitCode !== exitCodes.done || (counts !== undefined && made !== undefined && hasChanges(made));
  if (given.comment === false || !isTold) return exitCode;
  await tellHost(invocation, async (host) => {
    const number = review?.pullRequest ?? job.pullRequest ?? (await findMerged(host, job.commit));
    if (number === undefined) return;
    const subject = subjectOf(invocation);
    const body = commentOn(outcome, reviewed, { subject, job, limit: host.mostCharacters });
    const at = { kind: "pull request", number } as const;
    await keepComments(host, at, [{ marker: markerOf("apply", subject), body, isQuiet: false }]);
  });
  return exitCode;
}

/** What the plan is compared with, and where that was found: a digest that is given asks no host. */
async function reviewedIn(
  invocation: Invocation,
  job: CiJob,
): Promise<{ readonly review?: Review; readonly reviewed: PlanRecord | Diagnostic }> {
  const { expectDigest } = invocation.options;
  if (typeof expectDigest === "string") return { reviewed: { digest: expectDigest } };
  if (job.pullRequest !== undefined && !job.isDecided) return { reviewed: notMerged(job.pullRequest) };
  const review = await reviewOf(invocation, job);
  return { review, reviewed: review.record ?? unreviewed(review) };
}

function commentOn(
  { exitCode, plan: made, diagnostics, sources, counts }: ApplyOutcome,
  reviewed: PlanRecord | Diagnostic,
  { subject, job, limit }: { readonly subject: CommentSubject; readonly job: CiJob; readonly limit: number },
): string {
  const mode = made?.options.mode ?? "apply";
  const summary = counts && summaryLine({ mode, exitCode, counts });
  if (exitCode !== exitCodes.stale || !made)
    return appliedComment({ exitCode, summary, diagnostics, sources }, subject, job);
  const why = "code" in reviewed ? reviewed.summary : "the plan is no longer the one that was reviewed";
  const differences = "code" in reviewed ? undefined : compareWithRecord(reviewed, made);
  return refusedComment(made, { why, differences }, subject, job, limit);
}
