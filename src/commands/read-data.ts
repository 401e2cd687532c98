import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { unflatten } from "../model/attributes";
import { type DataRead, dataValue, isDataAddress } from "../model/data-source";
import type { Desired, DesiredData } from "../model/desired";
import type { LiveResource, ReadResult } from "../model/live";
import { isPlain, type Plain, Template, Unknown } from "../model/value";
import { deferredUntil } from "../plan/check-data";
import { type ReferenceLookup, resolveValue } from "../plan/resolve";

/** What was read so far: resources, and what data sources found. */
export interface Found {
  readonly resources: ReadonlyMap<Address, ReadResult>;
  readonly data: Map<Address, DataRead>;
}

type Values = { readonly [name: string]: Plain };

/** Reads every data source whose query is known by now, those that need others after them. */
export async function readData(
  reads: Reads,
  types: readonly Resource[],
  desired: Desired,
  found: Found,
): Promise<void> {
  for (;;) {
    const ready = waitingData(desired, found).flatMap((one) => {
      const query = knownQuery(one, lookupIn(desired, found));
      return query === undefined ? [] : [{ one, query }];
    });
    if (ready.length === 0) return;
    const results = await Promise.all(ready.map(({ one, query }) => look(reads, types, one, query)));
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

async function look(
  reads: Reads,
  types: readonly Resource[],
  one: DesiredData,
  query: ReadonlyMap<string, string>,
): Promise<DataRead> {
  const type = types.find((candidate) => candidate.type === one.type);
  if (type === undefined) return { kind: "found", values: (await reads.catalog()) as unknown as Values };
  const id = query.get("id");
  const name = query.get(type.nameAttribute ?? "name") ?? "";
  const [parent] = type.parents;
  const parentId = parent && query.get(parent.attribute);
  const what = described(type, id, name, parentId);
  if (id === undefined ? name === "" : !isId(id)) return failed(one, missing(one, what));
  const read = await type.read(reads, {
    address: one.address,
    name,
    declared: new Map(parent && parentId !== undefined ? [[parent.attribute, parentId]] : []),
    ...(id !== undefined && { id }),
    ...(parentId !== undefined && { parentId }),
  });
  if (read.kind === "ambiguous") return failed(one, ambiguous(one, type, name, read.ids));
  if (read.kind === "unchecked")
    return failed(
      one,
      error("live.unchecked", `${one.owner}: ${what} could not be read`, { detail: read.reason }),
    );
  const isMeant = (live: LiveResource): boolean =>
    (name === "" || live.name === name) && (parentId === undefined || live.parentId === parentId);
  if (read.kind !== "found" || !isMeant(read.live)) return failed(one, missing(one, what));
  const { live } = read;
  const place = parent && { [parent.attribute]: live.parentId };
  const values = {
    ...unflatten(live.attributes),
    ...place,
    ...Object.fromEntries(live.computed),
    id: live.id,
  };
  return { kind: "found", values: values as Values, live };
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

function described(
  type: Resource,
  id: string | undefined,
  name: string,
  parentId: string | undefined,
): string {
  const words = [
    type.type,
    ...(name === "" ? [] : [`called ${JSON.stringify(name)}`]),
    ...(id === undefined ? [] : [`with the id ${id}`]),
    ...type.parents.flatMap((parent) =>
      parentId === undefined
        ? id === undefined
          ? [`outside of every ${parent.type}`]
          : []
        : [`in the ${parent.type} ${parentId}`],
    ),
  ];
  return words.join(" ");
}

const failed = ({ address, range }: DesiredData, diagnostic: Diagnostic): DataRead => ({
  kind: "failed",
  diagnostic: { ...diagnostic, address, range },
});

const missing = ({ owner }: DesiredData, what: string): Diagnostic =>
  error("live.data_missing", `${owner}: there is no ${what}`, {
    hint: "a data source finds what exists already; what this stack makes is referred to by its construct",
  });

const ambiguous = (
  { owner }: DesiredData,
  type: Resource,
  name: string,
  ids: readonly string[],
): Diagnostic =>
  error("live.ambiguous", `${owner}: ${ids.length} of ${type.type} are called ${JSON.stringify(name)}`, {
    detail: `Ids: ${[...ids].sort().join(", ")}`,
    hint: "look it up by its id",
  });

const withoutValue = ({ owner, address, range }: DesiredData): Diagnostic =>
  error("plan.data_unusable", `${owner}: what it is looked up by has no value now`, { address, range });
