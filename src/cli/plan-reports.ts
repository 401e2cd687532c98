import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Option } from "commander";
import type { PlanRequest } from "../commands/context";
import { hasErrors } from "../diagnostics/diagnostic";
import { isStageWord, stageText } from "../model/stage";
import { savePlan } from "../plan/saved-plan";
import {
  codeQuality,
  type FoundIn,
  failedSuite,
  gitlabCounts,
  junit,
  planFindings,
  planSuite,
} from "../report/job-reports";
import { planJson } from "../report/plan-json";
import { planMarkdown } from "../report/plan-markdown";
import { readJob } from "./ci-job";
import { makeFolder, writeWholeFile } from "./files";
import type { Invocation } from "./invocation";
import { isJob, toldBy } from "./job";
import { writePlanPage } from "./page-file";
import { errorDocument, repositoryPath } from "./report";
import type { TargetResult } from "./targets";

export const reportFolder = new Option(
  "--report <dir>",
  "folder of the reports, to be kept as artefacts",
).default("rnv-report");

/** A plan that a job made, or could not make. */
interface PlannedTarget extends Pick<TargetResult, "target" | "outcome"> {
  /** How its apply ended, in Markdown; absent where it is only planned. */
  readonly applied?: string;
}

/** `production`, `production api`; empty for a manifest that has neither stages nor stacks. */
const nameOfPlanned = ({ target: { stage, stack } }: PlannedTarget): string =>
  [...(stage ? [stageText(stage)] : []), ...(stack ? [stack.name] : [])].join(" ");

/**
 * Writes what jobs keep as artefacts: a folder for each plan where there are several, and above them what the systems of
 * jobs read of all. Of an earlier run no file stays that this one would have written. Throws `DiagnosticsError`.
 */
export function writeReports(
  { cwd, environment, options }: Invocation,
  planned: readonly PlannedTarget[],
  request: PlanRequest,
  outputs: Readonly<Record<string, string>>,
): void {
  const folder = resolve(cwd, String(options.report));
  for (const one of planned) {
    writePlanned(one, request, planned.length === 1 ? folder : join(folder, ...folderOf(one)));
  }
  const found = planned.map(foundIn);
  const pathOf = (file: string): string | undefined => repositoryPath(file, cwd, environment);
  const plans = planned.flatMap(({ outcome }) => outcome.plan ?? []);
  const suites = planned.map((one) => {
    const { plan, diagnostics } = one.outcome;
    const name = ["rnv plan", nameOfPlanned(one)].filter((part) => part !== "").join(" ");
    return plan ? planSuite(plan, name) : failedSuite(diagnostics, name);
  });
  const { write, remove } = filesIn(folder);
  write("junit.xml", junit(suites));
  write("gl-code-quality-report.json", codeQuality(found, pathOf));
  if (plans.length > 0) write("gl-terraform.json", gitlabCounts(plans));
  else remove("gl-terraform.json");
  // GitLab reads outputs from a file (`artifacts: reports: dotenv`), as variables: PLAN_DIGEST.
  const lines = Object.entries(outputs).map(([name, value]) => `PLAN_${name.toUpperCase()}=${value}\n`);
  write("rnv.env", lines.join(""));
}

/** Names of folders below that of the reports. What no stage can be called has none. */
function folderOf({ target: { stage, stack } }: PlannedTarget): readonly string[] {
  const words = stage ? [stage.name, ...(stage.id === undefined ? [] : [stage.id])] : [];
  return [...words.map((word) => (isStageWord(word) ? word : "_")), ...(stack ? [stack.name] : [])];
}

function filesIn(folder: string) {
  makeFolder(folder);
  return {
    write: (name: string, text: string, mode = 0o644): void =>
      writeWholeFile(join(folder, name), text, { mode }),
    remove: (name: string): void => rmSync(join(folder, name), { force: true }),
  };
}

function foundIn({ outcome: { plan, diagnostics, sources } }: PlannedTarget): FoundIn {
  return { findings: plan ? planFindings(plan) : diagnostics, sources };
}

function writePlanned(
  { target: invocation, outcome, applied }: PlannedTarget,
  { files, overridePolicies }: PlanRequest,
  folder: string,
): void {
  const { stage, stack, options } = invocation;
  const { plan, diagnostics, sources, revealed, reviewKey: key } = outcome;
  const { write, remove } = filesIn(folder);
  if (!plan || hasErrors(plan.diagnostics) || applied !== undefined) remove("plan.rnvplan");
  if (applied === undefined) remove("apply.md");
  else write("apply.md", applied);
  if (!plan) {
    for (const name of ["plan.md", "plan.html"]) remove(name);
    write("plan.json", errorDocument(diagnostics, sources));
    return;
  }
  const saved = {
    files,
    stack: stack?.name,
    stage: stage ? stageText(stage) : undefined,
    revealed,
    overridePolicies,
    sources,
    key,
  };
  if (!hasErrors(plan.diagnostics) && applied === undefined)
    write("plan.rnvplan", savePlan(plan, saved), 0o600);
  write("plan.json", planJson(plan));
  write("plan.md", planMarkdown(plan, 1_000_000));
  const page = { ...invocation, options: { ...options, html: join(folder, "plan.html") } };
  const alone = { ...page, ...(stack && { stack: { ...stack, sharesRun: false } }) };
  writePlanPage(alone, plan, sources, jobOf(invocation));
}

/** The commit that a job is about, and the person that it names as its starter. */
function jobOf(invocation: Invocation): Parameters<typeof writePlanPage>[3] {
  const { environment } = invocation;
  if (!isJob(environment)) return undefined;
  return { commit: readJob(invocation).commit, by: toldBy(environment).by };
}
