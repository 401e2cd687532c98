import {
  countsOfStage,
  type DriftJob,
  driftClasses,
  nameOfStage,
  type StageDrift,
  statusOf,
} from "../plan/drift";
import { diagnosticData, diagnosticsText, findingsBlock } from "./diagnostics";
import { classWords, driftDocument, driftLine, driftMarkdown, driftText } from "./drift-report";
import { codeSpan, escapeMarkdown, escapeText, jsonText } from "./escape-text";
import { type CommentSubject, pageLink } from "./job-comment";
import { counted, countList } from "./plan-wording";
import { runHelp, runMetrics } from "./prometheus";
import { markdownLimit, reportMarkdown } from "./section-markdown";
import { sectionTexts } from "./section-text";
import { type Item, itemSection, joined, type Section } from "./sections";
import type { Style } from "./style";
import { exactTime } from "./time-text";

const words = {
  clean: "no drift",
  drift: "drift",
  expired: "an acceptance expired",
  error: "not checked",
  interrupted: "interrupted",
} as const;

/** Returns all stages with what was found in each, in a line. */
const stageSections = ({ stages }: DriftJob): readonly Section[] =>
  itemSection("stages", "Stages", "", stages.map(itemOf));

function itemOf(one: StageDrift): Item {
  const status = statusOf(one);
  const counts = countsOfStage(one);
  const found = countList(driftClasses.map((of) => [counts?.[of] ?? 0, classWords[of]]));
  const recorded = one.recordedIds && ` (${counted(one.recordedIds.size, "resource")})`;
  return {
    sign: status === "clean" ? " " : status === "drift" ? "~" : "!",
    subject: nameOfStage(one) || "the manifest",
    phrase: `${words[status]}${found === "" ? "" : `: ${found}`}${recorded ?? ""}`,
    ...{ notes: [], fields: [], facts: [] },
  };
}

/** Returns whether a stage is not clean, or has a message. */
const isTold = (one: StageDrift): boolean => one.exitCode !== 0 || one.diagnostics.length > 0;

/** Renders a job for people: each stage that is not clean in full, then a line for each stage, and one for all. */
export function driftJobText(job: DriftJob, style: Style): string {
  const parts = job.stages
    .filter((one) => isTold(one) || job.stages.length === 1)
    .map((one) => {
      const name = escapeText(nameOfStage(one));
      return joined([
        name === "" ? "" : style.colors.bold(name),
        diagnosticsText(one.diagnostics, style),
        one.report === undefined ? "" : driftText(one.report, style).trimEnd(),
      ]).trimEnd();
    });
  if (job.stages.length === 1) return joined(parts);
  return joined([...parts, ...sectionTexts(stageSections(job), style), style.colors.bold(jobLine(job))]);
}

/** `20 stages: 17 no drift, 2 drift, 1 not checked.` */
function jobLine({ stages }: DriftJob): string {
  const told = (["interrupted", "error", "expired", "drift", "clean"] as const).map(
    (status) => [stages.filter((one) => statusOf(one) === status).length, words[status]] as const,
  );
  return `${counted(stages.length, "stage")}: ${countList(told)}.`;
}

