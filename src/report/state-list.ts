import { type Address, nameOf } from "../model/address";
import { compareTexts } from "../model/collections";
import { isCrossStackOutput, isHiddenOutput } from "../model/desired";
import { isFingerprint, type RecordedResource, type State } from "../model/state";
import { durationText } from "../model/time";
import { type Plain, unflatten } from "../model/value";
import { inDocument } from "../plan/document";
import type { Backup } from "../state/backend";
import { escapeText, jsonText, quoteText } from "./escape-text";
import { plainText } from "./field-text";
import { readingOrder } from "./order";
import { counted } from "./plan-wording";
import { reportMarkdown } from "./section-markdown";
import { sectionTexts } from "./section-text";
import { type Cell, type Code, code, joined, type Section, section } from "./sections";
import { alignColumns, type Style, tableText } from "./style";
import { exactTime, timeCell } from "./time-text";

export interface StateEntry {
  readonly address: Address;
  readonly resource: RecordedResource;
}

export function recordedIn({ resources }: State): readonly StateEntry[] {
  const entries = Object.entries(resources) as [Address, RecordedResource][];
  return readingOrder(entries.map(([address, resource]) => ({ address, resource })));
}

const stateReport = (state: State | undefined): readonly Section[] =>
  state === undefined ? [] : [...recordedIn(state).map(resourceSection), ...stateSections(state)];

const emptyState = "The state is empty.";

export const stateText = (state: State | undefined, style: Style): string => {
  const sections = stateReport(state);
  return sections.length === 0 ? `${emptyState}\n` : joined(sectionTexts(sections, style));
};

export function stateMarkdown(state: State | undefined): string {
  const sections = stateReport(state);
  const line = sections.length === 0 ? `**${emptyState}**` : "";
  return reportMarkdown(["### rnv show", line], sections, Number.POSITIVE_INFINITY);
}

export function stateSections({ outputs, run, open }: State): readonly Section<never>[] {
  const values = shownOutputs(outputs).map(([name, value]) => [code(name), code(plainText(value))]);
  const began = run === null ? "" : ` that started at ${escapeText(run.startedAt)}`;
  const unknown = open.length === 0 ? "" : ` The result of ${counted(open.length, "write")} is unknown:`;
  const writes = open.map(({ address, at, method, command }) => [
    code(address),
    `${command?.action ?? writeWords[method] ?? "update"} sent at ${at}`,
  ]);
  const heading = run === null && open.length === 0 ? "" : `A run${began} did not end.${unknown}`;
  const rows = writes.length === 0 ? undefined : writes;
  return [
    ...section("outputs", "Outputs", "Outputs:", values, { weight: "whole" }),
    ...section("open", "Unfinished", heading, rows, { severity: "warning", weight: "whole" }),
  ];
}

/** The record of one resource: fields as applied, fields that the service computes, and the other records. */
export function recordedRows(resource: RecordedResource): readonly (readonly [Code, Cell])[] {
  const computed = byName(resource.computed).filter(([path]) => !Object.hasOwn(resource.applied, path));
  const values = [...byName(resource.applied), ...computed].map(
    ([path, value]) => [code(path), code(isFingerprint(value) ? "(sensitive)" : plainText(value))] as const,
  );
  const { preventDestroy, onRemove, retained, deletionFailed, pending } = resource;
  const kept = [
    preventDestroy && "preventDestroy",
    onRemove !== "delete" && `onRemove: ${onRemove}`,
    retained && "retained: archived or kept with what was; not managed until it is declared again",
    deletionFailed !== undefined && `its last deletion failed: ${escapeText(deletionFailed)}`,
    pending && "a write of it was accepted and its end was not seen yet",
  ].filter((text) => typeof text === "string");
  return [...values, ...kept.map((text) => [code("# kept"), text] as const)];
}

const resourceSection = ({ address, resource }: StateEntry): Section => ({
  id: address,
  title: address,
  heading: [code(address), ` (${quoteText(resource.name)}) `, code(`[id=${resource.id}]`)],
  rows: recordedRows(resource),
  weight: "whole",
});

export const resourceText = (address: Address, resource: RecordedResource, style: Style): string =>
  joined(sectionTexts([resourceSection({ address, resource })], style));

