import { type Diagnostic, hasErrors, lineOf, type SourceRange } from "../diagnostics/diagnostic";
import { nameOf } from "../model/address";
import type { Check } from "../model/policy";
import { camelCase, snakeCase } from "../model/terraform-names";
import { isObject, type Mask, noMask, type Plain, unflatten } from "../model/value";
import {
  type AttributeChange,
  type Change,
  instanceOf,
  isBlocked,
  type OutputChange,
  type Plan,
  type PlannedInstance,
  type ShownValue,
  secret,
  shownValue,
} from "./plan";
import { changeParts, type PlanDocument } from "./plan-schema";

type DocumentObject = { readonly [key: string]: Plain };

/**
 * Returns a plan as JSON, in the shape of Terraform's `show -json` (format 1.2) with attribute paths as declared. It adds
 * cause, effects, cost, guards, reasons and bindings. It holds no secret.
 */
export function planDocument(raw: Plan): PlanDocument {
  const plan = shownPlan(raw);
  const sides = plan.changes.map((change) => sidesOf(change, instanceOf(plan, change), plan.mask));
  const drifted = plan.changes.filter((change) => change.missing || (change.drift ?? []).length > 0);
  return compact({
    format_version: "1.2",
    stage: plan.stage,
    timestamp: plan.timestamp,
    applyable: !hasErrors(plan.diagnostics) && !isBlocked(plan),
    errored: hasErrors(plan.diagnostics),
    digest: plan.digest,
    planned_values: plannedDocument(plan, sides),
    resource_changes: plan.changes.map((change, i) => changeDocument(change, sides[i] as ChangeSides)),
    resource_drift: drifted.map((change) => driftDocument(change, instanceOf(plan, change), plan.mask)),
    output_changes: Object.fromEntries(plan.outputs.map((output) => [output.name, outputDocument(output)])),
    summary: plan.summary,
    cost: plan.cost,
    unmanaged: plan.unmanaged,
    standing: plan.standing.length === 0 ? undefined : plan.standing.map(compact),
    unchecked: plan.unchecked.map(compact),
    revealed: plan.revealed?.map(inDocument),
    checks: plan.checks?.map(foundDocument),
    diagnostics: plan.diagnostics.map(foundDocument),
    options: inDocument({ ...plan.options, confirmsAll: undefined }),
    binding: plan.binding,
  }) as PlanDocument;
}

export function shownPlan(plan: Plan): Plan {
  const { mask, changes, outputs, plannedOutputs } = plan;
  if (!mask) return plan;
  const shown = <Sides extends Pick<AttributeChange, "before" | "after">>(all: readonly Sides[]) =>
    all.map((one) => ({ ...one, before: mask(one.before), after: mask(one.after) }));
  const shownChange = (change: Change): Change => ({
    ...change,
    attributes: shown(change.attributes),
    released: shown(change.released),
    lifecycle: change.lifecycle && shown(change.lifecycle),
    drift: change.drift && shown(change.drift),
  });
  const shownOutputs = { outputs: shown(outputs), plannedOutputs: mask(plannedOutputs) };
  return { ...plan, ...shownOutputs, changes: changes.map(shownChange) };
}

const terraformActions: Readonly<Record<Change["action"], readonly string[]>> = {
  create: ["create"],
  update: ["update"],
  replace: ["delete", "create"],
  delete: ["delete"],
  adopt: ["no-op"],
  forget: ["forget"],
  "no-op": ["no-op"],
};

/** Returns the resources once the plan is applied, as Terraform does: without unknown values, secrets as null. */
function plannedDocument({ changes, plannedOutputs }: Plan, sides: readonly ChangeSides[]): DocumentObject {
  const resources = changes.flatMap((change, i): DocumentObject[] => {
    const after = sides[i]?.after;
    if (!after) return [];
    const known = new Map([...after].filter(([, value]) => value.kind !== "unknown"));
    return [{ ...placeOf(change), values: plainSide(known), sensitive_values: marks(after, "secret") }];
  });
  const outputs = Object.entries(plannedOutputs).map(([name, value]): [string, DocumentObject] => [
    name,
    compact({ sensitive: value.kind === "secret", value: value.kind === "value" ? value.value : undefined }),
  ]);
  return { outputs: Object.fromEntries(outputs), root_module: { resources } };
}

const placeOf = ({ address, type }: Change): DocumentObject => ({
  address,
  mode: "managed",
  type,
  name: nameOf(address),
});

const publishedKeys = Object.keys(changeParts).map(camelCase) as (keyof Change)[];

function changeDocument(change: Change, sides: ChangeSides) {
  const { action } = change;
  const isTakeOver = action === "adopt";
  const replacePaths = change.attributes.filter(({ forcesReplacement }) => forcesReplacement);
  return compact({
    ...placeOf(change),
    action,
    change: compact({
      actions: isTakeOver && change.attributes.length > 0 ? ["update"] : terraformActions[action],
      ...sidesDocument(sides),
      importing: isTakeOver && change.id !== undefined ? { id: change.id } : undefined,
      replace_paths: action === "replace" ? replacePaths.map(({ path }) => path.split(".")) : undefined,
    }),
    action_reason: reasonCode(change),
    ...inDocument(Object.fromEntries(publishedKeys.map((key) => [key, change[key]]))),
  });
}

