import type { ApplyOutcome } from "../../commands/apply";
import { findMerged, notMerged, type Review, unreviewed } from "../../commands/ci/find-review";
import { keepComments } from "../../commands/ci/keep-comment";
import type { Diagnostic } from "../../diagnostics/diagnostic";
import { compareWithRecord, type PlanRecord } from "../../plan/digest";
import { hasChanges } from "../../plan/plan";
import { summaryLine } from "../../render/events";
import {
  appliedComment,
  type CommentSubject,
  markerOf,
  refusedComment,
  wasApplied,
} from "../../render/job-comment";
import { planLine } from "../../render/plan-wording";
import { type CiJob, commentOptions, readJob, reviewOf, subjectOf, tellHost, writeOutputs } from "../ci-job";
import type { Invocation } from "../invocation";
import { options, planningOptions, policyOptions, runningOptions } from "../options";
import { exitCodes, failureOf } from "../report";
import { expectedDigestOf, showApply } from "./apply";
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
    "of a pull request that is not merged nothing is applied unless --pull-request names it. What a queue " +
    "merged in one push is applied as one, where that is what was reviewed in each pull request. Of several stacks each is " +
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
  expectedDigestOf(invocation);
  const job = readJob(invocation);
  const found = await reviewedIn(invocation, job);
  let outcome: ApplyOutcome;
  let thrown: unknown;
  try {
    outcome = await showApply(
      { ...invocation, options: { ...given, autoApprove: true } },
      { ...planRequestOf(given), policies: policiesOf(invocation), reviewed: found.reviewed },
    );
  } catch (cause) {
    thrown = cause;
    outcome = failureOf(cause, invocation.signal.aborted);
  }
  const { exitCode, plan: made } = outcome;
  writeOutputs(invocation, { exitcode: String(exitCode), digest: made?.digest ?? "" });
  if (given.comment !== false && !found.review?.isUnread)
    await tellPullRequest(invocation, job, { ...found, outcome });
  if (thrown !== undefined) throw thrown;
  return exitCode;
}

/** A review, and what of it the plan is compared with. */
interface FoundReview {
  readonly review?: Review;
  readonly reviewed: PlanRecord | Diagnostic;
}

/** Tells the pull request how its apply ended. That nothing was left to do is told only where something else stands. */
async function tellPullRequest(
  invocation: Invocation,
  job: CiJob,
  { review, reviewed, outcome }: FoundReview & { readonly outcome: ApplyOutcome },
): Promise<void> {
  const { exitCode, plan: made } = outcome;
  const isIdle = exitCode === exitCodes.done && (made === undefined || !hasChanges(made));
  await tellHost(invocation, async (host) => {
    const number = review?.pullRequest ?? job.pullRequest ?? (await findMerged(host, job.commit));
    if (number === undefined) return;
    const subject = subjectOf(invocation);
    const body = commentOn(outcome, reviewed, { subject, job, limit: host.mostCharacters });
    const wanted = { marker: markerOf("apply", subject), body, isQuiet: isIdle };
    for (const one of [number, ...(review?.others ?? [])])
      await keepComments(host, { kind: "pull request", number: one }, [
        { ...wanted, ...(isIdle && { unless: wasApplied }) },
      ]);
  });
}

/** What the plan is compared with, and where that was found: a digest that is given asks no host. */
async function reviewedIn(invocation: Invocation, job: CiJob): Promise<FoundReview> {
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
  const isIdle = made !== undefined && !hasChanges(made);
  const summary = isIdle ? planLine(made) : counts && summaryLine({ mode, exitCode, counts });
  if (exitCode !== exitCodes.stale || !made)
    return appliedComment({ exitCode, summary, diagnostics, sources }, subject, job);
  const why = "code" in reviewed ? reviewed.summary : "main or the live service changed after the review";
  const differences = "code" in reviewed ? undefined : compareWithRecord(reviewed, made);
  return refusedComment(made, { why, differences }, subject, job, limit);
}
