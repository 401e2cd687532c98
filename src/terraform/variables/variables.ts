import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { generatedName } from "../../model/text";
import { variable } from "../../resources/variable";
import { noPrivateData, type PrivateData } from "../private-data";
import type { ParentChange } from "../resource/confirm-deleted";
import { planChange, type ResourcePlan } from "../resource/plan-change";
import { unknownValue } from "../resource/plan-findings";
import { incomplete } from "../resource/reactions";
import { emptyValue } from "../schema/block";
import { revisionName } from "../schema/resource-block";
import { shapeOf } from "../schema/terraform-shape";
import {
  asObject,
  isSameValue,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  unknown,
} from "../values";

/** The type of each variable of a map. */
export const entryType = shapeOf(variable);

/** Returns the elements of a map by key; none where the whole map is null or unknown. */
export const elementsOf = (map: TerraformValue | undefined): TerraformObject => asObject(map) ?? {};

/** Returns a variable of a map as a single resource would have it. */
export function variableIn(whole: TerraformObject, key: string): TerraformObject {
  const { service_id = null, timeouts = null, values_wo_version: version = null } = whole;
  const at = (name: string): TerraformValue => elementsOf(whole[name])[key] ?? null;
  const isShown = ["values", generatedName].some((name) => key in elementsOf(whole[name]));
  return {
    ...emptyValue(entryType),
    ...{ service_id, timeouts, key, id: at("ids"), updated_at: at("updated_at") },
    ...{ value: at("values"), value_wo: at("values_wo"), [generatedName]: at(generatedName) },
    value_wo_version: isShown ? null : version,
  };
}

/**
 * Returns a variable that a state records; undefined where it was never created. One without a time was changed outside: its
 * name, and the version of its value, are unknown.
 */
export function recordedIn(state: TerraformObject | undefined, key: string): TerraformObject | undefined {
  const recorded = variableIn(state ?? {}, key);
  if (typeof recorded.id !== "string") return undefined;
  return recorded.updated_at === null ? { ...recorded, key: null, value_wo_version: null } : recorded;
}

/**
 * Returns the keys that a configuration declares; undefined where no map is written. Where `ignore_changes` withholds the
 * write-only values, they are those of `before`, the state of the same map.
 */
function declaredKeys(
  config: TerraformObject,
  before: TerraformObject | undefined,
): readonly string[] | typeof unknown | undefined {
  const { values = null, values_wo: writeOnly = null, [generatedName]: generated = null } = config;
  const isWithheld = writeOnly === null && (config.values_wo_version ?? null) !== null;
  const maps = [values, writeOnly, generated].filter((map) => map !== null);
  if ((isWithheld && before === undefined) || maps.some(isUnknown)) return unknown;
  const shown = { ...elementsOf(before?.[generatedName]), ...elementsOf(before?.values) };
  const own = Object.keys(elementsOf(before?.ids)).filter((key) => isWithheld && !(key in shown));
  if (maps.length === 0 && own.length === 0) return undefined;
  return [...new Set([...own, ...maps.flatMap((map) => Object.keys(elementsOf(map)))])];
}

interface VariablesChange {
  /** Undefined for a create. */
  readonly prior: TerraformObject | undefined;
  readonly config: TerraformObject;
  /** The service's variables that an imported map takes over when it declares them, by key. */
  readonly takenOver: ReadonlyMap<string, Pick<Variable, "id" | "updatedAt">>;
  readonly parent: ParentChange;
}

/** Returns true if a map was imported and not applied since: it manages nothing yet. */
export const managesNothing = (prior: TerraformObject | undefined): boolean =>
  prior !== undefined && (prior.ids ?? null) === null;

/** Private data of a variable that an imported map takes over. */
export const takenOverAs = (workspace: string): PrivateData => ({ ...noPrivateData, workspace });

/**
 * Plans a map as its variables, one by one: ids are known where a key stays, times where its value stays. Pure, and the
 * same every time it is asked. Keys that are not declared and were never ours are left alone.
 */
