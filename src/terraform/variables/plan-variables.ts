import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { generatedName } from "../../model/text";
import type { ParentChange } from "../resource/confirm-deleted";
import { unknownValue } from "../resource/plan-findings";
import { revisionName } from "../schema/resource-block";
import {
  holdsUnknown,
  isSameValue,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  unknown,
} from "../values";
import { type Declared, declaredIn, elementsOf, entriesIn } from "./variables";

interface VariablesChange {
  /** Undefined for a create. */
  readonly prior: TerraformObject | undefined;
  readonly config: TerraformObject;
  /** The service's variables that an imported map takes over when it declares them, by key. */
  readonly takenOver: ReadonlyMap<string, Pick<Variable, "id" | "updatedAt">>;
  /** How the service changes. */
  readonly parent: ParentChange;
}

interface VariablesPlan {
  readonly planned: TerraformObject;
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns true if a map was imported and not applied since: it manages nothing yet. */
export const managesNothing = (prior: TerraformObject | undefined): boolean =>
  prior !== undefined && (prior.ids ?? null) === null;

/**
 * Plans a map of variables key by key: ids are known where a key stays, times where its value stays. Pure, and the same
 * every time it is asked. Keys that are not declared and were never ours are left alone.
 */
export function planVariables({ prior, config, takenOver, parent }: VariablesChange): VariablesPlan {
  const isOpen = isUnknown(config.service_id ?? null) || parent === "deleted";
  const before = isOpen || parent === "other" ? undefined : prior;
  const place = before?.service_id ?? config.service_id ?? null;
  const base = { ...config, service_id: place, values_wo: null, id: before?.id ?? place };
  const declared = declaredIn(config, prior);
  const diagnostics = declared === undefined ? undeclaredFindings(prior, config, takenOver) : [];
  if (declared === undefined && before !== undefined) {
    const { ids = null, updated_at: times = null, [revisionName]: revision = null } = before;
    return { planned: { ...base, ids, updated_at: times, [revisionName]: revision }, diagnostics };
  }
  const { sources, withheld }: Declared = declared ?? { sources: new Map(), withheld: new Set() };
  const all = { updated_at: unknown, [revisionName]: unknown };
  if (sources === undefined) return { planned: { ...base, ids: unknown, ...all }, diagnostics };
  const keys = [...sources.keys()];
  // A service that is not known yet may be the recorded one: nothing is replaced for it.
  if (prior !== undefined && isOpen)
    return { planned: { ...base, ids: fromKeys(keys, () => unknown), ...all }, diagnostics };
  const entries = entriesIn(before);
  // A value that was imported is kept, not generated again.
  for (const [key, source] of Object.entries(elementsOf(config[generatedName]))) {
    const { id, updatedAt } = takenOver.get(key) ?? {};
    if (id !== undefined) entries.set(key, { id, updatedAt: updatedAt ?? "", source });
  }
  const isKept = (key: string): boolean => {
    const { source, updatedAt } = entries.get(key) ?? {};
    const isUntouched = updatedAt !== undefined || withheld.has(key);
    return source !== undefined && isUntouched && isSame(source, sources.get(key) ?? null);
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
  const attribute = "values";
  if (prior === undefined)
    return [
      error("plan.invalid_combination", "there are no values", {
        attribute,
        hint: "set values, values_wo or generate",
      }),
    ];
  if (managesNothing(prior))
    return [
      warning("plan.invalid_combination", "no values are declared: no variable is managed", {
        attribute,
        detail:
          takenOver.size === 0 ? undefined : `The service has ${[...takenOver.keys()].sort().join(", ")}.`,
        hint: "name in values those that are to be managed: the next apply sets them, and all others are left alone",
      }),
    ];
  const owned = [...entriesIn(prior).keys()];
  const isTakenAway =
    (prior.values ?? null) !== null || !isSame(prior.values_wo_version, config.values_wo_version);
  if (owned.length === 0 || !isTakenAway) return [];
  return [
    error("plan.invalid_combination", "there are no values any more, and none is deleted for that", {
      attribute,
      detail: `This resource manages ${owned.join(", ")}.`,
      hint: "write values = {} to delete them, or take the resource away with a removed block to leave them as they are",
    }),
  ];
}
