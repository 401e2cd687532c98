import type { Reads, Resource } from "../api/reads";
import { lookAgain, staleReads } from "../apply/look";
import { DiagnosticsError } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { type DataRead, isDataAddress } from "../model/data-source";
import type { Desired, DesiredResource } from "../model/desired";
import { isBehind, isMissing, isYoung, justDeleted } from "../model/freshness";
import type { LiveResource, ReadResult } from "../model/live";
import type { Holding } from "../model/resource-operations";
import type { RecordedResource, State } from "../model/state";
import { shortList } from "../model/text";
import { type Attributes, type DesiredValue, isPlain, type ResolvedValue, Template } from "../model/value";
import { resolveValue } from "../plan/resolve";
import type { Context } from "./context";
import { type Found, failWaitingData, lookupIn, readData } from "./read-data";

interface Refreshed {
  /** One result for every declared and every recorded address. */
  readonly reads: ReadonlyMap<Address, ReadResult>;
  /** Every project and service of the workspace. */
  readonly inventory: readonly LiveResource[];
  /** What lies in recorded resources besides others, by live id; only where there is something. */
  readonly holdings: ReadonlyMap<string, readonly Holding[]>;
  /** One result for every data source. */
  readonly data: ReadonlyMap<Address, DataRead>;
}

interface Subject {
  readonly address: Address;
  readonly type: string;
  readonly parent?: Address;
}

/**
 * Reads everything that is declared or recorded, parents first, because a child is looked for inside its parent.
 * Three requests show all projects and services; each service with variables costs one more.
 */
export async function refresh(
  reads: Reads,
  types: readonly Resource[],
  desired: Desired,
  state: State | undefined,
  now: number,
  destroys = false,
): Promise<Refreshed> {
  const results = new Map<Address, ReadResult>();
  const subjects = subjectsOf(desired, state, destroys);
  const found: Found = { resources: results, data: new Map() };
  for (const level of levelsOf(types)) {
    await readData(reads, types, desired, found);
    const reading = subjects.map(async (subject) => {
      const type = level.find((candidate) => candidate.type === subject.type);
      if (type === undefined) return;
      results.set(subject.address, await readOne(reads, type, subject, desired, state, found, now));
    });
    await Promise.all(reading);
  }
  await readData(reads, types, desired, found);
  failWaitingData(desired, found);
  const inventory = await Promise.all(
    types.filter((type) => !type.removedWithParent).map(async (type) => (await type.list(reads)) ?? []),
  );
  const holdings = await readHoldings(reads, types, state);
  return { reads: results, inventory: inventory.flat(), holdings, data: found.data };
}

/** No request of its own: the canvases have been read. */
async function readHoldings(
  reads: Reads,
  types: readonly Resource[],
  state: State | undefined,
): Promise<Refreshed["holdings"]> {
  const held = new Map<string, readonly Holding[]>();
  for (const { type, deletes } of types) {
    const holdings = deletes?.holdings;
    if (holdings === undefined) continue;
    for (const recorded of Object.values(state?.resources ?? {})) {
      const found = recorded.type === type ? await holdings(reads, recorded.id) : [];
      if (found.length > 0) held.set(recorded.id, found);
    }
  }
  return held;
}

/** Declared and recorded addresses; what was moved is looked for under the address it has now. */
function subjectsOf(desired: Desired, state: State | undefined, destroys: boolean): Subject[] {
  const subjects: Subject[] = [];
  for (const key in state?.resources) {
    const address = key as Address;
    const recorded = state.resources[address];
    if (recorded && !desired.resources.has(address) && isAskedFor(recorded, desired, state, destroys)) {
      const { type, parent } = recorded;
      subjects.push({ address, type, parent });
    }
  }
  for (const resource of desired.resources.values()) subjects.push(resource);
  return subjects;
}

/**
 * What is retained is not managed, and in no list: it is asked for by its id only where it stands in the way of the
 * deletion of what holds it.
 */
function isAskedFor(
  { retained, parent }: RecordedResource,
  desired: Desired,
  state: State,
  destroys: boolean,
): boolean {
  if (!retained) return true;
  const holder = parent && state.resources[parent];
  return holder !== undefined && !holder.retained && (destroys || !desired.resources.has(parent as Address));
}

