import type { Address } from "../model/address";
import { compareTexts } from "../model/text";
import {
  type AcceptedDrift,
  countOf,
  countsOfStage,
  type DriftClass,
  type DriftJob,
  type DriftReport,
  type DriftStatus,
  driftClasses,
  nameOfStage,
  type PendingResource,
  type StageDrift,
  statusOf,
} from "../plan/drift";
import { diagnosticsText, findingsBlock } from "./diagnostics";
import { type DriftEnd, diagnosticData, driftDocument, reportDocument } from "./documents";
import { codeSpan, escapeMarkdown, escapeText, jsonText } from "./escape-text";
import { asciiSign, type Mark, tagOf } from "./graph";
import { type CommentSubject, pageLink } from "./job-comment";
import { groupBy, homeOf, readingOrder } from "./order";
import {
  notRunning,
  revealedLine,
  rowsByReason,
  standingPhrase,
  standingRows,
  unmanagedLine,
} from "./plan-report";
import { actionPhrase, countEach, counted, countList } from "./plan-wording";
import { runMetrics } from "./prometheus";
import { markdownLimit, reportMarkdown } from "./section-markdown";
import { sectionTexts } from "./section-text";
import { code, codes, type Item, itemSection, joined, type Section, section } from "./sections";
import type { Style } from "./style";
import { exactTime } from "./time-text";
import { plainText } from "./values";

/** Returns the sections of every drift report: a section for each kind of difference, and further facts. */
export function driftSections(report: DriftReport): readonly Section[] {
  // A consequence with several causes is shown at the first.
  const consequences = groupBy(readingOrder(report.consequences), ({ because }) => because[0]);
  const following = (address: Address) =>
    (consequences.get(address) ?? []).map((one) => ({
      text: `to repair it: ${one.address} ${pendingPhrase({ ...one, fields: [] })}`,
    }));
  // The headings of the first two sections name the event, and the cause of their fields.
  const missing = report.missing.map((address) => ({
    ...{ address, sign: "-", subject: address, phrase: "", facts: following(address) },
  }));
  const drifted = readingOrder(report.drifted).map(({ address, fields, deployed }) => ({
    ...{ sign: "~", subject: address, phrase: "" },
    fields: fields.map((field) => ({ ...field, cause: "edit" as const })),
    facts: [...(deployed === undefined ? [] : [{ text: deployed }]), ...following(address)],
  }));
  const pending = readingOrder(report.pending).map(pendingItem);
  return [
    ...foundSection("missing", "Deleted outside rnv", readingOrder(missing), "was deleted outside rnv"),
    ...foundSection("drift", "Changed outside rnv", drifted, "changed outside rnv"),
    ...foundSection("pending", "Declared, but not applied yet", pending),
    ...besides(report),
  ];
}

/** The items of a kind, and the phrase of each where the heading does not say it. */
function foundSection(mark: Mark, title: string, items: readonly Item[], tagPhrase?: string) {
  const found = items.map((item) => ({
    ...{ ...item, tag: tagOf(mark), tagPhrase, homes: [homeOf(item.subject)] },
  }));
  return itemSection(mark, title, `${title}:`, found);
}

function pendingItem(pending: PendingResource): Item {
  const { address, action, previousAddress, standing } = pending;
  // The address of a new resource already says its placement.
  const fields = pending.fields.filter(({ placement }) => placement !== true);
  const isOutcome = action === "no-op" && standing !== undefined && fields.length === 0;
  return {
    sign: isOutcome ? "!" : asciiSign(action),
    ...{ subject: address, phrase: isOutcome ? "" : pendingPhrase(pending), fields },
    notes: previousAddress === undefined || action === "no-op" ? [] : [`moved from ${previousAddress}`],
    facts: standing === undefined ? [] : [{ text: standingPhrase(standing) }],
  };
}

const mostNames = 10;

