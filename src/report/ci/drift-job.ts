import { countsOfStage, type DriftJob, driftClasses, type StageDrift } from "../../plan/drift";
import { diagnosticsText, summaryOf } from "../diagnostics";
import { diagnosticData, reportDocument } from "../documents";
import { classWords, driftLine, driftMarkdown, driftText, nameOfStage } from "../drift-report";
import { codeSpan, escapeMarkdown, escapeText, jsonText } from "../escape-text";
import { countEach, counted, countList } from "../plan-wording";
import { markdownLimit, reportMarkdown } from "../section-markdown";
import { sectionTexts } from "../section-text";
import { type Item, itemSection, joined, type Section } from "../sections";
import type { Style } from "../style";
import { exactTime } from "../time-text";
import { markerOf, pageLink } from "./comment";
import { gaugeText, type MetricLabels, runMetrics } from "./metrics";

/** The worst first. */
const statusWords = {
  interrupted: "interrupted",
  error: "not checked",
  expired: "an acceptance expired",
  drift: "drift",
  clean: "no drift",
} as const;

/** Returns how a stage or a job ended. Only an acceptance that has expired leaves a whole report behind an error. */
export function statusOf({ exitCode, report }: Pick<StageDrift, "exitCode" | "report">) {
  if (exitCode === 0) return "clean";
  if (exitCode === 2) return "drift";
  if (exitCode === 130) return "interrupted";
  return report === undefined ? "error" : "expired";
}

const stageSections = ({ stages }: DriftJob): readonly Section[] =>
  itemSection("stages", "Stages", "", stages.map(itemOf));

function itemOf(one: StageDrift): Item {
  const status = statusOf(one);
  const counts = countsOfStage(one);
  const found = countList(driftClasses.map((of) => [classWords[of], counts?.[of]]));
  const recorded = one.recordedIds && ` (${counted(one.recordedIds.length, "resource")})`;
  return {
    sign: status === "clean" ? " " : status === "drift" ? "~" : "!",
    subject: nameOfStage(one) || "the manifest",
    phrase: `${statusWords[status]}${found === "" ? "" : `: ${found}`}${recorded ?? ""}`,
  };
}

const isReported = (one: StageDrift): boolean => one.exitCode !== 0 || one.diagnostics.length > 0;

/** Renders a job for people: each stage that is not clean in full, then a line for each stage, and one for all. */
export function driftJobText(job: DriftJob, style: Style): string {
  const reported = job.stages.filter((one) => isReported(one) || job.stages.length === 1);
  const parts = reported.flatMap((one) => [
    nameOfStage(one) === "" ? "" : style.colors.bold(escapeText(nameOfStage(one))),
    diagnosticsText(one.diagnostics, style),
    one.report === undefined ? "" : driftText(one.report, style).trimEnd(),
  ]);
  if (job.stages.length === 1) return joined(parts);
  return joined([...parts, ...sectionTexts(stageSections(job), style), style.colors.bold(jobLine(job))]);
}

/** `20 stages: 17 no drift, 2 drift, 1 not checked.` */
const jobLine = ({ stages }: DriftJob): string =>
  `${counted(stages.length, "stage")}: ${countEach(statusWords, stages.map(statusOf))}.`;

export const driftJobJson = (job: DriftJob): string =>
  jsonText({
    format_version: "1.0",
    ...jobData(job),
    stages: job.stages.map((one) => ({
      ...stageOf(one),
      drift: one.report && reportDocument(one.report),
      diagnostics: one.diagnostics.map((found) => diagnosticData(found)),
    })),
  });

const jobData = (job: DriftJob) => {
  const { exitCode, manifest, at, seconds, commit, page } = job;
  return { status: statusOf(job), exit_code: exitCode, manifest, at, seconds, commit, job: page };
};

const stageOf = (one: StageDrift) => ({
  stage: one.stage,
  stack: one.stack,
  status: statusOf(one),
  exit_code: one.exitCode,
  seconds: one.seconds,
  resources: one.recordedIds?.length,
  ...countsOfStage(one),
});

/** Renders a job in Markdown: all stages in a line each, then the stages that are not clean. */
export function driftJobMarkdown(job: DriftJob): string {
  const reported = job.stages.filter(isReported);
  if (job.stages.length === 1) return driftMarkdown(job.stages[0] as StageDrift);
  const opening = ["### rnv drift", `**${escapeMarkdown(jobLine(job))}**`];
  const all = reportMarkdown(opening, stageSections(job), markdownLimit / 2);
  const share = Math.floor((markdownLimit - all.length) / reported.length) - 10;
  return joined([all.trimEnd(), ...reported.map((one) => driftMarkdown(one, share).trimEnd())]);
}

/** The issue of a stage for a host: it has no body once nothing has drifted, and is closed with a farewell. */
export function driftIssue(one: StageDrift, job: DriftJob, pullWord: string) {
  const { manifest, at, commit, page } = job;
  const marker = markerOf("drift", { manifest, stage: one.stage, stack: one.stack });
  const title = [`Drift of ${manifest}`, nameOfStage(one)].filter(Boolean).map(escapeText).join(": ");
  const on = commit === undefined ? "" : ` on ${codeSpan(commit.slice(0, 10))}`;
  const checked = `${exactTime(at)}${on}${page === undefined ? "" : ` by ${pageLink("this job", page)}`}.`;
  const farewell = `No drift as of ${checked}\n`;
  if (statusOf(one) === "clean") return { marker, title, farewell };
  const footer = `Checked ${checked} To keep a difference, add it to \`rnv.drift.yaml\` with a reason and an end date. To undo it, merge a ${pullWord}; its apply repairs it. Or run \`rnv ci apply --repair\` in a job that needs an approval. This issue closes when no drift is found.\n`;
  const found = driftMarkdown(one, markdownLimit - footer.length - 400);
  return { marker, title, farewell, body: `${marker}\n${found}\n${footer}` };
}

function messageOf(job: DriftJob): string {
  const unclean = job.stages.filter((one) => statusOf(one) !== "clean");
  const lines = unclean.map((one) => {
    const failed = one.diagnostics.find(({ severity }) => severity === "error");
    const cause = failed === undefined ? statusWords[statusOf(one)] : summaryOf(failed);
    const found = one.report && one.exitCode !== 1 ? driftLine(one.report) : cause;
    return `• ${escapeText(nameOfStage(one) || "the manifest")}: ${escapeText(found)}`;
  });
  const opening = `rnv drift of ${escapeText(job.manifest)}. ${jobLine(job)}`;
  return [opening, ...(job.page ? [escapeText(job.page)] : []), ...lines].join("\n");
}

/** Characters that would make a mention or a link of a channel. */
const inert = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").slice(0, 3_000);

/** The body that a webhook is sent: `text` for channels, the rest for programs. */
export const webhookBody = (job: DriftJob): string =>
  JSON.stringify({
    text: inert(messageOf(job)),
    event: "drift",
    ...jobData(job),
    stages: job.stages.map(stageOf),
  });

/** Renders a job for Prometheus; `place` is the same wherever it runs. A stage that could not be checked has no counts. */
export function driftMetrics({ at, stages }: DriftJob, place: MetricLabels): string {
  const targets = stages.map((one) => {
    const labels = { ...place, stage: one.stage, stack: one.stack };
    return { ...one, labels, drift: countsOfStage(one) };
  });
  const recorded = "Resources that the state records.";
  const resources = gaugeText("rnv_drift_resources", recorded, targets, (one) => one.recordedIds?.length);
  return resources + runMetrics("rnv_drift", at, targets);
}
