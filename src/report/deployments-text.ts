import { shortId } from "../model/resource-id";
import type { Release, ReleaseList } from "./documents";
import { escapeText, shorten } from "./escape-text";
import { type Style, tableLines, wrapLines } from "./style";
import { elapsedText, timeCell } from "./time-text";

/** Characters of a note below a row, and of a name in a column. */
const longestText = 300;
const longestName = 60;

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
    durationCell(one),
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

function durationCell({ createdAt, startedAt, finishedAt }: Release): string {
  const from = Date.parse(startedAt ?? createdAt ?? "");
  const to = Date.parse(finishedAt ?? "");
  return Number.isNaN(from) || Number.isNaN(to) ? "-" : elapsedText((to - from) / 1000);
}

/** `3f2a91c0b7de`; the branch where no commit is known. */
export const commitText = ({ commit, branch }: Pick<Release, "commit" | "branch">): string =>
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
