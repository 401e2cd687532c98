import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { type DataRead, dataValue, isDataAddress } from "../model/data-source";
import type { Desired, DesiredData } from "../model/desired";
import type { ReadResult } from "../model/live";
import { withoutOpenFields } from "../model/resource-type";
import { isPlain, type Plain, Template, Unknown, unflatten } from "../model/value";
import { deferredUntil } from "../plan/check";
import { type ReferenceLookup, resolveValue } from "../plan/resolve";
import { typeNamed } from "../resources";
import { findResource, type ResourceQuery } from "../resources/find-resource";

/** What was read so far: resources, and what data sources found. */
export interface Found {
  readonly resources: ReadonlyMap<Address, ReadResult>;
  readonly data: Map<Address, DataRead>;
}

type Values = { readonly [name: string]: Plain };

/** Reads every data source whose query is known by now, those that need others after them. */
export async function readData(reads: Reads, desired: Desired, found: Found): Promise<void> {
  for (;;) {
    const ready = waitingData(desired, found).flatMap((one) => {
      const query = knownQuery(one, lookupIn(desired, found));
      return query === undefined ? [] : [{ one, query }];
    });
    if (ready.length === 0) return;
    const results = await Promise.all(ready.map(({ one, query }) => look(reads, one, query)));
    ready.forEach(({ one }, i) => {
      found.data.set(one.address, results[i] as DataRead);
    });
  }
}

/** Says of every data source that could not be read what it waits for; one that needs a failed one says nothing. */
export function failWaitingData(desired: Desired, found: Found): void {
  for (const one of waitingData(desired, found)) {
    const unknown = referencesOf(one).find(
      (on) => !isDataAddress(on) && found.resources.get(on)?.kind !== "found",
    );
    const isSilent = unknown === undefined && referencesOf(one).some((on) => isDataAddress(on));
    const diagnostic =
      unknown !== undefined ? deferredUntil(one, unknown) : isSilent ? undefined : withoutValue(one);
    found.data.set(one.address, { kind: "failed", ...(diagnostic && { diagnostic }) });
  }
}

const waitingData = ({ data }: Desired, found: Found): readonly DesiredData[] =>
  [...data.values()].filter(({ address }) => !found.data.has(address));

const referencesOf = ({ query }: DesiredData): readonly Address[] =>
  [...query.values()].flatMap(({ value }) =>
    value instanceof Template ? value.references.map(({ address }) => address) : [],
  );

/** Values of data sources, and of resources that are live: what is declared of them, else as they are. */
export const lookupIn =
  (desired: Desired, { resources, data }: Found): ReferenceLookup =>
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

/** What is looked up, as text; null counts as left out. Undefined while a part of it is not known. */
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

async function look(reads: Reads, one: DesiredData, query: ReadonlyMap<string, string>): Promise<DataRead> {
  const type = one.type === undefined ? undefined : typeNamed(one.type);
  if (type === undefined) return { kind: "found", values: (await reads.catalog()) as unknown as Values };
  const [parent] = type.parents;
  const wanted = {
    id: query.get("id"),
    name: query.get(type.nameAttribute ?? "name") ?? "",
    parentId: parent && query.get(parent.attribute),
  };
  const read = await findResource(reads, type, wanted);
  if (read.kind !== "found") return failed(one, notFound(one, type, wanted, read));
  const { live } = read;
  const place = parent && { [parent.attribute]: live.parentId };
  const values = {
    ...unflatten(withoutOpenFields(type, live.attributes)),
    ...place,
    ...Object.fromEntries(live.computed),
    id: live.id,
  };
  return { kind: "found", values: values as Values, live };
}

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
