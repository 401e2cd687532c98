import { join } from "node:path";
import { markerIn } from "../../api/code-host/code-host";
import type { CodeHost } from "../../api/code-host/create-host";
import { keepComments } from "../../commands/ci/comments";
import { notMerged, recordsOf } from "../../commands/ci/review";
import { systemClock } from "../../model/time";
import { hasChanges } from "../../plan/plan";
import { applyComment, markerOf, recordLineIn, shownComment, wasApplied } from "../../report/ci/comment";
import type { Run, TargetEnd } from "../open-target";
import {
  argument,
  flag,
  pick,
  planningOptions,
  policyOptions,
  unattendedOptions,
  type ValuesOf,
} from "../options";
import { runOnTargets } from "../run-targets";
import { exitCodes, usage } from "../screen";
import { requestedStages } from "../stages";
import { defineVerb } from "../verb";
import { applyRules, expectedDigestOf, showApply } from "../verbs/apply";
import { planRequestOf } from "../verbs/plan";
import { commentOf, commentOptions, notifyHost, reviewOf, subjectOf } from "./host";
import { readJob } from "./job";
import { reportFolder, writeOutputs, writeReports } from "./reports";

const ciApplyOptions = {
  ...planningOptions,
  ...policyOptions,
  ...unattendedOptions,
  ...pick("destroy", "expectDigest", "verbose", "stages", "allStages"),
  repair: flag(
    "--repair",
    "without a review, repair drift and nothing else: for a job that needs an approval",
  ),
  report: reportFolder,
  ...commentOptions,
};

export const ciApplyVerb = defineVerb({
  name: "apply",
  arguments: { words: argument("[stack...]") },
  summary: "Apply in a job exactly what was reviewed in the pull request",
  detail:
    "On the merged commit: finds its pull request, reads the digest of the reviewed plan from the comment, plans again, " +
    "and applies only that plan, or what an earlier run left of it. Otherwise nothing is written, the difference is " +
    "told in a comment, and it ends with exit 5. A plan that changes nothing needs no review. In the job " +
    "of a pull request that is not merged nothing is applied unless --pull-request names it. What a queue " +
    "merged in one push is applied as one, where that is what was reviewed in each pull request. Of several stacks each is " +
    "applied as it was reviewed; what only the stack before it could tell may be known by now. Of several stages the first that " +
    "fails stops the others; instances of a stage are applied by jobs of their own.",
  options: ciApplyOptions,
  examples: [
    ["rnv ci apply --stage production", "on the commit that a pull request was merged with"],
    ["rnv ci apply --all-stages", "each stage, in the order of the manifest, until one fails"],
    ["rnv ci apply --expect-digest DIGEST", "by hand: the plan that an apply was refused with"],
  ],
  run: async (given, { target, screen }) => {
    const { names } = await requestedStages(target, screen, given, { withInstances: false });
    if (names.length > 1 && given.expectDigest)
      throw usage("--expect-digest is about one stage", "name it: --stage STAGE");
    const options = { ...given, isOneOfMany: names.length > 1 };
    const run = (targetRun: Run) => applyReviewed(options, targetRun);
    const exitCode = await runOnTargets({ ...target, rules: applyRules }, screen, run, names);
    writeOutputs(screen, { exitcode: String(exitCode) });
    return exitCode;
  },
});

/** Applies the reviewed plan of a target; reports its end to the runner and the pull request. */
async function applyReviewed(
  given: ValuesOf<typeof ciApplyOptions> & { readonly isOneOfMany: boolean },
  run: Run,
): Promise<TargetEnd> {
  const { target, screen } = run;
  const digest = expectedDigestOf(given, screen);
  const startedAt = systemClock.elapsed();
  const job = readJob(target, given.pullRequest);
  const isDecided = job.pullRequest === undefined || job.isDecided;
  const review = isDecided && !given.repair ? await reviewOf(screen, job) : undefined;
  const { pullRequests = [job.pullRequest] } = review ?? {};
  const pullRequest = pullRequests.length === 1 ? pullRequests[0] : undefined;
  const request = {
    ...planRequestOf(given, target),
    needsKey: true,
    repairsOnly: given.repair,
    pullWord: job.pullWord,
    pullRequest,
    pullRequests: review?.pullRequests.map((one) => `${job.platform === "gitlab" ? "!" : "#"}${one}`),
    review: (key: Uint8Array | undefined) =>
      review
        ? recordsOf(review, subjectOf(target, key), digest)
        : { problem: notMerged(job.pullRequest as number, job.pullWord) },
  };
  const outcome = await showApply(run, { ...given, autoApprove: true }, request);
  const { exitCode } = outcome;
  const outputs = { exitcode: String(exitCode), digest: outcome.plan?.digest ?? "" };
  writeOutputs(screen, { digest: target.sharesRun || given.isOneOfMany ? "" : outputs.digest });
  const { plan: made, runId, reviewKey: key } = outcome;
  const subject = commentOf(target, job, { pullRequest, runId, limit: 1_000_000 });
  const applied = shownComment(applyComment(outcome, subject));
  const folder = join(given.report, (given.isOneOfMany && target.stage) || "");
  const seconds = Math.round(systemClock.elapsed() - startedAt) / 1000;
  const applies = [{ target, outcome, applied, seconds }];
  const written = writeReports(applies, { target, folder, job, screen, outputs });
  const isCommented = given.comment && !review?.isUnread;
  // Without changes, rewrite only a comment that reports an apply.
  const isQuiet = exitCode === exitCodes.done && (made === undefined || !hasChanges(made));
  const tell = async (host: CodeHost): Promise<void> => {
    for (const pullRequest of pullRequests) {
      if (pullRequest === undefined) continue;
      const comment = commentOf(target, job, { key, pullRequest, runId, limit: host.mostCharacters });
      const marker = markerOf("apply", comment);
      const own = review?.comments.filter((comment) => comment.pullRequest === pullRequest) ?? [];
      const old = own.find(({ body }) => markerIn(body) === marker);
      // A manual apply is continued manually: keep its record.
      const record = digest && old && recordLineIn(old.body);
      const body = applyComment(outcome, comment, record);
      await keepComments(host, pullRequest, [{ body, isQuiet, unless: isQuiet ? wasApplied : undefined }]);
    }
  };
  const end = isCommented ? await notifyHost(screen, job, tell) : 0;
  return { ...outcome, exitCode: exitCode === exitCodes.done ? end || written : exitCode };
}
