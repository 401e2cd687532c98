import type { Release, ReleaseList, RunningService, Standing } from "../model/live";
import { inDocument } from "../plan/document";
import { escapeText, jsonText, quoteText, shorten } from "./escape-text";
import { readingOrder } from "./order";
import { counted, countList } from "./plan-wording";
import { factLines, type Style, tableLines } from "./style";
import { elapsedText, timeAgo, timeSince } from "./time-text";

const longestStanding = 300;

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
    one.release?.finishedAt === undefined ? "-" : timeAgo(one.release.finishedAt, now),
  ]);
  const notes = ordered.map((one) => [...variableNotes(one, now), ...standingNotes(one, now)]);
  const table = tableLines(["service", "runs", "health", "built from", "since"], rows, style, notes);
  return `${[...table, "", style.colors.bold(countLine(services))].join("\n")}\n`;
}

/** One service with all that is known of it. */
export function oneStatusText(service: RunningService, now: number, style: Style): string {
  const { address, name, url, status, health, healthCheckedAt, release, latest, standing } = service;
  const checked = healthCheckedAt === undefined ? "" : `, checked ${timeAgo(healthCheckedAt, now)}`;
  const isNoteEnough = standing.some(({ code }) => code !== "suspended");
  const since = release?.finishedAt === undefined ? "-" : timeSince(release.finishedAt, now);
  const facts = factLines([
    ["runs", runsText(service, style)],
    ["status", status === runsWords[service.runs] ? undefined : status && escapeText(status)],
    ["health", health === undefined ? undefined : `${escapeText(health)}${checked}`],
    ["url", url && escapeText(url)],
    ["release", release && `deployment ${escapeText(release.id)}`],
    ["commit", release && commitLine(release)],
    ["since", release && since],
    ["by", release?.actor && escapeText(release.actor)],
    ["latest", latest && !isNoteEnough ? latestText(latest) : undefined],
    ...variableNotes(service, now).map((note) => ["variable", note] as const),
    ...standingNotes(service, now).map((note) => ["note", note] as const),
  ]);
  const title = address.endsWith(`.${name}`) ? "" : ` (${quoteText(name)})`;
  return `${[`${style.colors.bold(escapeText(address))}${title}`, ...facts].join("\n")}\n`;
}

const latestText = ({ id, status }: Release): string =>
  `deployment ${escapeText(id)}${status ? `, ${escapeText(status)}` : ""}`;

function commitLine(release: NonNullable<RunningService["release"]>): string {
  const { commit, branch, commitMessage } = release;
  const parts = [
    ...(commit === undefined ? [] : [escapeText(commit)]),
    ...(branch === undefined ? [] : [`branch ${escapeText(branch)}`]),
    ...(commitMessage === undefined ? [] : [quoteText(shorten(commitMessage.split("\n")[0] ?? "", 80))]),
  ];
  return parts.length === 0 ? "-" : parts.join(", ");
}

const runsColours: Readonly<Partial<Record<RunningService["runs"], "green" | "yellow" | "red">>> = {
  ...{ release: "green", suspended: "yellow", unknown: "yellow", deleting: "red", gone: "red" },
};

function runsText({ runs, archived }: RunningService, { colors }: Style): string {
  const colour = runsColours[runs];
  const shown = colour === undefined ? runsWords[runs] : colors[colour](runsWords[runs]);
  return archived ? `${shown}, archived` : shown;
}

const managedWords = { rnv: "managed by rnv", preserve: "preserved", no: "not managed" } as const;

const variableNotes = ({ variables = [] }: RunningService, now: number): string[] =>
  variables.map(
    ({ key, managed, changed = "" }) =>
      `${escapeText(key)}: ${managedWords[managed]}, changed ${timeAgo(changed, now)}`,
  );

const standingNotes = ({ standing, reason }: RunningService, now: number): string[] => [
  ...(reason === undefined ? [] : [escapeText(reason)]),
  ...standing.filter(({ code }) => code !== "suspended").map((one) => noteText(one, now)),
];

const noteText = ({ summary, since }: Standing, now: number): string =>
  `${escapeText(shorten(summary, longestStanding))}${since === undefined ? "" : ` (${timeAgo(since, now)})`}`;

