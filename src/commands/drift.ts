import { hasErrors } from "../diagnostics/diagnostic";
import { undeclaredFields } from "../plan/diff";
import { type DriftReport, driftReport } from "../plan/drift";
import type { Plan } from "../plan/plan";
import { resourceTypes } from "../resources";
import type { Context, Outcome } from "./context";
import { exitCodeOf } from "./exit-code";
import { openReading, prepare } from "./prepare";
import type { DriftRequest } from "./requests";
import { unmanagedParts } from "./unmanaged-parts";

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
  const { plan, input } = prepared;
  const parts = await unmanagedParts(prepared.connection.reads, plan, input);
  const report = driftReport(plan, {
    failOn: [...(request.failOn ?? []), ...(request.strict ? (["unmanaged"] as const) : [])],
    unmanaged: parts.found,
    undeclared: request.strict ? undeclaredFields(plan, resourceTypes) : [],
    // Who does not ask for them is not told that they are not known.
    unchecked: request.strict ? parts.unchecked : [],
  });
  const exitCode = hasErrors(diagnostics) ? 1 : report.hasDrift ? 2 : 0;
  return { plan, report, diagnostics, sources, exitCode };
}
