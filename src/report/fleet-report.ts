import type { SourceLocation } from "../model/apply-event";
import {
  type FleetReport,
  type MemberResult,
  type MemberStatus,
  memberStatuses,
  statusWords,
} from "../model/report-documents";
import { escapeJson, escapeLines, escapeText } from "./escape-text";
import { type Count, counted, countList } from "./plan-wording";
import { runHelp, runMetrics } from "./prometheus";
import { markdownLimit, reportMarkdown } from "./section-markdown";
import { sectionTexts } from "./section-text";
import { type Item, itemSection, joined, type Section } from "./sections";
import type { Style } from "./style";
import { elapsedText } from "./time-text";

export const fleetReportJson = (report: FleetReport): string => `${escapeJson(report, 2)}\n`;

/** Returns true if it needs no attention. */
export const isWell = ({ status }: Pick<MemberResult, "status">): boolean =>
  status === "clean" || status === "applied";

/** Members to tell of first come first. */
export const byUrgency = (a: MemberResult, b: MemberResult): number =>
  memberStatuses.indexOf(b.status) - memberStatuses.indexOf(a.status) || (a.name < b.name ? -1 : 1);

const doneWords = {
  ...{ add: "added", change: "changed", destroy: "destroyed", adopt: "adopted", forget: "forgotten" },
} as const;

/** Words the result of a run: `1 to add, 2 to change`. */
export function foundText({ changes, drift, status }: MemberResult, isDone: boolean): string {
  const ofChanges = Object.entries(doneWords).map(
    ([verb, done]): Count => [changes?.[verb as keyof typeof doneWords] ?? 0, isDone ? done : `to ${verb}`],
  );
  return countList([
    ...ofChanges,
    [drift?.drifted ?? 0, "changed outside"],
    [drift?.missing ?? 0, "missing"],
    [drift?.pending ?? 0, "not applied"],
    // In a workspace of several members, what others manage is not managed by one.
    [status === "drift" ? (drift?.unmanaged ?? 0) : 0, "not managed"],
  ]);
}

/** The line of a member in a log: `shop@production: drift, 1 changed outside (1.2s)`. */
export function memberLine(result: MemberResult, isDone: boolean): string {
  return `${escapeText(result.name)}: ${statusText(result, isDone)} (${elapsedText(result.seconds)})`;
}

/** Members that are well and are listed one by one; beyond, they are counted. */
const mostWell = 20;

/** The report as sections: what needs attention first, with its errors; then what is well, where that is not much. */
function fleetSections({ members, verb }: FleetReport): readonly Section[] {
  const sorted = [...members].sort(byUrgency);
  const [urgent, well] = [sorted.filter((one) => !isWell(one)), sorted.filter(isWell)];
  const itemOf = (one: MemberResult): Item => ({
    sign: signOf(one.status),
    subject: one.name,
    phrase: `${statusText(one, verb === "apply")} (${elapsedText(one.seconds)})`,
    ...{ notes: [], fields: [], facts: [] },
    printed: problemLines(one),
  });
  return [
    ...itemSection("members", "Needs attention", "", urgent.map(itemOf)),
    ...itemSection("members", "Well", "", well.length > mostWell ? [] : well.map(itemOf)),
  ];
}

const mild: ReadonlySet<MemberStatus> = new Set(["changes", "drift", "checkout", "locked"]);

/** Of what went wrong `!`, of what a reader expects to see `~`, of what is well none. */
const signOf = (status: MemberStatus): string => (isWell({ status }) ? " " : mild.has(status) ? "~" : "!");

/** `drift, 1 changed outside`. */
const statusText = (one: MemberResult, isDone: boolean): string =>
  [statusWords[one.status], foundText(one, isDone)].filter((text) => text !== "").join(", ");

/** The report for people. */
export const fleetReportText = (report: FleetReport, style: Style): string =>
  joined([
    ...sectionTexts(fleetSections(report), style),
    `${style.colors.bold("Fleet:")} ${fleetLine(report)}`,
  ]);

/** Errors of a member that are shown; the report in JSON has all that are kept. */
const mostProblems = 3;

function problemLines({ diagnostics = [], output }: MemberResult): readonly string[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const told = errors
    .slice(0, mostProblems)
    .flatMap(({ code, summary, hint, location: at }) => [
      `error[${code}]: ${summary}`,
      ...(at === undefined ? [] : [`  --> ${placeText(at)}`]),
      ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    ]);
  const more = errors.length > mostProblems ? [`… and ${errors.length - mostProblems} more`] : [];
  return [...told, ...more, ...(output === undefined ? [] : escapeLines(output.trim()))];
}

export const placeText = ({ file, line, column }: SourceLocation): string =>
  [file, line, column].filter((part) => part !== undefined).join(":");

/** `100 members, shard 1 of 4: 97 clean, 2 drift, 1 failed.` */
export function fleetLine({ members, shard, counts, selected }: FleetReport): string {
  const part = shard === undefined ? "" : `, shard ${shard.index} of ${shard.count} (of ${selected.length})`;
  if (members.length === 0) return `nothing to run${part}.`;
  const byStatus = countList(memberStatuses.map((status) => [counts[status] ?? 0, statusWords[status]]));
  return `${counted(members.length, "member")}${part}: ${byStatus}.`;
}

/** The report in Markdown. */
export const fleetReportMarkdown = (report: FleetReport): string =>
  reportMarkdown(
    {
      opening: [`### rnv fleet ${report.verb}`, `**Fleet:** ${fleetLine(report)}`],
      sections: fleetSections(report),
    },
    markdownLimit,
  );

/** The report for Prometheus. `previous` is the text of the run before. */
export function fleetMetrics({ verb, members, counts, started_at }: FleetReport, previous = ""): string {
  const targets = members.map((one) => ({
    labels: { verb, member: one.name },
    exitCode: one.exit_code,
    seconds: one.seconds,
    isClean: isWell(one),
    drift: one.drift,
  }));
  const byStatus = memberStatuses.map((status) => ({ labels: { verb, status }, value: counts[status] ?? 0 }));
  const runs = members.flatMap((one) =>
    (one.runs ?? []).map((run) => ({ labels: { verb, member: one.name, run }, value: 1 })),
  );
  return runMetrics("rnv_fleet", started_at, targets, previous, [
    { name: "rnv_fleet_run_info", help: runHelp, samples: runs },
    { name: "rnv_fleet_members", help: "Members by how their last run ended.", samples: byStatus },
  ]);
}
