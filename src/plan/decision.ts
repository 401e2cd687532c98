import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { isPreserved, type ResourceType, ruleAt } from "../model/resource-type";
import type { Plain } from "../model/value";
import type { ResourceInstance } from "./instances";
import type { AttributeChange, Change, PlannedInstance } from "./plan";

/** The decision about one instance; guards, order and cost make it a `Change`. */
export interface Decision
  extends Required<Pick<Change, "drift">>,
    Pick<Change, "action" | "attributes" | "released" | "lifecycle" | "reason" | "retains" | "held">,
    Pick<Change, "withParent" | "onRemove">,
    Pick<PlannedInstance, "resolved" | "fingerprints" | "isRevealed"> {
  readonly instance: ResourceInstance;
  readonly diagnostics: readonly Diagnostic[];
}

export type Decisions = ReadonlyMap<Address, Decision>;

const none: readonly never[] = [];

export const isMade = ({ action }: Pick<Decision, "action">): boolean =>
  action === "create" || action === "replace";

export const isDeletion = ({ action, onRemove }: Pick<Decision, "action" | "onRemove">): boolean =>
  action === "replace" || (action === "delete" && onRemove !== "archive");

export const decideNothing = (
  instance: ResourceInstance,
  resolved: Decision["resolved"] = new Map(),
  fingerprints: Decision["fingerprints"] = {},
): Decision => ({
  instance,
  action: "no-op",
  resolved,
  fingerprints,
  attributes: none,
  released: none,
  drift: none,
  withParent: false,
  onRemove: isPreserved(instance.type, resolved)
    ? "retain"
    : (instance.desired?.lifecycle.onRemove ?? instance.recorded?.onRemove ?? "delete"),
  diagnostics: none,
});

/** Adds changed lifecycle settings to a decision. A decision without other changes then updates the record. */
export function withLifecycle(decision: Decision): Decision {
  const { action, instance } = decision;
  const lifecycle = diffLifecycle(instance);
  const isKept = action === "no-op" || action === "update" || action === "replace";
  if (lifecycle.length === 0 || !isKept) return decision;
  return { ...decision, action: action === "no-op" ? "update" : action, lifecycle };
}

/**
 * Returns true if a request is sent, the state changes, or apply follows pending work of an earlier run: dependants wait
 * for it. They find a moved resource under its new address.
 */
export const changesSomething = ({ action, instance: { previousAddress, recorded } }: Decision): boolean =>
  action !== "no-op" || previousAddress !== undefined || recorded?.pending !== undefined;

/**
 * Returns the settings that apply writes to the state besides fields: protection, the action on removal, ignored fields.
 * Recorded before, declared after. None of them is sent.
 */
function diffLifecycle({ desired, recorded, type }: ResourceInstance): readonly AttributeChange[] {
  if (!desired || !recorded) return none;
  const { preventDestroy, onRemove, ignoreChanges } = desired.lifecycle;
  const ignored = recorded.ignoreChanges ?? none;
  return [
    ...(areSame(ignoreChanges, ignored) ? [] : [changed("ignoreChanges", ignored, ignoreChanges)]),
    // Only a resource with a block of its own declares its action on removal; the type decides for all others.
    ...(type.manifest.meta === undefined || onRemove === recorded.onRemove
      ? []
      : [changed("onRemove", recorded.onRemove, onRemove)]),
    ...(preventDestroy === recorded.preventDestroy
      ? []
      : [changed("preventDestroy", recorded.preventDestroy, preventDestroy)]),
  ];
}

const areSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((path) => b.includes(path));

const changed = (key: string, before: Plain, after: Plain): AttributeChange => ({
  path: `lifecycle.${key}`,
  before: { kind: "value", value: before },
  after: { kind: "value", value: after },
  cause: "edit",
  forcesReplacement: false,
});

/** Returns whether only the record changes: no request is sent, and no dependant is affected. */
export const changesRecordOnly = (change: Pick<Change, "action" | "attributes" | "reason">): boolean =>
  change.action === "update" && change.attributes.length === 0 && change.reason === undefined;

type Reactable = Pick<Change, "action" | "retains"> & {
  readonly attributes: readonly Pick<AttributeChange, "path">[];
};

/**
 * Returns true if a change is a reason for its reacting resource (a deployment) to run. It creates, deletes, or sets a field
 * that does not take effect at once.
 */
export function asksForRun(
  { action, attributes, retains }: Reactable,
  type: Pick<ResourceType, "rules" | "open">,
): boolean {
  if (retains) return false;
  if (isMade({ action }) || action === "delete") return true;
  if (action !== "update" && action !== "adopt") return false;
  return attributes.some(({ path }) => ruleAt(type, path)?.takesEffect !== "at once");
}
