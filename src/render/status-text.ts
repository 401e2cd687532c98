import type { RunningService, Standing } from "../model/live";
import { alignColumns } from "./display-width";
import { inertString, inertText, shorten } from "./inert";
import { counted } from "./plan-wording";
import { addressesInReadingOrder } from "./reading-order";
import { commitText } from "./release-wording";
import type { Style } from "./style";
import { timeAgo, timeSince } from "./time-text";

const longestNote = 300;

const runsWords: Readonly<Record<RunningService["runs"], string>> = {
  release: "live",
  suspended: "suspended",
  nothing: "nothing",
  deleting: "being deleted",
  gone: "deleted outside rnv",
  unknown: "not known",
};

/** What each recorded service runs: a table, what is wrong below each, and a count. `now` in milliseconds. */
export function statusText(services: readonly RunningService[], now: number, style: Style): string {
  const { colors } = style;
  const ordered = addressesInReadingOrder(services);
  const rows = ordered.map((one) => [
    inertText(one.address),
    runsText(one, style),
    one.health === undefined ? "-" : inertText(one.health),
    one.release === undefined ? "-" : commitText(one.release),
    sinceOf(one, now),
  ]);
  const [head = "", ...lines] = alignColumns([["service", "runs", "health", "built from", "since"], ...rows]);
  const body = ordered.flatMap((one, i) => [
    lines[i] ?? "",
    ...notesOf(one, now).map((note) => colors.dim(`    ${note}`)),
  ]);
  return `${[colors.dim(head), ...body, "", colors.bold(countLine(services))].join("\n")}\n`;
}

/** One service with all that is known of it. */
export function oneStatusText(service: RunningService, now: number, style: Style): string {
  const { colors } = style;
  const { address, name, url, status, health, healthCheckedAt, release, latest } = service;
  const checked = healthCheckedAt === undefined ? "" : `, checked ${timeAgo(healthCheckedAt, now)}`;
  const rows: string[][] = [
    ["runs", runsText(service, style)],
    ...(status === undefined || status === runsWords[service.runs] ? [] : [["status", inertText(status)]]),
    ...(health === undefined ? [] : [["health", `${inertText(health)}${checked}`]]),
    ...(url === undefined ? [] : [["url", inertText(url)]]),
    ...(release === undefined
      ? []
      : [
          ["release", `deployment ${inertText(release.id)}`],
          ["commit", commitLine(release)],
          ["since", release.finishedAt === undefined ? "-" : timeSince(release.finishedAt, now)],
          ...(release.actor === undefined ? [] : [["by", inertText(release.actor)]]),
        ]),
    ...(latest === undefined || service.standing.some(({ code }) => code !== "suspended")
      ? []
      : [
          [
            "latest",
            `deployment ${inertText(latest.id)}${latest.status ? `, ${inertText(latest.status)}` : ""}`,
          ],
        ]),
    ...notesOf(service, now).map((note) => ["note", note]),
  ];
  const title = address.endsWith(`.${name}`) ? "" : ` (${inertString(name)})`;
  return `${colors.bold(inertText(address))}${title}\n${alignColumns(rows)
    .map((line) => `  ${line}`)
    .join("\n")}\n`;
}

function commitLine(release: NonNullable<RunningService["release"]>): string {
  const { commit, branch, commitMessage } = release;
  const parts = [
    ...(commit === undefined ? [] : [inertText(commit)]),
    ...(branch === undefined ? [] : [`branch ${inertText(branch)}`]),
    ...(commitMessage === undefined ? [] : [inertString(shorten(commitMessage.split("\n")[0] ?? "", 80))]),
  ];
  return parts.length === 0 ? "-" : parts.join(", ");
}

function runsText({ runs, archived }: RunningService, { colors }: Style): string {
  const word = runsWords[runs];
  const shown =
    runs === "release"
      ? colors.green(word)
      : runs === "gone" || runs === "deleting"
        ? colors.red(word)
        : runs === "nothing"
          ? word
          : colors.yellow(word);
  return archived ? `${shown}, archived` : shown;
}

const sinceOf = ({ release }: RunningService, now: number): string =>
  release?.finishedAt === undefined ? "-" : timeAgo(release.finishedAt, now);

/** What the row does not say already. */
const notesOf = ({ standing, reason }: RunningService, now: number): string[] => [
  ...(reason === undefined ? [] : [inertText(reason)]),
  ...standing.filter(({ code }) => code !== "suspended").map((one) => noteText(one, now)),
];

const noteText = ({ summary, since }: Standing, now: number): string =>
  `${inertText(shorten(summary, longestNote))}${since === undefined ? "" : ` (${timeAgo(since, now)})`}`;

function countLine(services: readonly RunningService[]): string {
  const counts = (Object.keys(runsWords) as RunningService["runs"][])
    .map((runs) => [services.filter((one) => one.runs === runs).length, runsWords[runs]] as const)
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words === "nothing" ? "without a release" : words}`);
  return `${counted(services.length, "service")}: ${counts.join(", ")}.`;
}
