import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Option } from "commander";
import { unreviewed } from "../../commands/ci/find-review";
import { keepComment } from "../../commands/ci/keep-comment";
import type { PlanRequest } from "../../commands/context";
import { type PlanOutcome, plan } from "../../commands/plan";
import { type Diagnostic, hasErrors } from "../../diagnostics/diagnostic";
import { stageText } from "../../model/stage";
import { compareWithRecord, isExpected } from "../../plan/digest";
import { hasChanges, type Plan } from "../../plan/plan";
import { savePlan } from "../../plan/saved-plan";
import { failedPlanComment, markerOf, planComment, saysNothing } from "../../render/job-comment";
import {
  codeQuality,
  failedJunit,
  gitlabCounts,
  planFindings,
  planJunit,
  sarif,
} from "../../render/job-reports";
import { planJson } from "../../render/plan-json";
import { planMarkdown } from "../../render/plan-markdown";
import { differenceText, isBlocked } from "../../render/plan-wording";
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
import { withContext } from "../context";
import { writeWholeFile } from "../files";
import type { Invocation } from "../invocation";
import { ignoredOptions, options, planningOptions, policyOptions } from "../options";
import { writePlanPage } from "../page-file";
import { annotate, errorDocument, exitCodes, report, repositoryPath } from "../report";
import { otherDiagnostics, planRequestOf, policiesOf, showPlan } from "./plan";
import type { Verb } from "./verb";

const reportFolder = new Option("--report <dir>", "folder of the reports, to be kept as artefacts").default(
  "rnv-report",
);

export const ciPlanVerb: Verb = {
  usage: "plan",
  stacks: { use: "one" },
  summary: "Plan in a job: reports, outputs, and the comment under the pull request",
  detail:
    "Writes plan.rnvplan, plan.json, plan.md, plan.html, junit.xml, rnv.sarif and GitLab's reports into the folder of the reports, and " +
    "in GitHub Actions and GitLab one comment for each manifest and stage, which it rewrites. Outputs: changes (true or " +
    "false), digest, exitcode (0, 2 with changes, 4 when one is blocked, 1 on an error). In a merge queue it compares with " +
    "the plan that was reviewed: exit 5 when it is another.",
  options: [
    ...planningOptions,
    ...policyOptions,
    options.destroy,
    new Option(
      "--no-secrets",
      "leave values unchecked whose source is not here: a pull request needs no secret of production",
    ),
    new Option("--detailed-exitcode", "exit 2 when there are changes"),
    reportFolder,
    ...commentOptions,
    options.answerTimeout,
    ...ignoredOptions,
  ],
  examples: [
    ["rnv ci plan --stage production --no-secrets", "in the job of a pull request"],
    ["rnv ci plan --report reports --pull-request 12", "in any other job"],
  ],
  handler: runPlanInJob,
};

async function runPlanInJob(invocation: Invocation): Promise<number> {
  const { options: given } = invocation;
  const job = readJob(invocation);
  const request = {
    ...planRequestOf(given),
    policies: policiesOf(invocation),
    secrets: given.secrets === false ? ("present" as const) : ("resolve" as const),
  };
  const outcome = await withContext(invocation, (context) => plan(context, request));
  const { diagnostics, sources } = outcome;
  if (outcome.plan) showPlan(invocation, outcome.plan, "text", sources);
  report(invocation, otherDiagnostics(outcome.plan, diagnostics, "text"), sources);
  if (outcome.plan) annotate(invocation, planFindings(outcome.plan).filter(isGuard), sources);
  const exitCode = exitCodeOf(outcome);
  writeReports(invocation, outcome, request);
  const { plan: made } = outcome;
  const outputs = {
    changes: String(made !== undefined && hasChanges(made)),
    digest: (exitCode === exitCodes.error ? undefined : made?.digest) ?? "",
    exitcode: String(exitCode),
  };
  writeOutputs(invocation, outputs);
  writeEnvironment(invocation, outputs);
  if (made) writeSummary(invocation, planMarkdown(made, undefined, { fold: true }));
  if (job.isQueue && made && exitCode !== exitCodes.error) return compareInQueue(invocation, job, made);
  await commentOnPlan(invocation, job, outcome);
  const isQuiet = exitCode === exitCodes.changes && given.detailedExitcode !== true;
  return isQuiet ? exitCodes.done : exitCode;
}

