import type { Release, ReleaseList } from "../model/live";
import { alignColumns } from "./display-width";
import { elapsedText } from "./elapsed-text";
import { inertText, shorten } from "./inert";
import { commitText, releaseNote } from "./release-wording";
import type { Style } from "./style";
import { timeAgo } from "./time-text";

const longestActor = 30;
const longestNote = 300;

/** Deployments of one service, newest first, with what is to be known of each below it. `now` in milliseconds. */
export function releasesText(list: ReleaseList, now: number, style: Style): string {
  const { colors } = style;
  const { address, releases, reason, hasMore } = list;
  if (releases.length === 0)
    return `${inertText(address)} has no deployments${reason === undefined ? "" : `: ${inertText(reason)}`}.\n`;
  const rows = releases.map((one) => [
    inertText(one.id),
    statusText(one, style),
    commitText(one),
    inertText(shorten(one.actor ?? one.trigger ?? "-", longestActor)),
    one.createdAt === undefined ? "-" : timeAgo(one.createdAt, now),
    tookText(one),
  ]);
  const [head = "", ...lines] = alignColumns([
    ["deployment", "status", "built from", "by", "created", "took"],
    ...rows,
  ]);
  const body = releases.flatMap((one, i) => {
    const note = releaseNote(one);
    return [
      lines[i] ?? "",
      ...(note === undefined ? [] : [colors.dim(`    ${inertText(shorten(note, longestNote))}`)]),
    ];
  });
  const back = releases.find(({ canRollback }) => canRollback);
  const closing = [
    ...(back ? [`To go back to one marked *: rnv rollback ${inertText(address)} ID`] : []),
    ...(hasMore ? [`There are older ones: -limit ${releases.length * 5} shows more.`] : []),
  ];
  return `${[colors.dim(head), ...body, ...(closing.length === 0 ? [] : ["", ...closing])].join("\n")}\n`;
}

function statusText({ status = "not readable", serves, canRollback }: Release, { colors }: Style): string {
  const word = inertText(status);
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