/** Types in the order of their parents: projects, services, then what lies in them. */
function levelsOf(types: readonly Resource[]): Resource[][] {
  const levels: Resource[][] = [];
  let left = [...types];
  while (left.length > 0) {
    const waiting = new Set(left.map((type) => type.type));
    const ready = left.filter((type) => type.parents.every((parent) => !waiting.has(parent.type)));
    if (ready.length === 0) throw new Error("resource types contain each other");
    levels.push(ready);
    left = left.filter((type) => !ready.includes(type));
  }
  return levels;
}

async function readOne(
  reads: Reads,
  type: Resource,
  subject: Subject,
  desired: Desired,
  state: State | undefined,
  found: Found,
  now: number,
): Promise<ReadResult> {
  const done = found.resources;
  const declared = desired.resources.get(subject.address);
  const recorded = recordedAt(subject.address, desired, state);
  const parentId = subject.parent === undefined ? undefined : idOf(subject.parent, done, state);
  const id = recorded?.id ?? declared?.importId?.id;
  const known = declared
    ? knownAttributes(declared.attributes, found, desired, state)
    : new Map<string, ResolvedValue>();
  const wanted = type.nameAttribute === undefined ? undefined : known.get(type.nameAttribute);
  const name = typeof wanted === "string" ? wanted : (recorded?.name ?? "");
  if (id === undefined && subject.parent !== undefined && parentId === undefined) return { kind: "absent" };
  const parentIsLive = subject.parent !== undefined && done.get(subject.parent)?.kind === "found";
  return type.read(reads, {
    address: subject.address,
    id,
    name,
    declared: known,
    parentId,
    parentIsLive,
    recorded,
    ...(recorded && isYoung(recorded, now) && { notOlderThan: recorded.updatedAt }),
  });
}

/** What is recorded for an address, also when it was recorded under the address it was moved from. */
function recordedAt(address: Address, desired: Desired, state: State | undefined) {
  return state?.resources[address] ?? state?.resources[movedFrom(address, desired)];
}

/** The earlier address of a resource: by a `moved` entry of its own, or of what it lies in. */
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

function idOf(
  address: Address,
  done: ReadonlyMap<Address, ReadResult>,
  state: State | undefined,
): string | undefined {
  const read = done.get(address);
  if (read?.kind === "found") return read.live.id;
  return read?.kind === "unchecked" ? state?.resources[address]?.id : undefined;
}

/** Declared attributes whose value is known now; a reference is looked up in what was read before. */
function knownAttributes(
  attributes: DesiredResource["attributes"],
  found: Found,
  desired: Desired,
  state: State | undefined,
): Attributes<ResolvedValue> {
  const knownValue = (value: DesiredValue): ResolvedValue | undefined => {
    if (!(value instanceof Template)) return isPlain(value) ? value : undefined;
    const [reference, ...others] = value.references;
    // A place that is not known is no place: nothing must be looked for elsewhere instead.
    if (value.references.some(({ address }) => isDataAddress(address)) && !value.secret)
      return resolveValue(value, lookupIn(desired, found));
    return reference?.attribute === "id" && others.length === 0
      ? idOf(reference.address, found.resources, state)
      : undefined;
  };
  const known = new Map<string, ResolvedValue>();
  for (const [path, { value }] of attributes) {
    const plain = knownValue(value);
    if (plain !== undefined) known.set(path, plain);
  }
  return known;
}

const mostNamed = 5;

/**
 * `refresh`, and again while it shows less than what is recorded as written a moment ago. Throws `DiagnosticsError`
 * where the service's reads stay behind.
 */
export async function refreshUntilCurrent(
  reads: Reads,
  types: readonly Resource[],
  desired: Desired,
  state: State | undefined,
  context: Waiting,
  destroys = false,
): Promise<Refreshed> {
  const now = context.clock.now();
  const look = () => refresh(reads, types, desired, state, now, destroys);
  if (!state) return look();
  const deleted = justDeleted(state, now);
  const behindIn = (seen: Refreshed) => [
    ...seenBehind(seen, types, state, now),
    ...stillShown(seen, deleted),
  ];
  const refreshed = await lookUntilCurrent(reads, look, behindIn, context);
  if (deleted.size === 0) return refreshed;
  // What is shown and of no interest here is known to be gone.
  return { ...refreshed, inventory: refreshed.inventory.filter(({ id }) => !deleted.has(id)) };
}

