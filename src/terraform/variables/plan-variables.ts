import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { canonicalId, generatedName } from "../../model/text";
import { unknownValue } from "../resource/plan-findings";
import { revisionName } from "../schema/terraform-shape";
import {
  asObject,
  holdsUnknown,
  isSameValue,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  unknown,
} from "../values/terraform-value";
import { declaredMap, generatedMap, textsIn } from "./variables";

interface VariablesChange {
  /** Undefined for a create. */
  readonly prior: TerraformObject | undefined;
  readonly config: TerraformObject;
  /** Variables of the service by key that an imported map takes over when it declares them. */
  readonly takenOver: ReadonlyMap<string, Pick<Variable, "id">>;
  /** The recorded service is deleted: its variables are created in the new one. */
  readonly isServiceDeleted: boolean;
}

interface VariablesPlan {
  readonly planned: TerraformObject;
  readonly replaces: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns true if a map was imported and not applied since: it manages nothing yet. */
export const isOnlyImported = (prior: TerraformObject | undefined): boolean =>
  prior !== undefined && (prior.ids ?? null) === null;

/**
 * Plans a map of variables key by key: ids are known where a key stays, times where its value stays. Pure, and the same
 * every time it is asked. Keys that are not declared and were never ours are left alone.
 */
export function planVariables({
  prior,
  config,
  takenOver,
  isServiceDeleted,
}: VariablesChange): VariablesPlan {
  const isHere = prior !== undefined && isSameService(prior.service_id, config.service_id);
  const place = isHere ? (prior.service_id ?? null) : (config.service_id ?? null);
  const base = { ...config, service_id: place, values_wo: null };
  const before = isHere ? prior : undefined;
  const keys = declaredKeys(config, prior);
  const diagnostics = keys === null ? undeclaredFindings(prior, config) : [];
  const asBefore = {
    id: before?.id ?? place,
    ids: before?.ids ?? null,
    updated_at: before?.updated_at ?? null,
  };
  const revision = before?.[revisionName] ?? null;
  if (keys === null && before !== undefined)
    return { planned: { ...base, ...asBefore, [revisionName]: revision }, replaces: false, diagnostics };
  // A service that is not known yet may be the recorded one: nothing is replaced for it.
  const isOpen = prior !== undefined && !isHere && (isUnknown(place) || isServiceDeleted);
  const replaces = prior !== undefined && !isHere && !isOpen;
  if (keys === undefined || isOpen)
    return {
      planned: {
        ...base,
        id: asBefore.id,
        ids: keys ? fromKeys(keys, () => unknown) : unknown,
        updated_at: unknown,
        [revisionName]: unknown,
      },
      ...{ replaces, diagnostics },
    };
  const entries = plannedEntries({ before, config, takenOver }, keys ?? []);
  const planned = { ...base, id: asBefore.id, ...entries.planned };
  return {
    planned: { ...planned, [revisionName]: entries.acts ? unknown : revision },
    ...{ replaces, diagnostics: [...diagnostics, ...entries.diagnostics] },
  };
}

function plannedEntries(
  {
    before,
    config,
    takenOver,
  }: Pick<VariablesChange, "config" | "takenOver"> & { before: TerraformObject | undefined },
  declared: readonly string[],
) {
  const ids = textsIn(before?.ids);
  const times = textsIn(before?.updated_at);
  const isSent = sentKeys(before, config);
  // What was changed outside has no time any more.
  const isLeft = (key: string): boolean =>
    key in times || (isWithheld(config) && !(key in generatedMap(config)));
  const kept = new Set(declared.filter((key) => key in ids && isLeft(key) && !isSent(key)));
  const timed = declared.filter((key) => key in times || !kept.has(key));
  const lost = Object.entries(asObject(config.values ?? null) ?? {})
    .filter(([key, value]) => value === null && !kept.has(key))
    .map(([key]) => unknownValue(key, "values"));
  return {
    planned: {
      ids: fromKeys(declared, (key) => ids[key] ?? takenOver.get(key)?.id ?? unknown),
      // For each key of a new map one line is enough.
      updated_at: before
        ? fromKeys(timed, (key) => (kept.has(key) ? (times[key] ?? null) : unknown))
        : unknown,
    },
    acts: [...Object.keys(ids), ...declared].some((key) => !kept.has(key)),
    diagnostics: lost,
  };
}

/**
 * Returns the keys that a configuration declares: undefined where they are not known, null where no map is written. What
 * `ignore_changes` withholds declares what it set before.
 */
export function declaredKeys(
  config: TerraformObject,
  before: TerraformObject | undefined,
): readonly string[] | undefined | null {
  const written = isWithheld(config) ? writeOnlyBefore(before) : declaredMap(config);
  const maps = [written, config[generatedName] ?? null].filter((map) => map !== null);
  if (maps.length === 0) return null;
  return maps.some(isUnknown)
    ? undefined
    : [...new Set(maps.flatMap((map) => Object.keys(asObject(map) ?? {})))].sort();
}

/** Whether a plan is not given the write-only values: they are nowhere but in the configuration, and it ignores their changes. */
const isWithheld = (config: TerraformObject): boolean =>
  declaredMap(config) === null && (config.values_wo_version ?? null) !== null;

/** Returns the keys that a map set and did not make up; null where there are none. */
function writeOnlyBefore(before: TerraformObject | undefined): TerraformValue {
  if (before === undefined) return unknown;
  const made = generatedMap(before);
  const own = Object.entries(textsIn(before.ids)).filter(([key]) => !(key in made));
  return own.length === 0 ? null : Object.fromEntries(own);
}

/** Tells of a key whether its value is sent, though it is there: it is another, or a new version of all is. */
function sentKeys(before: TerraformObject | undefined, config: TerraformObject): (key: string) => boolean {
  if (before === undefined) return () => true;
  const [made, isMade] = [generatedMap(before), generatedMap(config)];
  const isOther = sentTexts(before, config);
  return (key) => (key in isMade ? !isSame(made[key], isMade[key]) : key in made || isOther(key));
}

function sentTexts(before: TerraformObject, config: TerraformObject): (key: string) => boolean {
  const values = asObject(config.values ?? null);
  const known = asObject(before.values ?? null) ?? {};
  if (values !== undefined) return (key) => !isSame(known[key], values[key]);
  const isResent = !isSame(before.values_wo_version, config.values_wo_version);
  return () => isResent;
}

const isSame = (a: TerraformValue | undefined, b: TerraformValue | undefined): boolean =>
  isSameValue(a ?? null, b ?? null) && !holdsUnknown(b ?? null);

const isSameService = (a: TerraformValue | undefined, b: TerraformValue | undefined): boolean =>
  isSame(a, b) || (typeof a === "string" && typeof b === "string" && canonicalId(a) === canonicalId(b));

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
): readonly Diagnostic[] {
  if (prior === undefined)
    return [
      error("plan.invalid_combination", "there are no values", {
        attribute: "values",
        hint: "set values, values_wo or generate",
      }),
    ];
  const owned = Object.keys(textsIn(prior.ids));
  const isTakenAway =
    (prior.values ?? null) !== null || !isSame(prior.values_wo_version, config.values_wo_version);
  if (owned.length === 0 || !isTakenAway) return [];
  return [
    error("plan.invalid_combination", "there are no values any more, and none is deleted for that", {
      attribute: "values",
      detail: `This resource manages ${owned.join(", ")}.`,
      hint: "write values = {} to delete them, or take the resource away with a removed block to leave them as they are",
    }),
  ];
}

/** Returns what is said of an imported map that declares nothing: `keys` are those it may declare. */
export const nothingDeclared = (keys: readonly string[]): Diagnostic =>
  warning("plan.invalid_combination", "no values are declared: no variable is managed", {
    attribute: "values",
    detail: keys.length === 0 ? undefined : `The service has ${keys.join(", ")}.`,
    hint: "name in values those that are to be managed: the next apply sets them, and all others are left alone",
  });
