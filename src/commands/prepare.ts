import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../diagnostics/diagnostic";
import type { SecretReach } from "../manifest/secret-reach";
import { type Address, parseAddress } from "../model/address";
import type { Desired } from "../model/desired";
import type { Intent, JournalEntry, RunRecord, State } from "../model/state";
import { fillData, isOpenFieldFinding, settleOpenFields } from "../plan/data";
import { foreseeScope } from "../plan/graph";
import { makePlan } from "../plan/make-plan";
import type { Plan, PlanInput, PlanOptions } from "../plan/plan";
import { resourceTypes } from "../resources";
import { fold } from "../state/fold";
import { checkStateKey } from "../state/state-key";
import type { Connection, Context, StateKey } from "./context";
import { declaredSecrets, declaresSecrets } from "./declared-secrets";
import { foresee } from "./foresee";
import { load } from "./load";
import { refreshPatiently } from "./refresh-patiently";
import type { PlanRequest } from "./requests";
import { awaitLeftovers, settleLeftovers } from "./settle-leftovers";
import { revealValues } from "./verify-values";

/** Everything a plan was made from: `apply` goes on with it. */
export interface Prepared {
  readonly connection: Connection;
  readonly input: PlanInput;
  readonly plan: Plan;
  /** What became of writes that an interrupted run left open. Already in `input.state`; not yet in the journal. */
  readonly leftovers: readonly JournalEntry[];
  readonly retriableIntents: readonly Intent[];
  /** What that run fenced its creates with: what was there before the first attempt at them. */
  readonly earlierFences: RunRecord["fences"];
  readonly fingerprintKey?: Uint8Array;
  readonly keyId?: string;
}

export interface Preparation {
  /** Undefined when something before the plan failed; the diagnostics say what. */
  readonly prepared?: Prepared;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, string>;
}

/** The main path: load -> validate -> refresh -> diff -> order -> guard -> Plan. Writes nothing. */
export async function prepare(
  context: Context,
  request: PlanRequest,
  from: {
    readonly state: State | undefined;
    readonly writes: boolean;
    /** It is to be applied: what stands in the way is asked for. */
    readonly foresees?: true;
    /** From `openReading`, when nothing has to happen before live state is read. */
    readonly connection?: Promise<Connection>;
  },
): Promise<Preparation> {
  const connection = await (from.connection ?? openReading(context));
  const secrets = reachOf(request);
  const options = planOptions(request);
  const concerns = (desired: Desired) => {
    const scope = foreseeScope(desired, from.state?.resources ?? {}, resourceTypes, options);
    return (address: Address) => scope.has(address);
  };
  const isPart = options.targets.length + options.excludes.length > 0;
  const loaded = await load(context, request.files, secrets, isPart ? concerns : undefined);
  if (!loaded.desired) return { diagnostics: loaded.diagnostics, sources: loaded.sources };
  if (connection.conceal(declaredSecrets(loaded.desired))) connection.reads.invalidate();
  const known = await knownFields(loaded.desired, loaded.diagnostics, connection);
  const early = known.diagnostics;
  if (hasErrors(early)) return { diagnostics: early, sources: loaded.sources };
  const key = await fingerprintKey(context, known.desired, { ...from, ...request, secrets });
  if (hasErrors(key.diagnostics))
    return { diagnostics: [...early, ...key.diagnostics], sources: loaded.sources };

  const how = request.mode === "apply" ? {} : { settlesPending: "look" as const };
  const inputOf = (state: State | undefined): Promise<PlanInput> =>
    readInput(context, request, { connection, desired: known.desired, options, state, key });
  const settle = async () => {
    const resumed = await settleLeftovers(context, connection, from, how);
    const state = from.state && fold(from.state, resumed.entries);
    return { resumed, state, first: hasErrors(resumed.diagnostics) ? undefined : await inputOf(state) };
  };
  let settled = await settle();
  // What lagged behind the look at what was left has come into view since: it is looked at once more.
  for (
    let left = settled.resumed.retriableIntents.length;
    settled.first && isShown(settled.resumed.retriableIntents, settled.first);
  ) {
    connection.reads.invalidate();
    settled = await settle();
    if (settled.resumed.retriableIntents.length >= left) break;
    left = settled.resumed.retriableIntents.length;
  }
  const { resumed, state, first } = settled;
  if (first === undefined)
    return { diagnostics: [...early, ...resumed.diagnostics], sources: loaded.sources };
  const awaited = await awaitLeftovers(context, connection, from.writes ? first : undefined);
  // What has ended may have ended badly, and is planned again then.
  const last = state && awaited.entries.length > 0 ? await inputOf(fold(state, awaited.entries)) : first;
  const { input, plan: made, refusals } = await withRevealed(last, request, connection.reads);
  const foreseen = from.foresees ? await foresee(connection, made) : [];
  const plan = { ...made, diagnostics: [...made.diagnostics, ...foreseen] };
  const diagnostics = [
    ...early,
    ...key.diagnostics,
    ...resumed.diagnostics,
    ...awaited.diagnostics,
    ...plan.diagnostics,
    ...refusals,
  ];
  if (refusals.length > 0) return { diagnostics, sources: loaded.sources };
  const prepared = {
    connection,
    input,
    plan,
    leftovers: [...resumed.entries, ...awaited.entries],
    retriableIntents: resumed.retriableIntents,
    earlierFences: from.state?.run?.fences ?? {},
    fingerprintKey: key.key,
    keyId: key.keyId,
  };
  return { prepared, diagnostics, sources: loaded.sources };
}

