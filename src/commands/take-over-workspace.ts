import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Change, Plan } from "../plan/plan";
import { apply } from "./apply";
import { type Context, type Outcome, type PlanRequest, planRequest } from "./context";
import { exportManifest } from "./export-manifest";
import { type PlanOutcome, plan } from "./plan";

export interface TakeOverRequest {
  /** Name or id of the one project to take over; the whole workspace unless said. */
  readonly project?: string;
  /** Reveals variables once (audited): those that hold an address of another resource become references. */
  readonly reveals: boolean;
  /** Keeps the manifest and returns its path; undefined ends here, with nothing kept. */
  readonly keep: (manifest: string) => string | undefined;
  readonly lockTimeoutMs: number;
  readonly parallelism: number;
}

export interface TakeOverOutcome extends Outcome {
  /** Resources that the manifest declares, and references among them. */
  readonly declared: number;
  readonly references: number;
  /** Resources that are recorded now. */
  readonly taken: number;
  /** What is left to plan; undefined where nothing was kept or a step before it failed. */
  readonly plan?: Plan;
}

/**
 * `rnv init --from workspace`: export → keep → plan → take over what needs no write → plan. Writes nothing to the service;
 * what would need a write stays in the plan.
 */
export async function takeOverWorkspace(
  context: Context,
  request: TakeOverRequest,
): Promise<TakeOverOutcome> {
  await refuseIfRecorded(context);
  const written = await exportManifest(context, request);
  const { count: declared, references } = written;
  const none = { declared, references, taken: 0 };
  const file = written.text === undefined ? undefined : request.keep(written.text);
  if (file === undefined) return { ...written, ...none };
  const planning: PlanRequest = {
    ...planRequest,
    files: [file],
    adopt: true,
    verifyValues: request.reveals,
    isSaved: request.reveals,
  };
  const first = await plan(context, planning);
  if (first.plan === undefined || hasErrors(first.diagnostics)) return { ...first, ...none };
  const { taken, diagnostics } = await record(context, planning, first, request);
  if (hasErrors(diagnostics)) return { ...first, ...none, diagnostics, exitCode: 1 };
  const last = await plan(context, { ...planning, adopt: false, verifyValues: false });
  return { ...last, ...none, taken, diagnostics: [...written.diagnostics, ...last.diagnostics] };
}

async function refuseIfRecorded({ backend }: Context): Promise<void> {
  const recorded = Object.keys((await backend.read())?.resources ?? {}).length;
  if (recorded === 0) return;
  throw new DiagnosticsError([
    error("state.conflict", `the state records ${recorded} resources already`, {
      hint: "rnv export prints what is live; or name another state with --state",
    }),
  ]);
}

/** Records what the plan takes over without a write. */
async function record(
  context: Context,
  planning: PlanRequest,
  { plan: made, revealed }: PlanOutcome,
  { lockTimeoutMs, parallelism }: TakeOverRequest,
): Promise<{ readonly taken: number; readonly diagnostics: readonly Diagnostic[] }> {
  const changes = made?.changes ?? [];
  const excludes: readonly Address[] = changes
    .filter((one) => !isTakenAsItIs(one))
    .map(({ address }) => address);
  const outcome = await apply(context, {
    ...{ ...planning, excludes, revealed, lockTimeoutMs, parallelism },
    approve: async ({ changes: approved }) =>
      approved.every(isTakenAsItIs) ? { confirmedDeletes: [] } : undefined,
  });
  return { taken: outcome.counts?.adopted ?? 0, diagnostics: outcome.diagnostics };
}

/** Its record is all that changes. */
const isTakenAsItIs = ({ action, attributes }: Change): boolean =>
  action === "no-op" || (action === "adopt" && attributes.length === 0);
