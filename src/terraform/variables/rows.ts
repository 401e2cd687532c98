import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { generatedName } from "../../model/terraform-names";
import { shortList } from "../../model/wording";
import { variable } from "../../resources/variable";
import {
  asObject,
  type Draft,
  isSameValue,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  unknown,
} from "../codec";
import { noPrivateData } from "../private-data";
import type { ParentChange } from "../resource/confirm-deleted";
import { planChange, type ResourcePlan } from "../resource/plan-change";
import { unknownValue } from "../resource/plan-findings";
import { incomplete } from "../resource/reactions";
import { emptyValue } from "../schema/block";
import { revisionName } from "../schema/resource-block";
import { shapeOf } from "../schema/terraform-shape";

export const entryType = shapeOf(variable);

/** Returns the elements of a map by key; none where the whole map is null or unknown. */
export const elementsOf = (map: TerraformValue | undefined): TerraformObject => asObject(map) ?? {};

const mapNames = ["ids", "updated_at", "values", "values_wo", generatedName] as const;

/**
 * The elements of one key, by map; undefined where a map lacks the key. In a state, a variable that was changed outside has null
 * in `values`, or no time.
 */
export type Row = { readonly [Name in (typeof mapNames)[number]]?: TerraformValue | undefined };

export const rowIn = (whole: TerraformObject, key: string): Row =>
  Object.fromEntries(mapNames.map((name) => [name, elementsOf(whole[name])[key]]));

export const rowsIn = (state: TerraformObject = {}): Map<string, Row> =>
  new Map(
    Object.entries(elementsOf(state.ids))
      .filter(([, id]) => typeof id === "string")
      .map(([key]) => [key, rowIn(state, key)]),
  );

/** Returns a whole value with these rows in its maps; a map that is null and gets no element stays null. */
export function withRows(whole: TerraformObject, rows: Iterable<readonly [string, Row]>): TerraformObject {
  const present = mapNames.filter((name) => (whole[name] ?? null) !== null);
  const maps: Record<string, Draft> = Object.fromEntries(present.map((name) => [name, {}]));
  for (const [key, row] of rows)
    for (const [name, value] of Object.entries(row))
      if (value !== undefined) maps[name] = Object.assign(maps[name] ?? {}, { [key]: value });
  return { ...whole, ...maps };
}

export const variableIn = (whole: TerraformObject, key: string, row = rowIn(whole, key)): TerraformObject => {
  const { service_id = null, timeouts = null, values_wo_version: version = null } = whole;
  const isShown = row.values !== undefined || row[generatedName] !== undefined;
  return {
    ...emptyValue(entryType),
    service_id,
    timeouts,
    key,
    id: row.ids ?? null,
    updated_at: row.updated_at ?? null,
    value: row.values ?? null,
    value_wo: row.values_wo ?? null,
    value_wo_version: isShown ? null : version,
    [generatedName]: row[generatedName] ?? null,
  };
};

/** The same of a state: where it was changed outside, its name and the version of its value are unknown. */
export function recordedIn(state: TerraformObject, key: string, row: Row): TerraformObject {
  const variable = variableIn(state, key, row);
  return row.updated_at === undefined ? { ...variable, key: null, value_wo_version: null } : variable;
}

/**
 * Returns the keys that a configuration declares; undefined where no map is written. Where `ignore_changes` withholds the
 * write-only values, they are those of `before`, the state of the same map.
 */
function declaredKeys(config: TerraformObject, before: TerraformObject | undefined) {
  const { values = null, values_wo: writeOnly = null, [generatedName]: generated = null } = config;
  const isWithheld = writeOnly === null && (config.values_wo_version ?? null) !== null;
  const maps = [values, writeOnly, generated].filter((map) => map !== null);
  if ((isWithheld && before === undefined) || maps.some(isUnknown)) return unknown;
  const isHidden = ({ values: value, [generatedName]: made }: Row) =>
    value === undefined && made === undefined;
  const own = isWithheld ? [...rowsIn(before)].flatMap(([key, row]) => (isHidden(row) ? [key] : [])) : [];
  if (maps.length === 0 && own.length === 0) return undefined;
  return [...new Set([...own, ...maps.flatMap((map) => Object.keys(elementsOf(map)))])];
}

interface VariablesChange {
  readonly prior: TerraformObject | undefined;
  readonly config: TerraformObject;
  /** The service's variables that an imported map takes over when it declares them, by key. */
  readonly takenOver: ReadonlyMap<string, Row>;
  readonly parent: ParentChange;
}

/**
 * Plans a map as its variables, one by one: ids are known where a key stays, times where its value stays. Pure, and the
 * same every time it is asked. Keys that are not declared and were never ours are left alone.
 */
