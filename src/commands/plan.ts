import { ApiError, diagnosticOf } from "../api/api-error";
import type { Reads } from "../api/reads";
import type { Deployment } from "../api/wire/shapes";
import {
  type Diagnostic,
  DiagnosticsError,
  exitCodeOf,
  hasErrors,
  sortDiagnostics,
  warning,
} from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import { pathsWith } from "../model/resource-type";
import { Secret } from "../model/secret";
import { isKeyed, type State } from "../model/state";
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
import { printsOf } from "../plan/resolve";
import { counted } from "../report/plan-wording";
import { timeAgo } from "../report/time-text";
import { resourceTypes, typeNamed } from "../resources";
import { checkStateKey } from "../state/key";
import { checkPolicies, checkPreconditions } from "./check-policies";
import { type Connection, type Context, type Outcome, type PlanRequest, planOptions } from "./context";
import { loadDeclared } from "./load";
import { type RecoveredWrites, recoverAndRead } from "./recover";
import { nothingDesired } from "./refresh";
import { refuseHandOver } from "./state-verbs";

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
  const { built, diagnostics } = await buildPlan(context, request, from);
  if (!built) return { runId, diagnostics, exitCode: exitCodeOf(diagnostics) };
  return {
    runId,
    plan: await withDeployers(connection.reads, state, built.plan, context.clock.now()),
    revealed: built.input.revealed,
    reviewKey: built.reviewKey,
    diagnostics,
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

/** A plan with everything that it was made from, for `apply` to go on with. */
export interface BuiltPlan extends RecoveredWrites {
  readonly connection: Connection;
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly fingerprintKey?: Uint8Array;
  readonly keyId?: string;
  readonly reviewKey?: Uint8Array | undefined;
}

export interface PlanBuilding {
  /** Undefined when something before the plan failed; the diagnostics say what. */
  readonly built?: BuiltPlan;
  readonly diagnostics: readonly Diagnostic[];
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
  const { desired, key, diagnostics: declared } = await loadDeclared(context, request, start);
  if (!desired) return { diagnostics: declared };
  const planning = { context, request, options, desired, key, ...start };
  const ended = new AbortController();
  const addresses = [...desired.resources.keys(), ...Object.keys(start.state?.resources ?? {})];
  void showProgress(context, addresses, ended.signal);
  const reading = recoverAndRead(planning).finally(() => ended.abort());
  const { input: read, recovered, diagnostics: open } = await reading;
  if (!read) return { diagnostics: [...declared, ...open] };
  const { input, plan: made, refusals } = await verifyValues(read, request, connection.reads);
  const found = [...declared, ...open];
  const { key: fingerprintKey, keyId, reviewKey = fingerprintKey } = key;
  const parts = { ...recovered, connection, input, fingerprintKey, keyId, reviewKey };
  const errors = made.diagnostics.filter(({ severity }) => severity === "error");
  // A choice that the platform does not offer is the whole answer: the rest would only follow from it.
  if (errors.some(({ code }) => code === "plan.not_on_offer")) {
    const diagnostics = [...found, ...errors];
    const empty = { desired: nothingDesired, state: undefined, inventory: [], data: [] };
    const nothing = makePlan({ ...input, ...empty });
    return { built: { ...parts, plan: { ...nothing, digest: undefined, diagnostics } }, diagnostics };
  }
  const foreseen = start.foresees ? await checkBeforeApply(connection, made) : [];
  const judged =
    request.policies && (await checkPolicies(context.cwd, request, made, desired.stage?.name ?? ""));
  const held = request.policies && (await checkPreconditions(desired, made));
  const checks = [...(held?.checks ?? []), ...(judged?.checks ?? [])];
  const plan = {
    ...made,
    ...(judged && { checks }),
    diagnostics: [
      ...[...found, ...made.diagnostics, ...foreseen],
      ...[...(held?.diagnostics ?? []), ...(judged?.diagnostics ?? [])],
    ],
  };
  if (refusals.length > 0) return { diagnostics: [...plan.diagnostics, ...refusals] };
  return { built: { ...parts, plan }, diagnostics: plan.diagnostics };
}

/** Says at a terminal what a plan reads, where that takes longer than 400 ms. */
async function showProgress({ clock, progress }: Context, addresses: readonly string[], ended: AbortSignal) {
  const { size } = new Set(addresses.filter((address) => address.startsWith("service.")));
  const tell = () => progress?.(`Reading ${counted(size, "service")}...`);
  if (progress) await clock.sleep(400, ended).then(tell, () => {});
}

/** Asks the service for what blocks a plan now (DESIGN section 7); returns warnings. */
async function checkBeforeApply({ reads }: Connection, plan: Plan): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  const ids = new Map(plan.changes.map(({ address, id }) => [address, id]));
  for (const { type, runs } of resourceTypes) {
    const planned = plan.changes.filter(
      (change) => change.type === type && (change.action === "create" || change.action === "update"),
    );
    const [first] = planned;
    if (!runs || first === undefined) continue;
    const parentIds = planned.flatMap(({ parent }) => (parent && ids.get(parent)) ?? []);
    for (const { code, summary, detail, hint } of await runs.checkBeforeApply(reads, {
      count: planned.length,
      parentIds,
    }))
      found.push(
        warning(code, summary, { detail, hint, ...(planned.length === 1 && { address: first.address }) }),
      );
  }
  return found;
}

/**
 * Makes the plan of `first`, and with `--verify-values` makes it again from the revealed values. A plan that cannot be
 * applied reveals nothing: each value is an event in the service's audit log.
 */
