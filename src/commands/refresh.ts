import type { Reads, Resource } from "../api/reads";
import type { Address } from "../model/address";
import type { Consumers } from "../model/consumer";
import { type DataRead, isDataAddress } from "../model/data-source";
import type { Desired, DesiredResource } from "../model/desired";
import type { LiveResource, ReadResult } from "../model/live";
import type { Holding } from "../model/resource-operations";
import type { RecordedResource, State } from "../model/state";
import {
  type Attributes,
  Computed,
  type DesiredValue,
  isPlain,
  type ResolvedValue,
  Template,
} from "../model/value";
import { resolveValue } from "../plan/resolve";
import { resourceTypes, typeNamed } from "../resources";
import { failWaitingData, type LookupResults, lookupIn, readData } from "./read-data";

interface Refreshed {
  /** One result for every declared and every recorded address. */
  readonly reads: ReadonlyMap<Address, ReadResult>;
  /** Every project and service of the workspace. */
  readonly inventory: readonly LiveResource[];
  /** Content of recorded resources besides other resources, by live id; only where there is any. */
  readonly holdings: ReadonlyMap<string, readonly Holding[]>;
  readonly consumers: Consumers;
  /** One result for every data source. */
  readonly data: ReadonlyMap<Address, DataRead>;
}

/** The resources to read: everything that is declared or recorded. */
export interface RefreshTarget {
  readonly reads: Reads;
  readonly desired: Desired;
  readonly state: State | undefined;
  /** Retained resources that block a destroy are read too. */
  readonly destroys?: boolean;
}

/** A refresh, with its results so far. */
interface Refreshing extends RefreshTarget {
  readonly found: LookupResults;
}

/**
 * Reads everything that is declared or recorded, parents first, because a child is looked for inside its parent.
 * Three requests show all projects and services; each service with variables costs one more.
 */
export async function refresh(target: RefreshTarget): Promise<Refreshed> {
  const { reads, desired, state } = target;
  const results = new Map<Address, ReadResult>();
  const addresses = addressesOf(target);
  const found: LookupResults = { resources: results, data: new Map() };
  const refreshing = { ...target, found };
  for (const level of levels) {
    await readData(reads, desired, found);
    // What functions make of others beside it is known once these are read.
    for (const isMade of [false, true]) {
      const reading = addresses.map(async ({ address, type: name, parent }) => {
        const type = level.find((candidate) => candidate.type === name);
        if (type && holdsComputed(desired.resources.get(address)) === isMade)
          results.set(address, await readOne(refreshing, type, address, parent));
      });
      await Promise.all(reading);
    }
  }
  await readData(reads, desired, found);
  failWaitingData(desired, found);
  const listed = resourceTypes.filter((type) => !type.removedWithParent);
  const inventory = await Promise.all(listed.map(async (type) => (await type.list(reads)) ?? []));
  const holdings = await readHoldings(reads, state);
  const consumers = await reads.consumers();
  return { reads: results, inventory: inventory.flat(), holdings, consumers, data: found.data };
}

const holdsComputed = (resource: DesiredResource | undefined): boolean =>
  [...(resource?.attributes.values() ?? [])].some(({ value }) => value instanceof Computed);

/** Sends no request of its own: the canvases have been read. */
async function readHoldings(reads: Reads, state: State | undefined): Promise<Refreshed["holdings"]> {
  const held = new Map<string, readonly Holding[]>();
  for (const { type, id } of Object.values(state?.resources ?? {})) {
    const found = (await typeNamed(type)?.deletes?.holdings?.(reads, id)) ?? [];
    if (found.length > 0) held.set(id, found);
  }
  return held;
}

/** Returns declared and recorded addresses; a moved resource has the address that it moves to. */
function addressesOf(target: RefreshTarget): Pick<DesiredResource, "address" | "type" | "parent">[] {
  const { desired, state } = target;
  const recorded = (Object.entries(state?.resources ?? {}) as [Address, RecordedResource][])
    .filter(([address, one]) => !desired.resources.has(address) && isRead(one, target))
    .map(([address, { type, parent }]) => ({ address, type, parent }));
  return [...recorded, ...desired.resources.values()];
}

