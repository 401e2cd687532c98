import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Option } from "commander";
import type { PlanRequest } from "../commands/context";
import { type Diagnostic, hasErrors } from "../diagnostics/diagnostic";
import { isStageWord } from "../model/stage";
import { codeQuality, gitlabCounts, junit, planFindings, planSuite } from "../report/job-reports";
import { planJson, planMarkdown } from "../report/plan-text";
import { readJob, writeSummary } from "./ci-job";
import { makeFolder, writeWholeFile } from "./files";
import { type Invocation, namesOf } from "./invocation";
import { isJob, toldBy } from "./job";
import { savedPlanOf, writePlanPage } from "./page-file";
import { errorDocument, repositoryPath, tryToWrite } from "./report";
import type { TargetResult } from "./targets";

export const reportFolder = new Option(
  "--report <dir>",
  "folder of the reports, to be kept as artefacts",
).default("rnv-report");

interface PlannedTarget extends Pick<TargetResult, "run" | "outcome"> {
  /** How its apply ended, in Markdown; absent where it is only planned. */
  readonly applied?: string;
}

/**
 * Writes the outputs of a job, its summary, and what it keeps as artefacts: a folder for each plan where there are several,
 * and above them what the systems of jobs read of all. Of an earlier run no file stays that this one would have written.
 * Reports what cannot be written, and returns 1 then.
 */
export function writeReports(
  invocation: Invocation,
  planned: readonly PlannedTarget[],
  request: PlanRequest,
  outputs: Readonly<Record<string, string>>,
): number {
  const texts = planned.flatMap(
    ({ applied, outcome: { plan } }) => applied ?? (plan ? planMarkdown(plan) : []),
  );
  return tryToWrite(invocation, () => {
    writeSummary(invocation, texts);
    writeFiles(invocation, planned, request, outputs);
  });
}

function writeFiles(
  { cwd, environment, options, stack: own }: Invocation,
  planned: readonly PlannedTarget[],
  request: PlanRequest,
  outputs: Readonly<Record<string, string>>,
): void {
  const folder = resolve(cwd, String(options.report), ...(own?.sharesRun ? [own.name] : []));
  const suites = [];
  const found: Diagnostic[] = [];
  for (const one of planned) {
    const { stage, stack } = one.run;
    const { plan, diagnostics } = one.outcome;
    // What no stage can be called has no folder of its own.
    const words = [stage?.name, stage?.id].flatMap((word) => word ?? []);
    const below = [...words.map((word) => (isStageWord(word) ? word : "_")), ...(stack ? [stack.name] : [])];
    writePlanned(one, request, planned.length === 1 ? folder : join(folder, ...below));
    const name = ["rnv plan", ...Object.values(namesOf(one.run))].join(" ");
    suites.push(planSuite(plan ?? { diagnostics }, name));
    found.push(...(plan ? planFindings(plan) : diagnostics));
  }
  const plans = planned.flatMap(({ outcome }) => outcome.plan ?? []);
  const write = emptyFiles(folder, ["gl-terraform.json"]);
  write("junit.xml", junit(suites));
  const pathOf = (file: string): string | undefined => repositoryPath(file, cwd, environment);
  write("gl-code-quality-report.json", codeQuality(found, pathOf));
  if (plans.length > 0) write("gl-terraform.json", gitlabCounts(plans));
  // GitLab reads outputs from a file (`artifacts: reports: dotenv`), as variables: PLAN_DIGEST.
  const lines = Object.entries(outputs).map(([name, value]) => `PLAN_${name.toUpperCase()}=${value}\n`);
  write("rnv.env", lines.join(""));
}

/** Removes files of an earlier run from the folder, which is made; returns a function that writes one of this run. */
function emptyFiles(folder: string, names: readonly string[]) {
  makeFolder(folder);
  for (const name of names) rmSync(join(folder, name), { force: true });
  return (name: string, text: string, mode = 0o644): void =>
    writeWholeFile(join(folder, name), text, { mode });
}

function writePlanned(
  { run: invocation, outcome, applied }: PlannedTarget,
  request: PlanRequest,
  folder: string,
): void {
  const { environment } = invocation;
  const { plan, diagnostics } = outcome;
  const write = emptyFiles(folder, ["plan.rnvplan", "apply.md", "plan.md", "plan.html"]);
  if (applied !== undefined) write("apply.md", applied);
  if (!plan) {
    write("plan.json", errorDocument(diagnostics));
    return;
  }
  const isSaved = !hasErrors(plan.diagnostics) && applied === undefined;
  if (isSaved) write("plan.rnvplan", savedPlanOf(invocation, request, plan, outcome), 0o600);
  write("plan.json", planJson(plan));
  write("plan.md", planMarkdown(plan, 1_000_000));
  // The commit that the job is about, and the person that it names as its starter.
  const job = isJob(environment)
    ? { commit: readJob(invocation).commit, by: toldBy(environment).by }
    : undefined;
  writePlanPage(invocation, plan, { file: join(folder, "plan.html"), job });
}
