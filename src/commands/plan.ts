import { type Diagnostic, exitCodeOf, hasErrors, warning } from "../diagnostics/diagnostic";
import type { State } from "../model/state";
import { hasChanges, type Plan, type PlanInput } from "../plan/plan";
import { counted, isBlocked } from "../report/plan-wording";
import { resourceTypes } from "../resources";
import { checkPreconditions } from "./check-conditions";
import { checkPolicies } from "./check-policies";
import { type Connection, type Context, type Outcome, type PlanRequest, planOptions } from "./context";
import { withDeployers } from "./deployed-since";
import { refuseHandOver } from "./hand-over";
import { loadDeclared } from "./load";
import { type RecoveredWrites, recoverAndRead } from "./recover";
import { verifyValues } from "./verify-values";

export interface PlanOutcome extends Outcome {
  /** Undefined when something before the plan failed. */
  readonly plan?: Plan;
  /** Fingerprints of revealed values; saved with the plan. */
  readonly revealed?: PlanInput["revealed"];
  /** The key that authenticates the record of a review; absent where there is none. */
  readonly reviewKey?: Uint8Array | undefined;
}

/**
 * Makes the plan of `rnv plan`: the exact difference to the live service. Takes no lock and writes nothing.
 * @example
 * const { plan: made, diagnostics } = await plan(context, planRequest);
 */
export async function plan(context: Context, request: PlanRequest): Promise<PlanOutcome> {
  const connection = await prefetch(context);
  const state = await context.backend.read();
  const from = { connection, state, writes: false, foresees: true };
  const { runId } = connection;
  const { built, diagnostics, sources } = await buildPlan(context, request, from);
  if (!built) return { runId, diagnostics, sources, exitCode: exitCodeOf(diagnostics) };
  return {
    runId,
    plan: await withDeployers(connection.reads, state, built.plan, context.clock.now()),
    revealed: built.input.revealed,
    reviewKey: built.reviewKey,
    diagnostics,
    sources,
    exitCode: hasErrors(diagnostics) ? exitCodeOf(diagnostics) : 0,
  };
}

/** Returns the exit code of a plan whose changes count: 2 with changes, 4 when one is blocked. */
export function countedExitCode({ plan: made, exitCode }: Pick<PlanOutcome, "plan" | "exitCode">): number {
  if (!made || exitCode !== 0) return exitCode;
  if (isBlocked(made)) return 4;
  return hasChanges(made) ? 2 : 0;
}

/** Connects and sends the three requests that every plan needs: they are answered while files are read. */
export async function prefetch(context: Pick<Context, "connect">): Promise<Connection> {
  const connection = await context.connect();
  connection.reads.prefetch();
  return connection;
}

export interface PlanStart {
  readonly connection: Connection;
  readonly state: State | undefined;
  /** The plan is to be applied under the lock: interrupted writes are waited for, and keys may be made. */
  readonly writes: boolean;
  /** The service is asked for what blocks an apply. */
  readonly foresees: boolean;
}

/** Everything that a plan was made from, for `apply` to go on with. */
export interface PlanningInput extends RecoveredWrites {
  readonly connection: Connection;
  readonly input: PlanInput;
  readonly fingerprintKey?: Uint8Array;
  readonly keyId?: string;
}

export interface BuiltPlan extends PlanningInput {
  readonly plan: Plan;
  readonly reviewKey?: Uint8Array | undefined;
}

export interface PlanBuilding {
  /** Undefined when something before the plan failed; the diagnostics say what. */
  readonly built?: BuiltPlan;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, string>;
}

/** Loads, recovers, refreshes, compares and guards: the steps of every plan. Writes nothing. */
export async function buildPlan(
  context: Context,
  request: PlanRequest,
  start: PlanStart,
): Promise<PlanBuilding> {
  const { connection } = start;
  refuseHandOver(start.state);
  const options = planOptions(request);
  const {
    desired,
    key,
    diagnostics: declared,
    sources,
  } = await loadDeclared(context, request, options, start);
  if (!desired) return { diagnostics: declared, sources };
  const planning = { context, request, options, desired, key, ...start };
  const ended = new AbortController();
  const addresses = [...desired.resources.keys(), ...Object.keys(start.state?.resources ?? {})];
  void showProgress(context, addresses, ended.signal);
  const reading = recoverAndRead(planning).finally(() => ended.abort());
  const { input: read, recovered, diagnostics: open } = await reading;
  if (!read) return { diagnostics: [...declared, ...open], sources };
  const { input, plan: made, refusals } = await verifyValues(read, request, connection.reads);
  const foreseen = start.foresees ? await foresee(connection, made) : [];
  const judged =
    request.policies && (await checkPolicies(context.cwd, request, made, desired.stage?.name ?? ""));
  const held = request.policies && (await checkPreconditions(desired, made));
  const checks = [...(made.checks ?? []), ...(held?.checks ?? []), ...(judged?.checks ?? [])];
  const plan = {
    ...made,
    ...(judged && { checks }),
    diagnostics: [
      ...[...made.diagnostics, ...foreseen],
      ...[...(held?.diagnostics ?? []), ...(judged?.diagnostics ?? [])],
    ],
  };
  const diagnostics = [...declared, ...open, ...plan.diagnostics, ...refusals];
  // The texts of the manifest are masked when one is asked for: a copy would ask for all.
  for (const [file, text] of judged?.sources ?? []) (sources as Map<string, string>).set(file, text);
  if (refusals.length > 0) return { diagnostics, sources };
  const { key: fingerprintKey, keyId, reviewKey = fingerprintKey } = key;
  const built = { ...recovered, connection, input, plan, fingerprintKey, keyId, reviewKey };
  return { built, diagnostics, sources };
}

/** Says at a terminal what a plan reads, where that takes longer than 400 ms. */
async function showProgress({ clock, progress }: Context, addresses: readonly string[], ended: AbortSignal) {
  const { size } = new Set(addresses.filter((address) => address.startsWith("service.")));
  const tell = () => progress?.(`Reading ${counted(size, "service")}...`);
  if (progress) await clock.sleep(400, ended).then(tell, () => {});
}

/** Asks the service for what blocks a plan now (DESIGN section 7); returns warnings. */
async function foresee({ reads }: Connection, plan: Plan): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  const ids = new Map(plan.changes.map(({ address, id }) => [address, id]));
  for (const { type, runs } of resourceTypes) {
    const planned = plan.changes.filter(
      (change) => change.type === type && (change.action === "create" || change.action === "update"),
    );
    const [first] = planned;
    if (!runs || first === undefined) continue;
    const parentIds = planned.flatMap(({ instance: { desired, recorded } }) => {
      const parent = desired?.parent ?? recorded?.parent;
      return (parent && ids.get(parent)) ?? [];
    });
    for (const { code, summary, detail, hint } of await runs.foresee(reads, {
      count: planned.length,
      parentIds,
    }))
      found.push(
        warning(code, summary, { detail, hint, ...(planned.length === 1 && { address: first.address }) }),
      );
  }
  return found;
}
