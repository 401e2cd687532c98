import { diagnosticOf } from "../api/api-error";
import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { type DataRead, dataValue, isDataAddress } from "../model/data-source";
import type { Desired, DesiredData } from "../model/desired";
import { listingNamed } from "../model/listings";
import type { ReadResult } from "../model/live";
import { withoutOpenFields } from "../model/resource-type";
import { snakeCase } from "../model/text";
import { isPlain, type Plain, referredAddresses, Unknown, unflatten } from "../model/value";
import { deferredUntil } from "../plan/check";
import { type ReferenceLookup, resolveValue } from "../plan/resolve";
import { findResource, type ResourceQuery, typeNamed } from "../resources";
import { readListing } from "../resources/listings";

/** Results of reads so far: of resources, and of data sources. */
export interface LookupResults {
  readonly resources: ReadonlyMap<Address, ReadResult>;
  readonly data: Map<Address, DataRead>;
}

type LookupValues = { readonly [name: string]: Plain };

/** Reads every data source whose query is known by now, each after those that its query refers to. */
export async function readData(reads: Reads, desired: Desired, found: LookupResults): Promise<void> {
  for (;;) {
    const lookup = lookupIn(desired, found);
    const ready = waitingData(desired, found).flatMap((source) => {
      const query = knownQuery(source, lookup);
      return query === undefined ? [] : [{ source, query }];
    });
    if (ready.length === 0) return;
    const results = await Promise.all(ready.map(({ source, query }) => lookUp(reads, source, query)));
    ready.forEach(({ source }, i) => {
      found.data.set(source.address, results[i] as DataRead);
    });
  }
}

/**
 * Records every data source that could not be read as failed, with a finding: the resource that it waits for, or the lack
 * of a value. A data source that waits for a failed one has no finding of its own.
 */
export function failWaitingData(desired: Desired, found: LookupResults): void {
  for (const source of waitingData(desired, found)) {
    const referred = referencesOf(source);
    const unknown = referred.find((on) => !isDataAddress(on) && found.resources.get(on)?.kind !== "found");
    let diagnostic: Diagnostic | undefined;
    if (unknown !== undefined) diagnostic = deferredUntil(source, unknown);
    else if (!referred.some(isDataAddress)) diagnostic = withoutValue(source);
    found.data.set(source.address, { kind: "failed", ...(diagnostic && { diagnostic }) });
  }
}

const waitingData = ({ data }: Desired, found: LookupResults): readonly DesiredData[] =>
  [...data.values()].filter(({ address }) => !found.data.has(address));

const referencesOf = ({ query }: DesiredData): readonly Address[] =>
  [...query.values()].flatMap(({ value }) => referredAddresses(value));

/** Looks up values of data sources and of live resources: the declared value of an attribute, else the live value. */
export const lookupIn =
  (desired: Desired, { resources, data }: LookupResults): ReferenceLookup =>
  (reference) => {
    const { address, attribute } = reference;
    const unknown = new Unknown([reference]);
    const source = data.get(address);
    if (source !== undefined)
      return source.kind === "found" ? (dataValue(source.values, attribute) ?? null) : unknown;
    const read = resources.get(address);
    if (read?.kind !== "found") return unknown;
    if (attribute === "id") return read.live.id;
    const declared = desired.resources.get(address)?.attributes.get(attribute)?.value;
    if (declared !== undefined && isPlain(declared)) return declared;
    return read.live.computed.get(attribute) ?? read.live.attributes.get(attribute) ?? unknown;
  };

/** A query as text, without attributes that are null; undefined while a part of it is not known. */
function knownQuery(
  { query }: DesiredData,
  lookup: ReferenceLookup,
): ReadonlyMap<string, string> | undefined {
  const known = new Map<string, string>();
  for (const [attribute, { value }] of query) {
    const resolved = resolveValue(value, lookup);
    if (resolved === null) continue;
    if (!isPlain(resolved) || typeof resolved === "object") return undefined;
    known.set(attribute, String(resolved));
  }
  return known;
}

