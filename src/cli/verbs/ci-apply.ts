import { unreviewed } from "../../commands/ci/find-review";
import { keepComments } from "../../commands/ci/keep-comment";
import { compareWithRecord } from "../../plan/digest";
import { hasChanges } from "../../plan/plan";
import { summaryLine } from "../../render/events";
import { appliedComment, markerOf, refusedComment } from "../../render/job-comment";
import { commentOptions, readJob, reviewOf, subjectOf, tellHost, writeOutputs } from "../ci-job";
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
    "told in a comment, and it ends with exit 5. A plan that changes nothing needs no review. Of several stacks each is " +
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
  const review = await reviewOf(invocation, job);
  const expected = typeof given.expectDigest === "string" ? given.expectDigest : undefined;
  const record = expected === undefined ? review.record : { digest: expected, changes: {} };
  const reviewed = record ?? unreviewed(review);
  const outcome = await showApply(
    { ...invocation, options: { ...given, autoApprove: true } },
    { ...planRequestOf(given), policies: policiesOf(invocation), reviewed },
  );
  const { exitCode, plan: made, diagnostics, sources, counts } = outcome;
  writeOutputs(invocation, { exitcode: String(exitCode), digest: made?.digest ?? "" });
  const mode = made?.options.mode ?? "apply";
  const summary = counts && summaryLine({ mode, exitCode, counts });
  const { pullRequest: number = job.pullRequest } = review;
  const isTold =
    exitCode !== exitCodes.done || (counts !== undefined && made !== undefined && hasChanges(made));
  if (given.comment === false || number === undefined || !isTold) return exitCode;
  await tellHost(invocation, async (host) => {
    const subject = subjectOf(invocation);
    const body =
      exitCode === exitCodes.stale && made
        ? refusedComment(made, record && compareWithRecord(record, made), subject, job, host.mostCharacters)
        : appliedComment({ exitCode, summary, diagnostics, sources }, subject, job);
    const at = { kind: "pull request", number } as const;
    await keepComments(host, at, [{ marker: markerOf("apply", subject), body, isQuiet: false }]);
  });
  return exitCode;
}
