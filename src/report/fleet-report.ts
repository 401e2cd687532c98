import * as z from "zod";
import { findingSchema, locationSchema } from "../model/apply-event";
import { gaugeText, runMetrics } from "./ci/metrics";
import { summaryOf } from "./diagnostics";
import { escapeLines, escapeText } from "./escape-text";
import { counted, countList } from "./plan-wording";
import { reportMarkdown } from "./section-markdown";
import { sectionTexts } from "./section-text";
import { type Item, itemSection, joined, type Section } from "./sections";
import type { Style } from "./style";
import { elapsedText } from "./time-text";

/** Results of the run of a member, the worst last: words, sign (`~` expected, `!` went wrong), exit code. */
export const statuses = {
  clean: ["clean", " ", 0],
  changes: ["changes", "~", 2],
  drift: ["drift", "~", 2],
  applied: ["applied", " ", 0],
  checkout: ["awaits checkout", "~", 8],
  locked: ["lock held", "~", 6],
  blocked: ["blocked", "!", 4],
  stale: ["stale plan", "!", 5],
  unsettled: ["not settled", "!", 7],
  partly: ["partly applied", "!", 3],
  timeout: ["took too long", "!", 7],
  failed: ["failed", "!", 1],
  interrupted: ["interrupted", "!", 130],
} as const;

export type MemberStatus = keyof typeof statuses;

export const memberStatuses = Object.keys(statuses) as readonly MemberStatus[];

const wordsOf = (status: MemberStatus, verb: FleetVerb): string =>
  status === "clean" ? (verb === "drift" ? "no drift" : "no changes") : statuses[status][0];
export const signOf = ({ status }: Pick<MemberResult, "status">) => statuses[status][1];

export const isWell = (one: Pick<MemberResult, "status">): boolean => signOf(one) === " ";

const count = z.int().min(0);
const text = z.string().optional();
const texts = z.array(z.string());
const shard = z.strictObject({ index: z.int().min(1), count: z.int().min(1) });

const memberResultSchema = z.strictObject({
  name: z.string().describe("`teams/shop`, with its stage `teams/shop@production`."),
  folder: text.describe("From the folder of the fleet; unknown for a member that no shard reports."),
  stage: text,
  status: z.enum(memberStatuses),
  exit_code: count.describe("Of its run; 1 where a signal ended it, 7 where it took too long."),
  seconds: z.number().min(0),
  changes: z
    .strictObject({ add: count, change: count, destroy: count, adopt: count, forget: count })
    .optional()
    .describe("Of a plan, and of an apply as far as it came."),
  digest: text.describe("Of the plan."),
  runs: texts.optional().describe("Ids of its runs: their requests have the ids rnv-RUN-1, rnv-RUN-2."),
  drift: z.strictObject({ drifted: count, missing: count, pending: count, unmanaged: count }).optional(),
  diagnostics: z.array(findingSchema({ location: locationSchema.optional() })).optional(),
  output: text.describe("The end of what it printed, where it ended without a document."),
});

const fleetVerbs = ["plan", "drift", "apply"] as const;

export type FleetVerb = (typeof fleetVerbs)[number];

/** The report of a fleet: `rnv fleet plan|drift|apply --format json`, and the files of `--report DIR`. */
export const fleetReportSchema = z.strictObject({
  format_version: z.literal("1.0"),
  verb: z.enum(fleetVerbs),
  started_at: z.iso.datetime(),
  seconds: z.number().min(0),
  exit_code: count.describe("The most telling exit code of all."),
  shard: shard.optional().describe("The part of the fleet that this is the report of."),
  selected: texts.describe("The names of all members of the fleet run, those of other shards too."),
  counts: z.partialRecord(z.enum(memberStatuses), count).describe("Members by how they ended."),
  members: z.array(memberResultSchema),
});

export type FleetReport = z.infer<typeof fleetReportSchema>;
export type MemberResult = z.infer<typeof memberResultSchema>;

const doneWords = {
  add: "added",
  change: "changed",
  destroy: "destroyed",
  adopt: "adopted",
  forget: "forgotten",
} as const;

function foundText({ changes, drift, status }: MemberResult, verb: FleetVerb): string {
  const wordOf = (deed: string): string =>
    verb === "apply" ? doneWords[deed as keyof typeof doneWords] : `to ${deed}`;
  return countList([
    ...Object.entries(changes ?? {}).map(([deed, count]) => [wordOf(deed), count] as const),
    ["changed outside", drift?.drifted],
    ["missing", drift?.missing],
    ["not applied", drift?.pending],
    // In a shared workspace, resources of other members count as unmanaged.
    ["not managed", status === "drift" ? drift?.unmanaged : 0],
  ]);
}

