import { durationText } from "../model/time";
import { escapeText } from "./escape-text";
import { type Style, tableText } from "./style";
import { timeCell } from "./time-text";

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

export function stageRowsText(rows: readonly StageRow[], now: number, style: Style): string {
  const cells = rows.map((row) => [
    row.stage,
    String(row.resources),
    timeCell(row.lastRunAt, now),
    escapeText(row.state),
    marks(row, now),
  ]);
  return `${tableText(["stage", "resources", "last run", "state", ""], cells, style)}\n`;
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
