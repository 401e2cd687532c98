import { join } from "node:path";
import type { CodeHost } from "../../api/code-host/create-host";
import { keepIssues } from "../../commands/ci/comments";
import { callWebhook, readWebhook } from "../../commands/ci/webhook";
import { joinExitCodes } from "../../commands/targets";
import { systemClock } from "../../model/time";
import { warnOfUnused } from "../../plan/accepted-drift";
import { type DriftJob, type StageDrift, withoutOthers } from "../../plan/drift";
import { isForRemovedTarget } from "../../report/ci/comment";
import {
  driftIssue,
  driftJobJson,
  driftJobMarkdown,
  driftJobText,
  driftMetrics,
  statusOf,
} from "../../report/ci/drift-job";
import { makeFolder, writeWholeFile } from "../files";
import { argument, driftOptions, negation, pick, readingOptions, scopeOptions, text } from "../options";
import { resultsOf, type TargetResult } from "../run-targets";
import { annotate, exitCodes, quiet, report, tryToWrite } from "../screen";
import { requestedStages } from "../stages";
import { defineVerb } from "../verb";
import { driftOf, driftVerb, readAccepted } from "../verbs/drift";
import { notifyHost } from "./host";
import { readJob, repositoryOf, startedBy } from "./job";
import { writeOutputs, writeSummary } from "./reports";

const { stacks, ...targetOptions } = scopeOptions;

export const ciDriftVerb = defineVerb({
  name: "drift",
  arguments: { words: argument("[stack...]") },
  summary: "Check stages for drift and notify",
  detail:
    "The same findings as `rnv drift`, in one report for all stages: an error in one does not stop the others, and the exit code " +
    "is that of the stage that says most. A webhook is called also when nothing has drifted, so that its silence means that the " +
    "job is broken. In GitHub Actions and GitLab each stage that has drifted has one issue, which is rewritten, and closed when the " +
    "drift is gone. With RNV_WEBHOOK_SECRET its header X-Rnv-Signature is sha256= and the HMAC-SHA-256 of the body.",
  options: {
    ...targetOptions,
    ...driftOptions,
    ...readingOptions,
    ...pick("stages", "allStages", "metrics"),
    issue: negation("--no-issue", "keep no issue for each stage that has drifted, on GitHub and GitLab"),
    report: text("--report <folder>", "write drift.md and drift.json there"),
    webhook: text(
      "--webhook <url>",
      "POST the result there as JSON with a text for people (RNV_WEBHOOK_URL)",
    ),
  },
  examples: [
    ["rnv ci drift", "a manifest without stages"],
    ["rnv ci drift --all-stages --report drift", "all of them, with the files for an artefact"],
    [
      "rnv ci drift --stage production --stage staging --fail-on pending",
      "two, and what is not applied counts",
    ],
  ],
  run: async (given, { target, screen }) => {
    const { environment, files, manifest } = target;
    const { terminal, format, signal } = screen;
    const webhook = readWebhook(given.webhook ?? environment.RNV_WEBHOOK_URL?.trim());
    const at = new Date().toISOString();
    const startedAt = systemClock.elapsed();
    const read = async () => ({
      accepted: readAccepted(target),
      ...(await requestedStages(target, screen, given)),
    });
    const { accepted, names, areAll, declared } = await read().catch((cause: unknown) => {
      writeOutputs(screen, { drift: "unknown", exitcode: "1" });
      throw cause;
    });
    const results = await resultsOf({
      request: { ...target, rules: driftVerb },
      stages: names,
      screen: quiet(screen),
      run: (run) => driftOf(run, given, accepted),
    });
    const stages = withoutOthers(results.map(shownOf));
    const { commit, job: page } = startedBy(target, files);
    const job: DriftJob = {
      manifest,
      at,
      commit,
      page,
      stages,
      seconds: Math.round(systemClock.elapsed() - startedAt) / 1000,
      exitCode: signal.aborted
        ? exitCodes.interrupted
        : joinExitCodes(stages.map(({ exitCode }) => exitCode)),
    };
    if (format === "json") terminal.out(driftJobJson(job));
    else if (format === "markdown") terminal.out(driftJobMarkdown(job));
    else terminal.out(driftJobText(job, terminal.style));
    const judged = results.flatMap(({ outcome }) => outcome.judged ?? []);
    const unused = warnOfUnused(judged, areAll && judged.length === results.length);
    const { report: folder, metrics } = given;
    const place = { repository: repositoryOf(target), manifest };
    const written = [
      () => folder !== undefined && writeReports(folder, job),
      () => metrics && writeWholeFile(metrics, driftMetrics(job, place), { mode: 0o644 }),
    ].map((write) => tryToWrite(screen, write));
    const failed = webhook && (await callWebhook(webhook, job, environment));
    report(screen, [...unused, ...(failed ? [failed] : [])]);
    const drifted = stages.some((stage) => statusOf(stage) === "drift");
    const drift = drifted ? "true" : stages.some(wasLookedAt) ? "false" : "unknown";
    writeOutputs(screen, { drift, exitcode: String(job.exitCode) });
    writeSummary(screen, [driftJobMarkdown(job)]);
    const host = readJob(target);
    // A pull request proposes changes; drift concerns the merged manifest.
    if (given.issue && host.platform !== undefined && host.pullRequest === undefined)
      await notifyHost(screen, host, issuesOf(job, declared ?? results[0]?.target.declaredStages));
    for (const { diagnostics } of stages) annotate(screen, diagnostics);
    if (failed) written.push(exitCodes.error);
    return joinExitCodes([job.exitCode, ...written]);
  },
});

function shownOf({ target, outcome, seconds }: TargetResult): StageDrift {
  const { runId, plan, report, diagnostics, exitCode } = outcome;
  const recordedIds = [...(plan?.instances.values() ?? [])].flatMap(({ recorded }) => recorded?.id ?? []);
  return {
    stage: target.stage,
    stack: target.stack,
    seconds,
    runId,
    exitCode,
    diagnostics,
    report,
    recordedIds: report && recordedIds,
  };
}

const wasLookedAt = (stage: StageDrift): boolean => !["error", "interrupted"].includes(statusOf(stage));

/** Keeps an issue for each stage that has drifted, and closes those of stages that are not declared any more. */
const issuesOf = (job: DriftJob, declared: readonly string[] | undefined) => (host: CodeHost) => {
  // A failed check proves neither drift nor repair.
  const looked = job.stages.filter(wasLookedAt);
  const wanted = looked.map((stage) => driftIssue(stage, job, host.pullWord));
  return keepIssues(host, wanted, (marker) =>
    isForRemovedTarget(marker, "drift", job.manifest, { stages: declared, stacks: undefined })
      ? "This stage is not declared any more.\n"
      : undefined,
  );
};

function writeReports(folder: string, job: DriftJob): void {
  makeFolder(folder);
  writeWholeFile(join(folder, "drift.md"), driftJobMarkdown(job));
  writeWholeFile(join(folder, "drift.json"), driftJobJson(job));
}