const writeWords: Readonly<Record<string, string>> = { POST: "create", DELETE: "delete" };

/** `output`: `name = value`, one a line. */
export const outputsText = (outputs: Readonly<Record<string, Plain>>): string =>
  shownOutputs(outputs)
    .map(([name, value]) => `${escapeText(name)} = ${plainText(value)}\n`)
    .join("");

const ownOutputs = (outputs: Readonly<Record<string, Plain>>) =>
  byName(outputs).filter(([name]) => !isCrossStackOutput(name));

const shownOutputs = (outputs: Readonly<Record<string, Plain>>) =>
  ownOutputs(outputs).filter(([, value]) => !isHiddenOutput(value));

const byName = <Value>(values: Readonly<Record<string, Value>>): readonly [string, Value][] =>
  Object.entries(values).sort(([a], [b]) => compareTexts(a, b));

/** `state backups`: one line each, numbered as `state restore` takes them. */
export const backupsText = (backups: readonly Backup[]): string =>
  alignColumns(backups.map((backup, i) => [String(i + 1), backupText(backup), escapeText(backup.name)]))
    .map((line) => `${line}\n`)
    .join("");

export const backupsJson = (backups: readonly Backup[]): Plain =>
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
export function backupText({ bytes, parsed }: Pick<Backup, "bytes" | "parsed">): string {
  if (parsed === undefined) return `cannot be read, ${sizeText(bytes)}`;
  const { state, writer } = parsed;
  const isDated = writer.at !== undefined && !Number.isNaN(Date.parse(writer.at));
  const when = isDated ? `written ${exactTime(writer.at)}` : "time not recorded";
  const by = writer.command === undefined ? "" : ` by ${escapeText(writer.command)}`;
  const records = counted(Object.keys(state.resources).length, "record");
  return `serial ${state.serial}, ${records}, ${sizeText(bytes)}, ${when}${by}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** `show -json`: the recorded state in the shape of Terraform's, one document. Secrets are null, and `sensitive_values` is true there. */
export const stateJson = (state: State): string =>
  jsonText({
    format_version: "1.0",
    lineage: state.lineage,
    serial: state.serial,
    workspace_id: state.workspaceId,
    base_url: state.baseUrl,
    values: {
      outputs: outputsDocument(state.outputs),
      root_module: {
        resources: recordedIn(state).map(({ address, resource }) => resourceDocument(address, resource)),
      },
    },
    open_writes: state.open.map(({ address, operation, at }) => ({ address, operation, at })),
  });

export function resourceDocument(address: Address, resource: RecordedResource) {
  const values = new Map<string, Plain>(Object.entries(resource.computed));
  const sensitive = new Map<string, Plain>();
  for (const [path, value] of Object.entries(resource.applied)) {
    if (isFingerprint(value)) sensitive.set(path, true);
    values.set(path, isFingerprint(value) ? null : (value as Plain));
  }
  return inDocument({
    address,
    mode: "managed",
    type: resource.type,
    name: nameOf(address),
    id: resource.id,
    displayName: resource.name,
    values: unflatten(values),
    sensitiveValues: unflatten(sensitive),
    dependsOn: resource.dependsOn,
    parent: resource.parent ?? null,
    preventDestroy: resource.preventDestroy,
    onRemove: resource.onRemove,
    updatedAt: resource.updatedAt ?? null,
    retained: resource.retained || undefined,
    deletionFailed: resource.deletionFailed,
  });
}

export const outputsDocument = (outputs: Readonly<Record<string, Plain>>) =>
  Object.fromEntries(
    ownOutputs(outputs).map(([name, value]) => [
      name,
      isHiddenOutput(value)
        ? { sensitive: true, type: "string", value: "(sensitive)" }
        : { sensitive: false, type: typeText(value), value },
    ]),
  );

/** The type of a value in Terraform's JSON notation: `"string"`, `["tuple", […]]`, `["object", {…}]`. */
function typeText(value: Plain): Plain {
  if (value === null) return "dynamic";
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "object") return typeof value;
  if (Array.isArray(value)) return ["tuple", value.map(typeText)];
  const members = Object.entries(value as Record<string, Plain>);
  return ["object", Object.fromEntries(members.map(([key, item]) => [key, typeText(item)]))];
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