const isGuard = ({ code }: Diagnostic): boolean => code.startsWith("guard.");

function exitCodeOf({ plan: made, exitCode }: PlanOutcome): number {
  if (!made || exitCode !== 0) return exitCode;
  if (isBlocked(made)) return exitCodes.refused;
  return hasChanges(made) ? exitCodes.changes : exitCode;
}

/** Writes what jobs keep as artefacts. What there is no plan for is removed with the folder of an earlier run. */
function writeReports(
  invocation: Invocation,
  { plan: made, diagnostics, sources, revealed }: PlanOutcome,
  { files, overridePolicies }: PlanRequest,
): void {
  const { cwd, environment, stack, stage, options: given } = invocation;
  const folder = resolve(cwd, String(given.report));
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string, mode = 0o644): void =>
    writeWholeFile(join(folder, name), text, { mode });
  const suite = `rnv plan${stage ? ` ${stageText(stage)}` : ""}`;
  const findings = made ? planFindings(made) : diagnostics;
  const pathOf = (file: string): string | undefined => repositoryPath(file, cwd, environment);
  write("gl-code-quality-report.json", codeQuality(findings, sources, pathOf));
  write("rnv.sarif", sarif(findings, sources, pathOf));
  if (!made) {
    write("plan.json", errorDocument(diagnostics, sources));
    write("junit.xml", failedJunit(diagnostics, suite));
    return;
  }
  const saved = {
    files,
    stack: stack?.name,
    stage: stage ? stageText(stage) : undefined,
    revealed,
    overridePolicies,
    sources,
  };
  if (!hasErrors(made.diagnostics)) write("plan.rnvplan", savePlan(made, saved), 0o600);
  write("plan.json", planJson(made));
  write("plan.md", planMarkdown(made, 1_000_000));
  write("junit.xml", planJunit(made, suite));
  write("gl-terraform.json", gitlabCounts(made));
  writePlanPage({ ...invocation, options: { ...given, html: join(folder, "plan.html") } }, made, sources);
}

/** GitLab reads outputs from a file of its own (`artifacts: reports: dotenv`), as variables: PLAN_DIGEST. */
function writeEnvironment(
  { cwd, options: given }: Invocation,
  outputs: Readonly<Record<string, string>>,
): void {
  const lines = Object.entries(outputs).map(([name, value]) => `PLAN_${name.toUpperCase()}=${value}\n`);
  writeWholeFile(join(resolve(cwd, String(given.report)), "rnv.env"), lines.join(""), { mode: 0o644 });
}

/** Rewrites the comment of the pull request. That it cannot be written is told, and fails no plan. */
async function commentOnPlan(
  invocation: Invocation,
  job: CiJob,
  { plan: made, diagnostics, sources }: PlanOutcome,
): Promise<void> {
  const { pullRequest: number, proposes } = job;
  if (invocation.options.comment === false || number === undefined || !proposes) return;
  await tellHost(invocation, async (host) => {
    const subject = subjectOf(invocation);
    const limit = host.mostCharacters;
    const body = made
      ? planComment(made, subject, job, limit)
      : failedPlanComment(diagnostics, sources, subject, job, limit);
    const isQuiet = made !== undefined && saysNothing(made);
    const at = { kind: "pull request", number } as const;
    await keepComment(host, at, { marker: markerOf("plan", subject), body, isQuiet });
  });
}

/** In a merge queue: the branch as it will be must give the plan that was reviewed. The comment stays as it is. */
async function compareInQueue(invocation: Invocation, job: CiJob, made: Plan): Promise<number> {
  if (!hasChanges(made)) return exitCodes.done;
  const review = await reviewOf(invocation, job);
  const { record } = review;
  if (record && isExpected(made, record.digest)) return isBlocked(made) ? exitCodes.refused : exitCodes.done;
  const differences = record ? compareWithRecord(record, made) : undefined;
  if (differences)
    writeSummary(invocation, `Not the plan that was reviewed:\n\n${differenceText(differences)}`);
  const found = unreviewed(review);
  report(invocation, [
    differences
      ? {
          ...found,
          summary: "the plan in the merge queue is not the one that was reviewed",
          detail: differenceText(differences),
          hint: "merge or apply what stands before it in the queue, and plan in the pull request again",
        }
      : found,
  ]);
  return exitCodes.stale;
}
