import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { generatedName } from "../../model/text";
import { variable } from "../../resources/variable";
import type { ParentChange } from "../resource/confirm-deleted";
import type { ResourcePlan } from "../resource/plan-change";
import { unknownValue } from "../resource/plan-findings";
import { revisionName } from "../schema/resource-block";
import { shapeOf } from "../schema/terraform-shape";
import {
  asObject,
  holdsUnknown,
  isSameValue,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  unknown,
} from "../values";

/** The type that each entry of the map is: all it does, the map does. */
export const entryType = shapeOf(variable);

export interface MapMember {
  readonly id: string;
  /** ISO 8601; empty where the service tells none. Undefined where a write-only value was changed outside. */
  readonly updatedAt: string | undefined;
  /** The text of its value, the version of a write-only one, the length of a generated one. Null: changed outside. */
  readonly source: TerraformValue;
}

export type MapMembers = ReadonlyMap<string, MapMember>;

/** Returns the elements of a map by key; none where the whole map is null or unknown. */
export const elementsOf = (map: TerraformValue | undefined): TerraformObject => asObject(map) ?? {};

function sourcesIn(whole: TerraformObject | undefined): (key: string) => TerraformValue {
  const shown = { ...elementsOf(whole?.[generatedName]), ...elementsOf(whole?.values) };
  return (key) => (key in shown ? shown[key] : whole?.values_wo_version) ?? null;
}

export function entriesIn(state: TerraformObject | undefined): Map<string, MapMember> {
  const sourceOf = sourcesIn(state);
  const times = elementsOf(state?.updated_at);
  const entries = new Map<string, MapMember>();
  for (const [key, id] of Object.entries(elementsOf(state?.ids))) {
    const updatedAt = times[key];
    if (typeof id !== "string") continue;
    const source = sourceOf(key);
    entries.set(key, { id, source, updatedAt: typeof updatedAt === "string" ? updatedAt : undefined });
  }
  return entries;
}

export function withEntries(state: TerraformObject, entries: MapMembers): TerraformObject {
  const { values = null, [generatedName]: generated = null } = state;
  const among = (map: TerraformValue, sourceOf: (entry: MapMember) => TerraformValue): TerraformValue =>
    map &&
    Object.fromEntries(
      [...entries].filter(([key]) => key in elementsOf(map)).map(([key, entry]) => [key, sourceOf(entry)]),
    );
  const times = [...entries].flatMap(([key, { updatedAt }]) =>
    updatedAt === undefined ? [] : [[key, updatedAt]],
  );
  return {
    ...state,
    ids: Object.fromEntries([...entries].map(([key, { id }]) => [key, id])),
    updated_at: Object.fromEntries(times),
    values: among(values, ({ source }) => (typeof source === "string" ? source : null)),
    [generatedName]: among(generated, ({ source }) => asObject(source) ?? null),
  };
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
  const own = [...entriesIn(before).keys()].filter((key) => isWithheld && !(key in shown));
  if (maps.length === 0 && own.length === 0) return undefined;
  return [...new Set([...own, ...maps.flatMap((map) => Object.keys(elementsOf(map)))])];
}

type Planned = Pick<ResourcePlan, "planned" | "diagnostics">;

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

/**
 * Plans a map of variables key by key: ids are known where a key stays, times where its value stays. Pure, and the same
 * every time it is asked. Keys that are not declared and were never ours are left alone.
 */
export function planVariables({ prior, config, takenOver, parent }: VariablesChange): Planned {
  const isOpen = isUnknown(config.service_id ?? null) || parent === "deleted";
  const before = isOpen || parent === "other" ? undefined : prior;
  const place = before?.service_id ?? config.service_id ?? null;
  const base = { ...config, service_id: place, values_wo: null, id: before?.id ?? place };
  const declared = declaredKeys(config, prior);
  const diagnostics = declared === undefined ? undeclaredFindings(prior, config, takenOver) : [];
  if (declared === undefined && before !== undefined) {
    const { ids = null, updated_at: times = null, [revisionName]: revision = null } = before;
    return { planned: { ...base, ids, updated_at: times, [revisionName]: revision }, diagnostics };
  }
  const all = { updated_at: unknown, [revisionName]: unknown };
  if (isUnknown(declared)) return { planned: { ...base, ids: unknown, ...all }, diagnostics };
  const keys = declared ?? [];
  // A service that is not known yet may be the recorded one: nothing is replaced for it.
  if (prior !== undefined && isOpen)
    return { planned: { ...base, ids: fromKeys(keys, () => unknown), ...all }, diagnostics };
  const entries = entriesIn(before);
  // A value that was imported is kept, not generated again.
  for (const [key, source] of Object.entries(elementsOf(config[generatedName]))) {
    const { id, updatedAt } = takenOver.get(key) ?? {};
    if (id !== undefined) entries.set(key, { id, updatedAt: updatedAt ?? "", source });
  }
  const sourceOf = sourcesIn(config);
  const written = [config.values, config.values_wo, config[generatedName]].map(elementsOf);
  const isKept = (key: string): boolean => {
    const { source, updatedAt } = entries.get(key) ?? {};
    // A value that only the configuration has, and does not show, stays as it is.
    const isUntouched = updatedAt !== undefined || !written.some((map) => key in map);
    return source !== undefined && isUntouched && isSame(source, sourceOf(key));
  };
  const kept = new Set(keys.filter(isKept));
  const timed = keys.filter((key) => entries.get(key)?.updatedAt !== undefined || !kept.has(key));
  const acts = [...entries.keys(), ...keys].some((key) => !kept.has(key));
  const lost = Object.entries(elementsOf(config.values)).filter(
    ([key, value]) => value === null && !kept.has(key),
  );
  const planned = {
    ...base,
    ids: fromKeys(keys, (key) => entries.get(key)?.id ?? takenOver.get(key)?.id ?? unknown),
    // For each key of a new map one line is enough.
    updated_at: before
      ? fromKeys(timed, (key) => (kept.has(key) ? (entries.get(key)?.updatedAt ?? null) : unknown))
      : unknown,
    [revisionName]: acts ? unknown : (before?.[revisionName] ?? null),
  };
  return { planned, diagnostics: [...diagnostics, ...lost.map(([key]) => unknownValue(key, "values"))] };
}

const isSame = (a: TerraformValue | undefined, b: TerraformValue | undefined): boolean =>
  isSameValue(a ?? null, b ?? null) && !holdsUnknown(b ?? null);

const fromKeys = (
  keys: readonly string[],
  valueAt: (key: string) => TerraformValue,
): Record<string, TerraformValue> => Object.fromEntries(keys.map((key) => [key, valueAt(key)]));

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
  const owned = [...entriesIn(prior).keys()];
  const isTakenAway =
    (prior.values ?? null) !== null || !isSame(prior.values_wo_version, config.values_wo_version);
  if (owned.length === 0 || !isTakenAway) return [];
  const detail = `This resource manages ${owned.join(", ")}.`;
  const hint =
    "write values = {} to delete them, or take the resource away with a removed block to leave them as they are";
  return [
    error(code, "there are no values any more, and none is deleted for that", { attribute, detail, hint }),
  ];
}