function besides(report: DriftReport): readonly Section<never>[] {
  const byHolder = groupBy(report.unmanaged, ({ within }) => within);
  const parts = [...byHolder]
    .sort(([a = ""], [b = ""]) => compareTexts(a, b))
    .flatMap(([holder, own]) => {
      const names = own.map(({ name }) => name);
      return holder === undefined ? [] : [[code(holder), codes(names, mostNames)]];
    });
  const settings = report.undeclared.map(({ address, path, value, default: byDefault }) => [
    ...[code(address), code(path)],
    [code(plainText(value)), " (default ", code(plainText(byDefault)), ")"],
  ]);
  const undeclared = "Settings not in the manifest and not at their default:";
  const expired = "Acceptance expired: remove or renew the entry:";
  return [
    ...section("running", notRunning, `${notRunning}:`, standingRows(report.running)),
    ...section("unchecked", "Not checked", "Could not be checked:", rowsByReason(report.unchecked)),
    ...section("revealed", "Revealed", revealedLine(report, "as recorded")),
    ...section("undeclared", "Not declared", "Variables not in the manifest:", parts),
    ...section("undeclared", "Not declared", undeclared, settings),
    ...section("unmanaged", "Not managed here", unmanagedLine(byHolder.get(undefined) ?? [])),
    ...section("accepted", "Accepted", "Accepted until a date:", acceptedRows(report.accepted)),
    ...section("expired", "Accepted before", expired, acceptedRows(report.expired)),
  ];
}

const acceptedRows = (accepted: readonly Omit<AcceptedDrift, "class">[] = []) =>
  accepted.map(({ address, attribute, until, reason }) => [
    ...[code(address), attribute === undefined ? "" : code(attribute)],
    ...[`until ${until}`, reason],
  ]);

const classWords: Readonly<Record<DriftClass, string>> = {
  drifted: "changed outside rnv",
  missing: "deleted outside rnv",
  unmanaged: "not managed here",
  pending: "not applied yet",
};

/** `Drift: 1 changed outside rnv, 2 deleted outside rnv. 1 not applied yet.` */
export function driftLine(report: DriftReport): string {
  const said = (classes: readonly DriftClass[]): string =>
    countList(classes.map((one) => [countOf(report, one), classWords[one]]));
  const { failOn, pending, unchecked, accepted } = report;
  const rest = [
    !failOn.includes("pending") && said(["pending"]),
    unchecked.length > 0 && `${counted(unchecked.length, "resource")} could not be checked`,
    accepted && `${accepted.length} accepted for a while`,
  ].flatMap((text) => (text ? ` ${text}.` : []));
  if (report.hasDrift) return `Drift: ${said(failOn)}.${rest.join("")}`;
  const isWhole = pending.length === 0 && accepted === undefined;
  const matches = isWhole ? " Your infrastructure matches the configuration." : "";
  return `No drift.${matches}${rest.join("")}`;
}

/** Says how a pending resource would change, to stand after its address. */
function pendingPhrase({ action, archives, runs, fields, previousAddress }: PendingResource): string {
  if (action === "no-op")
    return previousAddress ? `would move here from ${previousAddress}` : "would be left as it is";
  if (runs) return action === "create" ? "would run" : "would run again";
  if (action === "update") return "would be updated in place";
  const onRemove = archives ? "archive" : "delete";
  return actionPhrase({ action, onRemove, attributes: fields }).replace(/^(?:will|must)/, "would");
}

/** Renders a drift report for people. Its last line is `No drift. …` or `Drift: …`. */
export const driftText = (report: DriftReport, style: Style): string =>
  joined([...sectionTexts(driftSections(report), style), style.colors.bold(driftLine(report))]);

export const driftJson = (end: DriftEnd): string => jsonText(driftDocument(end));

/** The worst first. */
const statusWords: Readonly<Record<DriftStatus, string>> = {
  interrupted: "interrupted",
  error: "not checked",
  expired: "an acceptance expired",
  drift: "drift",
  clean: "no drift",
};

/** Returns all stages with their findings, in a line each. */
const stageSections = ({ stages }: DriftJob): readonly Section[] =>
  itemSection("stages", "Stages", "", stages.map(itemOf));

function itemOf(one: StageDrift): Item {
  const status = statusOf(one);
  const counts = countsOfStage(one);
  const found = countList(driftClasses.map((of) => [counts?.[of] ?? 0, classWords[of]]));
  const recorded = one.recordedIds && ` (${counted(one.recordedIds.length, "resource")})`;
  return {
    sign: status === "clean" ? " " : status === "drift" ? "~" : "!",
    subject: nameOfStage(one) || "the manifest",
    phrase: `${statusWords[status]}${found === "" ? "" : `: ${found}`}${recorded ?? ""}`,
  };
}

