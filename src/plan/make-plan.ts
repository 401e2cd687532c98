import { type Diagnostic, error, sortDiagnostics } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { isHiddenOutput } from "../model/desired";
import { pastRuns } from "../model/history";
import { Secret } from "../model/secret";
import { noMask, type Plain, plainEqual, type ResolvedValue, referencesOf } from "../model/value";
import { dependenciesOf, makeChange, makeInstance, totalCost } from "./change";
import { checkData, checkDeclared, checkSharedLimits, reportUnlisted } from "./check";
import { decideAll } from "./decide";
import { type Decision, type Decisions, isDeletion, isMade } from "./decision";
import { digestPlan } from "./digest";
import { buildGraph, orderInstances, selectScope } from "./graph";
import { checkMassDeletion, type Guards, guardDeletions, warnOfConsumers, warnOfMistyped } from "./guards";
import { applyMoves, gatherInstances, isRetained, ownerKey, type ResourceInstances } from "./instances";
import {
  type AttributeChange,
  type Change,
  isCountedAsChange,
  type OutputChange,
  type Plan,
  type PlanInput,
  type ShownValue,
  secret,
  shownValue,
} from "./plan";
import { lookupIn, resolveValue, unreadSecrets } from "./resolve-value";

/**
 * Returns the changes that make live resources as desired. Pure: the same input gives the same plan, whatever the order of
 * keys and files. A plan with error diagnostics is shown but never applied.
 */
export function makePlan(input: PlanInput): Plan {
  const moved = applyMoves(input.state?.resources ?? {}, input.desired);
  const gathered = gatherInstances(input, moved);
  const proven = checkMassDeletion(gathered.instances);
  const graph = buildGraph(proven.instances);
  const ordered = orderInstances(proven.instances, graph);
  const scoped = selectScope(proven.instances, graph, input.options);
  const decisions = decideAll(input, proven.instances, ordered.order, scoped.scope);
  const guards = guardDeletions(input, decisions);
  const dependencies = dependenciesOf(ordered.order, graph, decisions, guards);
  // Instances are sorted by address, and so are the changes.
  const judged = [...proven.instances.keys()].flatMap((address) => decisions.get(address) ?? []);
  const shown = judged.filter((one) => scoped.scope.has(one.instance.address) && !isSilent(one));
  const removals = new Set(input.desired.removed.map(({ address }) => address));
  const changes = shown.map((decision): Change => {
    const { address } = decision.instance;
    const withOrigin = withOrigins(decision, decisions);
    const removalDeclared = removals.has(address) || undefined;
    const asked = { blockedBy: guards.get(address), removalDeclared };
    return makeChange(withOrigin, dependencies, asked, input.catalog);
  });
  const instances = new Map(shown.map((one) => [one.instance.address, makeInstance(one)]));
  const compared = diffOutputs(input, decisions);
  const { options } = input;
  const [lastRun] = input.state ? pastRuns(input.state) : [];
  return {
    options,
    changes,
    instances,
    mask: input.mask,
    ...compared,
    digest: digestPlan({ options, changes, instances, outputs: compared.outputs }),
    stage: input.stage,
    timestamp: input.timestamp,
    lastRun: lastRun?.id,
    summary: summarize(changes),
    unmanaged: listUnmanaged(input, decisions),
    standing: listStanding(shown),
    unchecked: [...listUnchecked(proven.instances), ...unreadSecrets(decisions, input)],
    revealed: input.revealed && listRevealed(input.revealed, decisions),
    cost: {
      ...totalCost(changes.flatMap(({ cost }) => cost ?? [])),
      estimate: input.catalog.pricesAreEstimates,
    },
    diagnostics: withConstructs(input, [
      ...moved.diagnostics,
      ...gathered.diagnostics,
      ...proven.diagnostics,
      ...ordered.diagnostics,
      ...scoped.diagnostics,
      ...refuseEmpty(input, decisions, guards),
      ...warnOfMistyped(input, decisions, guards),
      ...checkData(input, decisions, scoped.scope),
      ...judged.flatMap(({ diagnostics }) => diagnostics),
      ...reportUnlisted(input, decisions, scoped.scope),
      ...checkDeclared(decisions, input.catalog),
      ...checkSharedLimits(input, decisions),
      ...warnOfConsumers(input, decisions),
    ]),
    binding: {
      lineage: input.state?.lineage ?? null,
      serial: input.state?.serial ?? 0,
      workspaceId: input.workspaceId,
      baseUrl: input.baseUrl,
    },
  };
}