/** Addresses under which something is found that we deleted a moment ago. */
const stillShown = ({ reads }: Refreshed, deleted: ReadonlyMap<string, unknown>): readonly Address[] =>
  deleted.size === 0
    ? []
    : [...reads].flatMap(([address, read]) => {
        const ids = read.kind === "found" ? [read.live.id] : read.kind === "ambiguous" ? read.ids : [];
        return ids.some((id) => deleted.has(id)) ? [address] : [];
      });

/** What looking again needs. */
type Waiting = Pick<Context, "clock" | "signal" | "say">;

/**
 * Returns what `look` finds, once `behindIn` names no address in it that is behind our last write. Throws
 * `DiagnosticsError` where that stays so.
 */
export async function lookUntilCurrent<T>(
  reads: Pick<Reads, "invalidate">,
  look: () => Promise<T>,
  behindIn: (found: T) => readonly Address[],
  context: Waiting,
): Promise<T> {
  const { clock, signal, say } = context;
  const isBehind = (found: T): boolean => behindIn(found).length > 0;
  const { seen, isStale } = await lookAgain({ clock, signal, say, reads }, look, isBehind);
  if (isStale) throw new DiagnosticsError([stale(behindIn(seen))]);
  return seen;
}

/**
 * Waits until reads show what is recorded of `addresses` as written a moment ago; asks for nothing where nothing is.
 * Throws `DiagnosticsError` where they stay behind.
 */
export async function seeLastWrites(
  reads: Reads,
  types: readonly Resource[],
  state: State,
  addresses: readonly Address[],
  context: Waiting,
): Promise<void> {
  const now = context.clock.now();
  const resources: Record<Address, RecordedResource> = {};
  // What it lies in is read with it.
  const take = (address: Address | undefined): void => {
    const recorded = address && state.resources[address];
    if (!address || !recorded || resources[address]) return;
    take(recorded.parent);
    resources[address] = recorded;
  };
  for (const address of addresses) {
    const recorded = state.resources[address];
    if (recorded && isYoung(recorded, now)) take(address);
  }
  if (Object.keys(resources).length === 0) return;
  await refreshUntilCurrent(reads, types, nothingDesired, { ...state, resources }, context);
}

const nothingDesired: Desired = {
  resources: new Map(),
  data: new Map(),
  moved: [],
  removed: [],
  outputs: new Map(),
  sources: new Map(),
};

/** Addresses of what was written a moment ago and is not shown, or shown as it was before. */
function seenBehind(
  { reads }: Refreshed,
  types: readonly Resource[],
  state: State,
  now: number,
): readonly Address[] {
  const typeOf = ({ type }: RecordedResource) => types.find((one) => one.type === type);
  const isSeenWithin = (recorded: RecordedResource): boolean => {
    if (recorded.parent === undefined) return true;
    const around = reads.get(recorded.parent);
    // It is looked for where it was made, and only there.
    const wasIn = typeOf(recorded)
      ?.parents.map(({ attribute }) => recorded.applied[attribute])
      .find(Boolean);
    return around?.kind === "found" && (wasIn === undefined || wasIn === around.live.id);
  };
  // A deletion that was not answered may be why.
  const deleted = new Set(
    state.open.filter(({ method }) => method === "DELETE").map(({ address }) => address),
  );
  return (Object.entries(state.resources) as [Address, RecordedResource][]).flatMap(([address, recorded]) => {
    if (!isYoung(recorded, now) || recorded.retained || recorded.pending?.deletes || deleted.has(address))
      return [];
    const read = reads.get(address);
    const isSeenBehind =
      read?.kind === "found"
        ? isBehind(read.live, recorded, typeOf(recorded))
        : isMissing(read) && isSeenWithin(recorded);
    return isSeenBehind ? [address] : [];
  });
}

const stale = (behind: readonly Address[]) =>
  staleReads(
    `the service shows ${shortList(behind, mostNamed)} as before our last write, which is less than two minutes old`,
    behind.length === 1 ? behind[0] : undefined,
  );
