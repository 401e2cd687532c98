import { ApiError, diagnosticOf } from "../api/api-error";
import type { Connection } from "../api/connection";
import type { Reads } from "../api/reads";
import type { Deployment } from "../api/wire/shapes";
import type { Recovery } from "../apply/run-context";
import {
  type Diagnostic,
  DiagnosticsError,
  exitCodeOf,
  hasErrors,
  sortDiagnostics,
  warning,
} from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { pathsWith } from "../model/resource-type";
import { Secret } from "../model/secret";
import { isKeyed } from "../model/state";
import { isOlder } from "../model/time";
import { makePlan } from "../plan/make-plan";
import {
  type Change,
  hasChanges,
  instanceOf,
  isBlocked,
  isChangedOutside,
  type Plan,
  type PlanInput,
  type PlannedInstance,
  type Revealed,
  type SecretPrints,
} from "../plan/plan";
import { printsOf } from "../plan/resolve-value";
import { timeAgo } from "../report/time-text";
import { resourceTypes, typeNamed } from "../resources";
import { checkStateKey } from "../state/key";
import { judgePlan } from "./check-policies";
import { type Context, type Outcome, type PlanRequest, planOptions, type StateKey } from "./context";
import { refuseHandOver } from "./edit-state";
import { loadDeclared } from "./load";
import { type Planning, type PlanStart, recoverAndRead } from "./recover-and-read";
import { nothingDesired } from "./refresh";

export interface PlanOutcome extends Outcome {
  /** Undefined when something before the plan failed. */
  readonly plan?: Plan;
  /** Fingerprints of revealed values; saved with the plan. */
  readonly revealed?: PlanInput["revealed"];
  /** The key that authenticates the record of a review; absent where there is none. */
  readonly reviewKey?: Uint8Array | undefined;
}

/** Makes the plan of `rnv plan`: the exact difference to the live service. Takes no lock and writes nothing. */
export async function plan(context: Context, request: PlanRequest): Promise<PlanOutcome> {
  const connection = await prefetch(context);
  const state = await context.backend.read();
  const from = { connection, state, writes: false, checksBeforeApply: true };
  const { runId } = connection;
  const { built, diagnostics } = await buildPlan(context, request, from);
  if (!built) return { runId, diagnostics, exitCode: exitCodeOf(diagnostics) };
  return {
    runId,
    plan: await withDeployers(context, from, built.plan),
    revealed: built.input.revealed,
    reviewKey: built.key.reviewKey,
    diagnostics,
    exitCode: hasErrors(diagnostics) ? exitCodeOf(diagnostics) : 0,
  };
}

/**
 * Loads, recovers, refreshes, reveals, compares and judges: the steps of every plan. Writes nothing. `built` is undefined when
 * a step before the plan failed.
 */
export async function buildPlan(
  context: Context,
  request: PlanRequest,
  start: PlanStart,
): Promise<{ readonly built?: BuiltPlan; readonly diagnostics: readonly Diagnostic[] }> {
  const { connection } = start;
  refuseHandOver(start.state);
  if (start.state) connection.reads.remember(start.state);
  connection.reads.prefetchVariables("recorded variables");
  const options = planOptions(request);
  const { desired, key, diagnostics: declared } = await loadDeclared(context, request, start);
  if (!desired || !key) return { diagnostics: declared };
  const planning = { context, request, options, desired, key, ...start };
  const { input: read, recovery } = await recoverAndRead(planning);
  const found = [...declared, ...recovery.diagnostics];
  if (!read) return { diagnostics: found };
  const { input, refusals } = await revealValues(read, request, connection.reads);
  const compared = makePlan(input);
  const plan = refuseUnavailable(input, compared) ?? (await judge(planning, compared));
  const diagnostics = [...found, ...plan.diagnostics, ...refusals];
  if (refusals.length > 0) return { diagnostics };
  return { built: { connection, key, recovery, input, plan: { ...plan, diagnostics } }, diagnostics };
}