export function planVariables({
  prior,
  config,
  takenOver,
  parent,
}: VariablesChange): Pick<ResourcePlan, "planned" | "diagnostics"> {
  // A service that is not known yet may be the recorded one: nothing is replaced for it.
  const isOpen = isUnknown(config.service_id ?? null) || parent === "left";
  const before = isOpen || parent === "other" ? undefined : prior;
  const place = before?.service_id ?? config.service_id ?? null;
  const base = { ...config, service_id: place, values_wo: null, id: before?.id ?? place };
  const declared = declaredKeys(config, prior);
  const diagnostics = declared === undefined ? [...undeclaredFindings(prior, config, takenOver)] : [];
  if (declared === undefined && before !== undefined) {
    const { ids = null, updated_at: times = null, [revisionName]: revision = null } = before;
    return { planned: { ...base, ids, updated_at: times, [revisionName]: revision }, diagnostics };
  }
  const all = { updated_at: unknown, [revisionName]: unknown };
  if (isUnknown(declared)) return { planned: { ...base, ids: unknown, ...all }, diagnostics };
  const written = [config.values, config.values_wo, config[generatedName]].map(elementsOf);
  const plans = (declared ?? []).map((key) => {
    const wanted = variableIn({ ...config, service_id: place }, key);
    const taken = takenOver.get(key);
    const imported = taken && {
      ...emptyValue(entryType),
      ...{ id: taken.id, service_id: place, key, updated_at: taken.updatedAt ?? "" },
    };
    // A value that only the configuration has, and does not show, stays as it is.
    const isShown = written.some((map) => key in map);
    const recorded = isShown || before === undefined ? recordedIn(before, key) : variableIn(before, key);
    const { planned, acts } = planChange({
      ...{ type: entryType, prior: recorded ?? imported, config: wanted, catalog: undefined },
      priorPrivate: imported ? takenOverAs("") : noPrivateData,
    });
    const isLost = recorded === undefined && !entryType.declaredWithSecrets(wanted).has("value");
    if (isLost && !(prior && isOpen)) diagnostics.push(unknownValue(key, "values"));
    return { key, planned, acts };
  });
  const mapped = (name: string) =>
    Object.fromEntries(plans.map(({ key, planned }) => [key, planned[name] ?? null]));
  const ids = mapped("id");
  const isRemoved = Object.keys(elementsOf(before?.ids)).some((key) => !(key in ids));
  const isOther = isRemoved || before?.[revisionName] === incomplete || plans.some(({ acts }) => acts);
  const times = Object.entries(mapped("updated_at")).filter(([, time]) => time !== null);
  const planned = {
    ...{ ...base, ids },
    // For each key of a new map one line is enough.
    updated_at: before ? Object.fromEntries(times) : unknown,
    [revisionName]: isOther || (prior && isOpen) ? unknown : (before?.[revisionName] ?? null),
  };
  return { planned, diagnostics };
}

/**
 * Returns what is said of a resource that declares no map. Values that are taken away are no order to delete what they
 * set; one that was imported, or whose changes are ignored, has none.
 */
function undeclaredFindings(
  prior: TerraformObject | undefined,
  config: TerraformObject,
  takenOver: VariablesChange["takenOver"],
): readonly Diagnostic[] {
  const [attribute, code] = ["values", "plan.invalid_combination"] as const;
  if (prior === undefined)
    return [error(code, "there are no values", { attribute, hint: "set values, values_wo or generate" })];
  if (managesNothing(prior)) {
    const detail =
      takenOver.size === 0 ? undefined : `The service has ${[...takenOver.keys()].sort().join(", ")}.`;
    const hint =
      "name in values those that are to be managed: the next apply sets them, and all others are left alone";
    return [warning(code, "no values are declared: no variable is managed", { attribute, detail, hint })];
  }
  const owned = Object.keys(elementsOf(prior.ids));
  const isTakenAway =
    (prior.values ?? null) !== null || !isSameValue(prior.values_wo_version, config.values_wo_version);
  if (owned.length === 0 || !isTakenAway) return [];
  const detail = `This resource manages ${owned.join(", ")}.`;
  const hint =
    "write values = {} to delete them, or take the resource away with a removed block to leave them as they are";
  return [
    error(code, "there are no values any more, and none is deleted for that", { attribute, detail, hint }),
  ];
}
