import type { Address } from "../model/address";
import { Secret } from "../model/secret";
import { plainEqual } from "../model/value";
import type { Decision } from "./decision";
import { ownerKey } from "./owners";
import type { Change, OutputChange, Plan, PlanInput, PlanSummary, ShownValue } from "./plan";
import { lookupIn, resolveValue } from "./resolve";
import { absent, secret, shownValue } from "./shown-value";
import { isRetained } from "./subject";

/** Counts as Terraform's summary line does: a replacement adds and destroys, an adoption that sends fields changes. */
export function summarize(changes: readonly Change[]): PlanSummary {
  const count = (counts: (change: Change) => boolean): number => changes.filter(counts).length;
  return {
    add: count(({ action }) => action === "create" || action === "replace"),
    change: count(
      ({ action, attributes, onRemove }) =>
        action === "update" ||
        (action === "adopt" && attributes.length > 0) ||
        (action === "delete" && onRemove === "archive"),
    ),
    destroy: count(
      ({ action, onRemove }) => action === "replace" || (action === "delete" && onRemove !== "archive"),
    ),
    adopt: count(({ action }) => action === "adopt"),
    forget: count(({ action }) => action === "forget"),
  };
}

/** Live things that no address of the plan owns and no data source finds; parts of other things do not count. */
export function listUnmanaged(
  input: PlanInput,
  decisions: ReadonlyMap<Address, Decision>,
): Plan["unmanaged"] {
  const parts = new Set(input.types.filter((type) => type.removedWithParent).map((type) => type.type));
  const owned = new Set<string>();
  for (const { instance, action } of decisions.values()) {
    if (parts.has(instance.type.type) || isRetained(instance)) continue;
    if (instance.recorded) owned.add(ownerKey(instance.type.type, instance.recorded.id));
    if (action === "adopt" && instance.live) owned.add(ownerKey(instance.type.type, instance.live.id));
  }
  // What a stack looks up is managed elsewhere, and known to be.
  for (const { found } of input.data ?? []) if (found) owned.add(ownerKey(found.type, found.id));
  return input.inventory
    .filter(({ type, id }) => !parts.has(type) && !owned.has(ownerKey(type, id)))
    .map(({ type, id, name }) => ({ type, id, name }))
    .sort((a, b) => (a.type + a.name + a.id < b.type + b.name + b.id ? -1 : 1));
}

/** Outputs as they will be, and those whose value changes. A secret is never stored, so it is never compared. */
export function diffOutputs(
  input: PlanInput,
  decisions: ReadonlyMap<Address, Decision>,
): Pick<Plan, "outputs" | "plannedOutputs"> {
  const { mode } = input.options;
  const recorded = new Map(Object.entries(input.state?.outputs ?? {}));
  const plannedOutputs: Record<string, ShownValue> = {};
  if (mode === "refresh-only") {
    for (const [name, value] of recorded) plannedOutputs[name] = shownValue(value, false);
    return { outputs: [], plannedOutputs };
  }
  const declared = mode === "destroy" ? new Map() : input.desired.outputs;
  const lookup = lookupIn(decisions);
  const outputs: OutputChange[] = [];
  for (const name of [...new Set([...recorded.keys(), ...declared.keys()])].sort()) {
    const output = input.desired.outputs.get(name);
    const value = declared.has(name) && output ? resolveValue(output.value, lookup) : undefined;
    if (value instanceof Secret) {
      plannedOutputs[name] = secret;
      continue;
    }
    const before = recorded.has(name) ? shownValue(recorded.get(name), false) : absent;
    const after = shownValue(value, false);
    if (after.kind !== "absent") plannedOutputs[name] = after;
    const isSame = before.kind === "value" && after.kind === "value" && plainEqual(before.value, after.value);
    if (!isSame && !(before.kind === "absent" && after.kind === "absent"))
      outputs.push({ name, before, after });
  }
  return { outputs, plannedOutputs };
}
