import * as z from "zod";
import { type Diagnostic, positionAt, type SourceRange } from "../diagnostics/diagnostic";
import type { ApplyEvent, eventSchema, SourceLocation } from "../model/apply-event";
import { standingSchema } from "../model/live";
import { touchedShape } from "../model/state";
import { inDocument } from "../plan/document";
import type { DriftDocument, DriftReport, StageDrift } from "../plan/drift";
import type { AttributeChange, InMemory } from "../plan/plan";
import { addressSchema, json } from "../plan/plan-schema";

const format = { format_version: z.literal("1.0") };
const text = z.string().optional();
const time = z.string().optional().describe("ISO 8601.");

/** A deployment as the service shows it (interface, "Deployment"); empty fields are absent. */
const release = z.strictObject({
  id: z.string(),
  status: text.describe("Absent where the deployment could not be read."),
  serves: z.boolean().describe("It is the release that answers requests."),
  cancel_requested: z.boolean(),
  can_rollback: z.boolean().describe("`rnv rollback` can bring it back."),
  branch: text,
  commit: text,
  commit_message: text,
  trigger: text,
  actor: text,
  blocked_reason: text,
  error: text,
  source_deployment_id: text.describe("The deployment whose release it serves again."),
  created_at: time,
  started_at: time,
  finished_at: time,
});

const variable = z.strictObject({
  key: z.string(),
  managed: z
    .enum(["rnv", "preserve", "no"])
    .describe("`preserve`: recorded, and its value is set elsewhere."),
  changed: time,
});

/** The release that a recorded service runs, as it was read in this run. */
const service = z.strictObject({
  address: addressSchema,
  id: z.string(),
  name: z.string().describe("Its name on the platform."),
  runs: z
    .enum(["release", "suspended", "nothing", "deleting", "gone", "unknown"])
    .describe("`nothing`: no release serves. `unknown`: it could not be read; `reason` says why."),
  reason: text,
  archived: z.boolean(),
  url: text,
  status: text,
  health: text,
  health_checked_at: time,
  release: release.optional().describe("The release that serves."),
  latest: release.optional().describe("The latest deployment, where it is not the one that serves."),
  standing: z.array(standingSchema).describe("What its last deployment or its runtime needs."),
  variables: z.array(variable).optional().describe("With `--variables`. No value is shown."),
});

export const statusSchema = z.strictObject({
  ...format,
  services: z.array(service).describe("Sorted by address."),
});

export const deploymentsSchema = z.strictObject({
  ...format,
  address: addressSchema,
  deployments: z.array(release).describe("Newest first."),
  has_more: z.boolean().describe("There are older ones."),
  reason: text.describe("Why the platform lists none."),
});

export type StatusDocument = z.infer<typeof statusSchema>;
export type DeploymentsDocument = z.infer<typeof deploymentsSchema>;

export type Release = InMemory<z.infer<typeof release>>;
export type ShownVariable = InMemory<z.infer<typeof variable>>;

export interface RunningService extends Omit<InMemory<z.infer<typeof service>>, "release" | "latest"> {
  readonly release?: Release | undefined;
  readonly latest?: Release | undefined;
}

export type ReleaseList = InMemory<Omit<DeploymentsDocument, "format_version">>;

const count = z.int().min(0);

const pastRun = z.looseObject({
  id: z.string().describe("32 hex digits; every request of the run holds it."),
  command: z.string(),
  by: z.string().describe("Who ran it: a person on a machine, or a job."),
  commit: text,
  job: text.describe("Address of the job's page."),
  started_at: z.string().describe("ISO 8601."),
  ended_at: time.describe("ISO 8601; absent where the run runs, or was cut short."),
  digest: z.string().describe("Of the plan that was applied."),
  exit_code: count.optional(),
  counts: z.record(z.string(), count).optional().describe("Changes that were made, and that were not."),
  pull_requests: z.array(z.string()).optional().describe("Those that were reviewed: `#12`, `!12`."),
  ...touchedShape,
});

export const historySchema = z.strictObject({
  ...format,
  stage: text,
  stack: text,
  runs: z.array(pastRun).describe("Newest first."),
});

/** `output -json`, as Terraform writes it. */
export const outputsSchema = z.record(
  z.string(),
  z.strictObject({
    sensitive: z.boolean(),
    type: json.describe('In the notation of Terraform: `"string"`, `["tuple", …]`.'),
    value: json.describe("`(sensitive)` where it is a secret."),
  }),
);

/** Makes plain data of a finding: its offsets become lines and columns, from 1. */
export function diagnosticData(diagnostic: Diagnostic) {
  // The hint describes the remedy.
  const { range, remedy: _, construct: _path, ...rest } = diagnostic;
  return range === undefined ? rest : { ...rest, location: locationData(range) };
}

/** Columns are unknown where the text of the file is not at hand. */
export function locationData(range: SourceRange): SourceLocation {
  const text = range.source?.text;
  if (text === undefined || range.source?.placeAt) return { file: range.file, line: range.line };
  const start = positionAt(text, range.start);
  const end = positionAt(text, range.end);
  return { file: range.file, ...start, endLine: end.line, endColumn: end.column };
}

/** Returns an event in the shape of `eventSchema`; `at` is when it happened, ISO 8601. */
export function eventDocument(event: ApplyEvent, at?: string) {
  const { type, ...rest } = event;
  const data = "diagnostic" in event ? { ...rest, diagnostic: diagnosticData(event.diagnostic) } : rest;
  return { type, at, ...data } as z.infer<typeof eventSchema>;
}

export type DriftEnd = Pick<StageDrift, "report" | "diagnostics">;

/** The report, or why there is none, in the shape of `driftDocumentSchema`; sides of a field are as in a plan document. */
export function driftDocument({ report, diagnostics }: DriftEnd): DriftDocument {
  const found = report ? reportDocument(report) : { format_version: "1.1", errored: true };
  return { ...found, diagnostics: diagnostics.map(diagnosticData) } as DriftDocument;
}

export const reportDocument = (report: DriftReport): Readonly<Record<string, unknown>> => ({
  format_version: "1.1",
  ...inDocument(report),
  drifted: report.drifted.map(foundData),
  pending: report.pending.map(foundData),
});

const foundData = ({ fields, ...one }: { readonly fields: readonly AttributeChange[] }) =>
  inDocument({
    ...one,
    attributes: fields.map(({ path, cause, before, after, from }) => ({ path, cause, before, after, from })),
  });

/** Makes a document of an object, which may hold lists of objects. */
export const versioned = <Document>(object: object): Document =>
  ({ format_version: "1.0", ...inDocument(object) }) as Document;

export const statusDocument = (services: readonly RunningService[]): StatusDocument =>
  versioned({ services: services.map(serviceData) });

export const deploymentsDocument = (list: ReleaseList): DeploymentsDocument => versioned(list);

const serviceData = ({ release, latest, ...service }: RunningService) =>
  inDocument({ ...service, release: release && inDocument(release), latest: latest && inDocument(latest) });
