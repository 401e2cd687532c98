import * as z from "zod";
import { diagnosticCodes } from "../diagnostics/diagnostic";

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
export const diagnosticSchema = z.strictObject({
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
