import type { DriftReport, PendingResource } from "../plan/drift";
import type { AttributeChange } from "../plan/plan";
import { inertJson } from "./inert";

/** The report as one JSON document, in the shape of `driftDocumentSchema`; sides of a field are as in a plan document (`{kind, value}`). */
export function driftJson(report: DriftReport): string {
  const document = {
    format_version: "1.1",
    has_drift: report.hasDrift,
    fail_on: report.failOn,
    drifted: report.drifted.map(({ address, fields }) => ({ address, attributes: fields.map(fieldData) })),
    missing: report.missing,
    consequences: report.consequences,
    pending: report.pending.map(pendingData),
    running: report.running,
    unmanaged: report.unmanaged,
    undeclared: report.undeclared,
    unchecked: report.unchecked,
    revealed: report.revealed?.map(({ isEqual, ...rest }) => ({ ...rest, is_equal: isEqual })),
  };
  return `${inertJson(document, 2)}\n`;
}

const pendingData = (pending: PendingResource) => {
  const { address, action, archives, previousAddress, reason, fields, standing } = pending;
  return {
    address,
    action,
    ...(archives && { archives }),
    ...(previousAddress && { previous_address: previousAddress }),
    ...(reason !== undefined && { reason }),
    attributes: fields.map(fieldData),
    ...(standing && { standing: { ...standing, address } }),
  };
};

const fieldData = ({ path, cause, before, after, from }: AttributeChange) => ({
  path,
  cause,
  before,
  after,
  ...(from && { from }),
});