/** Something is found that nobody recorded where a create of an interrupted run was seen not to have happened. */
const isShown = (retriableIntents: readonly Intent[], { reads, state }: PlanInput): boolean =>
  retriableIntents.some(({ address, method }) => {
    const read = reads.get(address);
    return (
      method === "POST" &&
      state?.resources[address] === undefined &&
      (read?.kind === "found" || read?.kind === "ambiguous")
    );
  });

/** Reads what is live: everything that a plan is made from. */
async function readInput(
  context: Context,
  request: PlanRequest,
  from: {
    readonly connection: Connection;
    readonly desired: Desired;
    readonly options: PlanOptions;
    readonly state: State | undefined;
    readonly key: StateKey;
  },
): Promise<PlanInput> {
  const { state, key } = from;
  const { reads } = from.connection;
  const destroys = request.mode === "destroy";
  const { desired } = from;
  const refreshed = await refreshPatiently(reads, resourceTypes, desired, state, context, destroys);
  const filled = fillData(from.desired, refreshed.data);
  return {
    desired: filled.desired,
    data: filled.uses,
    state,
    workspaceId: context.workspaceId,
    baseUrl: context.baseUrl,
    reads: refreshed.reads,
    inventory: refreshed.inventory,
    holdings: refreshed.holdings,
    catalog: await reads.catalog(),
    timestamp: new Date(context.clock.now()).toISOString(),
    types: resourceTypes,
    options: from.options,
    fingerprintKey: key.key ?? (compares(request, state) ? context.randomBytes(32) : undefined),
    previousFingerprintKey: key.previous?.key,
  };
}

/** Values are to be compared with each other, before there is a key: one for this plan tells what is equal. */
const compares = ({ verifyValues }: PlanRequest, state: State | undefined): boolean =>
  verifyValues === true && (state?.keyId ?? null) === null;

/** The plan; with values to verify, made anew of what they are. One that cannot be applied is worth no audit event. */
async function withRevealed(
  first: PlanInput,
  { verifyValues, revealed: saved, secrets }: PlanRequest,
  reads: Connection["reads"],
): Promise<{
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly refusals: readonly Diagnostic[];
}> {
  const input = saved ? { ...first, revealed: saved } : first;
  const plan = makePlan(input);
  if (saved || !verifyValues || hasErrors(plan.diagnostics)) return { input, plan, refusals: [] };
  const against = secrets === "skip" ? "recorded" : "declared";
  const { revealed, diagnostics } = await revealValues({ input, plan, reads, against });
  const seen = { ...input, revealed };
  return { input: seen, plan: makePlan(seen), refusals: diagnostics };
}

