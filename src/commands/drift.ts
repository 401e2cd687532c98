import { exitCodeOf, hasErrors } from "../diagnostics/diagnostic";
import type { Acceptance } from "../model/acceptance";
import { stageText } from "../model/stage";
import { acceptanceExpired, acceptDrift, type Judged } from "../plan/accepted-drift";
import { undeclaredFields } from "../plan/diff";
import { type DriftClass, type DriftReport, driftReport, type UndeclaredField } from "../plan/drift";
import { ownerKey } from "../plan/instances";
import { instanceOf, type Plan } from "../plan/plan";
import { resourceTypes } from "../resources";
import { type Context, type Outcome, type PlanRequest, planRequest } from "./context";
import { type BuiltPlan, buildPlan, prefetch, withDeployers } from "./plan";
import type { PlanStart } from "./recover-and-read";

export interface DriftRequest extends Pick<PlanRequest, "files" | "targets" | "excludes" | "verifyValues"> {
  /** Classes that count as drift besides `drifted` and `missing`. */
  readonly failOn?: readonly DriftClass[];
  readonly acceptances?: readonly Acceptance[];
  /** Unmanaged resources and undeclared settings count as drift. */
  readonly strict?: boolean;
}

export interface DriftOutcome extends Outcome {
  readonly plan?: Plan;
  readonly report?: DriftReport;
  /** The entries of the file that are about this stage. */
  readonly judged?: Pick<Judged, "used" | "unused">;
}

/** `rnv drift`: reports changes made outside of rnv. Needs only a read key, writes nothing and takes no lock. */
export async function drift(context: Context, request: DriftRequest): Promise<DriftOutcome> {
  const connection = await prefetch(context);
  const state = await context.backend.read();
  const outcome = driftFrom(context, request, { connection, state });
  const { exitCode, report } = await outcome.catch(() => ({ exitCode: 1, report: undefined }));
  if (exitCode === 0 && report?.pending.length === 0) return outcome;
  // An apply that ran meanwhile made no drift: its changes are in the state by now.
  const now = await context.backend.read();
  if (JSON.stringify(now) === JSON.stringify(state)) return outcome;
  const reads = connection.reads.fresh();
  return driftFrom(context, request, { connection: { ...connection, reads }, state: now });
}

async function driftFrom(
  context: Context,
  request: DriftRequest,
  { connection, state }: Pick<PlanStart, "connection" | "state">,
): Promise<DriftOutcome> {
  if (state) connection.reads.remember(state);
  // Variables that are not declared are reported, too.
  connection.reads.prefetchVariables("recorded services");
  const from = { connection, state, writes: false, checksBeforeApply: false };
  const asked = { ...planRequest, ...request, secrets: "skip" } as const;
  const { built, diagnostics } = await buildPlan(context, asked, from);
  const { runId } = connection;
  // An incomplete plan says nothing of drift.
  if (!built || hasErrors(diagnostics))
    return { runId, diagnostics, exitCode: built ? 1 : exitCodeOf(diagnostics) };
  const plan = await withDeployers(context, from, built.plan);
  const parts = await unmanagedParts(built);
  const shown = (one: UndeclaredField) => ({ ...one, value: connection.mask(one.value) });
  const whole = driftReport(plan, {
    failOn: [...(request.failOn ?? []), ...(request.strict ? (["unmanaged"] as const) : [])],
    unmanaged: parts.found,
    undeclared: request.strict ? undeclaredFields(plan, resourceTypes).map(shown) : [],
    // Without a request for them, unknown ones are not reported.
    unchecked: request.strict ? parts.unchecked : [],
  });
  const { report, used, unused, expired } = acceptDrift(whole, request.acceptances ?? [], {
    now: context.clock.now(),
    stage: context.stage && context.stage !== "any" ? stageText(context.stage) : undefined,
  });
  // Resources outside of a narrowed run may have drifted.
  const isWhole = request.targets.length + request.excludes.length === 0;
  const exitCode = report.hasDrift ? 2 : expired.length > 0 ? 1 : 0;
  return {
    runId,
    plan,
    report,
    judged: { used, unused: isWhole ? unused : [] },
    exitCode,
    diagnostics: [...diagnostics, ...expired.map(acceptanceExpired)],
  };
}

/** Lists undeclared parts of managed resources, such as variables of a service: one read for each that the plan has not read. */
async function unmanagedParts({ connection: { reads }, plan, input }: BuiltPlan) {
  // Everything found or recorded, also outside of the part that is planned.
  const managed = new Set<string>();
  for (const read of input.reads.values())
    if (read.kind === "found") managed.add(ownerKey(read.live.type, read.live.id));
  for (const { type, id } of Object.values(input.state?.resources ?? {})) managed.add(ownerKey(type, id));
  const found: DriftReport["unmanaged"][number][] = [];
  const unchecked: Plan["unchecked"][number][] = [];
  for (const type of resourceTypes) {
    if (!type.removedWithParent || type.removal !== "delete") continue;
    const holders = plan.changes.filter((change) =>
      type.parents.some((parent) => parent.type === change.type),
    );
    await Promise.all(
      holders.map(async (change) => {
        const { address } = change;
        const { desired, live } = instanceOf(plan, change);
        if (desired === undefined || live === undefined) return;
        const parts = await type.list(reads, live.id);
        const reason = `the platform does not list what is in it: undeclared ${type.type}s are not known`;
        if (parts === undefined) unchecked.push({ address, reason });
        for (const { id, name } of parts ?? [])
          if (!managed.has(ownerKey(type.type, id)))
            found.push({ type: type.type, id, name, within: address });
      }),
    );
  }
  return { found: found.sort(byPlace), unchecked: unchecked.sort(byPlace) };
}

type Placed = Readonly<Partial<Record<"within" | "address" | "name", string>>>;

const placeOf = ({ within, address = "", name = "" }: Placed): string => `${within ?? address} ${name}`;

const byPlace = (a: Placed, b: Placed): number => (placeOf(a) < placeOf(b) ? -1 : 1);
