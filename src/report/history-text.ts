import { shortId } from "../model/address";
import type { PastRun, Touched } from "../model/state";
import { shortList } from "../model/wording";
import { escapeText } from "./escape-text";
import { countList } from "./plan-wording";
import { arrowOf, type Style, tableText } from "./style";
import { exactTime, timeAgo } from "./time-text";

/**
 * Renders the runs that a state remembers, newest first, each with the resources that it touched. `verbose`: all of them,
 * and all that identifies the run.
 */
export function historyText(runs: readonly PastRun[], now: number, style: Style, verbose = false): string {
  const rows = runs.map((run) => [
    exactTime(run.startedAt),
    timeAgo(run.startedAt, now),
    escapeText(run.command),
    [run.by, ...(run.pullRequests ?? [])].map(escapeText).join(" "),
    run.commit === undefined ? "-" : escapeText(run.commit.slice(0, 10)),
    escapeText(verbose ? run.id : shortId(run.id)),
    resultText(run, style),
  ]);
  const notes = runs.map((run) => {
    const { omitted = 0, endedAt, digest, job } = run;
    const touched = hasOneResource(run) ? [] : (run.touched ?? []);
    const names = [...touched.map((one) => touchedText(one, style)), ...Array<string>(omitted).fill("")];
    const list = `${endedAt ? "" : "planned: "}${shortList(names, verbose ? touched.length : 5)}`;
    const identity = verbose ? [digest && `digest ${digest}`, job ?? ""] : [];
    return [names.length > 0 ? list : "", ...identity.map(escapeText)].filter((one) => one !== "");
  });
  const head = ["when", "", "run", "who", "commit", "id", "result"];
  return `${tableText(head, rows, style, notes)}\n`;
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

const countsOf = ({ counts }: PastRun): string => countList(Object.entries(counts ?? {}));

const hasOneResource = (run: PastRun): boolean =>
  run.touched?.length === 1 && run.exitCode !== undefined && countsOf(run) === "";

/** `done: 2 added, 1 changed`, `done: service.shop.api`; a run without an end was killed, or runs now. */
function resultText(run: PastRun, style: Style): string {
  const { exitCode, touched: [only] = [] } = run;
  if (exitCode === undefined) return "did not end: it runs, or was cut short";
  const words =
    only && hasOneResource(run) ? touchedText({ ...only, failed: undefined }, style) : countsOf(run);
  return words === "" ? endOfRun(exitCode) : `${endOfRun(exitCode)}: ${words}`;
}