function reasonCode({ action, attributes, missing }: Change): string | undefined {
  if (action === "replace")
    return attributes.some(({ forcesReplacement }) => forcesReplacement)
      ? "replace_because_cannot_update"
      : "replace_by_request";
  if (action === "delete") return "delete_because_no_resource_config";
  return action === "create" && missing ? "create_because_missing" : undefined;
}

function driftDocument(change: Change, instance: PlannedInstance, mask?: Mask): DocumentObject {
  const drift = change.drift ?? [];
  const before = new Map([
    ...flattenedBefore(change, instance, mask),
    ...drift.map((one) => [one.path, one.before] as const),
  ]);
  const after = withAfter(before, drift);
  return compact({
    ...placeOf(change),
    change: {
      actions: [change.missing ? "delete" : "update"],
      ...sidesDocument({ before, after: change.missing ? null : after }),
    },
    attributes: drift.map(inDocument),
  });
}

function outputDocument({ before, after }: OutputChange): DocumentObject {
  const action = before.kind === "absent" ? "create" : after.kind === "absent" ? "delete" : "update";
  return {
    actions: [action],
    before: plainOf(before),
    after: plainOf(after),
    after_unknown: after.kind === "unknown",
    before_sensitive: before.kind === "secret",
    after_sensitive: after.kind === "secret",
  };
}

function sidesDocument({ before, after }: ChangeSides): DocumentObject {
  return {
    before: before && plainSide(before),
    after: after && plainSide(after),
    after_unknown: marks(after, "unknown"),
    before_sensitive: marks(before, "secret"),
    after_sensitive: marks(after, "secret"),
  };
}

const plainSide = (side: ReadonlyMap<string, ShownValue>): Plain =>
  unflatten(new Map([...side].map(([path, value]) => [path, plainOf(value)]))) as Plain;

const marks = (side: ReadonlyMap<string, ShownValue> | null, kind: ShownValue["kind"]): Plain =>
  unflatten(
    new Map([...(side ?? [])].filter(([, value]) => value.kind === kind).map(([path]) => [path, true])),
  ) as Plain;

const plainOf = (value: ShownValue): Plain => (value.kind === "value" ? value.value : null);

const foundDocument = ({ range, ...found }: Diagnostic | Check): DocumentObject =>
  compact({ ...found, construct: undefined, range: range && plainRange(range) });

/** A range may work its offsets out only when asked. */
const plainRange = (range: SourceRange): DocumentObject =>
  compact({ file: range.file, start: range.start, end: range.end, line: lineOf(range) });

/** Returns an object with keys in snake_case, without undefined fields. */
export const inDocument = (object: object): DocumentObject => withKeys(object, snakeCase);

/** Renames the keys of an object and of the objects in its lists. Deeper objects are values, whose keys stay. */
export function withKeys(object: object, keyOf: (key: string) => string, levels = 1): DocumentObject {
  const convert = (key: string, value: unknown): unknown => {
    if (key === "range" && value) return plainRange(value as SourceRange);
    if (levels === 0 || !Array.isArray(value)) return value;
    return value.map((item) => (isObject(item) ? withKeys(item, keyOf, levels - 1) : item));
  };
  const entries = Object.entries(object).map(([key, value]) => [keyOf(key), convert(key, value)]);
  return compact(Object.fromEntries(entries));
}

export function compact(object: object): DocumentObject {
  const kept: Record<string, Plain> = {};
  for (const [key, value] of Object.entries(object)) if (value !== undefined) kept[key] = value;
  return kept;
}

/** A resource before and after the plan, by attribute path; null where it does not exist. */
interface ChangeSides {
  readonly before: ReadonlyMap<string, ShownValue> | null;
  readonly after: ReadonlyMap<string, ShownValue> | null;
}

function sidesOf(change: Change, instance: PlannedInstance, mask?: Mask): ChangeSides {
  const before = flattenedBefore(change, instance, mask);
  const isNew = change.action === "create" || (change.id === undefined && before.size === 0);
  const isEnded = change.action === "delete" || change.action === "forget";
  const after = change.action === "no-op" ? before : withAfter(before, change.attributes);
  return { before: isNew ? null : before, after: isEnded ? null : after };
}

function flattenedBefore(
  { attributes }: Change,
  instance: PlannedInstance,
  mask: Mask = noMask,
): Map<string, ShownValue> {
  const changed = new Map(attributes.map((change) => [change.path, change.before]));
  const { resolved, recorded, live, fingerprints } = instance;
  const paths = new Set([...resolved.keys(), ...Object.keys(recorded?.applied ?? {}), ...changed.keys()]);
  const before = new Map<string, ShownValue>();
  for (const path of [...paths].sort()) {
    const applied = recorded?.applied[path];
    const isSecret =
      path in fingerprints || (applied !== null && typeof applied === "object" && "fingerprint" in applied);
    const value =
      live?.attributes.get(path) ?? (isSecret ? null : (applied as Exclude<typeof applied, object>));
    const shown =
      changed.get(path) ?? (value === undefined ? undefined : mask(isSecret ? secret : shownValue(value)));
    if (shown && shown.kind !== "absent") before.set(path, shown);
  }
  return before;
}

const withAfter = (before: ReadonlyMap<string, ShownValue>, fields: readonly AttributeChange[]) =>
  new Map([...before, ...fields.map(({ path, after }) => [path, after] as const)]);
