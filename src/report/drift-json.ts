import { inDocument } from "../plan/document";
import type { DriftReport, PendingResource } from "../plan/drift";
import type { AttributeChange } from "../plan/plan";
import { escapeJson } from "./escape-text";

/** The report as one JSON document, in the shape of `driftDocumentSchema`; sides of a field are as in a plan document (`{kind, value}`). */
export const driftJson = (report: DriftReport): string => `${escapeJson(driftDocument(report), 2)}\n`;

/** The same as a value. */
export const driftDocument = (report: DriftReport): Readonly<Record<string, unknown>> => ({
  format_version: "1.1",
  ...inDocument(report),
  drifted: report.drifted.map(({ fields, ...one }) => ({ ...one, attributes: fields.map(fieldData) })),
  pending: report.pending.map(pendingData),
  revealed: report.revealed?.map(inDocument),
});

const pendingData = ({ fields, ...pending }: PendingResource) =>
  inDocument({ ...pending, attributes: fields.map(fieldData) });

const fieldData = ({ path, cause, before, after, from }: AttributeChange) => ({
  ...{ path, cause, before, after, from },
});
