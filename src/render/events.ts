import * as z from "zod";
import { diagnosticCodes } from "../diagnostics/diagnostic";
import type { ApplyCounts, ApplyEvent, StepAction, SummaryEvent } from "../model/apply-event";
import { diagnosticData, type Sources } from "./diagnostics";
import { escapeJson, escapeText } from "./escape-text";
import type { Style } from "./style";
import { elapsedText } from "./time-text";

const doing: Readonly<Record<StepAction, string>> = {
  create: "Creating",
  update: "Modifying",
  delete: "Destroying",
  archive: "Archiving",
  adopt: "Importing",
  forget: "Forgetting",
};

const deed: Readonly<Record<StepAction, string>> = {
  create: "Creation",
  update: "Modifications",
  delete: "Destruction",
  archive: "Archiving",
  adopt: "Import",
  forget: "Forgetting",
};

/**
 * One event of a run as the line that Terraform users know, without a line break; several lines for the summary.
 * Empty for events that only machines need.
 */
export function eventText(event: ApplyEvent, style: Style): string {
  const { colors } = style;
  if (event.type === "version" || event.type === "planned" || event.type === "revealed") return "";
  if (event.type === "summary") return summaryText(event, style);
  const subject = colors.bold(`${escapeText(event.address)}:`);
  switch (event.type) {
    case "start":
      return `${subject} ${doing[event.action]}...${identity(event.id, style)}`;
    case "progress":
      return `${subject} ${colors.dim(escapeText(event.note))}`;
    case "waiting": {
      const told = [event.status, event.note].filter((part) => part !== undefined && part !== "");
      const standing = told.length === 0 ? "" : colors.dim(` ${escapeText(told.join(": "))}`);
      return `${subject} Still ${doing[event.action].toLowerCase()}... [${elapsedText(event.elapsedSeconds)} elapsed]${standing}`;
    }
    case "done":
      return `${subject} ${deed[event.action]} complete after ${elapsedText(event.elapsedSeconds)}${identity(event.id, style)}`;
    case "failed":
      return `${subject} ${colors.red(`${deed[event.action]} failed after ${elapsedText(event.elapsedSeconds)}:`)} ${escapeText(event.diagnostic.summary)}`;
    case "skipped":
      return `${subject} ${colors.yellow("Skipped")}, because ${skipCause(event.because)}`;
  }
}

const identity = (id: string | undefined, style: Style): string =>
  id === undefined ? "" : style.colors.dim(` [id=${escapeText(id)}]`);

const skipCause = (because: readonly string[]): string =>
  because.length === 0 ? "the run was interrupted" : `${because.map(escapeText).join(", ")} failed`;

/** The closing line that other tools parse: `Apply complete! Resources: 1 added, 0 changed, 0 destroyed.` */
function summaryText(event: SummaryEvent, style: Style): string {
  const { colors } = style;
  const colour = event.exitCode === 0 ? colors.green : event.exitCode === 8 ? colors.yellow : colors.red;
  const line = colour(colors.bold(`${opening(event)} Resources: ${countsText(event)}.`));
  return event.hint === undefined ? line : `${line}\n\n${event.hint.split("\n").map(escapeText).join("\n")}`;
}

function opening({ mode, exitCode }: SummaryEvent): string {
  const verb = mode === "destroy" ? "Destroy" : "Apply";
  if (exitCode === 0) return `${verb} complete!`;
  if (exitCode === 8) return `${verb} saved, awaiting checkout.`;
  if (exitCode === 130) return `${verb} interrupted.`;
  return `${verb} incomplete.`;
}

function countsText({ mode, counts }: SummaryEvent): string {
  const extra = (count: number, word: string) => (count > 0 ? [`${count} ${word}`] : []);
  const { adopted, added, changed, destroyed, forgotten, failed, skipped }: ApplyCounts = counts;
  const core =
    mode === "destroy" && added === 0 && changed === 0
      ? [`${destroyed} destroyed`]
      : [...extra(adopted, "imported"), `${added} added`, `${changed} changed`, `${destroyed} destroyed`];
  return [
    ...core,
    ...extra(forgotten, "forgotten"),
    ...extra(failed, "failed"),
    ...extra(skipped, "skipped"),
  ].join(", ");
}

interface EventJsonOptions {
  /** When it happened, ISO 8601. */
  readonly at?: string;
  /** Texts of the files, for the lines of a failure. */
  readonly sources?: Sources;
}

/** One event as one JSON object on one line, without a line break (`apply -json`, DESIGN section 8). */
export function eventJson(event: ApplyEvent, options: EventJsonOptions = {}): string {
  const { type, ...rest } = event;
  const data =
    event.type === "failed"
      ? { ...rest, diagnostic: diagnosticData(event.diagnostic, options.sources) }
      : rest;
  return escapeJson({ type, ...(options.at === undefined ? {} : { at: options.at }), ...data });
}

const address = z.string().describe("Address of the resource: `service.shop.api`.");
const stepAction = z.enum(["create", "update", "delete", "archive", "adopt", "forget"]);
const plannedAction = z.enum(["create", "update", "replace", "delete", "adopt", "forget"]);
const seconds = z.number().min(0);
const count = z.int().min(0);
const at = z.string().optional().describe("When it happened, ISO 8601.");

const location = z.strictObject({
  file: z.string(),
  line: z.int().min(1).optional(),
  column: z.int().min(1).optional(),
  endLine: z.int().min(1).optional(),
  endColumn: z.int().min(1).optional(),
});

/** A finding as `diagnosticData` writes it. */
const diagnosticSchema = z.strictObject({
  severity: z.enum(["error", "warning"]),
  code: z.enum(diagnosticCodes),
  summary: z.string(),
  detail: z.string().optional(),
  hint: z.string().optional(),
  address: z.string().optional(),
  attribute: z.string().optional(),
  location: location.optional(),
  requestId: z.string().optional(),
});

const step = { at, address, action: stepAction };

/** One line of `apply -json`, as `eventJson` writes it. */
export const eventSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("version"), at, format: z.literal("1.0"), rnv: z.string() }),
  z.strictObject({ type: z.literal("revealed"), at, count, equal: count }),
  z.strictObject({
    type: z.literal("planned"),
    at,
    address,
    action: plannedAction,
    reason: z.string().optional(),
  }),
  z.strictObject({ type: z.literal("start"), ...step, id: z.string().optional() }),
  z.strictObject({ type: z.literal("progress"), ...step, note: z.string() }),
  z.strictObject({
    type: z.literal("waiting"),
    ...step,
    elapsedSeconds: seconds,
    status: z.string().optional(),
    note: z.string().optional(),
  }),
  z.strictObject({ type: z.literal("done"), ...step, elapsedSeconds: seconds, id: z.string().optional() }),
  z.strictObject({
    type: z.literal("failed"),
    ...step,
    elapsedSeconds: seconds,
    diagnostic: diagnosticSchema,
  }),
  z.strictObject({
    type: z.literal("skipped"),
    at,
    address,
    action: plannedAction,
    because: z.array(z.string()),
  }),
  z.strictObject({
    type: z.literal("summary"),
    at,
    mode: z.enum(["apply", "destroy", "refresh-only"]),
    counts: z.strictObject({
      added: count,
      changed: count,
      destroyed: count,
      adopted: count,
      forgotten: count,
      failed: count,
      skipped: count,
    }),
    exitCode: count,
    elapsedSeconds: seconds,
    hint: z.string().optional(),
  }),
]);
