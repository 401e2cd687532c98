import type { Plain } from "../model/value";
import type { ParsedSnapshot } from "../state/backend";
import { alignColumns } from "./display-width";
import { inertText } from "./inert";
import { counted } from "./plan-wording";
import { exactTime } from "./time-text";

/** A previous snapshot of a state, with what could be read of it. */
export interface ShownBackup {
  readonly name: string;
  readonly bytes: number;
  readonly parsed?: ParsedSnapshot;
}

/** `state backups`: one line each, numbered as `state restore` takes them. */
export const backupsText = (backups: readonly ShownBackup[]): string =>
  alignColumns(backups.map((backup, i) => [String(i + 1), ...columnsOf(backup), inertText(backup.name)]))
    .map((line) => `${line}\n`)
    .join("");

/** `state backups -json`. */
export const backupsJson = (backups: readonly ShownBackup[]): Plain =>
  backups.map(({ name, bytes, parsed }, i) => ({
    number: i + 1,
    name,
    serial: parsed?.state.serial ?? null,
    resources: parsed ? Object.keys(parsed.state.resources).length : null,
    bytes,
    written_at: parsed?.writer.at ?? null,
    written_by: parsed?.writer.command ?? null,
  }));

/** Which snapshot it is, in one line: `serial 3, 4 records, 2.1 kB, written 2026-11-22 09:05:11Z by apply`. */
export function backupText({ bytes, parsed }: ShownBackup): string {
  const [when, serial, records, size] = columnsOf({ name: "", bytes, parsed });
  const by = parsed?.writer.command;
  const written =
    parsed?.writer.at === undefined ? [] : [`written ${when}${by ? ` by ${inertText(by)}` : ""}`];
  return [serial, records, size, ...written].join(", ");
}

function columnsOf({ bytes, parsed }: ShownBackup): readonly string[] {
  if (parsed === undefined) return ["", "cannot be read", "", sizeText(bytes), ""];
  const { state, writer } = parsed;
  return [
    timeText(writer.at),
    `serial ${state.serial}`,
    counted(Object.keys(state.resources).length, "record"),
    sizeText(bytes),
    inertText(writer.command ?? ""),
  ];
}

const timeText = (at: string | undefined): string =>
  at === undefined || Number.isNaN(Date.parse(at)) ? "time not recorded" : exactTime(at);

const sizeText = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;
