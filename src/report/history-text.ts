import type { PastRun, State } from "../model/state";
import type { Plain } from "../model/value";
import { inDocument } from "../plan/document";
import { escapeText } from "./escape-text";
import { countList } from "./plan-wording";
import { type Style, tableLines } from "./style";
import { exactTime, timeAgo } from "./time-text";

/** The runs that a state remembers, newest first; a run record that never came to an end is among them. */
export interface History extends Partial<Pick<State, "stage" | "stack">> {
  readonly runs: readonly PastRun[];
}

/** The document of `history -json`. */
export const historyJson = ({ runs, ...of }: History): Plain => ({
  format_version: "1.0",
  ...inDocument(of),
  runs: runs.map(inDocument),
});

/** A line for each run. */
export function historyText({ runs }: History, now: number, style: Style): string {
  const rows = runs.map((run) => [
    exactTime(run.startedAt),
    timeAgo(run.startedAt, now),
    escapeText(run.command),
    escapeText(run.by),
    run.commit === undefined ? "-" : escapeText(run.commit.slice(0, 10)),
    run.digest === "" ? "-" : escapeText(run.digest.slice(0, 12)),
    escapeText(run.id.slice(0, 12)),
    resultText(run),
  ]);
  const head = ["WHEN", "", "RUN", "WHO", "COMMIT", "DIGEST", "ID", "RESULT"];
  return `${tableLines(head, rows, style).join("\n")}\n`;
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
  7: "a deployment failed or timed out, or a postcondition does not hold",
  8: "saved, not live until the checkout is finished",
  130: "interrupted",
};

/** `done: 2 added, 1 changed`; a run without an end was killed, or runs now. */
function resultText({ exitCode, counts }: PastRun): string {
  if (exitCode === undefined) return "did not end: it runs, or was cut short";
  const end = endOfRun(exitCode);
  const told = countList(Object.entries(counts ?? {}).map(([what, count]) => [count, what]));
  return told === "" ? end : `${end}: ${told}`;
}
