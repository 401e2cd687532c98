import type { DriftReport } from "../plan/classify-drift";
import type { AttributeChange } from "../plan/plan";
import { inertJson } from "./inert";

/** The report as one JSON document; sides of a field are as in a plan document (`{kind, value}`). */
export function driftJson(report: DriftReport): string {
  const document = {
    format_version: "1.0",
    has_drift: report.hasDrift,
    drifted: report.drifted.map(({ address, fields }) => ({ address, attributes: fields.map(fieldData) })),
    missing: report.missing,
    pending: report.pending.map(({ address, action, fields }) => ({
      address,
      action,
      attributes: fields.map(fieldData),
    })),
    unmanaged: report.unmanaged,
    unchecked: report.unchecked,
  };
  return `${inertJson(document, 2)}\n`;
}

const fieldData = ({ path, cause, before, after }: AttributeChange) => ({ path, cause, before, after });