/** The findings in their order, each about a construct with its path. */
function withConstructs({ desired, data = [] }: PlanInput, found: readonly Diagnostic[]): Diagnostic[] {
  const ownerOf = (at = "") => data.find(({ source }) => source.address === at)?.source.owner;
  const pathOf = (at = "") => desired.resources.get(at as Address)?.constructPath ?? ownerOf(at);
  return sortDiagnostics(found).map((one) => ({ ...one, construct: pathOf(one.address) }));
}

/**
 * Refuses a manifest that declares none of the recorded resources: its path or state is more often wrong than a wish to
 * delete everything. Deletions that are each confirmed are meant; where a prompt asks, guards block them.
 */
function refuseEmpty({ desired, options }: PlanInput, decisions: Decisions, guards: Guards): Diagnostic[] {
  if (options.mode !== "apply" || options.allowEmpty) return [];
  const recorded = [...decisions.values()].filter(
    ({ instance }) => instance.recorded && !isRetained(instance),
  );
  const count = `${recorded.length} ${recorded.length === 1 ? "resource" : "resources"}`;
  const hint = "check the path of the manifest; to delete everything use rnv destroy, or --allow-empty";
  if (desired.resources.size === 0 && recorded.length > 0)
    return [error("guard.empty_manifest", `the manifest is empty, but the state records ${count}`, { hint })];
  const named = new Set([...options.confirmedDeletes, ...desired.removed.map(({ address }) => address)]);
  const deleted = recorded.filter((one) => isDeletion(one) && !one.withParent);
  const isMeant = deleted.every(({ instance: { address } }) => named.has(address) || guards.has(address));
  if (isMeant || recorded.some(({ instance }) => instance.desired)) return [];
  const summary = `the manifest declares none of what the state records (${count}), and would delete it`;
  return [error("guard.empty_manifest", summary, { hint: `${hint}, or confirm each address` })];
}

/** Lists statuses, but not of resources that the plan deletes. */
const listStanding = (shown: readonly Decision[]): Plan["standing"] =>
  shown
    .filter(({ action }) => action !== "delete")
    .flatMap(({ instance: { address, live } }) => (live?.standing ?? []).map((one) => ({ address, ...one })));

function listRevealed(
  revealed: NonNullable<PlanInput["revealed"]>,
  decisions: Decisions,
): NonNullable<Plan["revealed"]> {
  return [...revealed].flatMap(([address, { prints }]) => {
    const { attributes = [], drift = [] } = decisions.get(address) ?? {};
    const differing = new Set([...attributes, ...drift].map(({ path }) => path));
    return Object.keys(prints).map((path) => ({ address, attribute: path, isEqual: !differing.has(path) }));
  });
}

const listUnchecked = (instances: ResourceInstances): Plan["unchecked"] =>
  [...instances.values()].flatMap((instance) => {
    const { address, read } = instance;
    return read.kind === "unchecked" && !isRetained(instance) ? [{ address, reason: read.reason }] : [];
  });

/** Returns true for a retained resource, and a part of a resource that is archived: no change reports it, unless it moves. */
const isSilent = ({ instance, action, retains }: Decision): boolean =>
  action === "no-op" && retains === true && instance.previousAddress === undefined;

/**
 * Adds the origin to each `edit` that is not of the manifest: the reference (`service.shop.api.url`) whose recorded value
 * differs from the live value.
 */