/** What the manifest left for the catalog to decide is decided; without any, nothing is waited for. */
async function knownFields(
  desired: Desired,
  diagnostics: readonly Diagnostic[],
  { reads }: Connection,
): Promise<{ readonly desired: Desired; readonly diagnostics: readonly Diagnostic[] }> {
  const open = diagnostics.filter(isOpenFieldFinding);
  if (open.length === 0) return { desired, diagnostics };
  const others = diagnostics.filter((one) => !isOpenFieldFinding(one));
  const settled = settleOpenFields(desired, open, resourceTypes, await reads.catalog());
  return { desired: settled.desired, diagnostics: [...others, ...settled.diagnostics] };
}

/** Connects, and sends the three reads that every plan needs: they are answered while files are read. */
export function openReading(context: Pick<Context, "connect">): Promise<Connection> {
  const opening = context.connect().then((connection) => {
    const { reads } = connection;
    for (const read of [reads.catalog(), reads.projects(), reads.services()]) read.catch(() => undefined);
    return connection;
  });
  // Whoever awaits the connection is told.
  opening.catch(() => undefined);
  return opening;
}

/** Only a plan that sends values needs them: what is destroyed or recorded as it is needs none. */
const reachOf = ({ secrets, mode }: PlanRequest): SecretReach =>
  mode === "apply" ? (secrets ?? "resolve") : "skip";

/**
 * Needed once a secret is declared or recorded; a missing or another key is an error, never a perpetual diff. Where not
 * all secrets are read, none is compared without it.
 */
async function fingerprintKey(
  context: Context,
  desired: Desired,
  from: { state: State | undefined; writes: boolean; isSaved?: boolean; secrets: SecretReach },
): Promise<StateKey> {
  const keyId = from.state?.keyId ?? null;
  if (keyId === null && !declaresSecrets(desired)) return { diagnostics: [] };
  const isNeeded = from.secrets === "resolve";
  const creates = isNeeded && (from.writes || from.isSaved === true) && keyId === null;
  const found = await context.stateKey(creates, keyId);
  if (!isNeeded && !found.key) return { diagnostics: found.diagnostics };
  const mismatch = from.state ? checkStateKey(from.state, found.key, found.previous?.keyId) : undefined;
  const { previous } = found;
  // Writes left open were digested with their key, and are repeated under it: keys change with the run after this.
  if (previous?.keyId === keyId && (from.state?.open.length ?? 0) > 0)
    return { ...previous, diagnostics: found.diagnostics };
  return { ...found, diagnostics: [...found.diagnostics, ...(mismatch ? [mismatch] : [])] };
}

function planOptions(request: PlanRequest): PlanOptions {
  return {
    mode: request.mode,
    targets: addresses("--target", request.targets),
    excludes: addresses("--exclude", request.excludes),
    replace: addresses("--replace", request.replace),
    adopt: request.adopt,
    allowEmpty: request.allowEmpty,
    confirmedDeletes: addresses("--confirm-delete", request.confirmedDeletes),
    ...(request.confirmsAll === true && { confirmsAll: true }),
  };
}

/** Reads the addresses given to a flag; throws `DiagnosticsError` at the first that is none. */
export function addresses(flag: string, texts: readonly string[]): Address[] {
  return texts.map((text) => {
    const address = parseAddress(text);
    if (address) return address;
    const hint = "an address looks like service.shop.api; rnv state list shows those that are recorded";
    throw new DiagnosticsError([error("command.usage", `${flag}: "${text}" is not an address`, { hint })]);
  });
}
