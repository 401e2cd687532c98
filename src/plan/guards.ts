import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import { suggest } from "../diagnostics/suggest";
import { type Address, nameOf } from "../model/address";
import { append } from "../model/collections";
import type { Desired } from "../model/desired";
import { type Consumer, consumerList } from "../model/live";
import { pathsWith } from "../model/resource-type";
import { shortList } from "../model/wording";
import { type Decision, type Decisions, isDeletion } from "./decision";
import {
  declaresPlaceOf,
  isGone,
  isRetained,
  ownerKey,
  type ResourceInstance,
  type ResourceInstances,
} from "./instances";
import { phrasesFor } from "./phrases";
import type { Change, Guard, PlanInput } from "./plan";

export type Guards = ReadonlyMap<Address, Guard>;

/**
 * Returns the blocks of deletions (DESIGN section 7), by address:
 * - protection, of the resource or of a resource in it;
 * - a live name that is not the recorded name;
 * - children that are not deleted with it, and consumers that stay;
 * - a missing confirmation by name.
 */
export function guardDeletions(input: PlanInput, decisions: Decisions): Guards {
  const { stage } = input.desired;
  const isConfirmed = confirmedDeletions(input);
  const guards = new Map<Address, Guard>();
  const deletions = [...decisions.values()].filter(isDeletion);
  if (deletions.length === 0) return guards;
  const holders = protectedHolders(deletions, decisions);
  const kept = keptInside(deletions, input, decisions);
  const consumersOf = findStayingConsumers(input, decisions);
  for (const decision of deletions) {
    const { address } = decision.instance;
    const guard =
      preventDestroy(decision, holders.get(address), stage) ??
      nameChanged(decision) ??
      holdsOthers(address, kept.get(address), input.options) ??
      usedByOthers(address, consumersOf(decision), input, isConfirmed(address)) ??
      (isConfirmed(address) ? undefined : unconfirmed(decision, input, decisions));
    if (guard) guards.set(address, guard);
  }
  return guards;
}

export function confirmedDeletions({ options, desired }: PlanInput): (address: Address) => boolean {
  const removed = desired.removed.map(({ address }) => address);
  const confirmed = new Set<Address>([...options.confirmedDeletes, ...options.replace, ...removed]);
  const confirmsAll = options.confirmsAll === true || desired.stage?.disposable === true;
  return (address) => confirmsAll || confirmed.has(address);
}

/** Warns of confirmations that name nothing and look like the address of an unconfirmed deletion. */
export function warnOfMistyped({ desired, options }: PlanInput, decisions: Decisions, guards: Guards) {
  const unconfirmedGuards = [...guards].filter(([, { code }]) => code === "guard.delete_unconfirmed");
  const byName = new Map(unconfirmedGuards.map(([address]) => [nameOf(address), address]));
  const flags = options.confirmedDeletes.map((address) => ({ address, range: undefined }));
  return [...desired.removed, ...flags].flatMap(({ address, range }) => {
    const meant = decisions.has(address) ? undefined : suggest(nameOf(address), byName.keys());
    if (meant === undefined) return [];
    const hint = `did you mean "${byName.get(meant)}"?`;
    const summary = `${address} is neither declared nor recorded`;
    return [warning("plan.target_unknown", summary, { address, range, hint })];
  });
}

/** Returns each deletion that would take a protected resource along, itself or one inside of it, with that resource. */
function protectedHolders(deletions: readonly Decision[], decisions: Decisions): Map<Address, Address> {
  const holders = new Map<Address, Address>();
  for (const { instance } of deletions) {
    const { address, desired, recorded } = instance;
    if (!desired?.lifecycle.preventDestroy && !recorded?.preventDestroy) continue;
    for (let holder: Address | undefined = address; holder && !holders.has(holder); ) {
      holders.set(holder, address);
      holder = decisions.get(holder)?.instance.parent;
    }
  }
  return holders;
}

/** Returns the guard of a resource that is protected, or holds such, or is in a stage whose protection is not recorded. */
function preventDestroy(
  { instance: { address, type } }: Decision,
  held: Address | undefined,
  stage: Desired["stage"],
): Guard | undefined {
  const ofStage = stage?.protect ? `stage ${stage.name}` : undefined;
  const isInStage = ofStage !== undefined && type.removal === "delete" && !type.removedWithParent;
  if (held === undefined && !isInStage) return undefined;
  const why = `is protected: ${ofStage ?? "preventDestroy"}`;
  const undo = ofStage ? `without protect: true of ${ofStage}` : `with preventDestroy: false on ${held}`;
  return {
    code: "guard.prevent_destroy",
    summary: `${address} ${held && held !== address ? `holds ${held}, which is protected` : why}`,
    hint: `to delete it, first apply ${undo}`,
  };
}

