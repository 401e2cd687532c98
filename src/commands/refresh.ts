import { diagnosticOf } from "../api/api-error";
import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { type Address, uuidPattern } from "../model/address";
import { groupBy } from "../model/collections";
import { type DataRead, dataValue, isDataAddress } from "../model/data-source";
import type { Desired, DesiredData, DesiredResource } from "../model/desired";
import { listings } from "../model/listing-schemas";
import type { ReadResult } from "../model/live";
import { sameName } from "../model/names";
import type { Holding } from "../model/resource-operations";
import { withoutOpenFields } from "../model/resource-type";
import type { RecordedResource, State } from "../model/state";
import { snakeCase } from "../model/terraform-names";
import {
  type Attributes,
  Computed,
  type DesiredValue,
  isPlain,
  type Plain,
  type ResolvedValue,
  referredAddresses,
  Template,
  Unknown,
  unflatten,
} from "../model/value";
import { deferredUntil } from "../plan/check";
import { applyMoves } from "../plan/instances";
import type { PlanInput } from "../plan/plan";
import { type ReferenceLookup, resolveValue } from "../plan/resolve-value";
import { findResource, readProven, resourceTypes, typeNamed } from "../resources";
import { readListing } from "../resources/read-listing";

interface RefreshTarget {
  readonly reads: Reads;
  readonly desired: Desired;
  readonly state: State | undefined;
  /** Retained resources that block a destroy are read too. */
  readonly destroys?: boolean;
}

interface Refreshing extends RefreshTarget {
  readonly recorded: ReadonlyMap<Address, RecordedResource>;
  readonly found: Map<Address, ReadResult>;
  readonly data: Map<Address, DataRead>;
}

/** The part of the input of a plan that is read. */
type Refreshed = Pick<PlanInput, "reads" | "inventory" | "holdings" | "consumers"> & Pick<Refreshing, "data">;

/** More reads at once take memory and are no faster: the client sends a few requests at a time. */
const maxReadsAtOnce = 500;

/**
 * Reads everything that is declared or recorded, parents first, because a child is looked for inside its parent.
 * Three requests show all projects and services; each service with variables costs one more.
 */
export async function refresh(target: RefreshTarget): Promise<Refreshed> {
  const { reads, desired, state } = target;
  const { recorded } = applyMoves(state?.resources ?? {}, desired);
  const found = new Map<Address, ReadResult>();
  const data = new Map<Address, DataRead>();
  const refreshing = { ...target, recorded, found, data };
  const targets = targetsOf(refreshing);
  const computed = new Set([...desired.resources.values()].filter(isComputed).map(({ address }) => address));
  for (const level of groupBy(resourceTypes, depthOf).values()) {
    await readData(refreshing);
    const here = targets.filter(({ type }) => level.includes(type));
    // Functions need the values of other resources of the same level.
    for (const isMade of [false, true]) {
      const now = here.filter(({ address }) => computed.has(address) === isMade);
      for (let start = 0; start < now.length; start += maxReadsAtOnce) {
        const reading = now.slice(start, start + maxReadsAtOnce);
        await Promise.all(reading.map(async (one) => found.set(one.address, await readOne(refreshing, one))));
      }
    }
  }
  await readData(refreshing);
  failWaitingData(refreshing);
  const listed = resourceTypes.filter((type) => !type.removedWithParent);
  const inventory = await Promise.all(listed.map(async (type) => (await type.list(reads)) ?? []));
  const holdings = await readHoldings(reads, state);
  const consumers = await reads.consumers();
  return { reads: found, inventory: inventory.flat(), holdings, consumers, data };
}

/** Sends no request of its own: the canvases have been read. */
async function readHoldings(reads: Reads, state: State | undefined) {
  const held = new Map<string, readonly Holding[]>();
  for (const { type, id } of Object.values(state?.resources ?? {})) {
    const found = (await typeNamed(type)?.deletes?.holdings?.(reads, id)) ?? [];
    if (found.length > 0) held.set(id, found);
  }
  return held;
}

type ToRead = Pick<DesiredResource, "address" | "parent"> & { readonly type: Resource };

function targetsOf(refreshing: Refreshing): readonly ToRead[] {
  const { desired, recorded } = refreshing;
  const others = [...recorded]
    .filter(([address, one]) => !desired.resources.has(address) && isRead(one, refreshing))
    .map(([address, { type, parent }]) => ({ address, type, parent }));
  return [...others, ...desired.resources.values()].flatMap(({ address, type: name, parent }) => {
    const type = typeNamed(name);
    return type ? { address, type, parent } : [];
  });
}

const isComputed = ({ attributes }: DesiredResource): boolean =>
  [...attributes.values()].some(({ value }) => value instanceof Computed);

