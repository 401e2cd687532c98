import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { type Address, addressOf, nameOf, typeOf } from "../model/address";
import type { Catalog } from "../model/catalog";
import type { Desired, DesiredResource } from "../model/desired";
import type { LiveResource, ReadResult } from "../model/live";
import { isParentAttribute, isSetting, type ResourceType, ruleAt } from "../model/resource-type";
import { isFingerprint, type RecordedResource } from "../model/state";
import { type Attributes, type Plain, plainEqual } from "../model/value";
import type { PlanInput } from "./plan";

/** One address before any decision: declared, recorded and live side by side. */
export interface ResourceInstance {
  readonly address: Address;
  readonly type: ResourceType;
  readonly defaults: Attributes;
  readonly desired?: DesiredResource;
  readonly recorded?: RecordedResource;
  readonly previousAddress?: Address;
  readonly read: ReadResult;
  readonly live?: LiveResource;
  readonly parent?: Address;
  /** Recorded, and no longer wanted: not declared, or everything is being destroyed. */
  readonly removed: boolean;
}

export type ResourceInstances = ReadonlyMap<Address, ResourceInstance>;

export function gatherInstances(
  input: PlanInput,
  { recorded, previous }: ReturnType<typeof applyMoves>,
): { readonly instances: ResourceInstances; readonly diagnostics: readonly Diagnostic[] } {
  const types = new Map(input.types.map((type) => [type.type, type]));
  const defaults = defaultsIn(input.catalog);
  const destroy = input.options.mode === "destroy";
  const owners = new Map([...recorded].map(([address, { type, id }]) => [ownerKey(type, id), address]));
  const addresses = new Set(recorded.keys());
  if (!destroy) for (const address of input.desired.resources.keys()) addresses.add(address);

  const instances = new Map<Address, ResourceInstance>();
  const diagnostics: Diagnostic[] = [];
  for (const address of [...addresses].sort()) {
    const desired = input.desired.resources.get(address);
    const record = recorded.get(address);
    const type = types.get(desired?.type ?? record?.type ?? typeOf(address));
    if (!type) {
      diagnostics.push(unknownType(address, record));
      continue;
    }
    const previousAddress = previous.get(address);
    const { parent: from } = record ?? {};
    const { parent: to = from } = desired ?? {};
    if (type.removedWithParent && from !== undefined && from !== to) {
      const summary = `${previousAddress ?? address} cannot move to ${to}: it is part of ${from}`;
      const named = `if ${from} was renamed, move that; else give it another name`;
      const how = previousAddress ? "remove its entry in moved" : named;
      const hint = `${how}: it is created there, and deleted here`;
      diagnostics.push(error("manifest.moved", summary, { address, hint, range: desired?.range }));
      continue;
    }
    const read = readOf(input, address, record, owners);
    instances.set(address, {
      address,
      type,
      defaults: withInitial(defaults, type, { desired, recorded: record, read }),
      desired,
      recorded: record,
      previousAddress,
      read,
      live: read.kind === "found" ? read.live : undefined,
      parent: destroy ? from : to,
      removed: destroy || !desired,
    });
  }
  return { instances, diagnostics };
}

type Defaults = (type: ResourceType, variant?: string) => Attributes;

function defaultsIn(catalog: Catalog): Defaults {
  const known = new Map<string, Attributes>();
  return (type, variant) => {
    const key = `${type.type} ${variant ?? ""}`;
    const defaults = known.get(key) ?? type.defaults(catalog, variant);
    known.set(key, defaults);
    return defaults;
  };
}

function withInitial(
  defaults: Defaults,
  type: ResourceType,
  { desired, recorded, read }: Pick<ResourceInstance, "desired" | "recorded" | "read">,
): Attributes {
  const live = read.kind === "found" ? read.live.attributes : undefined;
  const ofVariant = defaults(type, variantOf(type, live, desired));
  // A run that ended before it saw its new resource left that to this read.
  const firstSeen =
    recorded?.madeWith && live && initialSettings(type, live, defaults(type), new Set(recorded.madeWith));
  const initial = Object.entries(recorded?.initial ?? firstSeen ?? {});
  return initial.length === 0 ? ofVariant : new Map([...ofVariant, ...initial]);
}