function nameChanged({ instance, withParent }: Decision): Guard | undefined {
  const { address, live, recorded } = instance;
  if (withParent || !live || !recorded || live.name === recorded.name) return undefined;
  return {
    code: "guard.name_changed",
    summary: `${address} was renamed since: it is recorded as "${recorded.name}" and now called "${live.name}"`,
    hint: "make sure that it is the one to delete, then record its name: rnv apply -refresh-only",
  };
}

function holdsOthers(
  address: Address,
  held: readonly string[] | undefined,
  { mode }: PlanInput["options"],
): Guard | undefined {
  if (held === undefined) return undefined;
  const exclude = `${mode === "destroy" ? "rnv destroy " : ""}--exclude ${address}`;
  return {
    code: "guard.holds_others",
    summary: `${address} still contains ${shortList(held)}, which would not be deleted with it`,
    hint: `delete that or move it elsewhere first; to leave ${address} as it is: ${exclude}`,
  };
}

function usedByOthers(
  address: Address,
  users: readonly Consumer[],
  { options, desired }: PlanInput,
  isConfirmed: boolean,
): Guard | undefined {
  const isDeclared = desired.removed.some((one) => one.address === address && one.consumers);
  if (users.length === 0 || isDeclared || options.confirmedConsumers?.includes(address)) return undefined;
  const flags = `${isConfirmed ? "" : `--confirm-delete ${address} `}--confirm-consumers ${address}`;
  return {
    code: "guard.consumers",
    summary: `${address} is used by ${consumerList(users)}`,
    hint: `Remove that reference first. To delete it all the same: ${flags}`,
  };
}

export const isUnconfirmed = ({ blockedBy }: Pick<Change, "blockedBy">): boolean =>
  blockedBy?.code === "guard.delete_unconfirmed";

function unconfirmed(
  { action, instance }: Decision,
  { options, desired }: PlanInput,
  decisions: Decisions,
): Guard | undefined {
  const { address, type, previousAddress: from = address } = instance;
  if (type.removal !== "delete" || type.removedWithParent) return undefined;
  const code = "guard.delete_unconfirmed";
  const flag = `To destroy it: --confirm-delete ${address}`;
  if (action === "replace")
    return { code, summary: `${address} must be replaced; what it holds now is lost`, hint: flag };
  const summary = `the deletion of ${address} is not confirmed`;
  if (options.mode === "destroy")
    return { code, summary, hint: `${flag}; rnv destroy asks for everything at once` };
  const [declared] = desired.resources.values();
  const { confirm, move } = phrasesFor(declared);
  const lines = [`${flag} or ${confirm(address)}`];
  const { to, isAlike } = probableRename(instance, decisions) ?? {};
  if (to !== undefined) lines.splice(isAlike ? 0 : 1, 0, `If you renamed it: ${move(from, to)}`);
  return { code, summary, hint: lines.join("\n") };
}

/** Returns the new address of a deleted resource: of the only new resource like it, else of its type, in the same place. */
function probableRename(instance: ResourceInstance, decisions: Decisions) {
  const { type, recorded } = instance;
  const likeness = ({ desired, recorded: own }: ResourceInstance): string =>
    JSON.stringify(
      pathsWith(type, "kept").map(
        (path) => desired?.attributes.get(path)?.value ?? own?.applied[path] ?? null,
      ),
    );
  const ofType = [...decisions.values()].filter(
    ({ instance: one, action }) =>
      one.type === type && one.parent === recorded?.parent && !(action === "create" && one.recorded),
  );
  for (const isAlike of [true, false]) {
    const found = ofType.filter(({ instance: one }) => !isAlike || likeness(one) === likeness(instance));
    const [made, ...others] = found.filter(({ action }) => action === "create");
    const isOnly = others.length === 0 && found.filter(({ action }) => action === "delete").length === 1;
    if (made && isOnly && declaresPlaceOf(made.instance, recorded))
      return { to: made.instance.address, isAlike };
  }
  return undefined;
}

