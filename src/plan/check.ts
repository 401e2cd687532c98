import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Catalog } from "../model/catalog";
import type { DesiredData } from "../model/desired";
import type { LiveResource, Offers } from "../model/live";
import type { Finding } from "../model/resource-operations";
import type { CheckContext } from "../model/resource-type";
import { type AttributeLookup, referredAddresses } from "../model/value";
import { shortList } from "../model/wording";
import type { DataUse } from "./data";
import { changesRecordOnly, type Decision, type Decisions, isDeletion, isMade } from "./decision";
import type { PlanScope } from "./graph";
import { declaresPlaceOf, isGone, isRetained, type ResourceInstance, wasApplied } from "./instances";
import { phrasesFor } from "./phrases";
import type { PlanInput } from "./plan";
import { attributesAfter, neighboursOf, sends } from "./resolve-value";

const sending: ReadonlySet<Decision["action"]> = new Set(["create", "update", "replace", "adopt"]);

/**
 * Checks declared values against the catalog and against each other:
 * - an error where this plan would send the value;
 * - a warning about a field that has it already;
 * - nothing about a resource that stays as it is. Values that depend on other resources are checked in every plan.
 */
export function checkDeclared(decisions: Decisions, catalog: Catalog): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const decision of decisions.values()) {
    const { instance, action, resolved } = decision;
    const { type, removed, desired } = instance;
    const isSending = sending.has(action) && !changesRecordOnly(decision);
    if (type.checkSiblings && desired && !removed) {
      const offered = offeredTo(decision, decisions);
      for (const finding of type.checkSiblings(resolved, offered, neighboursOf(decision, decisions)))
        if (isSending || !finding.isWarning)
          diagnostics.push(diagnosticOf(instance, finding, !finding.isWarning));
    }
    if (!isSending) continue;
    for (const finding of type.check?.(resolved, catalog, checkContext(decision, decisions, catalog)) ?? []) {
      const { attribute } = finding;
      const isSent = attribute === undefined || sends(decision, attribute);
      diagnostics.push(diagnosticOf(instance, finding, isSent && !finding.isWarning));
    }
  }
  return diagnostics;
}

export function checkSharedLimits(
  { types, inventory, catalog }: PlanInput,
  decisions: Decisions,
): Diagnostic[] {
  return types.flatMap(({ type, sharedLimit }) => {
    if (!sharedLimit) return [];
    const found = new Map<string, { count: number; most: number; grows: boolean }>();
    const add = (attributes: AttributeLookup, before?: AttributeLookup): void => {
      const { choice, most } = sharedLimit(attributes, catalog) ?? {};
      if (choice === undefined || most === undefined) return;
      const { count = 0, grows = false } = found.get(choice) ?? {};
      const isNew = before === undefined || sharedLimit(before, catalog)?.choice !== choice;
      found.set(choice, { count: count + 1, most, grows: grows || isNew });
    };
    const known = new Set<string>();
    for (const decision of decisions.values()) {
      const { instance, action } = decision;
      if (instance.type.type !== type) continue;
      const { live } = instance;
      if (live) known.add(live.id);
      if (action !== "delete" && (live || isMade(decision))) add(attributesAfter(decision), live?.attributes);
    }
    if (![...found.values()].some(({ grows }) => grows)) return [];
    for (const live of inventory)
      if (live.type === type && !known.has(live.id)) add(live.attributes, live.attributes);
    return [...found].flatMap(([choice, { count, most, grows }]) => {
      if (count <= most || !grows) return [];
      const summary = `${count} ${type}s would have ${choice}, and the catalog allows ${most} in a workspace`;
      return [warning("plan.limit", summary, { hint: "choose another plan for some of them" })];
    });
  });
}

function diagnosticOf(
  { address, desired }: Decision["instance"],
  { code, summary, hint, attribute }: Finding,
  isError: boolean,
): Diagnostic {
  const declared = attribute === undefined ? undefined : desired?.attributes.get(attribute);
  const details = { address, hint, attribute, range: declared?.range ?? desired?.range };
  return isError ? error(code, summary, details) : warning(code, summary, details);
}

/** Returns the choices that the service shows; none for a resource that is made together with its parent. */
function offeredTo({ instance }: Decision, decisions: Decisions): Offers | undefined {
  const parent = instance.parent && decisions.get(instance.parent);
  if (parent && isMade(parent)) return {};
  return instance.live?.offers ?? (instance.read.kind === "absent" ? instance.read.offers : undefined);
}

function checkContext({ instance, action }: Decision, decisions: Decisions, catalog: Catalog): CheckContext {
  const parent = instance.parent && decisions.get(instance.parent);
  const isParentNew = parent !== undefined && isMade(parent);
  const offers = isParentNew ? parent?.instance.type.offersWhenNew?.(catalog) : parent?.instance.live?.offers;
  return {
    isNew: isMade({ action }),
    isParentNew,
    live: instance.live?.attributes,
    offers,
    parent: parent && action !== "adopt" ? attributesAfter(parent) : undefined,
  };
}

/**
 * Reports resources that the platform does not list: a create that may duplicate an archived resource, and archived
 * resources that `destroy` leaves.
 */