function variantOf(
  { variantAttribute }: ResourceType,
  live: Pick<Attributes, "get"> | undefined,
  desired: DesiredResource | undefined,
): string | undefined {
  if (variantAttribute === undefined) return undefined;
  const value = live ? live.get(variantAttribute) : desired?.attributes.get(variantAttribute)?.value;
  return typeof value === "string" ? value : undefined;
}

function readOf(
  { reads }: PlanInput,
  address: Address,
  recorded: RecordedResource | undefined,
  owners: ReadonlyMap<string, Address>,
): ReadResult {
  const read = reads.get(address);
  if (!recorded) return read ?? { kind: "absent" };
  if (!read) return { kind: "unchecked", reason: "it was not read" };
  // A resource of another address may have been given this name.
  const owner = read.kind === "found" ? owners.get(ownerKey(recorded.type, read.live.id)) : undefined;
  if (owner !== undefined && owner !== address) return { kind: "gone" };
  return read.kind === "absent" ? { kind: "gone" } : read;
}

function unknownType(address: Address, recorded: RecordedResource | undefined): Diagnostic {
  const summary = `${address} is of type "${recorded?.type ?? typeOf(address)}", which is not known here`;
  const hint = "the state was written by a newer version; use that one";
  return error("state.newer", summary, { address, hint });
}

export const isGone = (instance: ResourceInstance): boolean =>
  instance.recorded !== undefined && instance.read.kind === "gone";

/** Recorded for the day it is declared again, and not managed: nothing is read, said or done about it. */
export const isRetained = ({ removed, recorded }: ResourceInstance): boolean =>
  removed && recorded?.retained === true;

export function whyGone(instance: ResourceInstance): string {
  const requested = requestedDeletion(instance);
  return requested ? `${requested}, and its end is waited for` : "it was deleted outside of rnv";
}

export function whyAgain(instance: ResourceInstance): string | undefined {
  const { deletionFailed } = instance.recorded ?? {};
  if (deletionFailed !== undefined) return `the last deletion failed: ${deletionFailed}`;
  const requested = requestedDeletion(instance);
  return requested && `${requested}; it is requested again unless it goes on`;
}

function requestedDeletion({ read, recorded }: ResourceInstance): string | undefined {
  const { deletes, since } = (read.kind === "gone" ? read.ending : recorded?.pending) ?? {};
  if (!deletes) return undefined;
  return since === undefined ? "it is being deleted" : `its deletion was requested at ${since}`;
}

/**
 * Returns the live value of a field (column V): as reported, else the platform's default. For the field that holds the
 * parent, it is the parent's id. A resource that could not be read counts as it was recorded.
 */
export function liveValue(instance: ResourceInstance, path: string): Plain | undefined {
  const { live, type } = instance;
  if (!live) return instance.read.kind === "unchecked" ? recordedValue(instance, path) : undefined;
  const reported = live.attributes.get(path);
  if (reported !== undefined) return reported;
  return isParentAttribute(type, path) ? (live.parentId ?? undefined) : instance.defaults.get(path);
}

export function recordedValue(instance: ResourceInstance, path: string): Plain | undefined {
  const { recorded, type } = instance;
  const value = recorded?.applied[path];
  if (value === undefined) {
    if (path === type.nameAttribute) return recorded?.name;
    return type.rules[path]?.alwaysManaged && wasApplied(instance) ? instance.defaults.get(path) : undefined;
  }
  return isFingerprint(value) ? undefined : value;
}

/** Returns false for a resource that was only imported: rnv has set no field of it yet. */
export const wasApplied = ({ recorded }: ResourceInstance): boolean =>
  recorded !== undefined && Object.keys(recorded.applied).length > 0;

/**
 * Returns the settings of a new resource that differ from the defaults of its type and were not sent with it (gap "defaults
 * of kinds"). `sent` has attribute paths.
 */