export function planVariables(change: VariablesChange): Pick<ResourcePlan, "planned" | "diagnostics"> {
  const { prior, config, takenOver, parent } = change;
  // A service that is not known yet may be the recorded one: nothing is replaced for it.
  const isOpen = isUnknown(config.service_id ?? null) || parent === "left";
  const before = isOpen || parent === "other" ? undefined : prior;
  const place = before?.service_id ?? config.service_id ?? null;
  const base = { ...config, service_id: place, values_wo: null, id: before?.id ?? place };
  const declared = declaredKeys(config, prior);
  const diagnostics = declared === undefined ? [...undeclaredFindings(change)] : [];
  const { ids = null, updated_at: times = null, [revisionName]: revision = null } = before ?? {};
  if (declared === undefined && before !== undefined)
    return { planned: { ...base, ids, updated_at: times, [revisionName]: revision }, diagnostics };
  const all = { updated_at: unknown, [revisionName]: unknown };
  if (isUnknown(declared)) return { planned: { ...base, ids: unknown, ...all }, diagnostics };
  const rows = new Map<string, Row>();
  const recorded = rowsIn(before);
  let isWritten = (prior !== undefined && isOpen) || revision === incomplete;
  for (const key of declared ?? []) {
    const row = rowIn(config, key);
    const wanted = variableIn(base, key, row);
    const taken = takenOver.get(key);
    const known = recorded.get(key) ?? taken;
    // A value that only the configuration has, and does not show, stays as it is.
    const isHidden = Object.values(row).every((value) => value === undefined);
    const asRecorded = known && (isHidden ? variableIn : recordedIn)(before ?? {}, key, known);
    const kept = taken ? { ...noPrivateData, workspace: "" } : noPrivateData;
    const update = { prior: asRecorded, config: wanted, kept, catalog: undefined, meanings: new Map() };
    const { planned, acts } = planChange({ type: entryType, ...update });
    isWritten ||= acts;
    const { id, updated_at: time } = planned;
    rows.set(key, { ...row, values_wo: undefined, ids: id, updated_at: time ?? undefined });
    const isLost = known === undefined && !entryType.declaredWithSecrets(wanted).has("value");
    if (isLost && !(prior && isOpen)) diagnostics.push(unknownValue(key, "values"));
  }
  const leaving = [...recorded.keys()].filter((key) => !rows.has(key));
  if (leaving.length > 0) diagnostics.push(leavingWarning(leaving));
  isWritten ||= leaving.length > 0;
  const maps = withRows({ ...base, ids: {}, updated_at: {} }, rows);
  const planned = { ...maps, [revisionName]: isWritten ? unknown : revision };
  // For each key of a new map one line is enough.
  return { planned: before ? planned : { ...planned, updated_at: unknown }, diagnostics };
}

/** Terraform counts the deletion of a key as a change of its map. */
const leavingWarning = (keys: readonly string[]): Diagnostic =>
  warning("plan.variable_deleted", `${shortList(keys, 20)}: deleted from the service`, {
    attribute: "values",
    detail: "A value that was generated, or set elsewhere, is lost.",
    hint: "to give a key to another resource, take this map away with a removed block (destroy = false) in the same apply, and import the service into a map at a new address",
  });

/**
 * Returns the findings about a resource that declares no map. Values that are taken away are no order to delete. A resource
 * that was imported, or whose changes are ignored, has no values.
 */
function undeclaredFindings({ prior, config, takenOver }: VariablesChange): readonly Diagnostic[] {
  const [attribute, code] = ["values", "plan.invalid_combination"] as const;
  if (prior === undefined)
    return [error(code, "there are no values", { attribute, hint: "set values, values_wo or generate" })];
  const isImported = prior.ids === null;
  const owned = [...(isImported ? takenOver : rowsIn(prior)).keys()].sort().join(", ");
  if (isImported) {
    const detail = owned === "" ? undefined : `The service has ${owned}.`;
    const hint =
      "name in values those that are to be managed: the next apply sets them, and all others are left alone";
    return [warning(code, "no values are declared: no variable is managed", { attribute, detail, hint })];
  }
  const [before, after] = [prior, config].map((one) => one.values_wo_version ?? null);
  const isTakenAway = (prior.values ?? null) !== null || !isSameValue(before, after);
  if (owned === "" || !isTakenAway) return [];
  const hint =
    "write values = {} to delete them, or take the resource away with a removed block to leave them as they are";
  const detail = `This resource manages ${owned}.`;
  return [
    error(code, "there are no values any more, and none is deleted for that", { attribute, detail, hint }),
  ];
}