export const memberLine = (result: MemberResult, verb: FleetVerb): string =>
  `${escapeText(result.name)}: ${endText(result, verb)}`;

function endText(one: MemberResult, verb: FleetVerb): string {
  const words = [wordsOf(one.status, verb), foundText(one, verb)].filter((text) => text !== "");
  return `${words.join(", ")} (${elapsedText(one.seconds)})`;
}

/** Members that are well and are listed one by one; beyond, those without a warning are counted. */
const mostWell = 20;

const tagSigns = { " ": ["pass", "\u2714"], "~": ["warn", "~"], "!": ["fail", "\u2716"] } as const;

/** The report as sections: first the members that need attention, the worst above; then the others, if they are few. */
export function fleetSections({ members, verb }: FleetReport, most = mostWell): readonly Section[] {
  const urgencyOf = ({ status }: MemberResult): number => memberStatuses.indexOf(status);
  const sorted = [...members].sort((a, b) => urgencyOf(b) - urgencyOf(a));
  const [urgent, well] = [sorted.filter((one) => !isWell(one)), sorted.filter(isWell)];
  const listed = well.length > most ? well.filter(({ diagnostics = [] }) => diagnostics.length > 0) : well;
  const itemOf = (one: MemberResult): Item => ({
    sign: signOf(one),
    subject: one.name,
    printed: problemLines(one),
    phrase: endText(one, verb),
    tag: [...tagSigns[signOf(one)], wordsOf(one.status, verb)],
    tagPhrase: foundText(one, verb),
  });
  return [
    ...itemSection("members", "Needs attention", "", urgent.map(itemOf)),
    ...itemSection("members", "Well", "", listed.map(itemOf), { isFolded: true }),
  ];
}

export const fleetReportText = (report: FleetReport, style: Style): string =>
  joined([
    ...sectionTexts(fleetSections(report), style),
    `${style.colors.bold("Fleet:")} ${fleetLine(report)}`,
  ]);

const mostProblems = 3;

function problemLines({ diagnostics = [], output, folder }: MemberResult): readonly string[] {
  const within = folder === undefined ? "" : `, in ${folder}`;
  // Errors before warnings.
  const sorted = diagnostics.toSorted((a, b) => a.severity.localeCompare(b.severity));
  const shown = sorted
    .slice(0, mostProblems)
    .flatMap(({ severity, code, hint, location: { file, line, column } = {}, ...finding }) => [
      `${severity}[${code}]: ${summaryOf(finding)}`,
      ...(file === undefined ? [] : [`  --> ${[file, line ?? [], column ?? []].flat().join(":")}`]),
      ...(hint === undefined ? [] : [`  hint${/\brnv /.test(hint) ? within : ""}: ${hint}`]),
    ]);
  const more = sorted.length > mostProblems ? [`… and ${sorted.length - mostProblems} more`] : [];
  return [...shown, ...more, ...(output === undefined ? [] : escapeLines(output.trim()))];
}

/** `100 members, shard 1 of 4: 97 no drift, 2 drift, 1 failed.` */
export function fleetLine({ members, shard, counts, selected, verb }: FleetReport): string {
  const part = shard === undefined ? "" : `, shard ${shard.index} of ${shard.count} (of ${selected.length})`;
  if (members.length === 0) return `nothing to run${part}.`;
  const byStatus = countList(memberStatuses.map((status) => [wordsOf(status, verb), counts[status]]));
  return `${counted(members.length, "member")}${part}: ${byStatus}.`;
}

export const fleetReportMarkdown = (report: FleetReport): string =>
  reportMarkdown([`### rnv fleet ${report.verb}`, `**Fleet:** ${fleetLine(report)}`], fleetSections(report));

export function fleetMetrics({ verb, members, counts, started_at }: FleetReport): string {
  const targets = members.map((one) => ({
    ...one,
    labels: { verb, member: one.name },
    exitCode: one.exit_code,
  }));
  const byStatus = memberStatuses.map((status) => ({ labels: { verb, status }, value: counts[status] ?? 0 }));
  const ended = "Members by how their last run ended.";
  const found = gaugeText("rnv_fleet_members", ended, byStatus, ({ value }) => value);
  return found + runMetrics("rnv_fleet", started_at, targets);
}