/**
 * Returns the children of deleted resources that are not deleted with them, in words, by the address of their holder. The
 * platform deletes only empty projects (interface, "Projects"), and would refuse after all the rest is deleted.
 * Unlisted children, such as archived services that are not recorded, are not known here.
 */
function keptInside(
  deletions: readonly Decision[],
  { inventory, holdings }: PlanInput,
  decisions: Decisions,
): ReadonlyMap<Address, readonly string[]> {
  const kept = new Map<Address, string[]>();
  const holders = new Map<string, Address>();
  const keep = (holder: Address, what: string): void => append(kept, holder, what);
  for (const { instance, withParent } of deletions) {
    const id = instance.recorded?.id ?? instance.live?.id;
    if (id === undefined || withParent) continue;
    holders.set(id, instance.address);
    for (const { kind, name } of holdings?.get(id) ?? []) keep(instance.address, `the ${kind} "${name}"`);
  }
  const addresses = new Set(holders.values());
  const covered = new Set(deletions.map(({ instance }) => keyOf(instance)));
  for (const { instance } of decisions.values()) {
    const { address, type, recorded } = instance;
    const holder = recorded?.parent;
    if (holder === undefined || !addresses.has(holder) || type.removedWithParent) continue;
    if (isGone(instance) || covered.has(keyOf(instance))) continue;
    covered.add(keyOf(instance));
    keep(holder, `${address} (id ${recorded?.id}${recorded?.retained ? ", archived by onRemove" : ""})`);
  }
  for (const { type, id, name, parentId } of inventory) {
    const holder = parentId === null ? undefined : holders.get(parentId);
    if (holder !== undefined && !covered.has(ownerKey(type, id)))
      keep(holder, `the ${type} "${name}" (id ${id}, not managed here)`);
  }
  return kept;
}

const keyOf = ({ type, recorded, live }: Decision["instance"]): string =>
  ownerKey(type.type, recorded?.id ?? live?.id ?? "");

/**
 * Keeps resources that are lost without proof as they are recorded, and says why (DESIGN section 5). There is no proof if
 * no other resource is listed, or more than a third of the recorded resources vanished at once. Resources that are
 * deleted with their parent are counted among themselves.
 */
export function checkMassDeletion(instances: ResourceInstances) {
  const managed = [...instances.values()].filter((one) => one.recorded && !isRetained(one));
  const independent = managed.filter(({ type }) => !type.removedWithParent);
  const dependent = managed.filter(
    (one) => one.type.removedWithParent && !one.removed && hasParent(one, instances),
  );
  const masses = [independent, dependent].flatMap(massDisappearance);
  const isProven = managed.some(({ live }) => live);
  const isUnproven = (one: ResourceInstance): boolean =>
    !isProven && isLost(one) && one.read.kind === "gone" && one.read.isUnproven === true;
  const diagnostics = masses.length > 0 ? masses : independent.filter(isUnproven).map(unproven);
  const read = { kind: "unchecked", reason: "it seems gone, which is not proven" } as const;
  const isDoubted = diagnostics.length > 0 ? isLost : isUnproven;
  if (![...instances.values()].some(isDoubted)) return { instances, diagnostics };
  const doubted = new Map<Address, ResourceInstance>();
  for (const [address, instance] of instances)
    doubted.set(address, isDoubted(instance) ? { ...instance, read } : instance);
  return { instances: doubted, diagnostics };
}

/** Returns true if it is gone without a deletion in progress that the platform shows or rnv requested. */
const isLost = (instance: ResourceInstance): boolean => {
  const { read, recorded } = instance;
  return isGone(instance) && !(read.kind === "gone" && read.ending) && recorded?.pending?.deletes !== true;
};

/** Returns whether its parent still exists. The new parent of a replacement does not count: it starts empty. */
function hasParent({ parent, recorded, type }: ResourceInstance, instances: ResourceInstances): boolean {
  const found = parent === undefined ? undefined : instances.get(parent);
  if (found?.recorded === undefined || isGone(found)) return false;
  return type.parents.some(({ attribute }) => recorded?.applied[attribute] === found.recorded?.id);
}

function massDisappearance(counted: readonly ResourceInstance[]): Diagnostic[] {
  const lost = counted.filter(isLost).map(({ address }) => address);
  if (lost.length < 3 || lost.length * 3 <= counted.length) return [];
  const summary = `${lost.length} of ${counted.length} recorded resources are gone at once`;
  const detail = `A key that lost its membership sees the same. Gone: ${shortList(lost)}`;
  const hint = "check the key and the workspace; if they were really deleted: rnv state rm ADDRESS …";
  return [error("live.mass_disappearance", summary, { detail, hint })];
}

