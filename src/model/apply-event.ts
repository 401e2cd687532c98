import * as z from "zod";
import { type Diagnostic, diagnosticCodes } from "../diagnostics/diagnostic";
import type { Address } from "./address";
import { applyCounts, typed } from "./state";

const address = typed<Address>(z.string().describe("Address of the resource: `service.shop.api`."));
const stepAction = z.enum(["create", "update", "delete", "archive", "adopt", "forget"]);
const plannedAction = z.enum([...stepAction.options, "replace"]);
const seconds = z.number().min(0);
const count = z.int().min(0);
const at = z.string().optional().describe("When it happened, ISO 8601.");
const id = z.string().optional();

/** Makes the schema of a diagnostic in a document; `where` says how the document writes its range. */
export const findingSchema = <Where extends z.ZodRawShape>(where: Where) =>
  z.strictObject({
    severity: z.enum(["error", "warning"]),
    code: z.enum(diagnosticCodes),
    summary: z.string(),
    detail: z.string().optional(),
    hint: z.string().optional(),
    address: z.string().optional(),
    attribute: z.string().optional(),
    stage: z.string().optional().describe("Its stage, where several were checked and not all have it."),
    ...where,
    rule: z
      .string()
      .optional()
      .describe("The policy that it is about; `precondition` and `postcondition` for those of a resource."),
    requestId: z.string().optional(),
  });

export const locationSchema = z.strictObject({
  file: z.string(),
  line: z.int().min(1).optional(),
  column: z.int().min(1).optional(),
  endLine: z.int().min(1).optional(),
  endColumn: z.int().min(1).optional(),
});

/** The range of a finding in lines and columns, from 1; without them where the text of the file is not at hand. */
export type SourceLocation = Readonly<z.infer<typeof locationSchema>>;

/** One step of a change: a replacement is a `delete` and a `create`, each with a start and an end of its own. */
const step = { at, address, action: stepAction };

/** One line of `apply -json`. */
const diagnostic = findingSchema({ location: locationSchema.optional() });

export const eventSchema = z.discriminatedUnion("type", [
  // Each of several stages or stacks has a stream of its own behind its name.
  z.strictObject({ type: z.literal("stage"), stage: z.string() }),
  z.strictObject({ type: z.literal("stack"), stack: z.string() }),
  // The first event of a stream: the version of the format, and that of rnv.
  z.strictObject({ type: z.literal("version"), at, format: z.literal("1.0"), rnv: z.string() }),
  // Live values were revealed, on request; `equal` of them are as declared, and nothing is sent for those.
  z.strictObject({ type: z.literal("revealed"), at, count, equal: count }),
  // One for each change of the plan that does something, before the first write; `reason` says why a resource runs.
  z.strictObject({
    type: z.literal("planned"),
    at,
    address,
    action: plannedAction,
    reason: z.string().optional(),
  }),
  // A step is about to send its first write; `id` is undefined while the resource is not created.
  z.strictObject({ type: z.literal("start"), ...step, id }),
  // A write was accepted, a retry, a follow-up: `note` is one line.
  z.strictObject({ type: z.literal("progress"), ...step, note: z.string() }),
  // A step waits for the service; about every ten seconds, and whenever `status`, the service's word, changes.
  z.strictObject({
    type: z.literal("waiting"),
    ...step,
    elapsedSeconds: seconds,
    id: id.describe("The deployment in progress."),
    status: z.string().optional(),
    note: z.string().optional(),
  }),
  z.strictObject({ type: z.literal("done"), ...step, elapsedSeconds: seconds, id }),
  // A step failed; unrelated ones go on.
  z.strictObject({ type: z.literal("failed"), ...step, elapsedSeconds: seconds, diagnostic }),
  // A step is saved; its deployment is live after a checkout in the dashboard.
  z.strictObject({ type: z.literal("awaiting"), ...step, elapsedSeconds: seconds, id }),
  // A change was not tried: `because` has the addresses that failed, and is empty when the run was interrupted.
  z.strictObject({
    type: z.literal("skipped"),
    at,
    address,
    action: plannedAction,
    because: typed<readonly Address[]>(z.array(z.string())),
  }),
  // A finding that no `failed` event has, before the summary.
  z.strictObject({ type: z.literal("diagnostic"), at, diagnostic }),
  // The last event of a stream, also where nothing was applied; `hint` says how to go on when something is left to do.
  z.strictObject({
    type: z.literal("summary"),
    at,
    mode: z.enum(["apply", "destroy", "refresh-only"]),
    counts: z.strictObject(applyCounts),
    exitCode: count,
    elapsedSeconds: seconds,
    hint: z.string().optional(),
  }),
]);

/** A line without its time; a failure holds the diagnostic itself, which still knows its range. */
type Untimed<Line> = Line extends { diagnostic: unknown }
  ? Readonly<Omit<Line, "at" | "diagnostic">> & { readonly diagnostic: Diagnostic }
  : Readonly<Omit<Line, "at">>;

/** Events of a run, in order (DESIGN section 8). Plain data, without a secret. */
export type ApplyEvent = Untimed<z.infer<typeof eventSchema>>;

export type StepAction = z.infer<typeof stepAction>;
export type SummaryEvent = Extract<ApplyEvent, { type: "summary" }>;
export type ApplyCounts = Readonly<SummaryEvent["counts"]>;