function countLine(services: readonly RunningService[]): string {
  const counts = Object.entries(runsWords).map(([runs, words]) => {
    const count = services.filter((one) => one.runs === runs).length;
    return [count, runs === "nothing" ? "without a release" : words] as const;
  });
  return `${counted(services.length, "service")}: ${countList(counts)}.`;
}

const longestActor = 30;
const longestNote = 300;

/** Renders deployments of one service, newest first, each with its note. `now` in milliseconds. */
export function releasesText(list: ReleaseList, now: number, style: Style): string {
  const { address, releases, reason, hasMore } = list;
  if (releases.length === 0)
    return `${escapeText(address)} has no deployments${reason === undefined ? "" : `: ${escapeText(reason)}`}.\n`;
  const rows = releases.map((one) => [
    escapeText(one.id),
    releaseStatus(one, style),
    commitText(one),
    escapeText(shorten(one.actor ?? one.trigger ?? "-", longestActor)),
    one.createdAt === undefined ? "-" : timeAgo(one.createdAt, now),
    tookText(one),
  ]);
  const notes = releases
    .map(releaseNote)
    .map((note) => (note === undefined ? [] : [escapeText(shorten(note, longestNote))]));
  const head = ["deployment", "status", "built from", "by", "created", "took"];
  const table = tableLines(head, rows, style, notes);
  const back = releases.find(({ canRollback }) => canRollback);
  const closing = [
    ...(back ? [`To go back to one marked *: rnv rollback ${escapeText(address)} ID`] : []),
    ...(hasMore && releases.length < 200 ? ["There are older ones: -limit 200 shows more."] : []),
  ];
  return `${[...table, ...(closing.length === 0 ? [] : ["", ...closing])].join("\n")}\n`;
}

function releaseStatus({ status = "not readable", serves, canRollback }: Release, { colors }: Style): string {
  const word = escapeText(status);
  if (serves) return colors.green(`${word}, serves`);
  const shown = status === "failed" ? colors.red(word) : word;
  return canRollback ? `${shown} *` : shown;
}

/** From its start, or from when it was asked for, to its end. */
function tookText({ createdAt, startedAt, finishedAt }: Release): string {
  const from = Date.parse(startedAt ?? createdAt ?? "");
  const to = Date.parse(finishedAt ?? "");
  return Number.isNaN(from) || Number.isNaN(to) ? "-" : elapsedText((to - from) / 1000);
}

const shownCommit = 12;
const longestText = 60;

/** `3f2a91c0b7de`; the branch where no commit is known. */
const commitText = ({ commit, branch }: Pick<Release, "commit" | "branch">): string =>
  escapeText(commit?.slice(0, shownCommit) ?? (branch === undefined ? "-" : shorten(branch, longestText)));

/** Returns the note of a deployment: why it waits, why it failed, which release it brought back. */
const releaseNote = ({
  status,
  blockedReason,
  error,
  sourceId,
  cancelRequested,
}: Release): string | undefined => {
  if (error !== undefined) return error;
  if (blockedReason !== undefined && status === "queued") return `waits: ${blockedReason}`;
  if (cancelRequested && status !== "cancelled") return "its cancellation was requested";
  return sourceId === undefined ? undefined : `rolled back to the release of ${sourceId}`;
};

/** `status -json`: one document, services sorted by address. */
export const statusJson = (services: readonly RunningService[]): string =>
  jsonText({ format_version: "1.0", services: services.map(serviceData) });

/** `deployments -json`: one document, newest first. */
export const releasesJson = ({ address, releases, hasMore, reason }: ReleaseList): string =>
  jsonText({
    ...{ format_version: "1.0", address, deployments: releases.map(releaseData), has_more: hasMore, reason },
  });

const serviceData = ({ release, latest, ...service }: RunningService) =>
  inDocument({ ...service, release: release && releaseData(release), latest: latest && releaseData(latest) });

const releaseData = ({ sourceId, ...release }: Release) =>
  inDocument({ ...release, sourceDeploymentId: sourceId });