/** Returns whether a stage is not clean, or has a message. */
const isTold = (one: StageDrift): boolean => one.exitCode !== 0 || one.diagnostics.length > 0;

/** Renders a job for people: each stage that is not clean in full, then a line for each stage, and one for all. */
export function driftJobText(job: DriftJob, style: Style): string {
  const told = job.stages.filter((one) => isTold(one) || job.stages.length === 1);
  const parts = told.flatMap((one) => [
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
export function driftJobMarkdown(job: DriftJob, limit = markdownLimit): string {
  const told = job.stages.filter(isTold);
  if (job.stages.length === 1) return driftMarkdown(job.stages[0] as StageDrift, limit);
  const opening = ["### rnv drift", `**${escapeMarkdown(jobLine(job))}**`];
  const all = reportMarkdown({ opening, sections: stageSections(job) }, limit / 2);
  const share = Math.floor((limit - all.length) / told.length) - 10;
  return joined([all.trimEnd(), ...told.map((one) => driftMarkdown(one, share).trimEnd())]);
}

/** Renders the findings in a stage, as the body of its issue: the count first, then each difference. */
export function driftMarkdown(
  one: Pick<StageDrift, "stage" | "stack" | "report" | "diagnostics">,
  limit = markdownLimit,
): string {
  const name = nameOfStage(one);
  const title = name === "" ? "### rnv drift" : `### rnv drift: ${codeSpan(name)}`;
  const errors = findingsBlock(one.diagnostics, limit / 3);
  if (one.report === undefined) return joined([title, "**Not checked.**", errors]);
  const opening = [title, `**${escapeMarkdown(driftLine(one.report))}**`];
  const text = reportMarkdown({ opening, sections: driftSections(one.report) }, limit - errors.length);
  return joined([text.trimEnd(), errors]);
}

export const issueTitle = ({ manifest, stage, stack }: CommentSubject): string =>
  [`Drift of ${manifest}`, nameOfStage({ stage, stack })]
    .filter((part) => part !== "")
    .map(escapeText)
    .join(": ");

/** The text of the issue of a stage, within `limit` characters. */
export function issueText(one: StageDrift, job: DriftJob, limit: number): string {
  const footer = `Checked ${exactTime(job.at)}${pageText(job)}. To keep a difference, add it to \`rnv.drift.yaml\` with a reason and an end date. To undo it, merge a pull request; its apply repairs it. Or run \`rnv ci apply --repair\` in a job that needs an approval. This issue closes when no drift is found.\n`;
  return `${driftMarkdown(one, Math.min(limit, markdownLimit) - footer.length - 400)}\n${footer}`;
}

/** Words the comment with which the issue of a stage is closed. */
export const farewellText = (job: DriftJob): string =>
  `No drift any more, as of ${exactTime(job.at)}${pageText(job)}.\n`;

const pageText = ({ page, commit }: DriftJob): string =>
  `${commit === undefined ? "" : ` on ${codeSpan(commit.slice(0, 10))}`}${page === undefined ? "" : ` by ${pageLink("this job", page)}`}`;

/** Words a job for a channel: one line for the job, and one for each stage that is not clean. */
function messageOf(job: DriftJob): string {
  const lines = job.stages
    .filter(({ exitCode }) => exitCode !== 0)
    .map((one) => {
      const failed = one.diagnostics.find(({ severity }) => severity === "error")?.summary;
      const found =
        one.report && one.exitCode !== 1 ? driftLine(one.report) : (failed ?? statusWords[statusOf(one)]);
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

/**
 * Renders a job for Prometheus. The label `manifest` is its path on this machine: a collector reads the files of several jobs
 * there, and takes no number twice. A stage that could not be checked has no counts.
 */
export function driftMetrics({ at, stages }: DriftJob, manifest: string): string {
  const targets = stages.map((one) => ({
    ...one,
    labels: { manifest, stage: one.stage, stack: one.stack },
    drift: countsOfStage(one),
    runs: one.runId === undefined ? [] : [one.runId],
  }));
  const resources = targets.map(({ labels, recordedIds }) => ({ labels, value: recordedIds?.length }));
  return runMetrics("rnv_drift", at, targets, [
    { name: "rnv_drift_resources", help: "Resources that the state records.", samples: resources },
  ]);
}