/** A plan with everything that it was made from, for `apply` to go on with. */
export interface BuiltPlan {
  readonly connection: Connection;
  readonly key: StateKey;
  /** Folded into the state that was planned with, not yet into the journal. */
  readonly recovery: Recovery;
  readonly input: PlanInput;
  readonly plan: Plan;
}

/** Connects and sends the three requests that every plan needs: they are answered while files are read. */
export async function prefetch(context: Pick<Context, "connect">): Promise<Connection> {
  const connection = await context.connect();
  connection.reads.prefetch();
  return connection;
}

/** A choice that the platform does not offer is the whole answer: the rest would only follow from it. */
function refuseUnavailable(input: PlanInput, { diagnostics }: Plan): Plan | undefined {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (!errors.some(({ code }) => code === "plan.not_on_offer")) return undefined;
  const empty = { desired: nothingDesired, state: undefined, inventory: [], data: [] };
  return { ...makePlan({ ...input, ...empty }), digest: undefined, diagnostics: errors };
}

async function judge(planning: Planning, plan: Plan) {
  const foreseen = planning.checksBeforeApply ? await checkBeforeApply(planning.connection.reads, plan) : [];
  const { checks, diagnostics } = await judgePlan(planning, plan);
  return { ...plan, checks, diagnostics: [...plan.diagnostics, ...foreseen, ...diagnostics] };
}

/** Asks the service for reasons that block a plan now (DESIGN section 7); returns warnings. */
async function checkBeforeApply(reads: Reads, plan: Plan): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  const ids = new Map(plan.changes.map(({ address, id }) => [address, id]));
  for (const { type, runs } of resourceTypes) {
    const planned = plan.changes.filter(
      (change) => change.type === type && (change.action === "create" || change.action === "update"),
    );
    const [first] = planned;
    if (!runs || first === undefined) continue;
    const parentIds = planned.flatMap(({ parent }) => (parent && ids.get(parent)) ?? []);
    const address = planned.length === 1 ? first.address : undefined;
    const findings = await runs.checkBeforeApply(reads, { count: planned.length, parentIds });
    for (const { code, summary, detail, hint } of findings)
      found.push(warning(code, summary, { address, detail, hint }));
  }
  return found;
}

/**
 * `--verify-values`: reveals live secrets once and adds their fingerprints to the input of a plan. Nothing else in rnv
 * reveals. A plan that cannot be applied reveals nothing: each value is an event in the service's audit log.
 */
async function revealValues(
  input: PlanInput,
  { verifyValues, revealed: saved, secrets }: PlanRequest,
  reads: Reads,
): Promise<{ readonly input: PlanInput; readonly refusals: readonly Diagnostic[] }> {
  if (saved) return { input: { ...input, revealed: saved }, refusals: [] };
  // Made without revealed values: it tells which to reveal.
  const plan = verifyValues ? makePlan(input) : undefined;
  if (!plan || hasErrors(plan.diagnostics)) return { input, refusals: [] };
  const missing = input.state && !input.fingerprintKey && checkStateKey(input.state, undefined);
  if (missing) return { input: { ...input, revealed: new Map() }, refusals: [missing] };
  const refusals: Diagnostic[] = [];
  const hasKey = input.fingerprintKey !== undefined;
  const revealing = plan.changes.map(async (change): Promise<readonly [Address, Revealed][]> => {
    const { address, type } = change;
    const instance = instanceOf(plan, change);
    const { live, recorded } = instance;
    const paths = pathsToReveal(change, instance, { isDeclared: secrets !== "skip", hasKey });
    if (!live || paths.length === 0) return [];
    try {
      const values = await typeNamed(type)?.reveal?.(reads, live);
      const prints: Record<string, SecretPrints> = {};
      for (const path of paths) {
        const value = values?.get(path);
        if (value) prints[path] = printsOf(value, { address, recorded }, input);
      }
      const { id, updatedAt } = live;
      return [[address, { id, updatedAt, prints }]];
    } catch (failure) {
      refusals.push(notRevealed(change, failure));
      return [];
    }
  });
  const found = await Promise.all(revealing);
  return { input: { ...input, revealed: new Map(found.flat()) }, refusals: sortDiagnostics(refusals) };
}

