import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { generatedName } from "../../model/text";
import { noPrivateData } from "../private-data";
import type { ParentChange } from "../resource/confirm-deleted";
import { planChange, type ResourcePlan } from "../resource/plan-change";
import { unknownValue } from "../resource/plan-findings";
import { incomplete } from "../resource/reactions";
import { revisionName } from "../schema/resource-block";
import { isSameValue, isUnknown, type TerraformObject, unknown } from "../values";
import {
  elementsOf,
  entryType,
  type Row,
  recordedIn,
  rowIn,
  rowsIn,
  variableIn,
  withRows,
} from "./variables";

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
  const isHidden = ({ values: value, [generatedName]: made }: Row) =>
    value === undefined && made === undefined;
  const own = isWithheld ? [...rowsIn(before)].flatMap(([key, row]) => (isHidden(row) ? [key] : [])) : [];
  if (maps.length === 0 && own.length === 0) return undefined;
  return [...new Set([...own, ...maps.flatMap((map) => Object.keys(elementsOf(map)))])];
}

interface VariablesChange {
  /** Undefined for a create. */
  readonly prior: TerraformObject | undefined;
  readonly config: TerraformObject;
  /** The service's variables that an imported map takes over when it declares them, by key. */
  readonly takenOver: ReadonlyMap<string, Row>;
  readonly parent: ParentChange;
}

/** Returns true if a map was imported and not applied since: it manages nothing yet. */
export const managesNothing = (prior: TerraformObject | undefined): boolean =>
  prior !== undefined && (prior.ids ?? null) === null;

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
    const priorPrivate = taken ? { ...noPrivateData, workspace: "" } : noPrivateData;
    const input = { type: entryType, prior: asRecorded, config: wanted, priorPrivate, catalog: undefined };
    const { planned, acts } = planChange(input);
    isWritten ||= acts;
    const { id, updated_at: time } = planned;
    rows.set(key, { ...row, values_wo: undefined, ids: id, updated_at: time ?? undefined });
    const isLost = known === undefined && !entryType.declaredWithSecrets(wanted).has("value");
    if (isLost && !(prior && isOpen)) diagnostics.push(unknownValue(key, "values"));
  }
  isWritten ||= [...recorded.keys()].some((key) => !rows.has(key));
  const planned = { ...withRows(base, rows), [revisionName]: isWritten ? unknown : revision };
  // For each key of a new map one line is enough.
  return { planned: before ? planned : { ...planned, updated_at: unknown }, diagnostics };
}

/**
 * Returns what is said of a resource that declares no map. Values that are taken away are no order to delete what they
 * set; one that was imported, or whose changes are ignored, has none.
 */
function undeclaredFindings({ prior, config, takenOver }: VariablesChange): readonly Diagnostic[] {
  const [attribute, code] = ["values", "plan.invalid_combination"] as const;
  if (prior === undefined)
    return [error(code, "there are no values", { attribute, hint: "set values, values_wo or generate" })];
  if (managesNothing(prior)) {
    const shown = [...takenOver.keys()].sort().join(", ");
    const detail = shown === "" ? undefined : `The service has ${shown}.`;
    const hint =
      "name in values those that are to be managed: the next apply sets them, and all others are left alone";
    return [warning(code, "no values are declared: no variable is managed", { attribute, detail, hint })];
  }
  const owned = [...rowsIn(prior).keys()];
  const [before, after] = [prior, config].map((one) => one.values_wo_version ?? null);
  const isTakenAway = (prior.values ?? null) !== null || !isSameValue(before, after);
  if (owned.length === 0 || !isTakenAway) return [];
  const hint =
    "write values = {} to delete them, or take the resource away with a removed block to leave them as they are";
  const detail = `This resource manages ${owned.join(", ")}.`;
  return [
    error(code, "there are no values any more, and none is deleted for that", { attribute, detail, hint }),
  ];
}
