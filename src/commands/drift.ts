import { hasErrors } from "../diagnostics/diagnostic";
import { undeclaredFields } from "../plan/diff";
import { type DriftClass, type DriftReport, driftReport } from "../plan/drift";
import type { Plan } from "../plan/plan";
import { resourceTypes } from "../resources";
import { type Context, exitCodeOf, type Outcome } from "./context";
import { buildPlan, prefetch } from "./plan";
import type { PlanRequest } from "./requests";
import { unmanagedParts } from "./unmanaged-parts";

/** `rnv drift`. */
export interface DriftRequest extends PlanRequest {
  /** Classes that count as drift besides `drifted` and `missing`. */
  readonly failOn?: readonly DriftClass[];
  /** Counts what is not managed, and settings that nobody declares. */
  readonly strict?: boolean;
}

export interface DriftOutcome extends Outcome {
  readonly plan?: Plan;
  readonly report?: DriftReport;
}

/** `rnv drift`: what changed behind our back. Needs only a read key, writes nothing and takes no lock. */
export async function drift(context: Context, request: DriftRequest): Promise<DriftOutcome> {
  const connection = await prefetch(context);
  const state = await context.backend.read();
  const from = { connection, state, writes: false, foresees: false };
  const { built, diagnostics, sources } = await buildPlan(context, { ...request, secrets: "skip" }, from);
  if (!built) return { diagnostics, sources, exitCode: exitCodeOf(diagnostics) };
  const { plan, input } = built;
  const parts = await unmanagedParts(connection.reads, plan, input);
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
