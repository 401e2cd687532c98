import { type Diagnostic, error, sortDiagnostics } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { checkData } from "./check-data";
import { checkDeclared } from "./check-declared";
import { type ChangeCost, totalCost } from "./cost";
import { decideAll } from "./decide-all";
import type { Decision } from "./decision";
import { dependenciesOf } from "./dependencies";
import { checkMassDeletion } from "./disappearance";
import { buildGraph, orderInstances } from "./graph";
import { guardDeletions } from "./guards";
import { makeChange } from "./make-change";
import { withOrigins } from "./moved-references";
import { applyMoves } from "./moves";
import type { Change, Plan, PlanInput, PlanStanding } from "./plan";
import { selectScope } from "./scope";
import { gatherInstances, isRetained, type ResourceInstances } from "./subject";
import { diffOutputs, listUnmanaged, summarize } from "./summarize";
import { tellUnlisted } from "./tell-unlisted";
import { unreadSecrets } from "./unread-secrets";

/**
 * What has to change so that live becomes desired. Pure: the same input gives the same plan, whatever the order of
 * keys and files. A plan with error diagnostics is shown but never applied.
 */
export function makePlan(input: PlanInput): Plan {
  const moved = applyMoves(input.state?.resources ?? {}, input.desired);
  const gathered = gatherInstances(input, moved);
  const proven = checkMassDeletion(gathered.instances);
  const { instances } = proven;
  const graph = buildGraph(instances);
  const ordered = orderInstances(instances, graph);
  const scoped = selectScope(instances, graph, input.options);
  const decisions = decideAll(input, instances, ordered.order, scoped.scope);
  const guards = guardDeletions(input, decisions);
  const dependencies = dependenciesOf(ordered.order, graph, decisions, guards);

  const changes: Change[] = [];
  const costs: ChangeCost[] = [];
  const found: Diagnostic[] = [];
  // ResourceInstances are sorted by address, and so are the changes.
  for (const address of instances.keys()) {
    const decision = decisions.get(address);
    if (decision === undefined) continue;
    if (decision.diagnostics.length > 0) found.push(...decision.diagnostics);
    if (!scoped.scope.has(address) || isSilent(decision)) continue;
    const attributes = withOrigins(decision, decisions);
    const told = attributes === decision.attributes ? decision : { ...decision, attributes };
    const change = makeChange(told, dependencies, guards.get(address), input.catalog);
    changes.push(change);
    if (change.cost) costs.push(change.cost);
  }
  return {
    options: input.options,
    changes,
    ...diffOutputs(input, decisions),
    ...(input.timestamp !== undefined && { timestamp: input.timestamp }),
    summary: summarize(changes),
    unmanaged: listUnmanaged(input, decisions),
    standing: listStanding(changes),
    unchecked: [...listUnchecked(instances), ...unreadSecrets(decisions)],
    ...(input.revealed && { revealed: listRevealed(input.revealed, decisions) }),
    cost: { ...totalCost(costs), estimate: input.catalog.pricesAreEstimates },
    diagnostics: sortDiagnostics([
      ...moved.diagnostics,
      ...gathered.diagnostics,
      ...proven.diagnostics,
      ...ordered.diagnostics,
      ...scoped.diagnostics,
      ...refuseEmpty(input),
      ...checkData(input, decisions, scoped.scope),
      ...found,
      ...tellUnlisted(input, decisions, scoped.scope),
      ...checkDeclared(decisions, input.catalog),
    ]),
    binding: {
      lineage: input.state?.lineage ?? null,
      serial: input.state?.serial ?? 0,
      workspaceId: input.workspaceId,
      baseUrl: input.baseUrl,
    },
  };
}

/** A manifest that declares nothing is more often a wrong path than a wish to delete everything. */
function refuseEmpty({ desired, state, options }: PlanInput): Diagnostic[] {
  if (options.mode !== "apply" || options.allowEmpty || desired.resources.size > 0) return [];
  const recorded = Object.values(state?.resources ?? {}).filter(({ retained }) => !retained).length;
  if (recorded === 0) return [];
  return [
    error("guard.empty_manifest", `nothing is declared, while ${recorded} resources are recorded`, {
      hint: "check the path of the manifest; to delete everything use rnv destroy, or --allow-empty",
    }),
  ];
}

/** In a plan that destroys, what is about to go may run as it will. */
const listStanding = (changes: readonly Change[]): Plan["standing"] => {
  const found: PlanStanding[] = [];
  for (const { address, action, instance } of changes) {
    if (action === "delete") continue;
    for (const one of instance.live?.standing ?? []) found.push({ address, ...one });
  }
  return found;
};
function listRevealed(
  revealed: NonNullable<PlanInput["revealed"]>,
  decisions: ReadonlyMap<Address, Decision>,
): NonNullable<Plan["revealed"]> {
  return [...revealed].flatMap(([address, { prints }]) =>
    Object.keys(prints).map((attribute) => {
      const { attributes = [], drift = [] } = decisions.get(address) ?? {};
      return {
        address,
        attribute,
        isEqual: ![...attributes, ...drift].some(({ path }) => path === attribute),
      };
    }),
  );
}

function listUnchecked(instances: ResourceInstances): Plan["unchecked"] {
  const unchecked: Plan["unchecked"][number][] = [];
  for (const instance of instances.values()) {
    const { address, read } = instance;
    if (read.kind === "unchecked" && !isRetained(instance)) unchecked.push({ address, reason: read.reason });
  }
  return unchecked;
}

/** Nothing of its own becomes of what is retained, or of a part of what this plan archives: no change tells of it. */
const isSilent = ({ instance, action, retains }: Decision): boolean =>
  (isRetained(instance) && action === "no-op") || (retains === true && action === "no-op");