/** Returns the secrets that the plan would set and whose text is here, or those that seem to be as recorded. */
function pathsToReveal(
  { action, type, attributes, drift = [] }: Change,
  { resolved, recorded }: PlannedInstance,
  { isDeclared, hasKey }: { readonly isDeclared: boolean; readonly hasKey: boolean },
): readonly string[] {
  const resource = typeNamed(type);
  const isCompared = isDeclared ? action === "adopt" || action === "update" : drift.length === 0;
  if (!resource?.reveal || !isCompared) return [];
  return pathsWith(resource, "secret").filter((path) => {
    if (isDeclared && !attributes.some((change) => change.path === path)) return false;
    const value = isDeclared ? resolved.get(path) : recorded?.applied[path];
    // A value that is no secret may be the only one: without a key it is not compared.
    return value instanceof Secret || isKeyed(value) || (hasKey && typeof value === "string");
  });
}

/** Without the value, the plan would write a secret that may be equal. */
function notRevealed({ address, range }: Change, failure: unknown): Diagnostic {
  const found = diagnosticOf(failure, { address, range });
  const without = "without --verify-values nothing is revealed, and what differs or is unknown is written";
  return { ...found, hint: found.hint === undefined ? without : `${found.hint}; ${without}` };
}

/** Returns the exit code of a plan whose changes count: 2 with changes, 4 when one is blocked. */
export function countedExitCode({ plan: made, exitCode }: Pick<PlanOutcome, "plan" | "exitCode">): number {
  if (!made || exitCode !== 0) return exitCode;
  if (isBlocked(made)) return 4;
  return hasChanges(made) ? 2 : 0;
}

/**
 * Returns the plan, its drift with the latest deployment by another actor since our last write: one request per drifted
 * service. A list that cannot be read is left out.
 */
export async function withDeployers(context: Context, start: PlanStart, plan: Plan): Promise<Plan> {
  const changed = plan.changes.filter(isChangedOutside);
  if (changed.length === 0) return plan;
  const drifted = new Set(changed.map((change) => instanceOf(plan, change).live?.id));
  const { resources = {}, lastRunAt } = start.state ?? {};
  const found = new Map<Address | undefined, string>();
  const look = async (address: Address | undefined): Promise<void> => {
    const service = address && resources[address];
    if (service?.type !== "service") return;
    const own = [service, ...Object.values(resources).filter(({ parent }) => parent === address)];
    const isOurs = ({ id }: Deployment): boolean => own.some((one) => one.id === id);
    const isNew = ({ createdAt }: Deployment): boolean =>
      !own.some(({ writtenAt = lastRunAt }) => isOlder(createdAt, writtenAt));
    const { items } = await start.connection.reads.live.listDeployments(service.id, { limit: 20 });
    const others = items.filter((one) => !isOurs(one) && one.actor !== items.find(isOurs)?.actor);
    const other = others.find((one) => drifted.has(one.id) || isNew(one));
    if (other) found.set(address, deployedText(other, context.clock.now()));
  };
  const unlessFailed = (failure: unknown): void => {
    if (!(failure instanceof ApiError || failure instanceof DiagnosticsError)) throw failure;
  };
  await Promise.all([...new Set(changed.map(serviceOf))].map((address) => look(address).catch(unlessFailed)));
  const deployedBy = (change: Change) =>
    isChangedOutside(change) ? found.get(serviceOf(change)) : undefined;
  return { ...plan, changes: plan.changes.map((change) => ({ ...change, deployed: deployedBy(change) })) };
}

const serviceOf = ({ address, type, parent }: Change): Address | undefined =>
  type === "service" ? address : parent;

function deployedText({ actor, trigger, branch, createdAt }: Deployment, now: number): string {
  const by = actor || trigger || "another user";
  return `deployed by ${by}${branch ? ` from branch ${branch}` : ""} ${timeAgo(createdAt ?? "", now)}`;
}
