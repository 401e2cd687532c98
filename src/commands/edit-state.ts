import { type Diagnostic, DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { type Address, typeOf } from "../model/address";
import { groupBy } from "../model/collections";
import { reachable } from "../model/graph-walk";
import { type Intent, isKeyed, type RecordedResource, type State } from "../model/state";
import { canonicalJson, type Plain } from "../model/value";
import { typeNamed } from "../resources";
import { workspaceMismatch } from "../state/recorded";

type Resources = Readonly<Record<Address, RecordedResource>>;

function refuseAny(found: readonly Diagnostic[]): void {
  if (found.length > 0) throw new DiagnosticsError(found);
}

/** `rnv state mv`: throws `DiagnosticsError` for moves of records that the state does not allow, as all edits do. */
export function checkMoves(state: State, moves: ReadonlyMap<Address, Address>): void {
  const refused = [...moves].flatMap(([from, to]) => refusedMove(state, from, to) ?? []);
  refuseAny([...openWritesAt(state, [...moves].flat()), ...refused]);
}

function refusedMove(state: State, from: Address, to: Address): Diagnostic | undefined {
  if (typeOf(from) !== typeOf(to))
    return error("state.conflict", `${from} cannot become ${to}: that is another type of resource`, {
      address: from,
    });
  if (from === to) return error("state.conflict", `${from} is at that address already`, { address: from });
  if (!Object.hasOwn(state.resources, to)) return undefined;
  return error("state.conflict", `${to} is in the state already`, {
    address: to,
    hint: `remove it first (rnv state rm ${to}), or move to another address`,
  });
}

/**
 * `rnv state rm`: forgets recorded resources and everything that lies in them. It also forgets writes without an outcome at
 * addresses without a record, which only the user can settle. The service is not asked.
 */
export function removeResources(
  state: State,
  addresses: readonly Address[],
): { readonly state: State; readonly removed: readonly Address[] } {
  const isDropped = ({ address }: Pick<Intent, "address">): boolean =>
    addresses.includes(address) && !Object.hasOwn(state.resources, address);
  const dropped = new Set(state.open.filter(isDropped).map(({ address }) => address));
  const settled = { ...state, open: state.open.filter((intent) => !isDropped(intent)) };
  const removed = withChildren(
    state.resources,
    addresses.filter((address) => !dropped.has(address)),
  );
  refuseAny(openWritesAt(settled, [...removed]));
  return { state: withoutResources(settled, removed), removed: [...dropped, ...[...removed].sort()] };
}

function withoutResources(state: State, removed: ReadonlySet<Address>): State {
  const resources = entriesOf(state.resources)
    .filter(([address]) => !removed.has(address))
    .map(([address, resource]) => {
      const dependsOn = resource.dependsOn.filter((other) => !removed.has(other));
      return [address, { ...resource, dependsOn }] as const;
    });
  const needsKey = state.open.length > 0 || hasFingerprint(resources.map(([, resource]) => resource));
  return { ...state, resources: fromEntries(resources), keyId: needsKey ? state.keyId : null };
}

/**
 * First step of `rnv state mv --to`: notes in the state which resources leave it, with everything in them. Nothing else
 * can be done with that state until the other one holds them. The note of a run that ended in the middle stays as it is.
 */
export function noteLeaving(state: State | undefined, addresses: readonly Address[], to: string): State {
  if (state === undefined)
    throw failure("state.address_unknown", "nothing is recorded yet: there is nothing to hand over");
  const { handOver: open } = state;
  if (open?.to === to && addresses.every((address) => open.addresses.includes(address))) return state;
  refuseHandOver(state);
  const leaving = withChildren(state.resources, addresses);
  const parted = addresses.flatMap((address) => {
    const parent = state.resources[address]?.parent;
    const isPart = typeNamed(typeOf(address))?.removedWithParent === true;
    if (!isPart || parent === undefined || leaving.has(parent)) return [];
    const hint = `hand over ${parent}, with everything in it`;
    return error("state.conflict", `${address} is a part of ${parent}, which stays here`, { address, hint });
  });
  refuseAny([...unknown(state, addresses), ...openWritesAt(state, [...leaving]), ...parted]);
  return { ...state, handOver: { to, addresses: [...leaving].sort() } };
}

/** Refuses a state whose resources another state may hold by now. */
export function refuseHandOver(state: State | undefined): void {
  if (state?.handOver === undefined) return;
  const { to, addresses: leaving } = state.handOver;
  throw failure("state.hand_over", `${leaving.length} resources are on their way to ${to}`, {
    detail: "A run that handed them over was ended in the middle.",
    hint: `end it with the same command: rnv state mv --to ${to} ${leaving.slice(0, 3).join(" ")}; rnv state restore 1 takes it back where the other state does not hold them`,
  });
}

/** Second step: the other state holds them, too. If a run continues, those that it holds were handed over before. */
export function receiveResources(
  state: State,
  from: State,
  { isResumed }: { readonly isResumed: boolean },
): State {
  const leaving = from.handOver?.addresses ?? [];
  const idOf = ({ type, id }: RecordedResource): string => `${type} ${id}`;
  const ids = new Set(Object.values(state.resources).map(idOf));
  const moved = entriesOf(from.resources).filter(
    ([address, resource]) => leaving.includes(address) && !(isResumed && ids.has(idOf(resource))),
  );
  if (moved.length === 0) return state;
  const mismatch = workspaceMismatch(from, "the state that hands over", state);
  refuseAny([
    ...(mismatch === undefined ? [] : [mismatch]),
    ...openWritesAt(state, leaving),
    ...moved
      .filter(([address, resource]) => Object.hasOwn(state.resources, address) || ids.has(idOf(resource)))
      .map(([address]) => error("state.conflict", `${address} is in the other state already`, { address })),
  ]);
  const received = moved.map(([address, { parent: around, ...resource }]) => {
    const dependsOn = resource.dependsOn.filter((other) => leaving.includes(other));
    // A parent that stays is in the other state only where that records it too.
    const parent = around && leaving.includes(around) ? around : addressOfId(state, from, around);
    return [address, { ...resource, dependsOn, parent }] as const;
  });
  return {
    ...state,
    resources: { ...state.resources, ...fromEntries(received) },
    keyId: state.keyId ?? (hasFingerprint(moved.map(([, resource]) => resource)) ? from.keyId : null),
  };
}

function addressOfId(state: State, from: State, around: Address | undefined): Address | undefined {
  const { type, id } = (around && from.resources[around]) ?? {};
  return entriesOf(state.resources).find(([, one]) => one.type === type && one.id === id)?.[0];
}

export const endHandOver = ({ handOver, ...state }: State): State =>
  withoutResources(state, new Set(handOver?.addresses));

/** Returns true if a record holds the fingerprint of a secret, which only its key can compare. */
export const hasFingerprint = (resources: readonly RecordedResource[]): boolean =>
  resources.some(({ applied }) => Object.values(applied).some(isKeyed));

interface Replacement {
  readonly current: State | undefined;
  readonly incoming: State;
  readonly force: boolean;
}

/**
 * Refuses a state that may not replace the recorded state. Another lineage and the loss of open writes need `force`. So
 * do, for `rnv state push` and as in Terraform, an older serial, or the same serial with other content. Another
 * workspace is never accepted.
 */
export function checkReplacement(verb: "push" | "restore", { current, incoming, force }: Replacement): void {
  if (current === undefined) return;
  const isPush = verb === "push";
  const name = isPush ? "the pushed state" : "the backup";
  const mismatch = workspaceMismatch(incoming, name, current);
  if (mismatch !== undefined) throw new DiagnosticsError([mismatch]);
  const lost = lostWrites(current, incoming, name);
  const other =
    current.lineage === incoming.lineage
      ? undefined
      : `${name} has lineage ${incoming.lineage}, the recorded one ${current.lineage}: they were never the same state`;
  const reason = lost ?? other ?? (isPush ? olderSerial(current, incoming) : undefined);
  if (force || reason === undefined) return;
  const findsOut = lost === undefined ? "" : "run rnv apply -refresh-only first: it finds out; ";
  const hint = isPush
    ? "pull the recorded state and repeat the edit on it; --force replaces it all the same"
    : `${findsOut}--force restores all the same`;
  throw failure("state.conflict", reason, { hint });
}

const lostWrites = (current: State, incoming: State, other: string): string | undefined =>
  current.open.length > 0 && !isSame(current.open, incoming.open)
    ? `the recorded state has ${current.open.length} writes whose outcome is not known yet, and ${other} does not have them`
    : undefined;

function olderSerial(current: State, incoming: State): string | undefined {
  if (incoming.serial < current.serial)
    return `the pushed state has serial ${incoming.serial}, the recorded one is at ${current.serial} already`;
  if (incoming.serial === current.serial && !isSame(current, incoming))
    return `both states have serial ${current.serial}, with different content`;
  return undefined;
}

export const differingRecords = (before: State | undefined, { resources }: State): readonly Address[] =>
  (Object.keys({ ...before?.resources, ...resources }) as Address[]).filter(
    (address) => !isSame(before?.resources[address] ?? null, resources[address] ?? null),
  );

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a as Plain) === canonicalJson(b as Plain);

