import { type DesiredResource, defaultLifecycle } from "../model/desired";
import { camelCase } from "../model/text";
import type { Plain } from "../model/value";
import { planDocument } from "../plan/document";
import type { Action, Change, InMemory, Plan, ShownValue } from "../plan/plan";
import { type PlanDocument, planDocumentSchema } from "../plan/plan-schema";
import { escapeJson } from "./escape-text";

/** Writes `plan -json`: one document in the shape of Terraform's `show -json`, plus fields of rnv's own (DESIGN section 8). */
export const planJson = (plan: Plan, sources?: ReadonlyMap<string, string>): string =>
  `${escapeJson(planDocument(plan, new Map(), sources), 2)}\n`;

type ResourceChange = PlanDocument["resource_changes"][number];

/**
 * Reads a plan back from its document, to show it (`show FILE`). It cannot be applied: of the instances of its changes, it
 * has the planned values alone. Undefined when the document is not a plan.
 */
export function planFromDocument(document: unknown): Plan | undefined {
  const { data } = planDocumentSchema.safeParse(document);
  return data && planOf(data);
}

/** The plan of a document that was parsed. */
export function planOf(data: PlanDocument): Plan {
  const drift = new Map(data.resource_drift.map((entry) => [entry.address, entry]));
  const planned = new Map(data.planned_values.root_module.resources.map((one) => [one.address, one.values]));
  return {
    options: inMemory(data.options),
    changes: data.resource_changes.map((change) =>
      changeOf(change, drift.get(change.address), planned.get(change.address)),
    ),
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
    stage: data.stage,
    timestamp: data.timestamp,
    digest: data.digest,
    summary: data.summary,
    unmanaged: data.unmanaged,
    standing: data.standing ?? [],
    unchecked: data.unchecked,
    revealed: data.revealed?.map(inMemory),
    cost: data.cost,
    checks: data.checks,
    diagnostics: data.diagnostics,
    binding: data.binding,
  };
}

function changeOf(
  change: ResourceChange,
  drift: PlanDocument["resource_drift"][number] | undefined,
  planned: Readonly<Record<string, Plain>> = {},
): Change {
  const action = actionOf(change);
  const { address, type, parent } = change;
  const desired: DesiredResource = {
    ...{ address, type, parent, attributes: new Map(), dependsOn: [] },
    ...{ lifecycle: defaultLifecycle, range: { file: "", start: 0, end: 0 } },
  };
  return {
    ...inMemory(change),
    action,
    name: change.live_name,
    attributes: change.attributes.map(inMemory),
    released: change.released.map(inMemory),
    lifecycle: change.lifecycle?.map(inMemory),
    drift: (drift?.attributes ?? []).map(inMemory),
    missing: drift?.change.actions[0] === "delete" || undefined,
    isRemovalDeclared: change.removal_declared,
    guard: change.blocked_by,
    instance: {
      desired: action === "delete" || action === "forget" ? undefined : desired,
      ...{ resolved: flatten(planned), defaults: new Map(), fingerprints: {} },
    },
  };
}

const inMemory = <Part extends object>(part: Part): InMemory<Part> =>
  Object.fromEntries(Object.entries(part).map(([key, value]) => [camelCase(key), value])) as InMemory<Part>;

/** Returns fields by their paths: an object is a group of fields, or one field. */
const flatten = (values: Readonly<Record<string, Plain>>): ReadonlyMap<string, Plain> =>
  new Map(
    Object.entries(values).flatMap(([key, value]) => [
      [key, value] as const,
      ...(isGroup(value) ? Object.entries(value) : []).map(
        ([field, member]) => [`${key}.${field}`, member] as const,
      ),
    ]),
  );

const isGroup = (value: Plain): value is { readonly [key: string]: Plain } =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Terraform writes a replacement as two actions, and an import beside the action. */
function actionOf({ change }: ResourceChange): Action {
  if (change.importing) return "adopt";
  return change.actions.length > 1 ? "replace" : (change.actions[0] ?? "no-op");
}

function sideOf(value: Plain, isSecret: boolean, isUnknown: boolean, isAbsent: boolean): ShownValue {
  if (isAbsent) return { kind: "absent" };
  if (isSecret) return { kind: "secret" };
  return isUnknown ? { kind: "unknown" } : { kind: "value", value };
}