async function verifyValues(
  first: PlanInput,
  { verifyValues: isWanted, revealed: saved, secrets }: PlanRequest,
  reads: Reads,
): Promise<{
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly refusals: readonly Diagnostic[];
}> {
  const input = saved ? { ...first, revealed: saved } : first;
  const plan = makePlan(input);
  if (saved || !isWanted || hasErrors(plan.diagnostics)) return { input, plan, refusals: [] };
  const against = secrets === "skip" ? "recorded" : "declared";
  const { revealed, diagnostics } = await revealValues({ input, plan, reads, against });
  const seen = { ...input, revealed };
  return { input: seen, plan: makePlan(seen), refusals: diagnostics };
}

interface Revealing {
  readonly input: PlanInput;
  /** Made without revealed values: it tells which to reveal. */
  readonly plan: Plan;
  readonly reads: Reads;
  /** Live values are compared with the `recorded` (drift) or with the `declared` (a plan that would set them). */
  readonly against: "declared" | "recorded";
}

/**
 * `--verify-values`: reveals live secrets once and keeps their fingerprints. Nothing else in rnv reveals. Where they are
 * compared with declared values, only the secrets that the plan would set are revealed.
 */
async function revealValues(revealing: Revealing): Promise<{
  readonly revealed: ReadonlyMap<Address, Revealed>;
  readonly diagnostics: readonly Diagnostic[];
}> {
  const { input, plan, against } = revealing;
  const missing = input.state && !input.fingerprintKey && checkStateKey(input.state, undefined);
  if (missing) return { revealed: new Map(), diagnostics: [missing] };
  // A value that is no secret may be the only one: without a key it is not compared.
  const hasKey = input.fingerprintKey !== undefined;
  const diagnostics: Diagnostic[] = [];
  const found = await Promise.all(
    plan.changes.map(async (change) => {
      const instance = instanceOf(plan, change);
      const paths = pathsToReveal(change, instance, against, hasKey);
      const { live } = instance;
      if (!live || paths.length === 0) return [];
      try {
        return [[change.address, await reveal(revealing, change, live, paths)] as const];
      } catch (failure) {
        diagnostics.push(notRevealed(change, failure));
        return [];
      }
    }),
  );
  return { revealed: new Map(found.flat()), diagnostics: sortDiagnostics(diagnostics) };
}

/** Returns the secrets that the plan would set and whose text is here, or those that seem to be as recorded. */
function pathsToReveal(
  { action, type, attributes, drift = [] }: Change,
  { resolved, recorded }: PlannedInstance,
  against: Revealing["against"],
  hasKey: boolean,
): readonly string[] {
  const resource = typeNamed(type);
  const isDeclared = against === "declared";
  const isCompared = isDeclared ? action === "adopt" || action === "update" : drift.length === 0;
  if (!resource?.reveal || !isCompared) return [];
  return pathsWith(resource, "secret").filter((path) => {
    if (isDeclared && !attributes.some((change) => change.path === path)) return false;
    const value = isDeclared ? resolved.get(path) : recorded?.applied[path];
    return value instanceof Secret || isKeyed(value) || (hasKey && typeof value === "string");
  });
}

/** Without the value, the plan would write a secret that may be equal. */
function notRevealed({ address, range }: Change, failure: unknown): Diagnostic {
  const found = diagnosticOf(failure, { address, ...(range && { range }) });
  const without = "without --verify-values nothing is revealed, and what differs or is unknown is written";
  return { ...found, hint: found.hint === undefined ? without : `${found.hint}; ${without}` };
}

async function reveal(
  { input, plan, reads }: Revealing,
  change: Change,
  live: LiveResource,
  paths: readonly string[],
): Promise<Revealed> {
  const { address, type } = change;
  const { recorded } = instanceOf(plan, change);
  const values = await typeNamed(type)?.reveal?.(reads, live);
  const prints: Record<string, SecretPrints> = {};
  for (const path of paths) {
    const value = values?.get(path);
    if (value) prints[path] = printsOf(value, { address, recorded }, input);
  }
  return { id: live.id, ...(live.updatedAt !== undefined && { updatedAt: live.updatedAt }), prints };
}

/**
 * Returns the plan, its drift with the deployment of others since the last run: one request per drifted service. What
 * cannot be read is left out: the plan is right without it.
 */
export async function withDeployers(
  reads: Reads,
  state: State | undefined,
  plan: Plan,
  now: number,
): Promise<Plan> {
  const drifted = new Set(plan.changes.filter(isChangedOutside).map(serviceOf));
  if (drifted.size === 0) return plan;
  const { resources = {}, lastRunAt = "" } = state ?? {};
  const own = new Set(Object.values(resources).map(({ id }) => id));
  const isOther = ({ id, createdAt }: Deployment): boolean =>
    !own.has(id) && Date.parse(createdAt ?? "") > Date.parse(lastRunAt);
  const found = new Map<Address | undefined, string>();
  const look = async (address: Address | undefined): Promise<void> => {
    const service = address && resources[address];
    if (service?.type !== "service") return;
    const { items } = await reads.live.listDeployments(service.id, { limit: 20 });
    const other = items.find(isOther);
    if (other) found.set(address, deployedText(other, now));
  };
  await Promise.all([...drifted].map(look)).catch((failure: unknown) => {
    if (!(failure instanceof ApiError || failure instanceof DiagnosticsError)) throw failure;
  });
  const told = (change: Change) => (isChangedOutside(change) ? found.get(serviceOf(change)) : undefined);
  return { ...plan, changes: plan.changes.map((change) => ({ ...change, deployed: told(change) })) };
}

const serviceOf = ({ address, type, parent }: Change): Address | undefined =>
  type === "service" ? address : parent;

function deployedText({ actor, trigger, branch, createdAt }: Deployment, now: number): string {
  const by = actor || trigger || "another user";
  return `deployed by ${by}${branch ? ` from branch ${branch}` : ""} ${timeAgo(createdAt ?? "", now)}`;
}
