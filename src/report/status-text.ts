import { shortId } from "../model/resource-id";
import type { PastRun, State, Touched } from "../model/state";
import { durationText } from "../model/time";
import type { Plain } from "../model/value";
import { shortList } from "../model/wording";
import { inDocument } from "../plan/document";
import type { Release, ReleaseList, RunningService } from "./documents";
import { escapeText, quoteText, shorten } from "./escape-text";
import { readingOrder } from "./order";
import { countEach, counted, countList } from "./plan-wording";
import { alignColumns, arrowOf, type Style, tableLines, wrapLines } from "./style";
import { elapsedText, exactTime, timeAgo } from "./time-text";

/** Characters of a text of the service, and of a name in a column. */
const longestText = 300;
const longestName = 60;

/** Units of a column are below each other. */
const timeCell = (time: string | undefined, now: number): string =>
  (time === undefined ? "-" : timeAgo(time, now)).padStart("just now".length);

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

/** Renders deployments of one service, newest first, each with its note. `now` in milliseconds. */
export function releasesText(list: ReleaseList, now: number, style: Style): string {
  const { address, deployments: releases, reason, hasMore } = list;
  if (releases.length === 0)
    return `${escapeText(address)} has no deployments${reason === undefined ? "" : `: ${escapeText(reason)}`}.\n`;
  const rows = releases.map((one) => [
    escapeText(one.id),
    releaseStatus(one, style),
    commitText(one),
    escapeText(shorten(one.actor ?? one.trigger ?? "-", longestName)),
    timeCell(one.createdAt, now),
    tookText(one),
  ]);
  const notes = releases
    .map(releaseNote)
    .map((note) => (note === undefined ? [] : [escapeText(shorten(note, longestText))]));
  const head = ["deployment", "status", "built from", "by", "created", "took"];
  const table = tableLines(head, rows, style, notes);
  const back = releases.find(({ canRollback, serves }) => canRollback && !serves);
  const closing = [
    back ? `To go back to one marked *: rnv rollback ${escapeText(address)} ID\n` : "",
    hasMore && releases.length < 200 ? "There are older ones: -limit 200 shows more.\n" : "",
  ].join("");
  return `${table.join("\n")}\n${closing === "" ? "" : `\n${wrapLines(closing, style)}`}`;
}

function releaseStatus({ status = "not readable", serves, canRollback }: Release, { colors }: Style): string {
  const word = escapeText(status);
  if (serves) return colors.green(`${word}, serves`);
  const shown = status === "failed" ? colors.red(word) : word;
  return canRollback ? `${shown} *` : shown;
}

function tookText({ createdAt, startedAt, finishedAt }: Release): string {
  const from = Date.parse(startedAt ?? createdAt ?? "");
  const to = Date.parse(finishedAt ?? "");
  return Number.isNaN(from) || Number.isNaN(to) ? "-" : elapsedText((to - from) / 1000);
}

/** `3f2a91c0b7de`; the branch where no commit is known. */
const commitText = ({ commit, branch }: Pick<Release, "commit" | "branch">): string =>
  escapeText(commit?.slice(0, 12) ?? (branch === undefined ? "-" : shorten(branch, longestName)));

function releaseNote(release: Release): string | undefined {
  const { status, blockedReason, error, sourceDeploymentId, cancelRequested } = release;
  if (error !== undefined) return error;
  if (blockedReason !== undefined && status === "queued") return `waits: ${blockedReason}`;
  if (cancelRequested && status !== "cancelled") return "its cancellation was requested";
  return sourceDeploymentId === undefined
    ? undefined
    : `rolled back to the release of ${shortId(sourceDeploymentId)}`;
}

/** The runs that a state remembers, newest first; a run record that never came to an end is among them. */
export interface History extends Partial<Pick<State, "stage" | "stack">> {
  readonly runs: readonly PastRun[];
}

export const historyJson = ({ runs, ...of }: History): Plain => ({
  format_version: "1.0",
  ...inDocument(of),
  runs: runs.map(inDocument),
});

/** Renders the runs, each with the resources that it touched. `isWhole`: all of them, and all that identifies the run. */
export function historyText({ runs }: History, now: number, style: Style, isWhole = false): string {
  const rows = runs.map((run) => [
    exactTime(run.startedAt),
    timeAgo(run.startedAt, now),
    escapeText(run.command),
    [run.by, ...(run.pullRequests ?? [])].map(escapeText).join(" "),
    run.commit === undefined ? "-" : escapeText(run.commit.slice(0, 10)),
    escapeText(isWhole ? run.id : shortId(run.id)),
    resultText(run, style),
  ]);
  const notes = runs.map((run) => {
    const { omitted = 0, endedAt, digest, job } = run;
    const touched = isOfOne(run) ? [] : (run.touched ?? []);
    const names = [...touched.map((one) => touchedText(one, style)), ...Array<string>(omitted).fill("")];
    const list = `${endedAt ? "" : "planned: "}${shortList(names, isWhole ? touched.length : 5)}`;
    const identity = isWhole ? [digest && `digest ${digest}`, job ?? ""] : [];
    return [names.length > 0 ? list : "", ...identity.map(escapeText)].filter((one) => one !== "");
  });
  const head = ["when", "", "run", "who", "commit", "id", "result"];
  return `${tableLines(head, rows, style, notes).join("\n")}\n`;
}