async function lookUp(
  reads: Reads,
  source: DesiredData,
  query: ReadonlyMap<string, string>,
): Promise<DataRead> {
  if (source.listing !== undefined) return lookUpListing(reads, source, source.listing, query);
  const type = source.type === undefined ? undefined : typeNamed(source.type);
  if (type === undefined)
    return { kind: "found", values: (await reads.catalog()) as unknown as LookupValues };
  const [parent] = type.parents;
  const wanted = {
    id: query.get("id"),
    name: query.get(type.nameAttribute ?? "name") ?? "",
    parentId: parent && query.get(parent.attribute),
  };
  const read = await findResource(reads, type, wanted);
  if (read.kind !== "found") return failed(source, notFound(source, type, wanted, read));
  const { live } = read;
  const values = {
    ...unflatten(withoutOpenFields(type, live.attributes)),
    ...(parent && { [parent.attribute]: live.parentId }),
    ...Object.fromEntries(live.computed),
    id: live.id,
  };
  return { kind: "found", values: values as LookupValues, live };
}

/** Reads a listing. One of a service that does not exist, or whose answer is a failure, is failed under its construct. */
async function lookUpListing(
  reads: Reads,
  source: DesiredData,
  listing: string,
  query: ReadonlyMap<string, string>,
): Promise<DataRead> {
  try {
    return {
      kind: "found",
      values: { ...askedWith(listing, query), ...(await readListing(reads, listing, query)) },
    };
  } catch (failure) {
    const found = failure instanceof DiagnosticsError ? failure.diagnostics[0] : diagnosticOf(failure);
    if (found === undefined) throw failure;
    return failed(source, { ...found, summary: `${source.owner}: ${found.summary}` });
  }
}

/** Returns the arguments of a listing by their names in Terraform: a listing shows them as well. */
const askedWith = (listing: string, query: ReadonlyMap<string, string>): LookupValues =>
  Object.fromEntries(
    Object.entries(listingNamed(listing)?.query ?? {}).map(([key, { type }]) => {
      const given = query.get(key) ?? null;
      return [snakeCase(key), given !== null && type === "number" ? Number(given) : given];
    }),
  );

function described(type: Resource, { id, name = "", parentId }: ResourceQuery): string {
  const words = [
    type.type,
    ...(name === "" ? [] : [`called ${JSON.stringify(name)}`]),
    ...(id === undefined ? [] : [`with the id ${id}`]),
  ];
  const [parent] = type.parents;
  if (parent !== undefined && parentId !== undefined) words.push(`in the ${parent.type} ${parentId}`);
  else if (parent !== undefined && id === undefined) words.push(`outside of every ${parent.type}`);
  return words.join(" ");
}

const failed = ({ address, range }: DesiredData, diagnostic: Diagnostic): DataRead => ({
  kind: "failed",
  diagnostic: { ...diagnostic, address, range },
});

/** Why a lookup has no single result. */
function notFound(
  { owner }: DesiredData,
  type: Resource,
  wanted: ResourceQuery,
  read: Exclude<ReadResult, { readonly kind: "found" }>,
): Diagnostic {
  const what = described(type, wanted);
  if (read.kind === "unchecked")
    return error("live.unchecked", `${owner}: ${what} could not be read`, { detail: read.reason });
  if (read.kind === "ambiguous")
    return error(
      "live.ambiguous",
      `${owner}: ${read.ids.length} of ${type.type} are called ${JSON.stringify(wanted.name)}`,
      { detail: `Ids: ${[...read.ids].sort().join(", ")}`, hint: "look it up by its id" },
    );
  return error("live.data_missing", `${owner}: there is no ${what}`, {
    hint: "a data source finds what exists already; what this stack makes is referred to by its construct",
  });
}

const withoutValue = ({ owner, address, range }: DesiredData): Diagnostic =>
  error("plan.data_unusable", `${owner}: what it is looked up by has no value now`, { address, range });
