import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Plain } from "../model/value";
import type { Action, AttributeChange, Change, Plan, ShownValue } from "../plan/plan";
import { type PlanDocument, planDocumentSchema } from "./plan-schema";

type ResourceChange = PlanDocument["resource_changes"][number];
type Field = ResourceChange["attributes"][number];

/**
 * A plan to show, read back from its document (`show FILE`). It has what is shown and nothing to apply: the
 * subjects of its changes are empty. Undefined when the document is not one.
 */
export function planFromDocument(document: unknown): Plan | undefined {
  const parsed = planDocumentSchema.safeParse(document);
  if (!parsed.success) return undefined;
  const { data } = parsed;
  const drift = new Map(data.resource_drift.map((entry) => [entry.address, entry]));
  return {
    options: {
      mode: data.options.mode,
      targets: data.options.targets.map(asAddress),
      excludes: data.options.excludes.map(asAddress),
      replace: data.options.replace.map(asAddress),
      adopt: data.options.adopt,
      allowEmpty: data.options.allow_empty,
      confirmedDeletes: data.options.confirmed_deletes.map(asAddress),
    },
    changes: data.resource_changes.map((change) => changeOf(change, drift.get(change.address))),
    outputs: Object.entries(data.output_changes).map(([name, output]) => ({
      name,
      before: sideOf(output.before, output.before_sensitive, false, output.actions.includes("create")),
      after: sideOf(
        output.after,
        output.after_sensitive,
        output.after_unknown,
        output.actions.includes("delete"),
      ),
    })),
    plannedOutputs: Object.fromEntries(
      Object.entries(data.planned_values.outputs).map(([name, { sensitive, value }]) => [
        name,
        sideOf(value ?? null, sensitive, value === undefined, false),
      ]),
    ),
    ...(data.timestamp !== undefined && { timestamp: data.timestamp }),
    summary: data.summary,
    unmanaged: data.unmanaged,
    standing: (data.standing ?? []).map((one) => ({ ...one, address: asAddress(one.address) })),
    unchecked: data.unchecked.map(({ address, ...rest }) => ({ address: asAddress(address), ...rest })),
    ...(data.revealed && {
      revealed: data.revealed.map(({ address, attribute, is_equal: isEqual }) => ({
        address: asAddress(address),
        attribute,
        isEqual,
      })),
    }),
    cost: data.cost,
    diagnostics: data.diagnostics as readonly Diagnostic[],
    binding: data.binding,
  };
}

const asAddress = (text: string): Address => text as Address;

function changeOf(change: ResourceChange, drift: PlanDocument["resource_drift"][number] | undefined): Change {
  return {
    address: asAddress(change.address),
    type: change.type,
    action: actionOf(change),
    ...(change.id !== undefined && { id: change.id }),
    name: change.live_name,
    ...(change.previous_address !== undefined && { previousAddress: asAddress(change.previous_address) }),
    attributes: change.attributes.map(fieldOf),
    released: change.released.map(fieldOf),
    ...(change.lifecycle && { lifecycle: change.lifecycle.map(fieldOf) }),
    drift: (drift?.attributes ?? []).map(fieldOf),
    ...(drift?.change.actions[0] === "delete" && { missing: true as const }),
    ...(change.reason !== undefined && { reason: change.reason }),
    effects: change.effects,
    dependsOn: change.depends_on.map(asAddress),
    ...(change.deletes_after && { deletesAfter: change.deletes_after.map(asAddress) }),
    withParent: change.with_parent,
    onRemove: change.on_remove,
    ...(change.blocked_by && { guard: change.blocked_by }),
    ...(change.cost && { cost: change.cost }),
    binding: change.binding,
    instance: { resolved: new Map(), defaults: new Map(), fingerprints: {} },
  };
}

/** Terraform writes a replacement as two actions, and an import beside the action. */
function actionOf({ change }: ResourceChange): Action {
  if (change.importing) return "adopt";
  return change.actions.length > 1 ? "replace" : (change.actions[0] ?? "no-op");
}

const fieldOf = (field: Field): AttributeChange => ({
  path: field.path,
  before: field.before as ShownValue,
  after: field.after as ShownValue,
  cause: field.cause,
  forcesReplacement: field.forces_replacement,
  ...(field.from && { from: field.from }),
  ...(field.placement && { isPlacement: true }),
  ...(field.range && { range: field.range }),
});

function sideOf(value: Plain, isSecret: boolean, isUnknown: boolean, isAbsent: boolean): ShownValue {
  if (isAbsent) return { kind: "absent" };
  if (isSecret) return { kind: "secret" };
  return isUnknown ? { kind: "unknown" } : { kind: "value", value };
}
