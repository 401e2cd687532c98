import { appendFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { hasErrors } from "../../diagnostics/diagnostic";
import { isStageWord } from "../../model/stage";
import { planDocument } from "../../plan/document";
import { codeQuality, gitlabCounts, junit, planSuite } from "../../report/ci/artifacts";
import { jsonText } from "../../report/escape-text";
import { planMarkdown } from "../../report/plan-text";
import { cannotWrite, makeFolder, writeWholeFile } from "../files";
import { TypedOption } from "../options";
import { savedPlanOf, scopeOf, writePage } from "../output-files";
import type { TargetResult } from "../run-targets";
import { errorDocument, repositoryPath, type Screen, tryToWrite } from "../screen";
import type { Target } from "../target";
import { type CiJob, isJob, reportedBy } from "./job";

/** Appends outputs for later steps to the file of GitHub. Values have no line breaks. */
export function writeOutputs({ environment }: Screen, outputs: Readonly<Record<string, string>>): void {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  appendTo(environment.GITHUB_OUTPUT, lines.join(""));
}

export const writeSummary = ({ environment }: Screen, texts: readonly string[]): void =>
  appendTo(environment.GITHUB_STEP_SUMMARY, texts.map((text) => `${text}\n`).join(""));

function appendTo(file: string | undefined, text: string): void {
  if (file === undefined || file === "") return;
  try {
    appendFileSync(file, text);
  } catch (cause) {
    throw cannotWrite(file, cause);
  }
}

export const reportFolder = new TypedOption(
  "--report <dir>",
  "folder of the reports, to be kept as artefacts",
  "rnv-report",
).default("rnv-report");

interface PlannedTarget extends Pick<TargetResult, "target" | "outcome" | "seconds"> {
  readonly applied?: string;
}

interface Reports {
  readonly target: Target;
  readonly folder: string;
  readonly job: CiJob;
  readonly screen: Screen;
  readonly outputs: Readonly<Record<string, string>>;
  /** Values of `--override-policy`, for the saved plans. */
  readonly overridePolicies?: readonly string[];
}

/**
 * Writes the summary of a job and its artefacts. Several plans have a folder each, below the files that GitLab and
 * other systems read. Removes files of an earlier run. Returns 1 after it reported a file that cannot be written.
 */
export function writeReports(planned: readonly PlannedTarget[], reports: Reports): number {
  const { target, outputs, screen } = reports;
  const folder = resolve(target.cwd, reports.folder, (target.sharesRun && target.stack) || "");
  const textsOf = ({ applied, outcome: { plan } }: PlannedTarget) =>
    applied ?? (plan ? planMarkdown(plan) : []);
  const pathOf = (file: string) => repositoryPath(file, screen);
  return tryToWrite(screen, () => {
    writeSummary(screen, planned.flatMap(textsOf));
    const suites = planned.map((one) => {
      const { stage, stack } = one.target;
      const below = stage?.split("/").map((word) => (isStageWord(word) ? word : "_")) ?? [];
      writePlanned(one, planned.length === 1 ? folder : join(folder, ...below, stack ?? ""), reports);
      const name = ["rnv plan", stage, stack].filter((word) => word !== undefined).join(" ");
      return planSuite(findingsOf(one), name, one.seconds);
    });
    const plans = planned.flatMap(({ outcome }) => outcome.plan ?? []);
    const write = replaceFiles(folder, ["gl-terraform.json"]);
    write("junit.xml", junit(suites));
    write("gl-code-quality-report.json", codeQuality(planned.map(findingsOf), pathOf));
    if (plans.length > 0) write("gl-terraform.json", gitlabCounts(plans));
    // GitLab reads outputs as variables (`artifacts: reports: dotenv`): PLAN_DIGEST.
    const lines = Object.entries(outputs).map(([name, value]) => `PLAN_${name.toUpperCase()}=${value}\n`);
    write("rnv.env", lines.join(""));
  });
}

const findingsOf = ({ outcome: { plan, diagnostics } }: PlannedTarget) => plan ?? { diagnostics };

/** Makes the folder and removes files of an earlier run; returns a function that writes files of this run. */
function replaceFiles(folder: string, names: readonly string[]) {
  makeFolder(folder);
  for (const name of names) rmSync(join(folder, name), { force: true });
  return (name: string, text: string, mode = 0o644): void =>
    writeWholeFile(join(folder, name), text, { mode });
}

function writePlanned({ target, outcome, applied }: PlannedTarget, folder: string, reports: Reports): void {
  const { job, screen, overridePolicies = [] } = reports;
  const { files, environment } = target;
  const { plan, diagnostics } = outcome;
  const write = replaceFiles(folder, ["plan.rnvplan", "apply.md", "plan.md", "plan.html"]);
  if (applied !== undefined) write("apply.md", applied);
  if (!plan) return void write("plan.json", errorDocument({ diagnostics }));
  const isSaved = !hasErrors(plan.diagnostics) && applied === undefined;
  if (isSaved) write("plan.rnvplan", savedPlanOf(target, { files, overridePolicies }, plan, outcome), 0o600);
  write("plan.json", jsonText(planDocument(plan)));
  write("plan.md", planMarkdown(plan, 1_000_000));
  const origin = isJob(environment) ? { commit: job.commit, by: reportedBy(environment).by } : undefined;
  writePage(screen, join(folder, "plan.html"), (make) =>
    make.planPage(planDocument(plan), { ...scopeOf(target), job: origin }),
  );
}
