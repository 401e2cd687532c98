import { hasErrors } from "../diagnostics/diagnostic";
import type { Plan, PlanInput } from "../plan/plan";
import type { Context, Outcome } from "./context";
import { exitCodeOf } from "./exit-code";
import { openReading, prepare } from "./prepare";
import type { PlanRequest } from "./requests";

export interface PlanOutcome extends Outcome {
  /** Undefined when something before the plan failed. */
  readonly plan?: Plan;
  /** Fingerprints of what was revealed for it; saved with it. */
  readonly revealed?: PlanInput["revealed"];
}

/** `rnv plan`: the exact difference to the live service. Takes no lock and writes nothing. */
export async function plan(context: Context, request: PlanRequest): Promise<PlanOutcome> {
  const connection = openReading(context);
  const state = await context.backend.read(connection);
  const from = { state, writes: false, foresees: true as const, connection };
  const { prepared, diagnostics, sources } = await prepare(context, request, from);
  if (!prepared) return { diagnostics, sources, exitCode: exitCodeOf(diagnostics) };
  return {
    plan: prepared.plan,
    revealed: prepared.input.revealed,
    diagnostics,
    sources,
    exitCode: hasErrors(diagnostics) ? exitCodeOf(diagnostics) : 0,
  };
}