export function initialSettings(
  type: ResourceType,
  live: Pick<Attributes, "get">,
  defaults: Attributes,
  sent: ReadonlySet<string>,
): Readonly<Record<string, Plain>> {
  const initial: Record<string, Plain> = {};
  for (const [path, byCatalog] of defaults) {
    const value = live.get(path);
    if (!isSetting(type, path) || value === undefined || sent.has(path)) continue;
    if (!(ruleAt(type, path)?.equal ?? plainEqual)(value, byCatalog)) initial[path] = value;
  }
  return initial;
}

/** Returns true if a resource is declared in the recorded place of another resource, or in none as that. */
export const declaresPlaceOf = (
  { type: { place }, desired }: ResourceInstance,
  recorded: RecordedResource | undefined,
): boolean =>
  place === undefined ||
  desired?.attributes.get(place.attribute)?.value === recorded?.applied[place.attribute];

export const ownerKey = (type: string, id: string): string => `${type} ${id}`;

/** Live ids that are recorded, by `type id`, and the address each is recorded under. */
export function recordedOwners(instances: ResourceInstances): Map<string, Address> {
  const owners = new Map<string, Address>();
  for (const { address, recorded, type } of instances.values())
    if (recorded) owners.set(ownerKey(type.type, recorded.id), address);
  return owners;
}

/**
 * Renames recorded resources as `moved` says, along chains of moves. Records inside a moved resource go along
 * (`variable.shop.web.X` with `service.shop.web`), unless their old address is still declared. A move whose source
 * is not recorded has happened before and is ignored.
 */
export function applyMoves(
  resources: Readonly<Record<Address, RecordedResource>>,
  desired: Pick<Desired, "moved" | "resources">,
) {
  const before = new Map(Object.entries(resources) as [Address, RecordedResource][]);
  const previous = new Map<Address, Address>();
  const diagnostics: Diagnostic[] = [];
  if (desired.moved.length === 0) return { recorded: before, previous, diagnostics };

  const moves = new Map(desired.moved.map((move) => [move.from, move]));
  const names = new Map<Address, Address>();
  const newAddress = (address: Address, parent = before.get(address)?.parent): Address => {
    const known = names.get(address);
    if (known) return known;
    // A ring of moves ends where it began.
    names.set(address, address);
    const next = moves.get(address)?.to ?? movedAlong(address, parent, newAddress, desired);
    const named = next === address ? address : newAddress(next, parent);
    names.set(address, named);
    return named;
  };

  const recorded = new Map<Address, RecordedResource>();
  for (const [address, resource] of before) {
    const to = newAddress(address);
    const isTaken = previous.has(to) || (to !== address && before.has(to) && newAddress(to) === to);
    const move = moves.get(address);
    if (isTaken && move) {
      const summary = `${address} cannot move to ${to}: ${previous.get(to) ?? to} is recorded already`;
      diagnostics.push(error("manifest.moved", summary, { address, range: move.range }));
    }
    if (to !== address) previous.set(to, address);
    const isPrinted = to !== address && Object.values(resource.applied).some(isFingerprint);
    recorded.set(isTaken ? address : to, {
      ...resource,
      parent: resource.parent && newAddress(resource.parent),
      dependsOn: resource.dependsOn.map((on) => newAddress(on)),
      fingerprintAddress: resource.fingerprintAddress ?? (isPrinted ? address : undefined),
    });
  }
  return { recorded, previous, diagnostics };
}

function movedAlong(
  address: Address,
  parent: Address | undefined,
  newAddress: (address: Address) => Address,
  desired: Pick<Desired, "resources">,
): Address {
  if (!parent || desired.resources.has(address)) return address;
  const newParent = newAddress(parent);
  if (newParent === parent) return address;
  const [name, around] = [nameOf(address), nameOf(parent)];
  if (!`${name}.`.startsWith(`${around}.`)) return address;
  return addressOf(typeOf(address), `${nameOf(newParent)}${name.slice(around.length)}`);
}