function withOrigins(decision: Decision, decisions: Decisions): Decision {
  const { attributes, instance } = decision;
  if (!attributes.some(({ cause }) => cause === "edit")) return decision;
  const withOrigin = attributes.map((change): AttributeChange => {
    const value = instance.desired?.attributes.get(change.path)?.value;
    const references = referencesOf(value);
    if (change.cause !== "edit" || references.length === 0) return change;
    const from = references.flatMap((part) => {
      const { live, recorded } = decisions.get(part.address)?.instance ?? {};
      const before = recorded?.computed[part.attribute];
      const now = live?.computed.get(part.attribute);
      const hasMoved = before !== undefined && now !== undefined && !plainEqual(before, now);
      return hasMoved ? [`${part.address}.${part.attribute}`] : [];
    });
    return from.length === 0 ? change : { ...change, from: [...new Set(from)].sort() };
  });
  return { ...decision, attributes: withOrigin };
}

/** Counts as Terraform's summary line does: a replacement adds and destroys, an adoption that sends fields changes. */
function summarize(changes: readonly Change[]): Plan["summary"] {
  const count = (counts: (change: Change) => boolean): number => changes.filter(counts).length;
  return {
    add: count(isMade),
    change: count(isCountedAsChange),
    destroy: count(isDeletion),
    adopt: count(({ action }) => action === "adopt"),
    forget: count(({ action }) => action === "forget"),
  };
}

/** Live things that no address of the plan owns and no data source finds; parts of other things do not count. */
function listUnmanaged(input: PlanInput, decisions: Decisions): Plan["unmanaged"] {
  const parts = new Set(input.types.filter((type) => type.removedWithParent).map((type) => type.type));
  const owned = new Set<string>();
  for (const { instance, action } of decisions.values()) {
    const { type, recorded, live } = instance;
    if (type.removedWithParent || isRetained(instance)) continue;
    if (recorded) owned.add(ownerKey(type.type, recorded.id));
    if (action === "adopt" && live) owned.add(ownerKey(type.type, live.id));
  }
  for (const { found } of input.data ?? []) if (found) owned.add(ownerKey(found.type, found.id));
  return input.inventory
    .filter(({ type, id }) => !parts.has(type) && !owned.has(ownerKey(type, id)))
    .filter(({ id }) => input.ownedElsewhere?.has(id) !== true)
    .map(({ type, id, name }) => ({ type, id, name }))
    .sort((a, b) => (a.type + a.name + a.id < b.type + b.name + b.id ? -1 : 1));
}

const shownOutput = (value: ResolvedValue | undefined): ShownValue =>
  isHiddenOutput(value) ? secret : shownValue(value);

/** Outputs as they will be, and those whose value changes. A secret is never stored, so it is never compared. */
function diffOutputs(input: PlanInput, decisions: Decisions): Pick<Plan, "outputs" | "plannedOutputs"> {
  const { mask = noMask } = input;
  const { mode } = input.options;
  const recorded = new Map(Object.entries(input.state?.outputs ?? {}));
  const plannedOutputs: Record<string, ShownValue> = {};
  if (mode === "refresh-only") {
    for (const [name, value] of recorded) plannedOutputs[name] = shownOutput(value);
    return { outputs: [], plannedOutputs };
  }
  const declared = mode === "destroy" ? new Map() : input.desired.outputs;
  const lookup = lookupIn(decisions);
  const outputs: OutputChange[] = [];
  for (const name of [...new Set([...recorded.keys(), ...declared.keys()])].sort()) {
    const output = input.desired.outputs.get(name);
    const value = declared.has(name) && output ? resolveValue(output.value, lookup) : undefined;
    if (value instanceof Secret) {
      plannedOutputs[name] = secret;
      continue;
    }
    const before = shownOutput(recorded.get(name));
    const planned = shownOutput(value);
    if (planned.kind !== "absent") plannedOutputs[name] = planned;
    // A value that was not read may be in an output that was hidden for it.
    const isHidden = mask(planned) !== planned || (before.kind === "secret" && planned.kind === "value");
    const after = isHidden ? secret : planned;
    const isSame = after.kind !== "unknown" && plainEqual(before as Plain, after as Plain);
    if (!isSame) outputs.push({ name, before, after });
  }
  return { outputs, plannedOutputs };
}
