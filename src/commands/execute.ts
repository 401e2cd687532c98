import { knownValue, type Run, type RunLookup, UnknownReference } from "../apply/run-context";
import { RunJournal } from "../apply/run-journal";
import { type RunResult, refreshRecords, runPlan } from "../apply/run-plan";
import { type Diagnostic, DiagnosticsError } from "../diagnostics/diagnostic";
import { groupBy } from "../model/collections";
import { type Desired, hideOutputs } from "../model/desired";
import { touching } from "../model/history";
import type { LiveResource } from "../model/live";
import { comparedName } from "../model/names";
import type { ResourceType } from "../model/resource-type";
import { Secret } from "../model/secret";
import { isFingerprint, type RecordedResource, type RunOrigin, type RunRecord } from "../model/state";
import { canonicalJson, generatedText, isPlain, type Plain } from "../model/value";
import { type Change, instanceOf, type Plan, type PlannedInstance } from "../plan/plan";
import { resourceTypes, typesByName } from "../resources";
import type { StateSession } from "../state/backend";
import { checkPostconditions } from "./check-policies";
import type { Context } from "./context";
import type { BuiltPlan } from "./plan";
import { startingState } from "./recover-and-read";

/** Runs an approved plan under the lock: run record, changes, outputs, snapshot. Returns the outputs that are known then. */
export async function execute(
  context: Context,
  session: StateSession,
  planning: BuiltPlan,
  { parallelism, origin }: { readonly parallelism: number; readonly origin: RunOrigin },
): Promise<RunResult & Pick<Plan, "standing"> & { readonly outputs: Readonly<Record<string, Plain>> }> {
  const { plan, key, recovery } = planning;
  const earlier = session.state?.run?.fences ?? {};
  const state = await startingState(context, session, recovery.entries);
  const { mask } = planning.connection;
  const journal = new RunJournal(session, state, context.clock, mask);
  const writes = plan.changes.some(({ action }) => action !== "no-op");
  const record = { ...runRecord(context, planning, earlier), origin };
  if (writes) await journal.begin(record, key.keyId);
  const run = runOf(context, planning, journal, record);
  const result = await runPlan(run, plan, parallelism);
  await refreshRecords(run, plan);
  const { outputs, diagnostics } = knownOutputs(planning.input.desired, run.lookup);
  const movesOutputs = canonicalJson(hideOutputs(outputs, mask)) !== canonicalJson(state.outputs);
  if (movesOutputs) await journal.recordOutputs(outputs);
  // A failed change has not settled, and is reported by itself.
  const unmet =
    result.exitCode === 0 ? await checkPostconditions(planning.input.desired, plan, settledReader(run)) : [];
  const exitCode = result.exitCode || (diagnostics.length > 0 ? 1 : unmet.length > 0 ? 7 : 0);
  // A run that changed nothing is no part of the history, as it is no reason to write a state.
  const end = { counts: result.counts, exitCode, ...touching(result.touched) };
  const ended = writes || movesOutputs || result.touched.length > 0 ? { run: record, end } : undefined;
  // A run that was cut short is over once nothing of it is left to do.
  if (writes || journal.hasChanges || state.run !== null || session.isFormOutdated)
    await journal.finish(key.keyId ?? null, { ended });
  // Work that the run has followed to its end is no longer as the plan shows it.
  const isPending = (one?: RecordedResource): boolean => one?.pending !== undefined;
  const standing = plan.standing.filter(
    ({ address: at }) => !isPending(plan.instances.get(at)?.recorded) || isPending(journal.recorded(at)),
  );
  const found = [...result.diagnostics, ...diagnostics, ...unmet];
  return { ...result, outputs, exitCode, standing, diagnostics: found };
}

/** Reads resources as they are after the run; undefined where the service does not show one. */
function settledReader(run: Run): (change: Change) => Promise<LiveResource | undefined> {
  const { journal, types } = run;
  const reads = run.reads.fresh();
  return async ({ address, type: name, parent }) => {
    const recorded = journal.recorded(address);
    if (recorded === undefined) return undefined;
    const parentId = parent && journal.recorded(parent)?.id;
    const found = await types.get(name)?.read(reads, {
      address,
      id: recorded.id,
      name: recorded.name,
      declared: new Map(),
      parentId,
      recorded,
      parentIsLive: parent !== undefined,
    });
    return found?.kind === "found" ? found.live : undefined;
  };
}

