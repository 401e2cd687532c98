import { camelCase } from "../model/terraform-names";
import { isObject, type Plain } from "../model/value";
import { withKeys } from "./document";
import {
  type Action,
  absent,
  type Change,
  type InMemory,
  type Plan,
  type PlannedInstance,
  type ShownValue,
  secret,
} from "./plan";
import { type ChangeDocument, type PlanDocument, planDocumentSchema } from "./plan-schema";

/**
 * Reads a plan back from its document, to show it (`show FILE`). It cannot be applied: of the instances of its changes, it
 * has the planned values alone. Undefined when the document is not a plan.
 */
export function planFromDocument(document: unknown): Plan | undefined {
  const { data } = planDocumentSchema.safeParse(document);
  return data && planOf(data);
}

export function planOf(data: PlanDocument): Plan {
  const drift = new Map(data.resource_drift.map((entry) => [entry.address, entry]));
  const { resources } = data.planned_values.root_module;
  const planned = new Map(resources.map((one) => [one.address, one.values]));
  return {
    ...inMemory(data),
    options: inMemory(data.options),
    changes: data.resource_changes.map((change) => changeOf(change, drift.get(change.address))),
    instances: new Map(
      data.resource_changes.map((change) => [
        change.address,
        instanceIn(change, data.options.mode, planned.get(change.address)),
      ]),
    ),
    outputs: Object.entries(data.output_changes).map(([name, output]) => {
      const { before, after, actions } = output;
      return {
        name,
        before: actions.includes("create") ? absent : sideOf(before, output.before_sensitive, false),
        after: actions.includes("delete")
          ? absent
          : sideOf(after, output.after_sensitive, output.after_unknown),
      };
    }),
    plannedOutputs: {},
    standing: data.standing ?? [],
  };
}

function changeOf(change: ChangeDocument, drift: PlanDocument["resource_drift"][number] | undefined): Change {
  return {
    ...inMemory(change),
    action: actionOf(change),
    drift: drift && inMemory(drift).attributes,
    missing: drift?.change.actions[0] === "delete" || undefined,
    range: change.attributes.find(({ range }) => range !== undefined)?.range,
  };
}

function instanceIn(
  change: ChangeDocument,
  mode: Plan["options"]["mode"],
  planned: Readonly<Record<string, Plain>> = {},
): PlannedInstance {
  const action = actionOf(change);
  // Of what stays as it is, and where everything is destroyed, the document does not say it.
  const isSaid = action !== "no-op" && mode === "apply";
  const isDeclared = isSaid ? action !== "delete" && action !== "forget" : undefined;
  return { told: { isDeclared }, resolved: flatten(planned), defaults: new Map(), fingerprints: {} };
}

const inMemory = <Part extends object>(part: Part): InMemory<Part> =>
  withKeys(part, camelCase) as InMemory<Part>;

/** Returns fields by their paths: an object is a group of fields, or one field. */
const flatten = (values: Readonly<Record<string, Plain>>): ReadonlyMap<string, Plain> =>
  new Map(
    Object.entries(values).flatMap(([key, value]) => [
      [key, value] as const,
      ...(isObject(value) ? Object.entries(value) : []).map(
        ([field, member]) => [`${key}.${field}`, member] as const,
      ),
    ]),
  );

/** Documents of earlier versions have Terraform's words alone: two actions for a replacement, an import beside the action. */
function actionOf({ action, change }: ChangeDocument): Action {
  if (action !== undefined) return action;
  if (change.importing) return "adopt";
  return change.actions.length > 1 ? "replace" : (change.actions[0] ?? "no-op");
}

const sideOf = (value: Plain, isSecret: boolean, isUnknown: boolean): ShownValue =>
  isSecret ? secret : isUnknown ? { kind: "unknown" } : { kind: "value", value };