/** The job as one JSON document. */
export const driftJobJson = (job: DriftJob): string =>
  jsonText({
    format_version: "1.0",
    ...jobData(job),
    stages: job.stages.map((one) => ({
      ...stageOf(one),
      drift: one.report && driftDocument(one.report),
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
  resources: one.recordedIds?.size,
  ...countsOfStage(one),
});

/** Renders a job in Markdown: all stages in a line each, then what is not clean. */
export function driftJobMarkdown(job: DriftJob, limit = markdownLimit): string {
  const told = job.stages.filter(isTold);
  if (job.stages.length === 1) return stageMarkdown(job.stages[0] as StageDrift, limit);
  const opening = ["### rnv drift", `**${escapeMarkdown(jobLine(job))}**`];
  const all = reportMarkdown({ opening, sections: stageSections(job) }, limit / 2);
  const room = limit - all.length - 200;
  const shown = told.slice(0, Math.max(1, Math.floor(room / 1_000)));
  const parts = shown.map((one) => stageMarkdown(one, Math.floor(room / shown.length) - 10).trimEnd());
  const rest = counted(told.length - shown.length, "stage");
  const note = `> [!NOTE]\n> ${rest} left out, because this text would be too long.`;
  return joined([all.trimEnd(), ...parts, shown.length < told.length ? note : ""]);
}

/** Renders what was found in one stage: the body of its issue. */
export function stageMarkdown(one: StageDrift, limit = markdownLimit): string {
  const name = nameOfStage(one);
  const title = name === "" ? "rnv drift" : `rnv drift: ${codeSpan(name)}`;
  const errors = findingsBlock(one.diagnostics, limit / 3);
  if (one.report === undefined) return joined([`### ${title}`, "**Not checked.**", errors]);
  return joined([driftMarkdown(one.report, { title, limit: limit - errors.length }).trimEnd(), errors]);
}

/** Titles the issue of a stage. */
export const issueTitle = ({ manifest, stage, stack }: CommentSubject): string =>
  [`Drift of ${manifest}`, nameOfStage({ stage, stack })]
    .filter((part) => part !== "")
    .map(escapeText)
    .join(": ");

/** The text of the issue of a stage, within `limit` characters. */
export function issueText(one: StageDrift, job: DriftJob, limit: number): string {
  const footer = `Checked ${exactTime(job.at)}${pageText(job)}. To keep a difference, add it to \`rnv.drift.yaml\` with a reason and an end date. To undo it, merge a pull request; its apply repairs it. Or run \`rnv ci apply --repair\` in a job that needs an approval. This issue closes when no drift is found.\n`;
  return `${stageMarkdown(one, Math.min(limit, markdownLimit) - footer.length - 400)}\n${footer}`;
}

/** Words the comment with which the issue of a stage is closed. */
export const farewellText = (job: DriftJob): string =>
  `No drift any more, as of ${exactTime(job.at)}${pageText(job)}.\n`;

const pageText = ({ page, commit }: DriftJob): string =>
  `${commit === undefined ? "" : ` on ${codeSpan(commit.slice(0, 10))}`}${page === undefined ? "" : ` by ${pageLink("this job", page)}`}`;

/** Words a job for a channel: one line for the job, and one for each stage that is not clean. */
function messageOf(job: DriftJob): string {
  const named = job.stages.filter(({ exitCode }) => exitCode !== 0);
  const lines = named.slice(0, mostLines).map((one) => {
    const said = escapeText(one.report && one.exitCode !== 1 ? driftLine(one.report) : firstError(one));
    const name = escapeText(nameOfStage(one));
    return name === "" ? said : `• ${name}: ${said}`;
  });
  const more = named.length > mostLines ? [`• and ${named.length - mostLines} more`] : [];
  const opening = job.stages.length === 1 && named.length === 1 ? [] : [jobLine(job)];
  const first = job.stages.length === 1 && named.length === 0 ? ["No drift."] : opening;
  const said = `rnv drift of ${escapeText(job.manifest)}. ${[...first, ...lines, ...more].join("\n")}`;
  return [said, ...(job.page ? [escapeText(job.page)] : [])].join("\n");
}

const mostLines = 20;

const firstError = (one: StageDrift): string =>
  one.diagnostics.find(({ severity }) => severity === "error")?.summary ?? words[statusOf(one)];

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

/**
 * Renders a job for Prometheus. The label `manifest` is its path on this machine: a collector reads the files of several jobs
 * there, and takes no number twice. `previous` is the text that the last job wrote. A stage that could not be checked has no
 * counts.
 */
export function driftMetrics({ at, stages }: DriftJob, manifest: string, previous = ""): string {
  const labelsOf = ({ stage, stack }: StageDrift) => ({ manifest, stage, stack });
  const targets = stages.map((one) => ({
    labels: labelsOf(one),
    exitCode: one.exitCode,
    seconds: one.seconds,
    isClean: one.exitCode === 0,
    drift: countsOfStage(one),
  }));
  const resources = stages.flatMap((one) =>
    one.recordedIds === undefined ? [] : [{ labels: labelsOf(one), value: one.recordedIds.size }],
  );
  const runs = stages.flatMap((one) =>
    one.runId === undefined ? [] : [{ labels: { ...labelsOf(one), run: one.runId }, value: 1 }],
  );
  return runMetrics("rnv_drift", at, targets, previous, [
    { name: "rnv_drift_resources", help: "Resources that the state records.", samples: resources },
    { name: "rnv_drift_run_info", help: runHelp, samples: runs },
  ]);
}