/** Returns true unless a resource is retained: it is in no list, and its id is read only if it blocks its parent's deletion. */
function isRead({ retained, parent }: RecordedResource, { desired, recorded, destroys }: Refreshing) {
  if (!retained) return true;
  const holder = parent && recorded.get(parent);
  if (!holder || holder.retained) return false;
  return destroys === true || !desired.resources.has(parent);
}

/** Returns 0 for projects, 1 for services, 2 for the parts of services. */
const depthOf = (type: Resource | undefined): number =>
  Math.max(-1, ...(type?.parents ?? []).map((parent) => depthOf(typeNamed(parent.type)))) + 1;

async function readOne(refreshing: Refreshing, { address, type, parent }: ToRead): Promise<ReadResult> {
  const { reads, desired, found } = refreshing;
  const declared = desired.resources.get(address);
  const recorded = refreshing.recorded.get(address);
  const parentId = parent && idOf(parent, refreshing);
  const known = knownAttributes(declared, refreshing);
  const imported = recorded ? [] : (declared?.importId?.id.split("/") ?? []);
  const around = type.nameAttribute === undefined ? imported : imported.slice(0, -1);
  const named = imported[around.length];
  const isId = named !== undefined && uuidPattern.test(named);
  // A parent that is not declared here is given by its ID.
  const isElsewhere = parent === undefined && type.parents.some(({ attribute }) => known.has(attribute));
  const isAnywhere = imported.length === 0 || isElsewhere || (isId && around.length === 0);
  if (!isAnywhere && !areParents(around, parent, refreshing)) return { kind: "gone" };
  const id = isId ? named : recorded?.id;
  const wanted = (isId ? undefined : named) ?? known.get(type.nameAttribute ?? "");
  if (id === undefined && parent !== undefined && parentId === undefined) return { kind: "absent" };
  return readProven(reads, type, {
    address,
    id,
    name: typeof wanted === "string" ? wanted : (recorded?.name ?? ""),
    declared: known,
    parentId,
    parentIsLive: parent !== undefined && found.get(parent)?.kind === "found",
    recorded,
  });
}

/** Returns true if names are those of the parents of a resource, the outermost first; the last may be an ID. */
function areParents(names: readonly string[], parent: Address | undefined, refreshing: Refreshing): boolean {
  const read = parent && refreshing.found.get(parent);
  if (read?.kind !== "found") return names.length === 0;
  const { live } = read;
  if (names.at(-1) === live.id) return true;
  const above = refreshing.desired.resources.get(parent as Address)?.parent;
  return sameName(names.at(-1), live.name) && areParents(names.slice(0, -1), above, refreshing);
}

function idOf(address: Address, { found, recorded }: Refreshing): string | undefined {
  const read = found.get(address);
  if (read?.kind === "found") return read.live.id;
  return read?.kind === "unchecked" ? recorded.get(address)?.id : undefined;
}

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
    const found = resolveValue(value, lookupIn(refreshing));
    return isPlain(found) ? found : undefined;
  }
  if (!(value instanceof Template)) return isPlain(value) ? value : undefined;
  const { references, secret } = value;
  // Also where it is unknown: the resource must not be looked for in another parent instead.
  if (references.some(({ address }) => isDataAddress(address)) && !secret)
    return resolveValue(value, lookupIn(refreshing));
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
};

type LookupValues = { readonly [name: string]: Plain };

interface DataQuery {
  readonly source: DesiredData;
  readonly query: ReadonlyMap<string, string>;
}

/** Reads every data source whose query is known by now, each after those that its query refers to. */
async function readData(refreshing: Refreshing): Promise<void> {
  const { reads, data } = refreshing;
  for (;;) {
    const lookup = lookupIn(refreshing);
    const ready = waitingData(refreshing).flatMap((source) => {
      const query = knownQuery(source, lookup);
      return query === undefined ? [] : [{ source, query }];
    });
    if (ready.length === 0) return;
    await Promise.all(ready.map(async (one) => data.set(one.source.address, await lookUp(reads, one))));
  }
}

/**
 * Records every data source that could not be read as failed. Its finding names the missing resource or value. A data
 * source that waits for a failed data source has no finding of its own.
 */
function failWaitingData(refreshing: Refreshing): void {
  const { found, data } = refreshing;
  for (const source of waitingData(refreshing)) {
    const referred = [...source.query.values()].flatMap(({ value }) => referredAddresses(value));
    const unknown = referred.find((on) => !isDataAddress(on) && found.get(on)?.kind !== "found");
    let diagnostic: Diagnostic | undefined;
    if (unknown !== undefined) diagnostic = deferredUntil(source, unknown);
    else if (!referred.some(isDataAddress)) {
      const { owner, address, range } = source;
      const summary = `${owner}: what it is looked up by has no value now`;
      diagnostic = error("plan.data_unusable", summary, { address, range });
    }
    data.set(source.address, { kind: "failed", diagnostic });
  }
}

