import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import type { Desired } from "../model/desired";
import type { ResourceType } from "../model/resource-type";
import type { State } from "../model/state";
import { buildGraph, type Graph } from "./graph";
import { applyMoves } from "./moves";
import type { PlanOptions } from "./plan";
import type { ResourceInstance, ResourceInstances } from "./subject";

/** Which addresses a plan is about: `--target` with its parts and what they need, without `--exclude` and what needs it. */
export function selectScope(
  instances: ResourceInstances,
  graph: Graph,
  { targets, excludes, replace }: PlanOptions,
): { readonly scope: ReadonlySet<Address>; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics = [...targets, ...excludes, ...replace]
    .filter((address) => !instances.has(address))
    .map((address) => unknownTarget(address, instances));
  if (targets.length === 0 && excludes.length === 0) return { scope: new Set(instances.keys()), diagnostics };

  const wanted = targets.flatMap((target) => [target, ...partsOf(target, instances)]);
  const scope = targets.length === 0 ? new Set(instances.keys()) : closure(wanted, needs(instances, graph));
  if (excludes.length > 0)
    for (const excluded of closure(excludes, dependants(graph))) scope.delete(excluded);
  return { scope, diagnostics };
}

/** The addresses that a plan is about, before anything is read: what is declared and recorded says. */
export function foreseeScope(
  desired: Desired,
  resources: State["resources"],
  types: readonly ResourceType[],
  options: PlanOptions,
): ReadonlySet<Address> {
  const { recorded } = applyMoves(resources, desired);
  const addresses = new Set([...recorded.keys(), ...desired.resources.keys()]);
  const instances = new Map<Address, ResourceInstance>();
  for (const address of [...addresses].sort()) {
    const declared = desired.resources.get(address);
    const record = recorded.get(address);
    const type = types.find((one) => one.type === (declared?.type ?? record?.type));
    if (type === undefined) continue;
    instances.set(address, {
      ...{ address, type, desired: declared, recorded: record, removed: !declared },
      ...{ parent: declared?.parent ?? record?.parent, defaults: new Map(), read: { kind: "absent" } },
    });
  }
  return selectScope(instances, buildGraph(instances), options).scope;
}

/** What stands in its block and ends with it: the variables and the deployment of a service. */
const partsOf = (target: Address, instances: ResourceInstances): Address[] =>
  [...instances.values()]
    .filter(({ parent, type }) => parent === target && type.removedWithParent)
    .map(({ address }) => address);

/**
 * What a target cannot do without. Removing a thing takes what goes with it along; removing a part of a thing does
 * not concern the whole.
 */
const needs =
  (instances: ResourceInstances, { waits, goWith }: Graph) =>
  (address: Address): readonly Address[] => {
    const instance = instances.get(address);
    const isPart = instance?.removed && instance.type.removedWithParent;
    const needed = (waits.get(address) ?? []).filter((on) => !(isPart && on === instance.parent));
    return [...needed, ...(goWith.get(address) ?? [])];
  };

/** Everything that waits for an address; for a part that goes with its parent, the parent too. */
function dependants({ waits, goWith }: Graph): (address: Address) => readonly Address[] {
  const reverse = new Map<Address, Address[]>();
  const add = (on: Address, waiting: Address): void => {
    const list = reverse.get(on);
    if (list) list.push(waiting);
    else reverse.set(on, [waiting]);
  };
  for (const [waiting, all] of waits) for (const on of all) add(on, waiting);
  for (const [parent, parts] of goWith) for (const part of parts) add(part, parent);
  return (address) => reverse.get(address) ?? [];
}

function closure(roots: readonly Address[], next: (address: Address) => readonly Address[]): Set<Address> {
  const reached = new Set(roots);
  for (const address of reached) for (const further of next(address)) reached.add(further);
  return reached;
}

function unknownTarget(address: Address, instances: ResourceInstances): Diagnostic {
  const hint = didYouMean(address, instances.keys());
  return error("plan.target_unknown", `${address} is neither declared nor recorded`, {
    address,
    ...(hint && { hint }),
  });
}