function unproven({ address, desired }: ResourceInstance): Diagnostic {
  const summary = `${address} cannot be found, and the workspace shows nothing else`;
  const detail = "A key that lost its membership sees the same, so this is no proof that it was deleted.";
  const hint = `check the key and the workspace; if it was really deleted: rnv state rm ${address}`;
  return error("live.gone_unproven", summary, { address, detail, hint, range: desired?.range });
}

/**
 * Returns a function that finds the consumers of a resource that this plan leaves as they are. Deleted consumers do not
 * count, nor consumers of which the plan changes every variable that the reference names.
 */
function findStayingConsumers(
  { consumers }: Pick<PlanInput, "consumers">,
  decisions: Decisions,
): (decision: Decision) => readonly Consumer[] {
  if (consumers === undefined || consumers.byProvider.size === 0) return () => [];
  const byId = new Map<string, Decision>();
  const changedParts = new Set<string>();
  for (const decision of decisions.values()) {
    const { type, parent, live } = decision.instance;
    if (live === undefined) continue;
    if (!type.removedWithParent) byId.set(live.id, decision);
    else if (isChanged(decision)) changedParts.add(ownerKey(parent ?? "", live.name));
  }
  const isLeaving = ({ id, keys }: Consumer): boolean => {
    const decision = byId.get(id);
    if (decision === undefined) return false;
    if (isDeletion(decision)) return true;
    const { address } = decision.instance;
    return keys.length > 0 && keys.every((key) => changedParts.has(ownerKey(address, key)));
  };
  return ({ instance }) =>
    (consumers.byProvider.get(instance.live?.id ?? "") ?? []).filter((one) => !isLeaving(one));
}

const isChanged = ({ action }: Decision): boolean => action !== "no-op" && action !== "adopt";

/**
 * Warns of changes that consumers may notice although their service is not deleted. It is archived or renamed, or a
 * variable that a reference names is deleted or renamed.
 */
export function warnOfConsumers(input: PlanInput, decisions: Decisions): readonly Diagnostic[] {
  const consumersOf = findStayingConsumers(input, decisions);
  const found: Diagnostic[] = [];
  let isAnyTouched = false;
  for (const decision of decisions.values()) {
    const { address, type, parent, desired } = decision.instance;
    const fate = fateOf(decision);
    if (type.archives && (fate !== undefined || isDeletion(decision))) isAnyTouched = true;
    if (fate === undefined || decision.withParent) continue;
    const provider = type.removedWithParent ? parent && decisions.get(parent) : decision;
    const users = provider ? consumersOf(provider).filter(({ keys }) => isConcerned(decision, keys)) : [];
    if (users.length === 0) continue;
    const summary = `${address} will be ${fate} and is used by ${consumerList(users)}`;
    const hint = "Make sure that these services do not need it.";
    found.push(warning("guard.consumers", summary, { address, range: desired?.range, hint }));
  }
  const detail = "The workspace is read project by project, which shows no references between projects.";
  if (isAnyTouched && input.consumers?.isComplete === false)
    found.push(warning("guard.consumers", "consumers in other projects were not checked", { detail }));
  return found;
}

const isConcerned = ({ instance }: Decision, keys: readonly string[]): boolean =>
  !instance.type.removedWithParent || keys.includes(instance.live?.name ?? "");

/** Returns the change of a resource that a consumer may notice, in words; undefined for all others. */
function fateOf({ action, onRemove, attributes, instance: { type } }: Decision): string | undefined {
  const { archives, nameAttribute, removedWithParent } = type;
  if (action === "delete" && onRemove === "archive") return "archived";
  if (removedWithParent && (action === "delete" || action === "replace")) return "destroyed";
  if (action !== "update") return undefined;
  const changed = attributes.find(({ path, after }) =>
    path === archives?.attribute ? after.kind === "value" && after.value === true : path === nameAttribute,
  );
  if (changed === undefined) return undefined;
  return changed.path === nameAttribute ? "renamed" : "archived";
}

export const guardErrors = ({ address, blockedBy, range }: Change): readonly Diagnostic[] =>
  blockedBy ? [error(blockedBy.code, blockedBy.summary, { address, hint: blockedBy.hint, range })] : [];