/**
 * A retained resource is not managed, and in no list: it is asked for by its id only where it blocks the
 * deletion of its parent.
 */
function isRead(
  { retained, parent }: RecordedResource,
  { desired, state, destroys }: RefreshTarget,
): boolean {
  if (!retained) return true;
  const holder = parent && state?.resources[parent];
  if (!holder || holder.retained) return false;
  return destroys === true || !desired.resources.has(parent);
}

/** The resource types by depth: projects, services, then the types within services. */
const levels = levelsOf(resourceTypes);

function levelsOf(types: readonly Resource[]): Resource[][] {
  if (types.length === 0) return [];
  const isWaiting = (name: string): boolean => types.some(({ type }) => type === name);
  const level = types.filter(({ parents }) => !parents.some(({ type }) => isWaiting(type)));
  if (level.length === 0) throw new Error("resource types contain each other");
  return [level, ...levelsOf(types.filter((type) => !level.includes(type)))];
}

async function readOne(
  refreshing: Refreshing,
  type: Resource,
  address: Address,
  parent: Address | undefined,
): Promise<ReadResult> {
  const { reads, desired, state, found } = refreshing;
  const declared = desired.resources.get(address);
  const recorded = state?.resources[address] ?? state?.resources[movedFrom(address, desired)];
  const parentId = parent && idOf(parent, refreshing);
  const id = recorded?.id ?? declared?.importId?.id;
  const known = knownAttributes(declared, refreshing);
  const wanted = type.nameAttribute === undefined ? undefined : known.get(type.nameAttribute);
  if (id === undefined && parent !== undefined && parentId === undefined) return { kind: "absent" };
  return type.read(reads, {
    address,
    id,
    name: typeof wanted === "string" ? wanted : (recorded?.name ?? ""),
    declared: known,
    parentId,
    parentIsLive: parent !== undefined && found.resources.get(parent)?.kind === "found",
    recorded,
  });
}

/** Returns the earlier address of a resource: by a `moved` entry of its own, or of its parent. */
export function movedFrom(address: Address, desired: Desired): Address {
  const direct = desired.moved.find((move) => move.to === address);
  if (direct) return direct.from;
  const parent = desired.resources.get(address)?.parent;
  const outer = parent === undefined ? undefined : desired.moved.find((move) => move.to === parent);
  if (!outer) return address;
  const [, ...to] = outer.to.split(".");
  const [, ...from] = outer.from.split(".");
  const [type, ...names] = address.split(".");
  return [type, ...from, ...names.slice(to.length)].join(".") as Address;
}

function idOf(address: Address, { found, state }: Refreshing): string | undefined {
  const read = found.resources.get(address);
  if (read?.kind === "found") return read.live.id;
  return read?.kind === "unchecked" ? state?.resources[address]?.id : undefined;
}

/** Returns the declared attributes whose value is known now; a reference is looked up in earlier results. */
function knownAttributes(
  declared: DesiredResource | undefined,
  refreshing: Refreshing,
): Attributes<ResolvedValue> {
  const known = new Map<string, ResolvedValue>();
  for (const [path, { value }] of declared?.attributes ?? []) {
    const plain = knownValue(value, refreshing);
    if (plain !== undefined) known.set(path, plain);
  }
  return known;
}

function knownValue(value: DesiredValue, refreshing: Refreshing): ResolvedValue | undefined {
  if (value instanceof Computed) {
    const found = resolveValue(value, lookupIn(refreshing.desired, refreshing.found));
    return isPlain(found) ? found : undefined;
  }
  if (!(value instanceof Template)) return isPlain(value) ? value : undefined;
  const { references, secret } = value;
  // Also where it is unknown: the resource must not be looked for in another parent instead.
  if (references.some(({ address }) => isDataAddress(address)) && !secret)
    return resolveValue(value, lookupIn(refreshing.desired, refreshing.found));
  const [reference, ...others] = references;
  const isId = reference?.attribute === "id" && others.length === 0;
  return isId ? idOf(reference.address, refreshing) : undefined;
}

export const nothingDesired: Desired = {
  resources: new Map(),
  data: new Map(),
  moved: [],
  removed: [],
  outputs: new Map(),
  sources: new Map(),
};