const waitingData = ({ desired, data }: Refreshing): readonly DesiredData[] =>
  [...desired.data.values()].filter(({ address }) => !data.has(address));

/** Looks up values of data sources and of live resources: the declared value of an attribute, else the live value. */
const lookupIn =
  ({ desired, found, data }: Refreshing): ReferenceLookup =>
  (reference) => {
    const { address, attribute } = reference;
    const unknown = new Unknown([reference]);
    const source = data.get(address);
    if (source !== undefined)
      return source.kind === "found" ? (dataValue(source.values, attribute) ?? null) : unknown;
    const read = found.get(address);
    if (read?.kind !== "found") return unknown;
    if (attribute === "id") return read.live.id;
    const declared = desired.resources.get(address)?.attributes.get(attribute)?.value;
    if (declared !== undefined && isPlain(declared)) return declared;
    return read.live.computed.get(attribute) ?? read.live.attributes.get(attribute) ?? unknown;
  };

/** A query as text, without attributes that are null; undefined while a part of it is not known. */
function knownQuery({ query }: DesiredData, lookup: ReferenceLookup) {
  const known = new Map<string, string>();
  for (const [attribute, { value }] of query) {
    const resolved = resolveValue(value, lookup);
    if (resolved === null) continue;
    if (!isPlain(resolved) || typeof resolved === "object") return undefined;
    known.set(attribute, String(resolved));
  }
  return known;
}

async function lookUp(reads: Reads, wish: DataQuery): Promise<DataRead> {
  const { source, query } = wish;
  if (source.listing !== undefined) return lookUpListing(reads, source.listing, wish);
  const type = typeNamed(source.type ?? "") as Resource;
  const [parent] = type.parents;
  const wanted = {
    id: query.get("id"),
    name: query.get(type.nameAttribute ?? "name") ?? "",
    parentId: parent && query.get(parent.attribute),
  };
  const read = await findResource(reads, type, wanted);
  if (read.kind !== "found") return failed(source, notFound(wish, type, read));
  const { live } = read;
  const attributes = unflatten(withoutOpenFields(type, live.attributes));
  const owner = parent ? { [parent.attribute]: live.parentId } : undefined;
  const values = { ...attributes, ...owner, ...Object.fromEntries(live.computed), id: live.id };
  return { kind: "found", values: values as LookupValues, live };
}

/** Reads a listing. One of a service that does not exist, or whose answer is a failure, is failed under its construct. */
async function lookUpListing(reads: Reads, listing: string, { source, query }: DataQuery): Promise<DataRead> {
  try {
    const shown = await readListing(reads, listing, query);
    return { kind: "found", values: { ...askedWith(listing, query), ...shown } };
  } catch (failure) {
    const found = failure instanceof DiagnosticsError ? failure.diagnostics[0] : diagnosticOf(failure);
    if (found === undefined) throw failure;
    return failed(source, { ...found, summary: `${source.owner}: ${found.summary}` });
  }
}

/** Returns the arguments of a listing by their names in Terraform: a listing shows them as well. */
const askedWith = (listing: string, query: DataQuery["query"]): LookupValues =>
  Object.fromEntries(
    Object.entries(listings[listing]?.query ?? {}).map(([key, { type }]) => {
      const given = query.get(key) ?? null;
      return [snakeCase(key), given !== null && type === "number" ? Number(given) : given];
    }),
  );

const failed = ({ address, range }: DesiredData, diagnostic: Diagnostic): DataRead => ({
  kind: "failed",
  diagnostic: { ...diagnostic, address, range },
});

function notFound(
  { source: { owner }, query }: DataQuery,
  { type }: Resource,
  read: Exclude<ReadResult, { readonly kind: "found" }>,
): Diagnostic {
  const what = `${type} with ${[...query].map(([key, text]) => `${key} ${JSON.stringify(text)}`).join(", ")}`;
  if (read.kind === "unchecked")
    return error("live.unchecked", `${owner}: the ${what} could not be read`, { detail: read.reason });
  if (read.kind === "ambiguous")
    return error("live.ambiguous", `${owner}: there are ${read.ids.length} of ${what}`, {
      detail: `Ids: ${[...read.ids].sort().join(", ")}`,
      hint: "look it up by its id",
    });
  return error("live.data_missing", `${owner}: there is no ${what}`, {
    hint: "a data source finds what exists already; what this stack makes is referred to by its construct",
  });
}