export function reportUnlisted({ options }: PlanInput, decisions: Decisions, scope: PlanScope): Diagnostic[] {
  const retained: ResourceInstance[] = [];
  const creates: ResourceInstance[] = [];
  for (const { instance, action } of decisions.values()) {
    const { type, address } = instance;
    if (!type.archives || !scope.has(address)) continue;
    if (isRetained(instance) && !isGone(instance)) retained.push(instance);
    else if (action === "create") creates.push(instance);
  }
  const hasParent = ({ parent }: ResourceInstance, isSo: (around: Decision) => boolean): boolean => {
    const around = parent && decisions.get(parent);
    return around !== undefined && isSo(around);
  };
  const doubled = creates.filter((one) => !one.recorded && (options.adopt || hasParent(one, isTakenOver)));
  const inTheWay = retained.filter((one) => options.mode === "destroy" || hasParent(one, isDeletion));
  return [
    ...(doubled.length > 0 ? [unlisted(doubled)] : []),
    ...creates.flatMap((made) => namesake(made, retained)),
    ...(inTheWay.length > 0 ? [reportRetained(inTheWay)] : []),
  ];
}

/** Returns whether a parent was taken over: its children were not made here either. */
const isTakenOver = ({ action, instance }: Decision): boolean =>
  action === "adopt" || (instance.recorded?.writes === 0 && !wasApplied(instance));

const named = (instances: readonly ResourceInstance[]): string =>
  shortList(instances.map(({ address }) => address));

function unlisted(creates: readonly ResourceInstance[]): Diagnostic {
  const kinds = [...new Set(creates.map(({ type }) => type.archives?.unlisted))].join(", ");
  const summary = `${kinds} cannot be listed: if one has the same name, a second one is created`;
  const detail = `Would be created: ${named(creates)}`;
  const hint = `to take over an archived one, name its id: ${phrasesFor(creates[0]?.desired).takeOver("ID")}`;
  return warning("live.unlisted", summary, { detail, hint });
}

function namesake(made: ResourceInstance, retained: readonly ResourceInstance[]): Diagnostic[] {
  const { address, type, desired } = made;
  const written = type.nameAttribute && desired?.attributes.get(type.nameAttribute)?.value;
  const other = retained.find(
    ({ type: of, recorded }) =>
      of === type &&
      recorded?.name === written &&
      recorded?.parent === made.parent &&
      declaresPlaceOf(made, recorded),
  );
  if (other === undefined) return [];
  const summary = `${other.address} is archived and has the name of ${address}`;
  const detail = `A second one would be created beside it (id ${other.recorded?.id}).`;
  const hint = `to restore that one in its place: ${phrasesFor(desired).move(other.previousAddress ?? other.address, address)}`;
  return [warning("plan.retained", summary, { address, detail, hint, range: desired?.range })];
}

const reportRetained = (retained: readonly ResourceInstance[]): Diagnostic =>
  warning("plan.retained", `archived and kept in the state, not destroyed: ${named(retained)}`, {
    hint: "to delete one: declare it again without onRemove: archive, apply, then remove it; to forget it: rnv state rm ADDRESS",
  });

/**
 * Reports data sources that cannot be used. A destroy needs none. With `--target` or `--exclude`, those in scope are
 * needed.
 */
export function checkData(
  { data = [], options: { mode, targets, excludes } }: PlanInput,
  decisions: Decisions,
  scope: PlanScope,
): readonly Diagnostic[] {
  if (mode === "destroy") return [];
  const isPartial = targets.length > 0 || excludes.length > 0;
  return data
    .filter(({ usedBy }) => !isPartial || [...usedBy].some((address) => scope.has(address)))
    .flatMap((use) => (use.problems.length > 0 ? use.problems : deferred(use, decisions)));
}

/** Reports data sources that Terraform would read during the run, after their dependencies: rnv reads before any change. */
function deferred({ source, found }: DataUse, decisions: Decisions): readonly Diagnostic[] {
  const referred = [...source.query.values()].flatMap(({ value }) => referredAddresses(value));
  const actionAt = (on: Address) => decisions.get(on)?.action ?? "no-op";
  const isNew = (on: Address): boolean => isMade({ action: actionAt(on) });
  const changes = (on: Address): boolean => !["no-op", "adopt"].includes(actionAt(on));
  const on = referred.find(isNew) ?? source.dependsOn.find(changes) ?? endingOf(found, decisions);
  return on === undefined ? [] : [deferredUntil(source, on)];
}

function endingOf(found: LiveResource | undefined, decisions: Decisions): Address | undefined {
  if (!found) return undefined;
  return [...decisions.values()].find(
    ({ instance, action }) =>
      ["replace", "delete"].includes(action) &&
      instance.type.type === found.type &&
      instance.live?.id === found.id,
  )?.instance.address;
}

export function deferredUntil({ owner, address, range }: DesiredData, on: Address): Diagnostic {
  const detail = "rnv reads data sources before it changes anything.";
  const hint = `refer to ${on} itself, or apply that first: rnv apply --target ${on}`;
  const summary = `${owner} depends on ${on}, which this plan changes`;
  return error("plan.data_deferred", summary, { address, range, detail, hint });
}
