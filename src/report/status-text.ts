import { commitText } from "./deployments-text";
import type { Release, RunningService } from "./documents";
import { escapeText, quoteText, shorten } from "./escape-text";
import { readingOrder } from "./order";
import { countEach, counted } from "./plan-wording";
import { alignColumns, type Style, tableLines, wrapLines } from "./style";
import { exactTime, timeAgo, timeCell } from "./time-text";

/** Characters of a text of the service. */
const longestText = 300;

const runsWords: Readonly<Record<RunningService["runs"], string>> = {
  release: "live",
  suspended: "suspended",
  nothing: "nothing",
  deleting: "being deleted",
  gone: "deleted outside rnv",
  unknown: "not known",
};

/** Renders the services: a table with notes below each row, and a count. `now` in milliseconds. */
export function statusText(services: readonly RunningService[], now: number, style: Style): string {
  const ordered = readingOrder(services);
  const rows = ordered.map((one) => [
    escapeText(one.address),
    runsText(one, style),
    one.health === undefined ? "-" : escapeText(one.health),
    one.release === undefined ? "-" : commitText(one.release),
    timeCell(one.release?.finishedAt, now),
  ]);
  const notes = ordered.map((one) => [...variableNotes(one, now), ...standingNotes(one, now)]);
  const table = tableLines(["service", "runs", "health", "built from", "since"], rows, style, notes);
  return `${[...table, "", style.colors.bold(wrapLines(countLine(services), style))].join("\n")}\n`;
}

export function oneStatusText(service: RunningService, now: number, style: Style): string {
  const { address, name, url, status, health, healthCheckedAt, release, latest, standing } = service;
  const checked = healthCheckedAt === undefined ? "" : `, checked ${timeAgo(healthCheckedAt, now)}`;
  const isNoteEnough = standing.some(({ code }) => code !== "suspended");
  const finished = release?.finishedAt;
  const since = finished === undefined ? "-" : `${timeAgo(finished, now)} (${exactTime(finished)})`;
  const facts: readonly (readonly [label: string, value: string | undefined])[] = [
    ["runs", runsText(service, style)],
    ["status", status === runsWords[service.runs] ? undefined : status && escapeText(status)],
    ["health", health === undefined ? undefined : `${escapeText(health)}${checked}`],
    ["url", url && escapeText(url)],
    ["release", release && `deployment ${escapeText(release.id)}`],
    ["commit", release && commitLine(release)],
    ["since", release && since],
    ["by", release?.actor && escapeText(release.actor)],
    ["latest", isNoteEnough ? undefined : latest && escapeText(`deployment ${latest.id}, ${latest.status}`)],
    ...variableNotes(service, now).map((note) => ["variable", note] as const),
    ...standingNotes(service, now).map((note) => ["note", note] as const),
  ];
  const known = facts.flatMap(([label, value]) => (value === undefined ? [] : [[`  ${label}`, value]]));
  const title = address.endsWith(`.${name}`) ? "" : ` (${quoteText(name)})`;
  const rows = alignColumns(known).map((line) => wrapLines(line, style, 10));
  return `${[`${style.colors.bold(escapeText(address))}${title}`, ...rows].join("\n")}\n`;
}

function commitLine({ commit, branch, commitMessage }: Release): string {
  const message = commitMessage && quoteText(shorten(commitMessage.split("\n")[0] ?? "", 80));
  const parts = [commit && escapeText(commit), branch && `branch ${escapeText(branch)}`, message];
  return parts.filter(Boolean).join(", ") || "-";
}

const isFailed = ({ standing }: RunningService): boolean => standing.some(({ code }) => code === "failed");

function runsText(service: RunningService, { colors }: Style): string {
  const { runs, archived } = service;
  const colour = runs === "release" ? "green" : runs === "deleting" || runs === "gone" ? "red" : "yellow";
  const shown = runs === "nothing" ? runsWords[runs] : colors[colour](runsWords[runs]);
  const failure = isFailed(service) ? `, ${colors.red("last deployment failed")}` : "";
  return `${shown}${archived ? ", archived" : ""}${failure}`;
}

const managedWords = { rnv: "managed by rnv", preserve: "preserved", no: "not managed" } as const;

const variableNotes = ({ variables = [] }: RunningService, now: number): string[] =>
  variables.map(
    ({ key, managed, changed = "" }) =>
      `${escapeText(key)}: ${managedWords[managed]}, changed ${timeAgo(changed, now)}`,
  );

const standingNotes = ({ standing, reason }: RunningService, now: number): string[] => [
  ...(reason === undefined ? [] : [escapeText(reason)]),
  ...standing
    .filter(({ code }) => code !== "suspended")
    .map(({ summary, since }) => {
      const when = since === undefined ? "" : ` (${timeAgo(since, now)})`;
      return escapeText(shorten(summary, longestText)) + when;
    }),
];

function countLine(services: readonly RunningService[]): string {
  const words = { ...runsWords, nothing: "without a release" };
  const all = countEach(
    words,
    services.map(({ runs }) => runs),
  );
  const failed = services.filter(isFailed).length;
  const more = failed === 0 ? "" : `; the last deployment of ${failed} failed`;
  return `${counted(services.length, "service")}: ${all}${more}.`;
}
