import { durationText } from "../model/time";
import type { Plain } from "../model/value";
import { inDocument } from "../plan/document";
import { escapeText } from "./escape-text";
import { counted } from "./plan-wording";
import { alignColumns, type Style } from "./style";
import { exactTime, timeAgo } from "./time-text";

/** A stage or an instance, as `rnv stage list` shows it. */
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
  /** Its instances cannot be listed. */
  readonly unlisted?: true | undefined;
  /** The manifest does not declare it. */
  readonly undeclared?: true;
  readonly each?: boolean;
  /** Absolute. */
  readonly overlay?: string | undefined;
  readonly expiresMs?: number | undefined;
}

/** The document of `stage list -json` and `stage show -json`. */
export const stageJson = (rows: readonly StageRow[]): Plain => ({
  format_version: "1.0",
  stages: rows.map(({ expiresMs: _, ...row }) => inDocument(row)),
});

/** A line for each stage and instance. */
export function stageRowsText(rows: readonly StageRow[], now: number, style: Style): string {
  const head = ["STAGE", "RESOURCES", "LAST RUN", "STATE", ""];
  const lines = alignColumns([
    head,
    ...rows.map((row) => [
      row.stage,
      String(row.resources),
      runText(row, now),
      escapeText(row.state),
      marks(row, now),
    ]),
  ]);
  return `${[style.colors.bold(lines[0] as string), ...lines.slice(1)].join("\n")}\n`;
}

const runText = ({ lastRunAt }: StageRow, now: number): string =>
  lastRunAt === undefined ? "-" : timeAgo(lastRunAt, now);

function marks(row: StageRow, now: number): string {
  const { protect, disposable, expiresAt, drift, problem, unlisted, undeclared } = row;
  return [
    ...(undeclared === true
      ? [`not declared; to destroy it: rnv destroy --stage ${row.stage} --state ${escapeText(row.state)}`]
      : []),
    ...(problem === undefined ? [] : [`cannot be read: ${escapeText(problem)}`]),
    ...(unlisted === true ? ["its instances cannot be listed: --ids"] : []),
    ...(protect ? ["protected"] : []),
    ...(disposable ? ["disposable"] : []),
    ...(expiresAt === undefined ? [] : [expiryText(expiresAt, now)]),
    ...(drift === undefined
      ? []
      : [{ none: "no drift", drift: "drifted", unchecked: "drift not checked" }[drift]]),
  ].join(", ");
}

const hour = 3_600_000;

const expiryText = (expiresAt: string, now: number): string => {
  const left = Date.parse(expiresAt) - now;
  const step = left > hour ? hour : 60_000;
  return left <= 0 ? "expired" : `expires in ${durationText(Math.ceil(left / step) * step)}`;
};

/** One stage with all that is declared of it. */
export function stageShownText(row: StageRow, now: number, style: Style): string {
  const { stage, overlay, workspaceId, state, lastRunAt, expiresMs, expiresAt, problem } = row;
  const lines = [
    ["state", escapeText(state)],
    ...(overlay === undefined ? [] : [["overlay", escapeText(overlay)]]),
    ...(workspaceId === undefined ? [] : [["workspace", workspaceId]]),
    ["resources", counted(row.resources, "resource")],
    [
      "last run",
      lastRunAt === undefined ? "none yet" : `${timeAgo(lastRunAt, now)} (${exactTime(lastRunAt)})`,
    ],
    ...(row.each ? [["instances", `each has an id: --stage ${stage}`]] : []),
    ...(row.protect ? [["protected", "nothing in it is deleted"]] : []),
    ...(row.disposable ? [["disposable", "deleted without a confirmation by name"]] : []),
    ...(expiresMs === undefined
      ? []
      : [
          [
            "expires",
            `${durationText(expiresMs)} after its last run${expiresAt === undefined ? "" : `: ${expiryText(expiresAt, now)}`}`,
          ],
        ]),
    ...(problem === undefined ? [] : [["problem", escapeText(problem)]]),
  ];
  return `${[style.colors.bold(`Stage ${stage}`), ...alignColumns(lines.map(([a = "", b = ""]) => [`  ${a}`, b]))].join("\n")}\n`;
}
