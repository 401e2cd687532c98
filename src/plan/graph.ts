import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { didYouMeanAddress } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import { append, groupBy } from "../model/collections";
import { reachable, topologicalOrder } from "../model/graph-walk";
import type { ResourceInstance, ResourceInstances } from "./instances";
import type { PlanOptions } from "./plan";

export interface Graph {
  readonly waits: ReadonlyMap<Address, readonly Address[]>;
  /** Removed resources that the service deletes together with their removed parent, by parent. */
  readonly goWith: ReadonlyMap<Address, readonly Address[]>;
}

/**
 * Returns the edges:
 * - a declared resource waits for its references, its parent, its `dependsOn` and the siblings that it follows;
 * - a removed resource waits for its recorded dependants, so that deletions run in reverse;
 * - a resource that the platform deletes with its parent waits for the decision on the parent.
 */
export function buildGraph(instances: ResourceInstances): Graph {
  const waits = new Map<Address, Address[]>();
  const goWith = new Map<Address, Address[]>();
  const wait = (waiting: Address, on: Address): void => {
    const list = waits.get(waiting);
    if (list && waiting !== on && instances.has(on) && !list.includes(on)) list.push(on);
  };
  for (const address of instances.keys()) waits.set(address, []);
  const siblings = childrenByParent(instances);
  for (const instance of instances.values()) {
    const { address, parent, recorded, removed } = instance;
    const waitUnlessRemoved = (on: Address): void => {
      if (!isRemoved(instances, on)) wait(address, on);
    };
    if (!removed && parent) waitUnlessRemoved(parent);
    if (!removed) instance.desired?.dependsOn.forEach(waitUnlessRemoved);
    if (removed && parent && instance.type.removedWithParent) {
      wait(address, parent);
      if (isRemoved(instances, parent)) append(goWith, parent, address);
    }
    for (const followed of followedSiblings(instance, siblings)) wait(address, followed.address);
    const held = parent !== undefined && goesWithRemovedParent(instance, instances) ? parent : address;
    const outlives = (on: Address): void => {
      const outlived = instances.get(on);
      if (on === held || !outlived?.removed || follows(instance, outlived)) return;
      if (!goesWithRemovedParent(outlived, instances)) wait(on, held);
    };
    if (recorded?.parent) outlives(recorded.parent);
    recorded?.dependsOn.forEach(outlives);
  }
  for (const [taking, leaving] of nameTakeovers(instances)) wait(taking, leaving);
  for (const list of waits.values()) list.sort();
  return { waits, goWith };
}

/** Returns the addresses in dependency order; a cycle among declared resources is an error. */
export function orderInstances(instances: ResourceInstances, { waits }: Graph) {
  const diagnostics: Diagnostic[] = [];
  const order = topologicalOrder(
    instances.keys(),
    (address) => waits.get(address) ?? [],
    (ring) => {
      if (ring.every((address) => !isRemoved(instances, address))) diagnostics.push(cycle(instances, ring));
    },
  );
  return { order, diagnostics };
}

export const childrenByParent = (instances: ResourceInstances) =>
  groupBy(instances.values(), ({ parent }) => parent);

export function followedSiblings(
  instance: ResourceInstance,
  siblings: ReadonlyMap<Address | undefined, readonly ResourceInstance[]>,
): readonly ResourceInstance[] {
  if (instance.removed || !instance.parent || instance.type.follows.length === 0) return [];
  return (siblings.get(instance.parent) ?? []).filter((sibling) => follows(instance, sibling));
}

const follows = (instance: ResourceInstance, other: ResourceInstance): boolean =>
  instance.type.follows.includes(other.type.type);

const isRemoved = (instances: ResourceInstances, address: Address): boolean =>
  instances.get(address)?.removed === true;

const goesWithRemovedParent = (instance: ResourceInstance, instances: ResourceInstances): boolean =>
  instance.removed &&
  instance.type.removedWithParent &&
  isRemoved(instances, instance.parent ?? ("" as Address));

/** Yields each create or renamed part that takes a name that another resource of its parent leaves, with that resource. */
function* nameTakeovers(instances: ResourceInstances): Generator<readonly [Address, Address]> {
  const leaving = new Map<string, Address>();
  const place = ({ type, parent }: ResourceInstance, name: string): string =>
    `${type.type} ${parent ?? ""} ${name}`;
  const changing = [...instances.values()]
    .filter(({ recorded, removed, type }) => !recorded || removed || type.removedWithParent)
    .map((one) => ({ one, before: one.recorded?.name, after: one.removed ? undefined : declaredName(one) }))
    .filter(({ before, after }) => before !== after);
  for (const { one, before } of changing)
    if (before !== undefined) leaving.set(place(one, before), one.address);
  for (const { one, after } of changing) {
    const from = after === undefined ? undefined : leaving.get(place(one, after));
    if (from) yield [one.address, from];
  }
}

export function declaredName({
  address,
  desired,
  type,
}: Pick<ResourceInstance, "address" | "desired" | "type">): string {
  const declared = type.nameAttribute && desired?.attributes.get(type.nameAttribute)?.value;
  return typeof declared === "string" ? declared : address.slice(address.lastIndexOf(".") + 1);
}

function cycle(instances: ResourceInstances, ring: readonly Address[]): Diagnostic {
  const first = ring[0] as Address;
  const detail = [...ring, first].join(" -> ");
  const hint =
    "remove one of these references; to swap names, give one of them another name first, and apply";
  const range = instances.get(first)?.desired?.range;
  const summary = `${ring.length} resources wait for each other`;
  return error("plan.cycle", summary, { detail, hint, address: first, range });
}

export type PlanScope = ReadonlySet<Address>;

/** Returns the addresses in scope: `--target`, its parts and their needs, without `--exclude` and its dependants. */
export function selectScope(
  instances: ResourceInstances,
  graph: Graph,
  { targets, excludes, replace }: PlanOptions,
): { readonly scope: PlanScope; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics = [...targets, ...excludes, ...replace]
    .filter((address) => !instances.has(address))
    .map((address) => {
      const hint = didYouMeanAddress(address, instances) ?? "rnv state list shows recorded addresses";
      return error("plan.target_unknown", `${address} is neither declared nor recorded`, { address, hint });
    });
  const wanted = targets.flatMap((target) => [target, ...partsOf(target, instances)]);
  const scope = targets.length === 0 ? new Set(instances.keys()) : reachable(wanted, needs(instances, graph));
  for (const excluded of reachable(excludes, dependants(graph))) scope.delete(excluded);
  const out = "is to be replaced, and --target or --exclude leaves it out";
  const outside = replace.filter((one) => instances.has(one) && !scope.has(one));
  diagnostics.push(
    ...outside.map((address) => error("plan.target_unknown", `${address} ${out}`, { address })),
  );
  return { scope, diagnostics };
}

const partsOf = (target: Address, instances: ResourceInstances): Address[] =>
  [...instances.values()]
    .filter(({ parent, type }) => parent === target && type.removedWithParent)
    .map(({ address }) => address);

/**
 * Returns the needs of a target. The removal of a resource includes the resources that go with it; the removal of a part
 * does not concern the whole.
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
  for (const [waiting, all] of waits) for (const on of all) append(reverse, on, waiting);
  for (const [parent, parts] of goWith) for (const part of parts) append(reverse, part, parent);
  return (address) => reverse.get(address) ?? [];
}