/** `+ service.shop.api`, `service.shop.api -> service.shop.core`, `deployment.shop.api 3fe7190e -> 92414d17 (failed)`. */
function touchedText({ address, from = address, before, after, failed }: Touched, style: Style): string {
  const sign = before === after || (before && after) ? "" : after ? "+ " : "- ";
  const change = (a: string, b: string): string => (a === b ? a : `${a} ${arrowOf(style)} ${b}`);
  const ids = before && after && before !== after ? ` ${change(shortId(before), shortId(after))}` : "";
  return escapeText(`${sign}${change(from, address)}${ids}${failed ? " (failed)" : ""}`);
}

/** Words for exit codes of a run that changed something, or was about to. */
export const endOfRun = (exitCode: number): string =>
  `${ends[exitCode] ?? "ended"}${exitCode === 0 ? "" : ` (exit ${exitCode})`}`;

const ends: Readonly<Record<number, string>> = {
  0: "done",
  1: "failed",
  3: "partly applied",
  4: "refused: something blocks it",
  5: "refused: not what was reviewed",
  6: "not begun: another run holds the lock",
  7: "a deployment or postcondition failed",
  8: "saved, not live until the checkout is finished",
  130: "interrupted",
};

const countsOf = ({ counts }: PastRun): string =>
  countList(Object.entries(counts ?? {}).map(([what, count]) => [count, what]));

const isOfOne = (run: PastRun): boolean =>
  run.touched?.length === 1 && run.exitCode !== undefined && countsOf(run) === "";

/** `done: 2 added, 1 changed`, `done: service.shop.api`; a run without an end was killed, or runs now. */
function resultText(run: PastRun, style: Style): string {
  const { exitCode, touched: [only] = [] } = run;
  if (exitCode === undefined) return "did not end: it runs, or was cut short";
  const told = only && isOfOne(run) ? touchedText({ ...only, failed: undefined }, style) : countsOf(run);
  return told === "" ? endOfRun(exitCode) : `${endOfRun(exitCode)}: ${told}`;
}

export interface StageRow {
  /** `preview/12`; `preview/ID` for a stage of which no instance is known. */
  readonly stage: string;
  readonly state: string;
  readonly protect: boolean;
  readonly disposable: boolean;
  readonly resources: number;
  readonly workspaceId?: string | undefined;
  readonly lastRunAt?: string | undefined;
  readonly expiresAt?: string | undefined;
  readonly drift?: "none" | "drift" | "unchecked" | undefined;
  /** Why its state cannot be read. */
  readonly problem?: string | undefined;
  readonly unlisted?: true | undefined;
  readonly undeclared?: true;
}

export const stageJson = (rows: readonly StageRow[]): Plain => ({
  format_version: "1.0",
  stages: rows.map(inDocument),
});

export function stageRowsText(rows: readonly StageRow[], now: number, style: Style): string {
  const cells = rows.map((row) => [
    row.stage,
    String(row.resources),
    timeCell(row.lastRunAt, now),
    escapeText(row.state),
    marks(row, now),
  ]);
  return `${tableLines(["STAGE", "RESOURCES", "LAST RUN", "STATE", ""], cells, style).join("\n")}\n`;
}

function marks(row: StageRow, now: number): string {
  const { stage, state, expiresAt, drift, problem } = row;
  const toDestroy = `rnv destroy --stage ${stage} --state ${escapeText(state)}`;
  return [
    row.undeclared && `not declared; to destroy it: ${toDestroy}`,
    problem === undefined ? undefined : `cannot be read: ${escapeText(problem)}`,
    row.unlisted && "its instances cannot be listed: --ids",
    row.protect && "protected",
    row.disposable && "disposable",
    expiresAt && expiryText(expiresAt, now),
    drift && { none: "no drift", drift: "drifted", unchecked: "drift not checked" }[drift],
  ]
    .filter((mark) => typeof mark === "string")
    .join(", ");
}

const expiryText = (expiresAt: string, now: number): string => {
  const left = Date.parse(expiresAt) - now;
  const step = left > 3_600_000 ? 3_600_000 : 60_000;
  return left <= 0 ? "expired" : `expires in ${durationText(Math.ceil(left / step) * step)}`;
};
