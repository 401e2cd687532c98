import type { Diagnostic } from "../diagnostics/diagnostic";
import type { OnRemove } from "../model/desired";
import { isPreserved } from "../model/resource-type";
import type { ResolvedValue } from "../model/value";
import { diffLifecycle } from "./diff-lifecycle";
import type { Action, AttributeChange, Trigger } from "./plan";
import type { ResourceInstance } from "./subject";

/** What is to become of one instance; guards, order and cost are added to make it a Change. */
export interface Decision {
  readonly instance: ResourceInstance;
  readonly action: Action;
  readonly resolved: ReadonlyMap<string, ResolvedValue>;
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly attributes: readonly AttributeChange[];
  readonly released: readonly AttributeChange[];
  readonly drift: readonly AttributeChange[];
  /** What the state keeps besides fields, where that changes. */
  readonly lifecycle?: readonly AttributeChange[];
  /** Its secrets were compared with what is live: equal ones are recorded as they are. */
  readonly isRevealed?: true;
  readonly reason?: string;
  readonly trigger?: () => Trigger;
  readonly withParent: boolean;
  readonly onRemove: OnRemove;
  readonly diagnostics: readonly Diagnostic[];
  /** Its record stays in the state, marked retained. */
  readonly retains?: true;
  /** It should run and cannot, and why. */
  readonly held?: string;
}

const unresolved: Decision["resolved"] = new Map();
const noFingerprints: Decision["fingerprints"] = {};
const none: readonly never[] = [];

/** The decision that changes nothing; every other one differs from it in what it says. */
export const decideNothing = (
  instance: ResourceInstance,
  resolved: Decision["resolved"] = unresolved,
  fingerprints: Decision["fingerprints"] = noFingerprints,
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

/** The same decision, with what else the state is to keep: what changed nothing then changes the record. */
export function withLifecycle(decision: Decision): Decision {
  const lifecycle = diffLifecycle(decision.instance);
  if (lifecycle.length === 0) return decision;
  switch (decision.action) {
    case "no-op":
      return { ...decision, action: "update", lifecycle };
    case "update":
    case "replace":
      return { ...decision, lifecycle };
    default:
      return decision;
  }
}

/** A request is sent, or the state changes: what moved is looked up under its new address by those that wait for it. */
export const changesSomething = ({ action, instance }: Decision): boolean =>
  action !== "no-op" || instance.previousAddress !== undefined;