function unknown(state: State, addresses: readonly Address[]): Diagnostic[] {
  return addresses
    .filter((address) => !Object.hasOwn(state.resources, address))
    .map((address) =>
      error("state.address_unknown", `${address} is not in the state`, {
        address,
        hint: didYouMean(address, Object.keys(state.resources)) ?? "rnv state list shows what is",
      }),
    );
}

/** An edit must not pull an address from under a write whose outcome is still to be found out. */
function openWritesAt(state: State, addresses: readonly Address[]): Diagnostic[] {
  const parents = addresses.flatMap((address) => state.resources[address]?.id ?? []);
  return state.open
    .filter(({ address, parentId = "" }) => addresses.includes(address) || parents.includes(parentId))
    .map((intent) =>
      error("state.open_intent", `${intent.address}: the result of its last write is unknown`, {
        address: intent.address,
        hint: "To find out: rnv apply, or rnv apply -refresh-only",
      }),
    );
}

function withChildren(resources: Resources, addresses: readonly Address[]): Set<Address> {
  const children = groupBy(Object.keys(resources) as Address[], (address) => resources[address]?.parent);
  return reachable(addresses, (address) => children.get(address) ?? []);
}

const entriesOf = (resources: Resources): [Address, RecordedResource][] =>
  Object.entries(resources) as [Address, RecordedResource][];

const fromEntries = (entries: readonly (readonly [Address, RecordedResource])[]): Resources =>
  Object.fromEntries(entries) as Resources;
