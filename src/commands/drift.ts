import { hasErrors } from "../diagnostics/diagnostic";
import { type DriftedResource, type DriftReport, driftReport } from "../plan/classify-drift";
import type { Plan } from "../plan/plan";
import type { Context, Outcome } from "./context";
import { exitCodeOf } from "./exit-code";
import { openReading, prepare } from "./prepare";
import type { DriftRequest } from "./requests";
import { verifyValues } from "./verify-values";

export interface DriftOutcome extends Outcome {
  readonly plan?: Plan;
  readonly report?: DriftReport;
}

/** `rnv drift`: what changed behind our back. Needs only a read key, writes nothing and takes no lock. */
export async function drift(context: Context, request: DriftRequest): Promise<DriftOutcome> {
  const connection = openReading(context);
  const state = await context.backend.read(connection);
  const from = { state, writes: false, connection };
  const { prepared, diagnostics, sources } = await prepare(context, { ...request, secrets: "skip" }, from);
  if (!prepared) return { diagnostics, sources, exitCode: exitCodeOf(diagnostics) };
  const report = withValues(
    driftReport(prepared.plan),
    request.verifyValues ? await verifyValues(prepared) : [],
  );
  const exitCode = hasErrors(diagnostics) ? 1 : report.hasDrift ? 2 : 0;
  return { plan: prepared.plan, report, diagnostics, sources, exitCode };
}

const withValues = (report: DriftReport, changed: readonly DriftedResource[]): DriftReport => ({
  ...report,
  drifted: [...report.drifted, ...changed],
  hasDrift: report.hasDrift || changed.length > 0,
});