function runRecord(context: Context, planning: BuiltPlan, earlierFences: RunRecord["fences"]): RunRecord {
  const { plan, connection, recovery, input } = planning;
  const keyOf = (type: string, name: string): string => `${type} ${comparedName(name)}`;
  const byName = groupBy(input.inventory, ({ type, name }) => keyOf(type, name));
  const retriedAddresses = new Set(recovery.retriableIntents.map(({ address }) => address));
  const fences = plan.changes.flatMap((change) => {
    const { address, type, liveName: name, action } = change;
    if (action === "no-op") return [];
    const { live, recorded } = instanceOf(plan, change);
    // A resource that has come into view since the first attempt may have been made by it.
    const earlier = earlierFences[address];
    if (retriedAddresses.has(address)) return earlier ? [[address, earlier] as const] : [];
    const known = typesByName.get(type);
    const own = live && known ? shownIds(known, live) : [];
    const before = recorded ? [recorded.id] : [];
    const namesakes = (byName.get(keyOf(type, name)) ?? []).map(({ id }) => id);
    const ids = new Set([...own, ...before, ...namesakes]);
    return ids.size === 0 ? [] : [[address, [...ids]] as const];
  });
  return {
    id: connection.runId,
    planDigest: plan.digest ?? "",
    credential: context.credential(),
    startedAt: new Date(context.clock.now()).toISOString(),
    fences: Object.fromEntries(fences),
  };
}

/** Returns the ids of a type that a live resource shows: its own, and those in attributes with `holdsId`. */
function shownIds({ computed }: Pick<ResourceType, "computed">, live: LiveResource): readonly string[] {
  const others = Object.keys(computed).filter((name) => computed[name]?.holdsId);
  return [live.id, ...others.flatMap((name) => (live.computed.get(name) as string | undefined) ?? [])];
}

function runOf(context: Context, planning: BuiltPlan, journal: RunJournal, record: RunRecord): Run {
  const { plan, connection, key, recovery, input } = planning;
  const defaults = new Map(resourceTypes.map((type) => [type.type, type.defaults(input.catalog)]));
  return {
    types: typesByName,
    send: connection.send,
    endpoints: connection.endpoints,
    // The plan may be minutes old: it was shown and approved in between.
    reads: connection.reads.fresh(),
    journal,
    mode: plan.options.mode,
    record,
    retriableIntents: recovery.retriableIntents,
    clock: context.clock,
    generate: (length) => new Secret(generatedText(context.randomBytes, length)),
    fingerprintKey: key.key ?? Buffer.from(record.id, "hex"),
    defaults: (type) => defaults.get(type) ?? new Map(),
    lookup: runLookup(plan, journal),
    emit: context.emit,
    isWatched: context.progress !== undefined,
    signal: context.signal,
  };
}

/** Resolves references while a plan runs: an unchanged resource as it is live, a changed resource as its last answer showed it. */
function runLookup(plan: Plan, journal: RunJournal): RunLookup {
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  return (address, attribute) => {
    const change = changes.get(address);
    const instance = change && instanceOf(plan, change);
    const isKept = change?.action === "no-op";
    const live = isKept ? instance?.live : undefined;
    const recorded = journal.recorded(address);
    const declared = isKept ? instance?.resolved.get(attribute) : undefined;
    const applied = recorded?.applied[attribute];
    return (
      live?.computed.get(attribute) ??
      (declared !== undefined && isPlain(declared) ? declared : undefined) ??
      live?.attributes.get(attribute) ??
      recorded?.computed[attribute] ??
      (isFingerprint(applied) ? undefined : applied) ??
      (attribute === "id" ? (live?.id ?? recorded?.id) : undefined) ??
      (recorded && change && instance ? plannedOf(change, instance, recorded, attribute) : undefined)
    );
  };
}

/** Returns a field that was not sent to a resource that the plan has changed: declared, live, initial, default or null. */
function plannedOf(
  { action, attributes, type }: Change,
  { resolved, live, defaults }: PlannedInstance,
  { initial }: RecordedResource,
  attribute: string,
): Plain | undefined {
  const declared = resolved.get(attribute);
  if (declared !== undefined && declared !== null) return isPlain(declared) ? declared : undefined;
  const isReset = attributes.some(({ path }) => path === attribute);
  const before = isReset || action === "create" || action === "replace" ? undefined : live?.attributes;
  const rule = typesByName.get(type)?.rules[attribute];
  const none = rule === undefined || rule.secret ? undefined : null;
  return before?.get(attribute) ?? initial?.[attribute] ?? defaults.get(attribute) ?? none;
}

/** Returns the outputs whose references are all known; a secret is never an output. */
function knownOutputs(desired: Desired, lookup: RunLookup) {
  const known: Record<string, Plain> = {};
  const diagnostics: Diagnostic[] = [];
  for (const [name, { value }] of desired.outputs) {
    try {
      const output = knownValue(value, lookup, () => new Secret(""));
      if (!(output instanceof Secret)) known[name] = output;
    } catch (failure) {
      // A function refused its arguments: report it.
      if (failure instanceof DiagnosticsError) diagnostics.push(...failure.diagnostics);
      else if (!(failure instanceof UnknownReference)) throw failure;
    }
  }
  return { outputs: known, diagnostics };
}
